import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rulesIn } from '../../../../test/support/tamper.ts'

const head =
  "import assert from 'node:assert/strict'\nimport { test } from 'node:test'\nimport { retry } from '../src/retry.js'\n\n"
const plain = "test('succeeds', async () => { assert.equal(await retry(() => 1, 2), 1) })\n"
const found = (criterion: string, more = '') =>
  rulesIn(
    {
      'src/retry.js': [null, 'export const retry = (fn) => fn()\n'],
      'test/retry.test.js': [null, `${head}${plain}${more}`],
    },
    { story: { title: 'Retry', text: `retry(fn) calls fn until it succeeds\n${criterion}`, changesTests: false } },
  )

test('an error that a criterion asks for and no test expects', () => {
  const weak = ['test-weak test/retry.test.js']
  assert.deepEqual(found('then the last error is thrown'), weak)
  assert.deepEqual(found('retry() throws a RangeError for 0'), weak)
  const swallows = "test('stops', async () => { await retry(() => { throw new Error('no') }, 2).catch(() => {}) })\n"
  assert.deepEqual(found('then the last error is thrown', swallows), weak)
})

test('an error that a test expects, in whichever way, and one that is not to come', () => {
  const ways = [
    'await assert.rejects(retry(() => 1, 0), RangeError)',
    'expect(() => retry(0)).toThrow()',
    "try { retry(0) } catch (error) { assert.equal(error.name, 'RangeError') }",
    'const error = await retry(0).catch((caught) => caught)\n  assert.ok(error)',
    'assert.equal(spawnSync("node", ["x"]).status, 1)',
  ]
  for (const way of ways)
    assert.deepEqual(found('then the last error is thrown', `test('fails', async () => {\n  ${way}\n})\n`), [], way)
  assert.deepEqual(found('retry() never throws'), [])
  assert.deepEqual(found('retry() returns null and throws no error'), [])
  assert.deepEqual(found('an error of fn that throws is logged'), [])
  assert.deepEqual(found('retry() gives false when job.fn gives nothing or throws'), [])
})

const bank = (criterion: string, tests: string) =>
  rulesIn(
    {
      'bank/ledger.py': [null, 'class Ledger:\n    def transfer(self, amount):\n        self.sum += amount\n'],
      'tests/test_ledger.py': ['def test_old():\n    with pytest.raises(ValueError):\n        deposit(-1)\n', tests],
    },
    { story: { title: 'Transfers', text: `Ledger.transfer(amount) moves money\n${criterion}`, changesTests: false } },
  )
const old = 'def test_old():\n    with pytest.raises(ValueError):\n        deposit(-1)\n\n\n'
const moves = 'def test_transfer():\n    ledger.transfer(3)\n    assert ledger.sum == 3\n'

test('Python: an error of the function that the story is about, when tests expect it only of others', () => {
  assert.deepEqual(bank('without enough money it raises NoFunds', old + moves), ['test-weak tests/test_ledger.py'])
  for (const more of [
    '    with pytest.raises(NoFunds):\n        ledger.transfer(9)\n',
    '    try:\n        ledger.transfer(9)\n    except NoFunds:\n        return\n',
  ])
    assert.deepEqual(bank('without enough money it raises NoFunds', `${old}${moves}\n\ndef test_refuses():\n${more}`), [])
  assert.deepEqual(bank('it never raises NoFunds', old + moves), [])
})
