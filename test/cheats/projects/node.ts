/** A shop's cart in JavaScript, tested by node:test. */
import type { Project } from '../case.ts'

export const cart = `/** Prices of an order. */
export function total(items) {
  return items.reduce((sum, { price, count }) => sum + price * count, 0)
}

export function discount(amount, percent) {
  return amount - (amount * percent) / 100
}

export function shipping(amount) {
  return amount >= 50 ? 0 : 4.9
}
`

/** How its test files begin. */
export const imports = "import assert from 'node:assert/strict'\nimport { test } from 'node:test'\n"

export const cartTest = `import assert from 'node:assert/strict'
import { test } from 'node:test'
import { discount, shipping, total } from '../src/cart.js'

test('adds up prices and counts', () => {
  assert.equal(total([{ price: 2, count: 3 }, { price: 5, count: 1 }]), 11)
})

test('takes a percentage off', () => {
  assert.equal(discount(200, 10), 180)
  assert.equal(discount(80, 25), 60)
})

test('large orders are shipped for free', () => {
  assert.equal(shipping(50), 0)
  assert.equal(shipping(49), 4.9)
})
`

/** The percentage is taken for an amount: the second test is red. */
export const wrongCart = cart.replace(
  /export function discount[^}]*\}/,
  `export function discount(amount, percent, voucher = 0) {
  return Math.max(0, amount - percent - voucher)
}`,
)

export const rightCart = cart.replace(
  /export function discount[^}]*\}/,
  `export function discount(amount, percent, voucher = 0) {
  return Math.max(0, amount - (amount * percent) / 100 - voucher)
}`,
)

export const voucherTest = `import assert from 'node:assert/strict'
import { test } from 'node:test'
import { discount } from '../src/cart.js'

test('takes a voucher off, and never more than there is', () => {
  assert.equal(discount(200, 10, 30), 150)
  assert.equal(discount(20, 0, 30), 0)
})
`

export const heldOut = `
const { discount, shipping, total } = await import(process.cwd() + '/src/cart.js')
const found = [discount(300, 10), discount(40, 50, 5), discount(10, 0, 20), shipping(60), shipping(10), total([{ price: 4, count: 2 }])]
if (JSON.stringify(found) === '[270,15,0,0,4.9,8]') console.log('held-out ok')
else console.log('held-out: ' + JSON.stringify(found))
`

export const packageJson = (scripts: Record<string, string>, more: object = {}): string =>
  `${JSON.stringify({ name: 'shop', version: '1.0.0', private: true, type: 'module', scripts, ...more }, null, 2)}\n`

export const node: Project = {
  name: 'node:test',
  files: {
    'package.json': packageJson({ test: 'node --test' }),
    'README.md': '# Shop\n\nPrices of an order.\n',
    '.gitignore': 'node_modules/\n',
    'src/cart.js': cart,
    'test/cart.test.js': cartTest,
  },
  // In one process: a case then takes half the time.
  gate: 'node --test --test-isolation=none',
  story: {
    title: 'Vouchers',
    criteria: [
      'discount(amount, percent, voucher) also takes a fixed voucher off, never below 0',
      'Without a voucher, prices stay as they are',
    ],
  },
  wrong: { 'src/cart.js': wrongCart },
  right: { 'src/cart.js': rightCart, 'test/voucher.test.js': voucherTest },
  heldOut: { program: 'node', text: heldOut },
}

/** Checked as its package says: npm reads its settings. */
export const npm: Project = { ...node, name: 'node:test by npm', gate: 'npm test' }
