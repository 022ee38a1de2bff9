import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fromNear, type NearAnswer, nearCalls, nearTo, onlyKnown } from './near-inputs.ts'

test('near inputs have other digits, or other letters where there are none', () => {
  assert.deepEqual(nearTo("'1h30m'"), ["'2h30m'", "'0h30m'", "'3h30m'", "'1h31m'", "'1h32m'"])
  assert.deepEqual(nearTo('[3, 9]'), ['[4, 9]', '[2, 9]', '[5, 9]', '[3, 8]'])
  assert.deepEqual(nearTo("'one two'"), ["'pne two'", "'onf two'", "'one uwo'", "'one twp'"])
  assert.deepEqual(nearTo("'IV'"), [])
})

const source = { path: 'src/dates.js', text: 'export function week(text) {\n  return text.length\n}\n' }
const tests = [
  { path: 'test/a.test.js', text: "import { week } from '../src/dates.js'\nweek('2024-01-01')\nweek('2021-01-03')\n" },
]
const asked = (sources = [source], before: string[] = []): string[] =>
  nearCalls('week("2020-02-02") is 5', { tests, sources, before }, 'javascript').flatMap(({ name, calls }) =>
    calls.map(({ args }) => `${name}(${args})`),
  )

test('calls of tests and story are asked about; not those of older tests, nor functions that act or prove something', () => {
  assert.deepEqual(asked(), ['week("2020-02-02")', "week('2024-01-01')", "week('2021-01-03')"])
  assert.deepEqual(asked([source], ["week('2024-01-01')"]), ['week("2020-02-02")', "week('2021-01-03')"])
  for (const text of ["import { kill } from 'node:process'\nkill(1)\n", "import crypto from 'node:crypto'\n"])
    assert.deepEqual(asked([{ ...source, text: text + source.text }]), [])
})

const value = (shown: string): NearAnswer => ({ kind: 'value', shown })
const none: NearAnswer = { kind: 'nothing', shown: 'undefined' }
const what = (own: Record<string, string>, near: (args: string, answer: string) => NearAnswer): string | undefined => {
  const calls = Object.keys(own).map((args) => ({ args, near: nearTo(args) }))
  const answers = calls.map(({ args, near: all }) => ({
    own: value(own[args] ?? ''),
    near: all.map((other) => near(other, own[args] ?? '')),
  }))
  return onlyKnown({ name: 'f', source: 'src/a.js', file: '', imports: {}, calls }, answers)?.what
}
const weeks = { "'2024-01-01'": '1', "'2021-01-03'": '53', "'2024-05-17'": '20' }

test('a function that has nothing, or always the same, for inputs near those that are known', () => {
  assert.equal(
    what(weeks, () => none),
    'nothing',
  )
  assert.equal(
    what(weeks, (args, answer) => (/-0[13]-0/.test(args) ? value(answer) : none)),
    'nothing',
  )
  assert.equal(
    what(weeks, () => value('0')),
    'same',
  )
  assert.equal(
    what({ '[3, 1, 2]': '2', '[1, 2, 3, 10]': '2.5' }, (_, answer) => value(answer)),
    'copied',
  )
})

test('a function with an answer of its own for one of them works it out', () => {
  assert.equal(
    what(weeks, (args) => (args.includes('18') ? value('21') : none)),
    undefined,
  )
  assert.equal(
    what(weeks, (_, answer) => value(answer)),
    undefined,
  )
  assert.equal(
    what({ "'2024-01-01'": 'true', "'2024-12-25'": 'true', "'2024-12-26'": 'false' }, () => value('false')),
    undefined,
  )
  assert.equal(
    what({ '404': "'Not Found'", '409': "'Conflict'", '503': "'Unavailable'" }, () => none),
    undefined,
  )
})

test('what is said names the call and what it gave', () => {
  const words = fromNear([{ source: 'src/a.js', name: 'f', call: 'f(2)', was: 'undefined', what: 'nothing' }]).map(
    (finding) => finding.words,
  )
  assert.deepEqual(words, [
    'src/a.js knows the answers of f() only for the inputs of its tests and of the story: f(2) gives undefined',
  ])
})
