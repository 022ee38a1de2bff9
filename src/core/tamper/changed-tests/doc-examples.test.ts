import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findingsIn } from '../../../../test/support/tamper.ts'

const python = (first: string, answer: string): string =>
  `def off(a):\n    """Less.\n\n    >>> ${first}\n    ${answer}\n    """\n    return a\n`
const foundIn = (path: string, before: string, after: string) =>
  findingsIn({ [path]: [before, after] }).map(({ rule, words }) => `${rule}: ${words}`)

test('an example of the documentation that gives another answer now, is skipped, or is gone is noticed', () => {
  const before = python('off(2)', '1')
  assert.deepEqual(foundIn('a.py', before, python('off(2)', '3')), [
    'expected-changed: changed an expected value from 1 to 3 (line 4) in a.py',
  ])
  assert.deepEqual(foundIn('a.py', before, python('off(2)  # doctest: +SKIP', '1')), [
    'test-skipped: skips the example off(2) in a.py (line 4)',
  ])
  assert.deepEqual(foundIn('a.py', before, 'def off(a):\n    return a\n'), ['test-deleted: removed the example off(2) from a.py'])
  const rust = '/// ```\n/// assert_eq!(off(2), 1);\n/// ```\nfn off() {}\n'
  assert.deepEqual(foundIn('a.rs', rust, rust.replace('1)', '3)')), [
    'expected-changed: changed an assertion of an example in a.rs (line 2)',
  ])
  assert.deepEqual(foundIn('a.rs', rust, rust.replace('/// ```\n', '/// ```ignore\n')), [
    'test-skipped: skips an example in a.rs (line 1)',
  ])
})

test('more examples, and the same ones elsewhere in the file, are nothing', () => {
  const before = python('off(2)', '1')
  assert.deepEqual(foundIn('a.py', before, `${before}\n\n${python('on(3)', '4')}`), [])
  assert.deepEqual(foundIn('a.py', before, `x = 1\n\n\n${before}`), [])
})
