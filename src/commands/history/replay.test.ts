import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { decisive, policyOf } from '../../config/policy.ts'
import { type Key, type Settings, table } from '../../config/table.ts'
import { Failure } from '../../core/failure.ts'
import { policyChange } from './replay.ts'

const defaults = Object.fromEntries(Object.entries(table).map(([key, setting]) => [key, setting.default])) as unknown as Settings
const policyWith = (more: Partial<Settings>) => policyOf({ ...defaults, ...more }, undefined, false, { final: [] })
const plain = policyWith({
  'gates.tests': 'npm test',
  quality_checks: { lint: 'npm run lint' },
  'quality.commands': { size: 'du' },
})

test('a setting makes of a recorded policy what it makes of one that is new', () => {
  const cases: [string, Partial<Settings>][] = [
    ['defaults.max_iterations=3', { 'defaults.max_iterations': 3 }],
    ['defaults.max_attempts=2', { 'defaults.max_attempts': 2 }],
    ['defaults.max_retries=0', { 'defaults.max_retries': 0 }],
    ['defaults.on_limit=exit', { 'defaults.on_limit': 'exit' }],
    ['defaults.decide=park', { 'defaults.decide': 'park' }],
    ['budget.cost_usd=1.5', { 'budget.cost_usd': 1.5 }],
    ['budget.cost_usd=null', {}],
    ['budget.tokens=1000', { 'budget.tokens': 1000 }],
    ['budget.duration_minutes=1h', { 'budget.duration_minutes': 60 }],
    ['circuit_breaker.no_progress_threshold=1', { 'circuit_breaker.no_progress_threshold': 1 }],
    ['circuit_breaker.same_error_threshold=1', { 'circuit_breaker.same_error_threshold': 1 }],
    ['circuit_breaker.output_decline_percent=50', { 'circuit_breaker.output_decline_percent': 50 }],
    ['circuit_breaker.permission_denied_threshold=0', { 'circuit_breaker.permission_denied_threshold': 0 }],
    ['circuit_breaker.cooldown_minutes=30m', { 'circuit_breaker.cooldown_minutes': 30 }],
    ['completion.consecutive_done_signals=1', { 'completion.consecutive_done_signals': 1 }],
    ['completion.consecutive_test_loops=1', { 'completion.consecutive_test_loops': 1 }],
    ['gates.tests=', { 'gates.tests': '' }],
    ['gates.tests=make test', { 'gates.tests': 'make test' }],
    ['quality_checks={"types":"tsc"}', { quality_checks: { types: 'tsc' } }],
    ['quality.commands={}', { 'quality.commands': {} }],
    ['gates.baseline=tolerate', { 'gates.baseline': 'tolerate' }],
    ['gates.tamper=refuse', { 'gates.tamper': 'refuse' }],
    ['gates.story_minutes=10,20', { 'gates.story_minutes': [10, 20] }],
  ]
  const gates = { 'gates.tests': 'npm test', quality_checks: { lint: 'npm run lint' }, 'quality.commands': { size: 'du' } }
  for (const [set, settings] of cases) assert.deepEqual(policyChange([set])(plain), policyWith({ ...gates, ...settings }), set)
})

test('a run’s own settings change nothing, in any order and at any timeout multiplier', () => {
  const minutes = fc.tuple(fc.integer({ min: 1, max: 99 }), fc.integer({ min: 100, max: 200 }))
  const settings = fc.record<Partial<Settings>>({
    'defaults.timeout_multiplier': fc.constantFrom(0.01, 0.1, 0.5, 1, 1.5, 2, 10, 100),
    'gates.story_minutes': minutes,
    'defaults.on_limit': fc.constantFrom('auto', 'wait', 'exit', 'ask'),
    'defaults.max_attempts': fc.integer({ min: 1, max: 9 }),
    'budget.duration_minutes': fc.option(fc.integer({ min: 1, max: 999 })),
    'circuit_breaker.cooldown_minutes': fc.integer({ min: 0, max: 99 }),
    'gates.tests': fc.constantFrom('', 'npm test'),
    quality_checks: fc.constantFrom<Record<string, string>>({}, { lint: 'lint' }),
    'quality.commands': fc.constantFrom<Record<string, string>>({}, { size: 'du' }),
  })
  const own = (all: Settings): string[] =>
    (Object.keys(decisive) as Key[]).map((key) => `${key}=${typeof all[key] === 'string' ? all[key] : JSON.stringify(all[key])}`)
  fc.assert(
    fc.property(settings, fc.boolean(), fc.nat(), (more, isAttended, turn) => {
      const all = { ...defaults, ...more }
      const policy = policyOf(all, undefined, isAttended, { final: [] })
      const set = own(all)
      const turned = [...set.slice(turn % set.length), ...set.slice(0, turn % set.length)]
      assert.deepEqual(policyChange(turned)(policy), policy)
    }),
  )
})

test('reviewers and the learner are called, or not', () => {
  const change = (...set: string[]) => policyChange(set)({ ...plain, agent: 'claude' })
  assert.deepEqual(change('review.enabled=true').review, { spec: 'claude', final: [] })
  assert.deepEqual(change('review.enabled=true', 'quality.review=true').review, { spec: 'claude', quality: 'claude', final: [] })
  assert.deepEqual(change('quality.review=true', 'quality.review=false').review, { final: [] })
  assert.deepEqual(change('review.final=codex,gemini').review, { final: ['codex', 'gemini'] })
  assert.deepEqual(change('review.enabled=false', 'review.final=codex').review, { final: [] })
  assert.deepEqual(change('learn.enabled=true', 'learn.aggregate_every=3').learn, {
    agent: 'claude',
    aggregateEvery: 3,
    atEnd: true,
  })
  assert.equal(change('learn.enabled=true', 'learn.enabled=false').learn, undefined)
})

test('every setting that a policy is made of can be set, or is refused because agents would have acted on it', () => {
  const read = new Set<string>()
  const watched = new Proxy(defaults, {
    get: (settings, key: string) => {
      read.add(key)
      return settings[key as Key]
    },
  })
  policyOf(watched, undefined, false, { final: [] })
  const ofBreaker = Object.keys(table).filter((key) => key.startsWith('circuit_breaker.'))
  assert.deepEqual(
    ofBreaker.filter((key) => !read.has(key)),
    [],
  )
  const refused = [...read].filter((key) => exitOf(`${key}=${table[key as Key].default}`) === 'agents')
  assert.deepEqual(refused.sort(), [
    'agent',
    'defaults.pick',
    'defaults.session',
    'defaults.timeout_multiplier',
    'parallel.workers',
  ])
})

test('what cannot be set is refused with what can be', () => {
  const messages = ['max_iteratons=3', 'zzz=1', 'defaults.max_iterations=none', 'defaults.max_iterations'].map((set) => {
    try {
      policyChange([set])
    } catch (error) {
      return error instanceof Failure ? [error.exit, error.message] : error
    }
    return 'taken'
  })
  assert.deepEqual(messages, [
    [78, '--set max_iteratons=3: unknown setting "max_iteratons"; did you mean "defaults.max_iterations"?'],
    [78, '--set zzz=1: unknown setting "zzz"; "ralph config show" lists all settings'],
    [78, '--set defaults.max_iterations=none: expected a whole number, 1 or more.'],
    [64, '--set defaults.max_iterations is not key=value, such as circuit_breaker.no_progress_threshold=2.'],
  ])
})

function exitOf(set: string): 'taken' | 'agents' | 'otherwise' {
  try {
    policyChange([set])
    return 'taken'
  } catch (error) {
    return /cannot replay/.test((error as Error).message) ? 'agents' : 'otherwise'
  }
}
