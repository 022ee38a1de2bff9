import assert from 'node:assert/strict'
import { test } from 'node:test'
import { meantKey, meantVariable } from '../../config/names.ts'
import { nearest, typosBetween } from './nearest.ts'

test('added, dropped, changed and swapped letters are one slip each; case and dashes are none', () => {
  const pairs: [string, string, number][] = [
    ['login', 'login', 0],
    ['login', 'logins', 1],
    ['login', 'logi', 1],
    ['login', 'lagin', 1],
    ['login', 'lgoin', 1],
    ['maxIterations', 'max_iterations', 0],
    ['timeout', 'timeout_minutes', 1],
    ['', 'abc', 3],
  ]
  for (const [from, to, expected] of pairs) assert.deepEqual([from, to, typosBetween(from, to)], [from, to, expected])
})

test('the nearest name is given, and none when all are far', () => {
  assert.equal(nearest('logn', ['logs', 'login', 'pay']), 'logs')
  assert.equal(nearest('lgoin', ['pay', 'login']), 'login')
  assert.equal(nearest('checkout', ['login', 'pay']), undefined)
  assert.equal(nearest('x', []), undefined)
})

test('a key is found in the whole table, whatever the section it was written in', () => {
  const meant: Record<string, string | undefined> = {
    max_iteratons: 'defaults.max_iterations',
    defualts: 'defaults',
    'gates.test': 'gates.tests',
    'defaults.promise': 'completion.promise',
    'learn.enabeld': 'learn.enabled',
    'review.enabeld': 'review.enabled',
    timeout: 'defaults.timeout_minutes',
    rate_limit: 'defaults.rate_limit_per_hour',
    max_stuck: 'circuit_breaker.no_progress_threshold',
    maxIterations: 'defaults.max_iterations',
    colour: undefined,
  }
  assert.deepEqual(Object.fromEntries(Object.keys(meant).map((written) => [written, meantKey(written)])), meant)
})

test('a variable with a slip is recognised, one of another kind is not', () => {
  assert.equal(meantVariable('RALPH_MAX_ITERATONS'), 'RALPH_MAX_ITERATIONS')
  for (const name of ['RALPH_HOME', 'RALPH_RUN', 'RALPH_LAUNCHER'])
    assert.deepEqual([name, meantVariable(name)], [name, undefined])
})

test('a name far longer than any is near to none, and not looked at any closer', () => {
  assert.equal(typosBetween('a'.repeat(300), 'a'), 300)
  assert.equal(nearest('a'.repeat(300_000), ['a'.repeat(190)]), undefined)
})
