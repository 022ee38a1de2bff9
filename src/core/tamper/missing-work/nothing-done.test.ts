import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findingsIn, type Versions } from '../../../../test/support/tamper.ts'
import type { StoryWords } from '../declared-changes.ts'

const vouchers: StoryWords = { title: 'Vouchers', text: 'discount() takes a voucher off', changesTests: false }
const wordsIn = (versions: Versions, story: StoryWords | null = vouchers, more: string[] = []) =>
  findingsIn(versions, { story, files: [...Object.keys(versions), ...more] })
    .filter(({ rule }) => rule === 'nothing-done')
    .map(({ words }) => words)

const comment: Versions = { 'src/a.js': ['let a = 1\n', '// Vouchers.\nlet a = 1\n'] }
const newTest: Versions = { 'test/a.test.js': [null, "test('a', () => assert.equal(f(), 1))\n"] }

test('a story that is marked as done without a change, or with comments, documents or tests alone, is noticed', () => {
  assert.deepEqual(wordsIn({}), ['changed nothing on its branch since the story began'])
  assert.deepEqual(wordsIn(comment), ['changed only comments since the story began: src/a.js'])
  assert.deepEqual(wordsIn(newTest), ['changed only tests since the story began: test/a.test.js'])
  assert.deepEqual(wordsIn(comment, vouchers, ['README.md']), [
    'changed only comments and documentation since the story began: src/a.js, README.md',
  ])
})

test('code, settings, data and pictures are work', () => {
  assert.deepEqual(wordsIn({ 'src/a.js': ['let a = 1\n', 'let a = 2\n'] }), [])
  assert.deepEqual(wordsIn({ 'src/a.js': ['let a = 1\n', null] }), [])
  assert.deepEqual(wordsIn({ 'config.yaml': ['a: 1\n', 'a: 2\n'] }), [])
  assert.deepEqual(wordsIn({}, vouchers, ['logo.png']), [])
  assert.deepEqual(wordsIn({}, vouchers, ['package-lock.json']), [])
})

test('a change of form alone is work for a chore, and none for a feature', () => {
  const formatted: Versions = { 'src/a.js': ['let a = 1\nlet b = 2\n', 'let a = 1;\nlet b = 2;\n'] }
  assert.deepEqual(wordsIn(formatted, { ...vouchers, title: 'Semicolons', kind: 'chore' }), [])
  assert.deepEqual(wordsIn(formatted), ['changed only comments since the story began: src/a.js'])
})

test('a story may ask for documents, comments or tests, or for nothing but a look', () => {
  const asked = (title: string, more: Partial<StoryWords> = {}) =>
    wordsIn(comment, { ...vouchers, title, ...more }, ['README.md'])
  assert.deepEqual(asked('README.md explains vouchers'), [])
  assert.deepEqual(asked('Vouchers', { kind: 'docs' }), [])
  assert.deepEqual(asked('Vouchers', { text: 'Each function has a comment' }), [])
  assert.deepEqual(asked('Verify that vouchers work'), [])
  assert.deepEqual(wordsIn({}, null), [])
  assert.equal(asked('Vouchers', { kind: 'feature' }).length, 1)
})

test('a docstring is a comment', () => {
  const documented: Versions = { 'src/a.py': ['def f():\n    return 1\n', 'def f():\n    """Gives one."""\n    return 1\n'] }
  assert.deepEqual(wordsIn(documented), ['changed only comments since the story began: src/a.py'])
  const text: Versions = { 'src/a.py': ['A = 1\n', 'A = 1\nB = """x"""\n'] }
  assert.deepEqual(wordsIn(text), [])
})
