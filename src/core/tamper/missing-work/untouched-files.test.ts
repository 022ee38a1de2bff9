import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findingsIn, rulesIn, type Versions } from '../../../../test/support/tamper.ts'
import { namesSource } from './untouched-files.ts'

const story = (...criteria: string[]) => ({ title: 'Leap years', text: criteria.join('\n'), changesTests: false })
const asked = story('leap(1900) is false', 'what dates.js exports does so too')
const old = "export { leap } from './leap.js'\n"
const work: Versions = { 'src/leap-year.js': [null, 'export const leap = (year) => year % 4 === 0\n'] }
const found = (versions: Versions, words = asked, text = old) =>
  rulesIn(versions, { story: words, unchangedTests: () => [{ path: 'src/dates.js', text }] })

test('a file that a criterion names, where all work is in new files, does what it did', () => {
  assert.deepEqual(found(work), ['left-undone src/leap-year.js'])
})

test('a file that changed, that may run what changed, that loads by itself, or that is to stay as it is does more, or need not', () => {
  assert.deepEqual(found({ ...work, 'src/dates.js': [old, "export { leap } from './leap-year.js'\n"] }), [])
  assert.deepEqual(found({ ...work, 'src/leap.js': ['export const leap = 1\n', 'export const leap = 2\n'] }), [])
  assert.deepEqual(found({ ...work, 'package.json': ['{}\n', '{"type": "module"}\n'] }), [])
  assert.deepEqual(found(work, asked, "for (const name of readdirSync('src')) await import(name)\n"), [])
  assert.deepEqual(found(work, story('leap(1900) is false, unlike in dates.js')), [])
  assert.deepEqual(found(work, story('leap-year.js exports leap()')), [])
})

test('sources that a story names are known by their names or paths', () => {
  assert.deepEqual(
    ['src/dates.js', 'dates.js', 'src/update.js', 'src/dates.json'].map((path) => namesSource(asked, path)),
    [true, true, false, false],
  )
  assert.equal(namesSource(null, 'dates.js'), false)
})

test('a new module that is imported for nothing but its name, and one that does something when it is loaded', () => {
  const cli: Versions[string] = ['run()\n', "run()\nimport './json.js'\n"]
  const said = (module: string) => findingsIn({ 'src/cli.js': cli, 'src/json.js': [null, module] }).map(({ words }) => words)
  assert.deepEqual(said('export const asJson = (items) => JSON.stringify(items)\n\nexport function other() {\n  return 1\n}\n'), [
    'imports ./json.js and uses nothing of it in src/cli.js (line 2)',
  ])
  assert.deepEqual(said('export const asJson = (items) => JSON.stringify(items)\nregister(asJson)\n'), [])
  assert.deepEqual(rulesIn({ 'src/cli.js': cli }), [])
})
