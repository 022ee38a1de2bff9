import assert from 'node:assert/strict'
import { test } from 'node:test'
import { examinedAfter, testOf } from '../../../test/support/examined.ts'

const minus = { 'sum.mjs': 'export const sum = (a, b) => a + b\nexport const minus = (a, b) => a + b\n' }
const said = async (files: Record<string, string>): Promise<string[]> => {
  const [, { accepting = [] }] = await examinedAfter({ ...minus, ...files })
  return accepting.map(({ name, file, isWhole }) => `${name}, ${file}${isWhole === true ? ', all' : ''}`)
}

test('a new test in a file that no gate runs is named', async () => {
  assert.deepEqual(await said({ 'spec/minus.mjs': testOf('takes away', 'assert.equal(all.minus(2, 1), 1)') }), [
    'takes away, spec/minus.mjs, all',
  ])
})

test('one that passes whatever it expects is named beside one that fails', async () => {
  const swallows = '{ try { assert.equal(all.minus(2, 1), 1) } catch { assert.ok(true) } }'
  const two = `${testOf('takes away', swallows)}test('adds 2', () => assert.equal(all.sum(2, 2), 4))\n`
  const [, { accepting = [] }] = await examinedAfter({ ...minus, 'test/minus.test.mjs': two }, {}, 3)
  assert.deepEqual(accepting, [{ name: 'takes away', file: 'test/minus.test.mjs', line: 4 }])
})

test('a test that is run and compares is not', async () => {
  const right = { 'sum.mjs': minus['sum.mjs'].replace(/a \+ b\n$/, 'a - b\n') }
  assert.deepEqual(await said({ ...right, 'test/minus.test.mjs': testOf('takes away', 'assert.equal(all.minus(2, 1), 1)') }), [])
})

test('where another gate may run the test, nothing is said', async () => {
  const files = { 'spec/minus.mjs': testOf('takes away', 'assert.equal(all.minus(2, 1), 3)') }
  const other = (command: string, durationMs: number) => ({ name: 'others', command, durationMs })
  for (const [gate, expected] of [
    [other('node spec/minus.mjs', 100), 0],
    [other('node --check spec/minus.mjs', 100), 1],
    [other('node --check spec/minus.mjs', 60_000), 0],
  ] as const) {
    const [, { accepting = [] }] = await examinedAfter({ ...minus, ...files }, {}, 2, [gate])
    assert.equal(accepting.length, expected, `${gate.command} ${gate.durationMs}`)
  }
})
