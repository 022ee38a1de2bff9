import assert from 'node:assert/strict'
import test from 'node:test'
import { testBlocks } from '../core/tamper/changed-tests/test-blocks.ts'
import { testsIn } from '../core/tamper/code/languages.ts'
import { sourceLines, syntaxOf } from '../core/tamper/code/source-lines.ts'
import type { GateResult } from '../core/types.ts'
import type { ProjectFiles, TestFile } from './project-files.ts'
import { candidates, isGood, subjectOf } from './subject.ts'

function testFile(path: string, text: string): TestFile {
  const { language } = testsIn(path) ?? {}
  assert.ok(language)
  return { path, text, blocks: testBlocks({ path, lines: sourceLines(text, syntaxOf(path)), language }) }
}

const files: ProjectFiles = {
  all: [],
  sources: [
    { path: 'src/unused.js', text: 'export const f = (a) => a + 1\n' },
    { path: 'src/price.js', text: 'export const total = (a, b) => a + b\n' },
  ],
  tests: [
    testFile('test/price.test.js', "import { total } from '../src/price.js'\ntest('adds prices', () => equal(total(1, 2), 3))\n"),
    testFile('test/other.test.js', "test('adds nothing', () => ok(true))\n"),
  ],
}

const result = (output: string, failed = 1): GateResult => ({
  ...{ name: 'tests', kind: 'command', command: 'npm test', passed: failed === 0, exitCode: failed === 0 ? 0 : 1 },
  ...{ ended: 'exited', durationMs: 1, output, outputHash: '', census: { passed: 1, failed, skipped: 0 } },
})

test('lines of files that tests name are tried first', () => {
  assert.deepEqual(
    candidates(files).map(({ path }) => path),
    ['src/price.js', 'src/unused.js'],
  )
})

test('the tests that a runner names are the ones that fail', () => {
  const [tried] = candidates(files)
  assert.ok(tried)
  const probed = { tried, results: [result('✖ adds prices (1.2ms)\n')] }
  const subject = subjectOf(probed, files)
  assert.deepEqual(
    subject?.failing.map(({ file, blocks }) => [file.path, blocks.map(({ name }) => name)]),
    [['test/price.test.js', ['adds prices']]],
  )
  assert.equal(subject?.right, 'export const total = (a, b) => a + b\n')
  assert.equal(isGood(subject, probed), true)
})

test('where no runner names a test, the tests that name the file are taken, and a better mistake is looked for', () => {
  const [tried] = candidates(files)
  assert.ok(tried)
  const probed = { tried, results: [result('boom\n', 3)] }
  const subject = subjectOf(probed, files)
  assert.deepEqual(
    subject?.failing.map(({ file }) => file.path),
    ['test/price.test.js'],
  )
  assert.equal(subject === null ? null : isGood(subject, probed), false)
})

test('a mistake that no gate notices is none', () => {
  const [tried] = candidates(files)
  assert.ok(tried)
  assert.equal(subjectOf({ tried, results: [result('✔ adds prices\n', 0)] }, files), null)
})

test('a test of pytest is found by its file and its name', () => {
  const path = 'tests/test_price.py'
  const python: ProjectFiles = {
    all: [],
    sources: [{ path: 'price.py', text: 'def total(a, b):\n    return a + b\n' }],
    tests: [
      testFile(path, 'def test_adds():\n    assert total(1, 2) == 3\n'),
      testFile('tests/test_b.py', 'def test_adds():\n    assert 1\n'),
    ],
  }
  const [tried] = candidates(python)
  assert.ok(tried)
  const subject = subjectOf({ tried, results: [result(`FAILED ${path}::test_adds - assert -1 == 3\n`)] }, python)
  assert.deepEqual(
    subject?.failing.map(({ file }) => file.path),
    [path],
  )
})
