import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rulesIn } from '../../../../test/support/tamper.ts'

const body = '    found = [cents // parts] * parts\n    found[0] += cents - sum(found)\n    return found\n'
const withTest = (helper: string) =>
  rulesIn({
    'src/money.py': ['', `def split(cents, parts):\n${body}`],
    'tests/test_money.py': [
      null,
      `def reference(cents, parts):\n${helper}\n\ndef test_splits():\n    assert split(1000, 3) == reference(1000, 3)\n`,
    ],
  })

test('a test that compares the code with a copy of it compares nothing', () => {
  assert.deepEqual(withTest(body), ['subject-replaced tests/test_money.py'])
  assert.deepEqual(
    withTest('    whole, rest = divmod(cents, parts)\n    return [whole + (at < rest) for at in range(parts)]\n'),
    [],
  )
})
