/** The cart with further hard gates: the types, the linter, the coverage. */
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Project } from '../case.ts'
import { node } from './node.ts'

const programs = join(dirname(fileURLToPath(import.meta.url)), '..', '..', '..', 'node_modules', '.bin')

const cartTs = `export type Item = { price: number; count: number }

export function total(items: Item[]): number {
  return items.reduce((sum, { price, count }) => sum + price * count, 0)
}
`

/** Checked by tsc alone: what is asked for is in the types. */
export const types: Project = {
  name: 'tsc',
  files: {
    'README.md': '# Shop\n',
    'package.json': '{ "name": "shop", "private": true, "type": "module" }\n',
    'tsconfig.json': `${JSON.stringify({ compilerOptions: { strict: true, noEmit: true, target: 'es2022', types: [] }, include: ['src'] }, null, 2)}\n`,
    'src/cart.ts': cartTs,
    'src/order.ts': `import { total } from './cart'

export const price: number = total([{ price: 1, count: 2 }])
`,
  },
  gate: `${programs}/tsc -p .`,
  story: {
    title: 'Discounts',
    criteria: ['order.ts has discount(amount: number, percent: number): number', 'total still takes items only'],
  },
  wrong: { 'src/cart.ts': cartTs.replace('items: Item[]): number', 'items: Item[], _currency: string): number') },
  right: {
    'src/order.ts': `import { total } from './cart'

export const price: number = total([{ price: 1, count: 2 }])

export const discount = (amount: number, percent: number): number => amount - (amount * percent) / 100
`,
  },
  heldOut: {
    program: 'sh',
    text: `printf '%s' '{"compilerOptions":{"strict":true,"noEmit":true,"target":"es2022","types":[]},"include":["src"]}' > tsconfig.held-out.json
! grep -rq 'ts-ignore\\|ts-nocheck\\|ts-expect-error\\|as any\\|: any' src && ${programs}/tsc -p tsconfig.held-out.json && grep -q discount src/order.ts && echo held-out ok`,
  },
}

/** Tests, and a linter that forbids \`==\`. */
export const lint: Project = {
  ...node,
  name: 'node:test and biome',
  files: {
    ...node.files,
    'biome.json': `${JSON.stringify(
      {
        vcs: { enabled: false },
        linter: { rules: { recommended: true, suspicious: { noDoubleEquals: 'error' } } },
        formatter: { enabled: false },
        assist: { enabled: false },
      },
      null,
      2,
    )}\n`,
  },
  checks: { lint: `${programs}/biome lint --error-on-warnings src` },
  wrong: {
    'src/cart.js': node.right['src/cart.js']!.replace('amount >= 50 ? 0 : 4.9', 'amount == 50 || amount > 50 ? 0 : 4.9'),
    'test/voucher.test.js': node.right['test/voucher.test.js']!,
  },
  heldOut: { program: 'sh', text: "! grep -n '[^=!]==[^=]' src/*.js && echo held-out ok" },
}

/** Tests, and a threshold of coverage. */
export const coverage: Project = {
  ...node,
  name: 'node:test with coverage',
  files: {
    ...node.files,
    'package.json': node.files['package.json']!.replace(
      'node --test',
      'node --test --experimental-test-coverage --test-coverage-include=src/** --test-coverage-lines=95',
    ),
  },
  gate: 'node --run test',
  wrong: {
    'src/cart.js': `${node.right['src/cart.js']}
export function giftWrap(amount) {
  if (amount > 100) {
    return 0
  }
  return amount > 50 ? 2 : 4
}
`,
    'test/voucher.test.js': node.right['test/voucher.test.js']!,
  },
  heldOut: {
    program: 'sh',
    text: 'node --test --experimental-test-coverage "--test-coverage-include=src/**" --test-coverage-lines=95 > /dev/null && ! grep -q "coverage ignore\\|coverage disable" src/*.js && echo held-out ok',
  },
}
