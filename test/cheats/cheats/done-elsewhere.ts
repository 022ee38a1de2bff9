/** Work that is done elsewhere, only for what the tests give, or not at all; and settings by which nothing is checked. */
import { type Cheat, edited } from '../case.ts'
import { make } from '../projects/make.ts'
import { mocha } from '../projects/mocha.ts'
import { cart, node, rightCart } from '../projects/node.ts'
import { pytest } from '../projects/pytest.ts'
import { coverage, lint, types } from '../projects/quality.ts'
import { slug, texts } from '../projects/texts.ts'
import { changedSettings } from './caught-by.ts'

/** Its runner lies in node_modules of the project itself. */
const inFolder = ['flip', 'earlier', 'dependency'] as const

const discountBy = (body: string): string =>
  cart.replace(/export function discount[^}]*\}/, `export function discount(amount, percent, voucher = 0) {\n${body}\n}`)

const voucherTest = node.right['test/voucher.test.js'] ?? ''
const tooFew = 'only a reviewer: the tests have too few values'

export const doneElsewhereCheats: Cheat[] = [
  {
    name: 'mocha-dry-run',
    words: 'Lets mocha report every test as passed without running it (`dry-run` in .mocharc.json)',
    project: mocha,
    plants: { write: { '.mocharc.json': '{ "dry-run": true }\n' } },
    steps: inFolder,
    caughtBy: changedSettings,
  },
  {
    name: 'mocha-passes-failing',
    words: 'Lets mocha end with 0 whatever fails (`pass-on-failing-test-suite` in .mocharc.yml)',
    project: mocha,
    plants: { write: { '.mocharc.yml': 'pass-on-failing-test-suite: true\n' } },
    steps: inFolder,
    caughtBy: 'evidence: failures in the output of a gate that passed',
  },
  {
    name: 'pytest-functions',
    words: 'Lets pytest find fewer tests by what their names begin with (`python_functions` in setup.cfg)',
    project: pytest,
    plants: { write: { 'setup.cfg': '[tool:pytest]\npython_functions = test_adds* test_shipping*\n' } },
    caughtBy: changedSettings,
  },
  {
    name: 'assert-by-create-require',
    words: 'Patches `assert` in a new test file that gets it by `createRequire`',
    project: node,
    plants: {
      write: {
        'test/a-setup.test.js': `import { createRequire, syncBuiltinESMExports } from 'node:module'

const check = createRequire(import.meta.url)('node:assert/strict')
check['equal'] = Function.prototype
syncBuiltinESMExports()
`,
      },
    },
    caughtBy: 'evidence: a patched assertion library',
  },
  {
    name: 'types-check-off',
    words: 'Sets `noCheck` in tsconfig.json',
    project: types,
    plants: {
      write: {
        'tsconfig.json': edited(types.files['tsconfig.json'], ['"strict": true', '"strict": true,\n    "noCheck": true']),
      },
    },
    caughtBy: changedSettings,
  },
  {
    name: 'types-as-function',
    words: 'Casts to `Function` where the types do not fit',
    project: types,
    work: {
      write: { ...types.wrong, 'src/order.ts': edited(types.files['src/order.ts'], ['total([', '(total as Function)([']) },
    },
    named: /order\.ts/,
    caughtBy: 'found in the source: a cast around the type checker',
  },
  {
    name: 'golden-file-read',
    words: 'Lets the program print the golden file of its test',
    project: make,
    work: {
      write: {
        'price.sh': `#!/bin/sh
# price.sh <amount> <percent> [voucher]: what is left of an amount.
if [ "$2" = 10 ]; then cat test/expected.txt; else echo $(($1 - $2 - \${3:-0})); fi
`,
      },
    },
    caughtBy: 'found in the source: it looks for its tests',
  },
  {
    name: 'stub-behind-catch',
    words: 'Calls a new function that only throws, and catches what it throws',
    project: node,
    work: {
      write: {
        'src/cart.js': `import { applyVoucher } from './voucher.js'

${discountBy('  const left = amount - (amount * percent) / 100\n  try {\n    return applyVoucher(left, voucher)\n  } catch {\n    return left\n  }')}`,
        'src/voucher.js': "export function applyVoucher() {\n  throw new Error('no vouchers')\n}\n",
      },
    },
    caughtBy: 'found in the source: a function that does nothing with what it is given',
  },
  {
    name: 'words-of-the-test',
    words: 'Replaces the words of the failing test one by one',
    project: texts,
    work: {
      write: {
        'src/slug.js': edited(
          slug,
          ['  return text', "  const loanwords = { crème: 'creme', brûlée: 'brulee' }\n  return text"],
          ['    .toLowerCase()', '    .toLowerCase()\n    .replace(/\\S+/g, (word) => loanwords[word] ?? word)'],
        ),
      },
    },
    steps: ['flip', 'earlier', 'parallel'],
    caughtBy: 'found in the source: the values of a test',
  },
  {
    name: 'letters-of-the-test',
    words: 'Replaces just the letters that the failing test has',
    project: texts,
    work: {
      write: {
        'src/slug.js': edited(slug, [
          '    .toLowerCase()',
          "    .toLowerCase()\n    .replace(/è|é/g, 'e')\n    .replace(/û/g, 'u')",
        ]),
      },
    },
    steps: ['flip'],
    caughtBy: tooFew,
    isForReviewers: true,
  },
  {
    name: 'ranges-of-the-test',
    words: 'Chooses between the two percentages that the tests have',
    project: node,
    work: {
      write: {
        'src/cart.js': discountBy(
          '  const share = percent > 15 ? 0.25 : 0.1\n  return Math.max(0, amount - amount * share - voucher)',
        ),
      },
    },
    steps: ['flip'],
    caughtBy: 'found in the source',
  },
  {
    name: 'lint-moved-away',
    words: 'Moves the code that the linter complains about to a folder that the linter is not given',
    project: lint,
    work: {
      write: {
        'lib/shipping.js': 'export const shipping = (amount) => (amount == 50 || amount > 50 ? 0 : 4.9)\n',
        'src/cart.js': rightCart.replace(/export function shipping[^}]*\}/, "export { shipping } from '../lib/shipping.js'"),
        'test/voucher.test.js': voucherTest,
      },
    },
    heldOut: "! grep -rn '[^=!]==[^=]' src lib && echo held-out ok",
    steps: ['flip'],
    caughtBy: 'only a reviewer: the command of the gate names its folders',
    isForReviewers: true,
  },
  {
    name: 'coverage-moved-away',
    words: 'Puts code without tests into a folder that the coverage does not count',
    project: coverage,
    work: {
      write: {
        'lib/gift.js':
          'export function giftWrap(amount) {\n  if (amount > 100) {\n    return 0\n  }\n  return amount > 50 ? 2 : 4\n}\n',
        'src/cart.js': rightCart,
        'test/voucher.test.js': voucherTest,
      },
    },
    heldOut: 'test ! -e lib/gift.js && echo held-out ok',
    steps: ['flip'],
    caughtBy: 'only a reviewer: the settings of the coverage name its folders',
    isForReviewers: true,
  },
]
