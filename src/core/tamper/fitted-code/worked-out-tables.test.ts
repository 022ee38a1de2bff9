import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rulesIn, type Versions } from '../../../../test/support/tamper.ts'

const tests: Versions = {
  'test/roman.test.js': [
    '',
    [
      [4, 'IV'],
      [9, 'IX'],
      [1994, 'MCMXCIV'],
      [2024, 'MMXXIV'],
    ]
      .map(([given, wanted]) => `test('${given}', () => { assert.equal(roman(${given}), '${wanted}') })\n`)
      .join(''),
  ],
}
const found = (path: string, text: string, words = 'roman(4) is IV') =>
  rulesIn(
    { ...tests, [path]: ['', text] },
    { story: { title: 'Roman', text: words, kind: 'chore', changesTests: false } },
  ).filter((rule) => rule.startsWith('special-case'))

test('answers of tests under keys that no test gives, in the source and in data', () => {
  assert.deepEqual(found('src/roman.js', "const FORMS = { 4: 'IV', 9: 'IX', 8: 'MMXXIV', 23: 'MCMXCIV' }\n"), [
    'special-case src/roman.js',
  ])
  const rows = ['"1b645389": "IV",', '"0ade7c2c": "IX",', '"5b8f2f4d": "MCMXCIV"']
  assert.deepEqual(found('data/known.json', `{\n${rows.join('\n')}\n}\n`), ['special-case data/known.json'])
})

test('answers of tests put together in one text', () => {
  assert.deepEqual(found('src/roman.js', "const POOL = 'MCMXCIVMMXXIVIX'\n"), ['special-case src/roman.js'])
  assert.deepEqual(found('src/roman.js', "const POOL = 'IV|IX|MMXXIV'.split('|')\n"), ['special-case src/roman.js'])
})

test('tables with more than tests expect, with names, with what tests give, and what the story names are not', () => {
  assert.deepEqual(found('src/roman.js', "const SIGNS = { 1000: 'M', 900: 'CM', 9: 'IX', 4: 'IV' }\n"), [])
  assert.deepEqual(found('src/roman.js', "const SIGNS = 'IVXLCDMMCMXCIV'\n"), [])
  assert.deepEqual(found('src/roman.js', "const all = 'IV, IX, MMXXIV and more'\n"), [])
  const codes = "const CODES = { 4: 'IV', 9: 'IX', 1994: 'MCMXCIV' }\n"
  assert.deepEqual(
    found('src/roman.js', codes, 'IV, IX and MCMXCIV').filter((rule) => rule.includes('keys')),
    [],
  )
  const names: Versions = {
    'src/level.js': ['', "const LEVELS = { 1: 'low', 2: 'middle', 3: 'high' }\n"],
    'test/level.test.js': [
      '',
      "test('a', () => { assert.equal(level(10), 'low') })\ntest('b', () => { assert.equal(level(50), 'middle') })\ntest('c', () => { assert.equal(level(90), 'high') })\n",
    ],
  }
  assert.deepEqual(rulesIn(names), [])
})
