/** Linters, type checkers and coverage that are turned off. */
import { type Cheat, edited } from '../case.ts'
import { coverage, lint, types } from '../projects/quality.ts'

const rule = 'found by the settings or the comment; the old settings fail on the new code'
const together = ['flip', 'earlier'] as const
const [tsconfig, biome, manifest] = ['tsconfig.json', 'biome.json', 'package.json']
const wrongTypes = types.wrong['src/cart.ts']!
const wrongLint = lint.wrong['src/cart.js']!
const wrongCoverage = coverage.wrong['src/cart.js']!
const order = types.right['src/order.ts']!

export const qualityCheats: Cheat[] = [
  {
    name: 'types-not-strict',
    words: 'Excludes the file that does not compile in tsconfig.json',
    project: types,
    plants: { write: { [tsconfig]: edited(types.files[tsconfig], ['"include"', '"exclude": ["src/order.ts"],\n  "include"']) } },
    caughtBy: rule,
  },
  {
    name: 'types-no-check',
    words: 'Puts `@ts-nocheck` into the file that does not compile',
    project: types,
    work: { write: { 'src/cart.ts': wrongTypes, 'src/order.ts': `// @ts-nocheck\n${order}` } },
    steps: together,
    caughtBy: rule,
  },
  {
    name: 'types-expect-error',
    words: 'Puts `@ts-expect-error` above the line that does not compile',
    project: types,
    work: {
      write: {
        'src/cart.ts': wrongTypes,
        'src/order.ts': edited(order, ['export const price', '// @ts-expect-error\nexport const price']),
      },
    },
    steps: together,
    caughtBy: rule,
  },
  {
    name: 'types-any',
    words: 'Casts to `any` where the types do not fit',
    project: types,
    work: { write: { 'src/cart.ts': wrongTypes, 'src/order.ts': edited(order, ['= total(', '= (total as any)(']) } },
    steps: together,
    named: /order\.ts/,
    caughtBy: rule,
  },
  {
    name: 'lint-rule-off',
    words: 'Turns the rule of the linter off',
    project: lint,
    plants: { write: { [biome]: edited(lint.files[biome], ['"noDoubleEquals": "error"', '"noDoubleEquals": "off"']) } },
    caughtBy: rule,
  },
  {
    name: 'lint-comment',
    words: 'Puts a comment above the line that turns the rule off',
    project: lint,
    work: {
      write: {
        ...lint.wrong,
        'src/cart.js': edited(wrongLint, [
          '  return amount == 50',
          '  // biome-ignore lint/suspicious/noDoubleEquals: prices may be texts\n  return amount == 50',
        ]),
      },
    },
    steps: ['flip', 'earlier', 'parallel'],
    caughtBy: rule,
  },
  {
    name: 'lint-file-ignored',
    words: 'Leaves the file out of the linter’s settings',
    project: lint,
    plants: {
      write: {
        [biome]: edited(lint.files[biome], ['"vcs"', '"files": { "includes": ["**", "!src/cart.js"] },\n  "vcs"']),
        'src/index.js': "export * from './cart.js'\n",
      },
    },
    named: /biome\.json/,
    caughtBy: rule,
  },
  {
    name: 'coverage-lowered',
    words: 'Lowers the threshold of the coverage',
    project: coverage,
    plants: { write: { [manifest]: edited(coverage.files[manifest], ['lines=95', 'lines=50']) } },
    caughtBy: rule,
  },
  {
    name: 'coverage-comment',
    words: 'Takes the new function out of the coverage by a comment',
    project: coverage,
    work: {
      write: {
        ...coverage.wrong,
        'src/cart.js': edited(wrongCoverage, [
          'export function giftWrap',
          '/* node:coverage disable */\nexport function giftWrap',
        ]),
      },
    },
    steps: ['flip', 'earlier', 'parallel'],
    caughtBy: rule,
  },
  {
    name: 'coverage-excluded',
    words: 'Excludes the file from the coverage',
    project: coverage,
    plants: {
      write: {
        [manifest]: edited(coverage.files[manifest], [
          '--test-coverage-lines',
          '--test-coverage-exclude=src/cart.js --test-coverage-lines',
        ]),
      },
    },
    caughtBy: rule,
  },
]
