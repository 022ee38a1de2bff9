import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FileChange } from '../../tamper/code/change.ts'
import { fromAccepting, passingStill, withOtherValues } from './other-values.ts'

const head = "import { test } from 'node:test'\n"
const old = `${head}test('adds', () => {\n  assert.equal(sum(1, 2), 3)\n})\n`
const after = `${old}test('adds more', () => {\n  assert.equal(sum(2, 2), 4)\n})\n`
const changed: FileChange = { path: 'test/sum.test.js', kind: 'modified', before: old, after }
const added = (path: string, text: string): FileChange => ({ path, kind: 'added', before: '', after: text })

test('only new lines of tests expect other values, unless all are asked for', () => {
  const { tests, texts } = withOtherValues([changed])
  assert.deepEqual(tests, [{ name: 'adds more', file: 'test/sum.test.js', line: 5 }])
  assert.equal(texts.get('test/sum.test.js'), after.replace(', 4)', ', 5)'))
  assert.equal(withOtherValues([changed], true).tests.length, 2)
})

test('a file of a runner of its own has tests without names; what others load, sources and browsers have none', () => {
  const own = "check('adds', () => {\n  same(sum(1, 2), 3)\n})\n"
  assert.deepEqual(withOtherValues([added('test/sum.js', own)]).tests, [{ name: '', file: 'test/sum.js', line: 2 }])
  for (const file of [
    added('test/harness.js', 'export const same = (a) => assert.equal(typeof a(), "number")\n'),
    added('src/sum.js', own),
    added('e2e/sum.test.js', after),
    added('src/lib.rs', 'pub fn check(a: u64) {\n    assert_eq!(of(a), 3);\n}\n'),
  ])
    assert.deepEqual(withOtherValues([file]).tests, [], file.path)
})

test('a test that a runner names in another form does not pass still', () => {
  const one = (name: string) => ({ name, file: 'a.test.js', line: 1 })
  const failing = ['sums > adds', 'more']
  assert.deepEqual(
    passingStill([one('adds'), one('more of it'), one('each %i'), one('other')], failing).map(({ name }) => name),
    ['other'],
  )
})

test('what stays green as a whole is said once, by its files', () => {
  const whole = { name: '', line: 2, isWhole: true as const }
  const words = fromAccepting([
    { ...whole, file: 'test/a.js' },
    { ...whole, file: 'test/b.js' },
    { name: 'adds', file: 'c.test.js', line: 3 },
  ]).map((finding) => [finding.rule, finding.words])
  assert.deepEqual(words, [
    [
      'test-weak',
      'has new tests that its gates do not run or heed: they stay green when these expect other values: test/a.js, test/b.js',
    ],
    ['test-weak', 'has a test that also passes when it expects another value: "adds" in c.test.js (line 3)'],
  ])
})
