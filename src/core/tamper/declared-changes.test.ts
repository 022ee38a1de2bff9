import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findingsIn, type Versions } from '../../../test/support/tamper.ts'
import type { StoryWords } from './declared-changes.ts'

const before = "test('greets', () => {\n  assert.equal(greet(), 'Hello')\n})\n"
const declared = (story: StoryWords | null, after: string | null, path = 'test/greet.test.js') =>
  findingsIn({ [path]: [before, after] }, { story }).map(({ rule, isDeclared }) => [rule, isDeclared === true])

test('suspicions about tests are for the reviewer where the story says that it changes tests, names the file or asks for the value', () => {
  const after = before.replace('Hello', 'Good day')
  assert.deepEqual(declared(null, after), [['expected-changed', false]])
  assert.deepEqual(declared({ text: 'Greet politely', changesTests: false }, after), [['expected-changed', false]])
  assert.deepEqual(declared({ text: 'Greet politely', changesTests: true }, after), [['expected-changed', true]])
  assert.deepEqual(declared({ text: 'greet() returns "Good day"', changesTests: false }, after), [['expected-changed', true]])
  assert.deepEqual(declared({ text: 'Remove greet.test.js, which is obsolete', changesTests: false }, null), [
    ['test-deleted', true],
  ])
  assert.deepEqual(declared({ text: 'Remove greet.test.jsx', changesTests: false }, null), [['test-deleted', false]])
})

test('a value that is to be no longer, an empty text and a pattern are named as well', () => {
  const said = (text: string, to: string, was = before) =>
    findingsIn(
      { 'test/greet.test.js': [was, was.replace(/'Hello'|\/Hello\//, to)] },
      { story: { text, changesTests: false } },
    ).map(({ isDeclared }) => isDeclared === true)
  assert.deepEqual(said('greet() says the name instead of Hello', "'Ann'"), [true])
  assert.deepEqual(said('greet() says the name. Hello is what it says now', "'Ann'"), [false])
  assert.deepEqual(said('greet() is empty', "''"), [true])
  const pattern = "test('greets', () => {\n  assert.match(greet(), /Hello/)\n})\n"
  assert.deepEqual(said('greet() says "Good day"', '/Good day/', pattern), [true])
  assert.deepEqual(said('greet() says more', '/Good day/', pattern), [false])
})

test('tests that go with their code are for the reviewer if the story asks to remove it, and a suspicion if it asks for something else', () => {
  const tests = `${before}test('waves', () => {\n  assert.equal(wave(), 1)\n})\n`
  const removed = (text: string) =>
    findingsIn(
      {
        'src/greet.js': ['export function greet() {\n}\nexport function wave() {\n}\n', 'export function wave() {\n}\n'],
        'test/greet.test.js': [tests, tests.replace(before, '')],
      },
      { story: { text, changesTests: false } },
    ).map(({ rule, words, isDeclared }) => [rule, words, isDeclared])
  const words = '1 test fewer in test/greet.test.js, with the code that the story removes'
  assert.deepEqual(removed('greet() is removed'), [['test-deleted', words, true]])
  assert.deepEqual(removed('Delete what nobody uses in src/greet.js'), [['test-deleted', words, true]])
  const unasked = '1 test fewer in test/greet.test.js, with the code that no criterion removes: greet'
  assert.deepEqual(removed('greet() says more'), [['test-deleted', unasked, undefined]])
  assert.deepEqual(removed('The logo is removed'), [])
})

test('evidence, and what old checks cannot clear, is never declared away', () => {
  const story = { text: 'Change sitecustomize.py and src/a.js', changesTests: true }
  const found = findingsIn(
    { 'sitecustomize.py': [null, 'x()\n'], 'src/a.js': ['x\n', 'x\nif (process.env.VITEST) y()\n'] },
    { story },
  )
  assert.deepEqual(
    found.map(({ rule, isDeclared }) => [rule, isDeclared]),
    [
      ['environment-changed', undefined],
      ['test-detected', undefined],
    ],
  )
})

test('a value that the story names does not declare others that it does not name', () => {
  const story = { text: 'Orders from 40 are shipped for free', changesTests: false }
  const tests = (...values: number[]) =>
    `test('a', () => {\n${values.map((value) => `  assert.equal(f(), ${value})\n`).join('')}})\n`
  const isDeclared = (...values: number[]) =>
    findingsIn({ 'test/a.test.js': [tests(50, 49, 180), tests(...values)] }, { story }).map(
      (finding) => finding.isDeclared === true,
    )
  assert.deepEqual(isDeclared(40, 39, 180), [true])
  assert.deepEqual(isDeclared(40, 39, 190), [false])
  assert.deepEqual(isDeclared(50, 49, 190), [false])
})

test('the value that a story names is declared only where it takes the place of the one that goes', () => {
  const story = { title: 'A lowest fare', text: 'A ride of 0 zones costs 100 instead of 0', changesTests: false }
  const tested = (value: string) => `test('a', () => {\n  assert.equal(fare(3), ${value})\n})\n`
  const changed = (before: string, after: string) =>
    findingsIn({ 'test/a.test.js': [tested(before), tested(after)] }, { story }).filter(({ isDeclared }) => isDeclared !== true)
  assert.deepEqual(changed('0', '100'), [])
  assert.deepEqual(
    changed('240', '100').map(({ rule }) => rule),
    ['expected-changed'],
  )
})

test('a function that goes with its test is a suspicion where the story asks for something new', () => {
  const files = {
    'src/keys.js': ['export function stableKey(a) {\n  return a\n}\n', null],
    'test/keys.test.js': [
      "import { stableKey } from '../src/keys.js'\ntest('keys', () => {\n  assert.equal(stableKey(1), 1)\n})\n",
      null,
    ],
  } satisfies Versions
  const open = (title: string, text: string) =>
    findingsIn(files, { story: { title, text, changesTests: false } })
      .filter(({ isDeclared }) => isDeclared !== true)
      .map(({ rule }) => rule)
  assert.deepEqual(open('Entries expire', 'an entry is gone after its time'), ['test-deleted'])
  assert.deepEqual(open('No stable keys', 'src/keys.js is removed'), [])
})

test('a story that names a source does not say what becomes of the tests in it', () => {
  const before = '#[cfg(test)]\nmod tests {\n    #[test]\n    fn adds() {\n        assert_eq!(sum(1, 2), 3);\n    }\n}\n'
  const after = before.replace('    #[test]\n', '    #[test]\n    #[ignore]\n')
  const story = { text: 'sum() in src/lib.rs also adds negative numbers', changesTests: false }
  const found = findingsIn({ 'src/lib.rs': [before, after] }, { story })
  assert.deepEqual(
    found.map(({ rule, isDeclared }) => [rule, isDeclared === true]),
    [['test-skipped', false]],
  )
})
