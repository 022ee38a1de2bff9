import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findingsIn } from '../../../../test/support/tamper.ts'

const before = "test('a', () => {\n  assert.equal(tax('DE', 100), 19)\n})\n"
const declaredIn = (after: string, text: string): (boolean | undefined)[] =>
  findingsIn({ 'test/a.test.js': [before, after] }, { story: { text, changesTests: false } }).map(({ isDeclared }) => isDeclared)

test('a call that is awaited, or takes an object, as the story asks, is for its reviewer alone', () => {
  const awaited = "test('a', async () => {\n  assert.equal(await tax('DE', 100), 19)\n})\n"
  assert.deepEqual(declaredIn(awaited, 'tax() returns a promise'), [true])
  assert.deepEqual(declaredIn(awaited, 'tax() knows Austria'), [])
  const named = "test('a', () => {\n  assert.equal(tax({ country: 'DE', amount: 100 }), 19)\n})\n"
  assert.deepEqual(declaredIn(named, 'tax({ country, amount }) instead of tax(country, amount)'), [true])
  assert.deepEqual(declaredIn(named, 'tax() knows Austria'), [])
})

test('other values are a change of the test, whatever the form of the call is', () => {
  const other = "test('a', async () => {\n  assert.equal(await tax('DE', 100), 21)\n})\n"
  assert.notDeepEqual(declaredIn(other, 'tax() returns a promise'), [true])
})
