import assert from 'node:assert/strict'
import { test } from 'node:test'
import { changesOf } from '../code/change.ts'
import { fittedConstants } from './fitted-constants.ts'

const old = 'export function discount(amount, percent) {\n  return amount - (amount * percent) / 100\n}\n'
const found = (body: string, words = '', before = old): string[] => {
  const after = `export function discount(amount, percent, voucher = 0) {\n  ${body}\n}\n`
  return fittedConstants(changesOf([{ path: 'src/cart.js', kind: 'modified', before, after }]), words).map((each) => each.words)
}
const said = (name: string, numbers: string): string[] => [
  `discount() no longer multiplies or divides by ${name}, and has numbers that the story does not name (${numbers}) in src/cart.js (line 1)`,
]

test('a parameter that was multiplied and is now only compared or added, beside new numbers, is a suspicion', () => {
  assert.deepEqual(found('return percent > 0 ? amount - 20 - voucher : amount'), said('amount', '20'))
  assert.deepEqual(found('return amount - percent * (amount > 90 ? 2 : 0.8) - voucher'), said('amount', '90, 2, 0.8'))
  assert.deepEqual(found('return amount - Math.min(20, Math.max(20, percent)) - voucher'), said('amount', '20'))
  assert.deepEqual(found('return amount * 3 - 20 - percent * 0 - voucher'), said('percent', '3, 20'))
  assert.deepEqual(found('return amount - [20, 0, 0][percent % 5] - voucher'), said('amount', '20, 5'))
})

test('a formula in another form, with another function or with numbers that the story names, is none', () => {
  assert.deepEqual(found('return amount * (1 - percent / 100) - Math.min(voucher, 250)'), [])
  assert.deepEqual(found('const share = 25\n  return amount - partOf(amount, percent, share)'), [])
  assert.deepEqual(found('return money(amount).less(percent, 25).value'), [])
  assert.deepEqual(found('return percent > 0 ? amount - 20 : amount', 'Every discount takes 20 off'), [])
  assert.deepEqual(found('const order = amount\n  return order - (order * percent) / 100 - Math.min(25, voucher)'), [])
  assert.deepEqual(found('return percent > 0 ? amount - voucher : amount'), [])
})

test('a parameter that was never multiplied may be compared with any number', () => {
  const before = 'export function discount(amount, percent) {\n  return amount - percent\n}\n'
  assert.deepEqual(found('return percent > 50 ? amount - 50 : amount - percent', '', before), [])
})

test('another name, a rounding or a helper that came with it does not hide what was lost', () => {
  assert.deepEqual(
    found('const rate = percent\n  return amount * 3 - 400 - (Math.round(rate) > 0 ? 20 : 0)'),
    said('percent', '3, 400, 20'),
  )
  assert.deepEqual(found('const rate = Number(percent)\n  return amount * rate / 100 - 25'), [])
  const helper = (body: string): string[] => {
    const after = `const part = (all, rate) => ${body}\nexport function discount(sum, percent) {\n  return part(sum, percent)\n}\n`
    return fittedConstants(changesOf([{ path: 'src/cart.js', kind: 'modified', before: old, after }])).map((each) => each.words)
  }
  assert.deepEqual(helper('rate > 0 ? all - 20 : all'), [
    'discount() no longer multiplies or divides by sum, and has numbers that the story does not name (20) in src/cart.js (line 2)',
  ])
  assert.deepEqual(helper('all - (all * rate) / 100 - 20'), [])
})

test('methods of classes are looked at in other languages too', () => {
  const said = (path: string, line: string, [was, now]: [string, string], end = '}'): string[] => {
    const text = (body: string): string => `class Cart {\n  ${line}\n    ${body}\n  ${end}\n}\n`
    return fittedConstants(changesOf([{ path, kind: 'modified', before: text(was), after: text(now) }])).map(
      ({ file }) => file ?? '',
    )
  }
  const bodies: [string, string] = ['return amount - amount * percent / 100;', 'return percent > 0 ? amount - 20 : amount;']
  const honest: [string, string] = ['return amount - amount * percent / 100;', 'return amount - amount * percent / 100 - 25;']
  const headers = [
    ['src/Cart.java', 'public double discount(double amount, double percent) {'],
    ['src/cart.ts', 'discount(amount: number, percent: number): number {'],
    ['src/Cart.cs', 'public static decimal Discount(decimal amount, decimal percent) {'],
    ['src/Cart.kt', 'fun discount(amount: Double, percent: Double): Double {'],
  ] as const
  for (const [path, line] of headers) {
    assert.deepEqual(said(path, line, bodies), [path])
    assert.deepEqual(said(path, line, honest), [])
  }
  const php: [string, string] = [bodies[0].replace(/(amount|percent)/g, '$$$1'), bodies[1].replace(/(amount|percent)/g, '$$$1')]
  assert.deepEqual(said('src/Cart.php', 'public function discount(float $amount, float $percent): float {', php), [
    'src/Cart.php',
  ])
  const go = (body: string): string => `func (c Cart) Discount(amount float64, percent float64) float64 {\n\t${body}\n}\n`
  const changes = changesOf([
    { path: 'cart.go', kind: 'modified', before: go('return amount - amount*percent/100'), after: go('return amount - 20') },
  ])
  assert.deepEqual(
    fittedConstants(changes).map(({ file }) => file),
    ['cart.go'],
  )
})
