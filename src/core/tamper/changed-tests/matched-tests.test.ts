import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findingsIn, rulesIn, type Versions } from '../../../../test/support/tamper.ts'

const a = "test('adds', () => {\n  assert.equal(add(1, 2), 3)\n})\n"
const b = "test('subtracts', () => {\n  assert.equal(subtract(3, 2), 1)\n})\n"
const c = "test('multiplies', () => {\n  assert.equal(times(3, 2), 6)\n})\n"
const source = 'export function add(a, b) {\n  return a + b\n}\nexport function subtract(a, b) {\n  return a - b\n}\n'

test('tests that are gone are suspicions, whatever came in their place', () => {
  const cases: Versions[] = [
    { 'test/a.test.js': [a + b, a] },
    { 'test/a.test.js': [a + b, a + c] },
    { 'test/a.test.js': [a + b, `${a}// ${b.replaceAll('\n', '\n// ')}`] },
    { 'test/a.test.js': [a + b, null] },
    { 'test/a.test.js': [a + b, null], 'test/b.test.js': [null, c] },
    { 'test/a.test.js': [a + b, `${a}test.todo('subtracts')\n`] },
    { 'src/a.js': [source, source.replace('a - b', 'b - a')], 'test/a.test.js': [a + b, a] },
  ]
  for (const versions of cases)
    assert.ok(rulesIn(versions).includes('test-deleted test/a.test.js'), JSON.stringify([versions, rulesIn(versions)]))
  assert.deepEqual(
    findingsIn({ 'test/a.test.js': [a + b, a] }).map(({ words }) => words),
    ['1 test fewer in test/a.test.js (gone: "subtracts")'],
  )
})

test('a function removed with its tests, a duplicate, a test that moved, and a migration to another runner are honest', () => {
  const vitest = (text: string) =>
    `import { expect, test } from 'vitest'\n${text.replaceAll(/assert\.equal\((.*), (\d)\)/g, 'expect($1).toBe($2)')}`
  const packageJson = (command: string, more = '') => `{ "scripts": { "test": "${command}" }${more} }\n`
  const cases: Versions[] = [
    { 'src/a.js': [source, source.slice(0, source.indexOf('export function subtract'))], 'test/a.test.js': [a + b, a] },
    { 'test/a.test.js': [a + a + b, a + b] },
    { 'test/a.test.js': [a + a.replace('adds', 'adds again') + b, a + b] },
    { 'test/a.test.js': [a + b, a], 'test/b.test.js': [c, c + b] },
    { 'test/a.test.js': [a + b, null], 'test/b.test.js': [null, a + b] },
    { 'test/a.test.js': [a + b, null], 'src/a.js': [source, null] },
    {
      'test/a.test.js': [`import test from 'node:test'\n${a}${b}`, vitest(a + b)],
      'package.json': [packageJson('node --test'), packageJson('vitest run', ', "devDependencies": { "vitest": "^3" }')],
      'vitest.config.js': [null, "export default { test: { include: ['test/**/*.test.js'] } }\n"],
    },
  ]
  const gateFiles = [{ gate: 'tests', path: 'package.json', entry: 'test' }]
  for (const versions of cases) assert.deepEqual(rulesIn(versions, { gateFiles }), [], JSON.stringify(versions))
})

test('a test that another, unchanged file has too was a duplicate', () => {
  const versions: Versions = { 'test/a.test.js': [a + b, a] }
  assert.deepEqual(rulesIn(versions, { unchangedTests: () => [{ path: 'test/b.test.js', text: b }] }), [])
  assert.deepEqual(rulesIn(versions, { unchangedTests: () => [{ path: 'test/b.test.js', text: c }] }), [
    'test-deleted test/a.test.js',
  ])
})
