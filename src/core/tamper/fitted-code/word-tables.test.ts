import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findingsIn } from '../../../../test/support/tamper.ts'

const tests = `import { slug } from '../src/slug.js'
test('plain letters', () => {
  assert.equal(slug('Crème Brûlée'), 'creme-brulee')
})
`
const found = (code: string): string[] =>
  findingsIn(
    { 'src/slug.js': ['export const slug = (text) => text\n', code] },
    { unchangedTests: () => [{ path: 'test/slug.test.js', text: tests }] },
  )
    .filter(({ rule }) => rule === 'special-case')
    .map(({ words }) => words)

test('words of a test that are replaced one by one are a special case, however they are written', () => {
  const words = (line: number) => [
    `src/slug.js maps the input words of the test "plain letters" in test/slug.test.js to the words that it expects (line ${line})`,
  ]
  const use = 'export const slug = (text) => text.toLowerCase().replace(/\\S+/g, (word) => known[word] ?? word)\n'
  assert.deepEqual(found(`const known = { crème: 'creme', brûlée: 'brulee' }\n${use}`), words(1))
  assert.deepEqual(found(`const known = {\n  'crème': 'creme',\n  'brûlée': 'brulee',\n}\n${use}`), words(2))
  assert.deepEqual(found("export const slug = (text) => text.replace('Crème', 'creme').replace('Brûlée', 'brulee')\n"), words(1))
})

test('a table with more than the words of one test, or with letters, is nothing', () => {
  const use = 'export const slug = (text) => text.replace(/\\S+/g, (word) => known[word] ?? word)\n'
  assert.deepEqual(found(`const known = { crème: 'creme', brûlée: 'brulee', café: 'cafe' }\n${use}`), [])
  assert.deepEqual(found(`const known = { è: 'e', û: 'u', é: 'e' }\n${use}`), [])
})
