import assert from 'node:assert/strict'
import { test } from 'node:test'
import { examinedAfter, testOf } from '../../../test/support/examined.ts'

const minus = 'export const sum = (a, b) => a + b\nexport function minus(a, b) {\n  return a + b\n}\n'
const said = async (source: string, check: string): Promise<string[]> => {
  const [, { unheeded = [] }] = await examinedAfter({ 'sum.mjs': source, 'test/minus.test.mjs': testOf('takes away', check) })
  return unheeded.map(({ name, test, file, line }) => `${name}: ${test}, ${file}:${line}`)
}

test('a new test that passes whatever a new function gives is named', async () => {
  assert.deepEqual(await said(minus, '{ assert.equal(typeof all.minus(2, 1), "number") }'), [
    'minus: takes away, test/minus.test.mjs:4',
  ])
})

test('a test that looks at the result, or at what else the function does, is not', async () => {
  assert.deepEqual(await said(minus.replace('a + b\n}', 'a - b\n}'), 'assert.equal(all.minus(2, 1), 1)'), [])
  const counts = minus.replace('  return a + b\n}', '  a.push(b)\n  return a.length\n}')
  assert.deepEqual(await said(counts, '{ const list = []; all.minus(list, 1); assert.deepEqual(list, [1]) }'), [])
  assert.deepEqual(
    await said(minus.replace('return a + b\n}', "throw new Error('no')\n}"), 'assert.throws(() => all.minus(2, 1))'),
    [],
  )
})

test('where a slow gate runs tests too, nobody knows what its tests reach or heed', async () => {
  const slow = { name: 'whole', command: 'node --test', durationMs: 60_000, census: { passed: 2, failed: 0, skipped: 0 } }
  const weak = { 'test/minus.test.mjs': testOf('takes away', '{ assert.equal(typeof all.minus(2, 1), "number") }') }
  const [, { unheeded, unreached }] = await examinedAfter({ 'sum.mjs': minus, ...weak }, {}, 2, [slow])
  assert.deepEqual([unheeded, unreached], [undefined, undefined])
})
