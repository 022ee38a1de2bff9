import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findingsIn, rulesIn } from '../../../../test/support/tamper.ts'

const head =
  "import assert from 'node:assert/strict'\nimport { test } from 'node:test'\nimport { RATES, shipping } from '../src/shipping.js'\n\n"
const source =
  'export const RATES = { home: 5, freeFrom: 150 }\nexport const shipping = (sum) => (sum >= RATES.freeFrom ? 0 : RATES.home)\n'
const story = { title: 'Shipping', text: 'shipping(sum) is 12\nfree from 100 on', kind: 'test', changesTests: false }
const found = (body: string) =>
  findingsIn(
    { 'src/shipping.js': [null, source], 'test/a.test.js': [null, `${head}test('costs', () => {\n  ${body}\n})\n`] },
    { story },
  )
    .filter(({ rule }) => rule === 'test-weak')
    .map(({ words }) => words)

test('a new test that only counts what calls give', () => {
  const words = ['added the test "costs", which only counts what calls give, in test/a.test.js (line 5)']
  assert.deepEqual(found('const all = [1, 2].map(shipping)\n  assert.equal(all.length, 2)'), words)
  assert.deepEqual(found('const all = [1, 2].map((sum) => shipping(sum))\n  assert.equal(all.filter(Boolean).length, 2)'), words)
  assert.deepEqual(found('const all = [1, 2].map(shipping)\n  expect(all).toHaveLength(2)'), words)
})

test('one that also compares a result, and one that counts what was filtered or found', () => {
  assert.deepEqual(found('const all = [1, 2].map(shipping)\n  assert.equal(all.length, 2)\n  assert.equal(all[0], 5)'), [])
  assert.deepEqual(found('const all = [1, 2].map(shipping)\n  assert.deepEqual(all, [5, 5])'), [])
  assert.deepEqual(found('const all = shipping([1, 2])\n  assert.equal(all.length, 2)'), [])
})

test('constants of the tested code in place of the values of the story', () => {
  const both = 'assert.equal(shipping(10), RATES.home)\n  assert.equal(shipping(20), RATES.home)'
  assert.deepEqual(found(both), [
    'takes what it expects from constants of the tested code, and no value from the story, in test/a.test.js (line 6)',
  ])
  assert.deepEqual(found(`${both}\n  assert.equal(shipping(100), 0)`), [])
  assert.deepEqual(found('assert.equal(shipping(10), 5)'), [])
})

test('a shell test that compares a command with itself, and one that runs it again after something happened', () => {
  const shell = (text: string) => rulesIn({ 'tests/t_count.sh': [null, text] })
  const again = '[ "$(count a b)" = "$want" ]\n'
  assert.deepEqual(shell(`want=$(count a b)\n${again}`), ['test-weak tests/t_count.sh'])
  assert.deepEqual(shell('[ "$(count a)" = "$(count a)" ]\n'), ['test-weak tests/t_count.sh'])
  assert.deepEqual(shell(`want=$(wc -l < a)\n${again}`), [])
  assert.deepEqual(shell(`want=$(count a b)\ntidy a b\n${again}`), [])
})
