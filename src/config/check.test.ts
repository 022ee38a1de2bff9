import assert from 'node:assert/strict'
import { test } from 'node:test'
import { check, fromText } from './check.ts'
import type { Setting } from './setting.ts'
import { type Key, table } from './table.ts'

const ofFile = (key: Key, raw: unknown) => check(table[key] as Setting, raw)
const ofText = (key: Key, written: string) => check(table[key] as Setting, fromText(table[key] as Setting, written))
const isTaken = (checked: ReturnType<typeof check>) => 'value' in checked

test('numbers are checked strictly, in files and in text', () => {
  assert.deepEqual(ofText('defaults.max_iterations', '20'), { value: 20 })
  for (const written of ['20abc', '0', '-1', '1.5', '', ' ', '1e3', '0x10', 'NaN', '99999999999999999999'])
    assert.deepEqual([written, isTaken(ofText('defaults.max_iterations', written))], [written, false])
  for (const raw of ['20', 0, 1.5, null, true, [20], Number.NaN])
    assert.deepEqual([raw, isTaken(ofFile('defaults.max_iterations', raw))], [raw, false])
  assert.deepEqual(ofFile('circuit_breaker.output_decline_percent', 101), {
    mismatch: { path: [], found: 101, expected: 'a whole number from 0 to 100' },
  })
})

test('0 turns the stuck and the rate limit off', () => {
  assert.deepEqual(ofText('circuit_breaker.no_progress_threshold', '0'), { value: 0 })
  assert.deepEqual(ofText('defaults.rate_limit_per_hour', '0'), { value: 0 })
})

test('R-LIM-2 durations become minutes, and a bare number is minutes', () => {
  const minutes: [unknown, number][] = [
    [15, 15],
    [0.5, 0.5],
    ['90s', 1.5],
    ['15m', 15],
    ['1h', 60],
    ['1h30m', 90],
    ['20', 20],
  ]
  for (const [raw, value] of minutes) assert.deepEqual([raw, ofFile('defaults.timeout_minutes', raw)], [raw, { value }])
  for (const raw of ['soon', '5 parsecs', 0, '0s', -1, null, '-5m'])
    assert.deepEqual([raw, isTaken(ofFile('defaults.timeout_minutes', raw))], [raw, false])
})

test('yes and no are true and false', () => {
  assert.deepEqual(
    ['true', '1', 'FALSE', '0'].map((written) => ofText('git.commit_state', written)),
    [true, true, false, false].map((value) => ({ value })),
  )
  for (const raw of ['yes', 1, null]) assert.deepEqual([raw, isTaken(ofFile('git.commit_state', raw))], [raw, false])
})

test('a choice that was yes or no before takes those too', () => {
  assert.deepEqual(
    [true, false, 'end'].map((raw) => ofFile('git.push', raw)),
    [{ value: 'story' }, { value: 'never' }, { value: 'end' }],
  )
  assert.deepEqual(ofText('git.push', 'true'), { value: 'story' })
  for (const raw of ['yes', 1, null]) assert.deepEqual([raw, isTaken(ofFile('git.push', raw))], [raw, false])
})

test('text is text: a bare key is empty, a number needs quotes', () => {
  assert.deepEqual(ofFile('gates.tests', null), { value: '' })
  assert.deepEqual(ofFile('model', 4.5), { mismatch: { path: [], found: 4.5, expected: 'text in quotes' } })
  assert.equal(isTaken(ofFile('prompt.template', '')), false)
})

test('null is for what can be without a value', () => {
  assert.deepEqual(ofFile('budget.tokens', null), { value: null })
  assert.deepEqual(ofText('budget.tokens', 'null'), { value: null })
  assert.equal(isTaken(ofFile('defaults.pick', null)), false)
})

test('lists come as lists, or separated by commas', () => {
  assert.deepEqual(ofText('process.keep', 'a, b,'), { value: ['a', 'b'] })
  assert.deepEqual(ofText('process.keep', '["a,b"]'), { value: ['a,b'] })
  assert.deepEqual(ofFile('process.keep', null), { value: [] })
  assert.deepEqual(ofFile('process.keep', ['a', 5]), { mismatch: { path: [1], found: 5, expected: 'a list of strings' } })
})

test('a hard limit is not below the soft one', () => {
  assert.deepEqual(ofFile('gates.story_minutes', ['30m', 60]), { value: [30, 60] })
  assert.deepEqual(ofText('gates.story_minutes', '30,1h'), { value: [30, 60] })
  for (const raw of [[60, 45], [0, 5], [5], [1, 2, 3], 5, null])
    assert.deepEqual([raw, isTaken(ofFile('gates.story_minutes', raw))], [raw, false])
})

test('maps say which entry is wrong', () => {
  assert.deepEqual(ofFile('quality_checks', { lint: 'npm run lint' }), { value: { lint: 'npm run lint' } })
  assert.deepEqual(ofText('quality_checks', '{"lint":"x"}'), { value: { lint: 'x' } })
  assert.deepEqual(ofFile('quality_checks', { lint: ['x'] }), {
    mismatch: { path: ['lint'], found: ['x'], expected: 'a command' },
  })
  assert.equal(isTaken(ofFile('quality_checks', ['x'])), false)
  assert.deepEqual(ofFile('prices', { m: { input: 3, output: 15 } }), { value: { m: { input: 3, output: 15 } } })
  for (const raw of [{ m: 3 }, { m: { input: 3 } }, { m: { input: 3, output: -1 } }, { m: { input: 3, output: 1, cache: 1 } }])
    assert.deepEqual([raw, isTaken(ofFile('prices', raw))], [raw, false])
})

test('keyword lists may have a weight', () => {
  assert.deepEqual(ofFile('completion.keywords', { done: ['fertig'], mine: { words: ['x'], weight: 10 } }), {
    value: { done: ['fertig'], mine: { words: ['x'], weight: 10 } },
  })
  for (const raw of [
    { done: 'x' },
    { done: { words: 'x' } },
    { done: { words: [], weight: 'a' } },
    { done: { words: [] } },
    { done: { words: [], weight: 1, wait: 1 } },
  ])
    assert.deepEqual([raw, isTaken(ofFile('completion.keywords', raw))], [raw, false])
})

test('an agent is a name, a command, or a script', () => {
  const taken = [
    'claude',
    { name: 'mine', command: ['prog', '-x'], format: 'text', env: { A: 'b' } },
    { name: 'scripted', script: 's.yaml' },
  ]
  for (const raw of taken) assert.deepEqual(ofFile('agent', raw), { value: raw })
  assert.deepEqual(ofText('agent', '{"name":"scripted","script":"s.yaml"}'), { value: { name: 'scripted', script: 's.yaml' } })
  const wrong = [
    '',
    5,
    null,
    {},
    { name: '' },
    { name: 'a', command: [] },
    { name: 'a', command: 'x' },
    { name: 'a', format: 'xml' },
    { name: 'a', comand: [] },
  ]
  for (const raw of wrong) assert.deepEqual([raw, isTaken(ofFile('agent', raw))], [raw, false])
})

test('a duration with so many digits that it comes to infinity is none', () => {
  assert.equal(isTaken(ofText('defaults.timeout_minutes', '9'.repeat(400))), false)
  assert.equal(isTaken(ofText('gates.story_minutes', `45, ${'9'.repeat(400)}`)), false)
})
