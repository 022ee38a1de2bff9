import assert from 'node:assert/strict'
import { test } from 'node:test'
import { after, aPlan, aPolicy, aResult, aStory, committed, runStarted } from '../../../sim/builders.ts'
import { play } from '../../../sim/play.ts'
import type { State } from '../state.ts'
import type { Signal } from '../types.ts'
import { closedBreaker } from './breaker.ts'
import { ending } from './ending.ts'

const tests = [{ name: 'tests', command: 'npm test' }]
const claim: Signal = { kind: 'claimed-done', by: 'promise', exitSignal: true, evidence: 'COMPLETE' }
const testing: Signal = { kind: 'testing-only', evidence: 'ran tests' }

test('stories that pass before the run are checked by the gates, and no agent is called', () => {
  const { kinds, state } = play({ plan: aPlan([aStory('A', { passes: true })]), policy: { gates: tests }, agent: () => ({}) })
  assert.deepEqual(kinds, ['gates.started', 'run.ended'])
  assert.deepEqual(state.outcome, { outcome: 'complete', because: 'every story passes, and so does every gate' })
})

test('a claim with a story open is refused, names it, and the run goes on (P03, T06)', () => {
  const { judged, state } = play({
    plan: aPlan([aStory('A'), aStory('B')]),
    policy: { maxIterations: 2 },
    agent: ({ iteration }) => (iteration === 1 ? { signals: [claim] } : {}),
  })
  assert.deepEqual(
    judged.map(({ claim, openStories }) => ({ claim, openStories })),
    [
      { claim: 'refused', openStories: ['A', 'B'] },
      { claim: 'none', openStories: [] },
    ],
  )
  assert.equal(state.totals.claimsRefused, 1)
  assert.equal(state.outcome?.outcome, 'incomplete')
})

test('a claim on the last iteration still counts (P05, T05)', () => {
  const { state } = play({
    plan: aPlan([aStory('A')]),
    policy: { maxIterations: 1, gates: tests },
    agent: ({ iteration }) => committed(iteration, 't1', { flips: ['A'], signals: [claim] }),
  })
  assert.deepEqual([state.used, state.outcome?.outcome], [1, 'complete'])
})

test('iterations used up with stories open end the run as incomplete (X10)', () => {
  const { state } = play({
    plan: aPlan([aStory('A'), aStory('B')]),
    policy: { maxIterations: 2 },
    agent: ({ iteration }) => committed(iteration, `t${iteration}`),
  })
  assert.deepEqual(state.outcome, { outcome: 'incomplete', because: '2 of 2 iterations used, still open: A, B' })
})

test('three iterations that only test end the run, and the breaker stays closed (E01)', () => {
  const { state, kinds } = play({ plan: aPlan([aStory('A')]), agent: () => ({ signals: [testing] }) })
  assert.deepEqual(state.outcome, { outcome: 'testing-only', because: '3 iterations in a row only ran tests' })
  assert.equal(kinds.filter((kind) => kind === 'iteration.started').length, 3)
  assert.notEqual(state.breaker.state, 'open')
})

test('two that only test, and then one that works, end nothing (E02)', () => {
  const { state } = play({
    plan: aPlan([aStory('A')]),
    policy: { maxIterations: 3 },
    agent: ({ iteration }) => (iteration < 3 ? { signals: [testing] } : committed(3, 't3')),
  })
  assert.deepEqual([state.inARow.testing, state.outcome?.outcome], [0, 'incomplete'])
})

test('iterations that change nothing end the run as stuck (B13, T36)', () => {
  const { state } = play({ plan: aPlan([aStory('A')]), agent: () => ({}) })
  assert.equal(state.outcome?.outcome, 'stuck')
})

test('three stories done in a row are not stuck (T38)', () => {
  const ids = ['A', 'B', 'C']
  const { state, decisions } = play({
    plan: aPlan(ids.map((id) => aStory(id))),
    agent: ({ iteration, story }) => committed(iteration, `t${iteration}`, { flips: [story!], signals: [claim] }),
  })
  assert.equal(state.outcome?.outcome, 'complete')
  assert.equal(decisions.filter((decision) => decision.kind === 'breaker.changed').length, 0)
})

test('a story that exits 1 without a flip stays open (T41)', () => {
  const { state } = play({
    plan: aPlan([aStory('A')]),
    policy: { maxIterations: 1 },
    agent: () => ({ exit: 'failed', exitCode: 1 }),
  })
  assert.deepEqual([state.plan?.stories[0]?.passes, state.last?.judged.verdict], [false, 'failed'])
})

test('failed stories end the run when nothing else can start, and it says what waits for what', () => {
  const { state } = play({
    plan: aPlan([aStory('A'), aStory('B', { dependsOn: ['A'] }), aStory('C')]),
    policy: { maxAttempts: 1, gates: tests },
    agent: ({ iteration, story }) => committed(iteration, `t${iteration}`, { flips: [story!] }),
    gate: (_gate, iteration) => iteration !== 1,
  })
  assert.deepEqual(state.outcome, { outcome: 'stories-failed', because: 'failed: A; B cannot start because of A' })
})

test('without a plan a claim is enough if the gates pass after it, and a red gate refuses it', () => {
  const { state, judged } = play({
    plan: null,
    policy: { gates: tests },
    agent: () => ({ signals: [claim] }),
    gate: (_gate, iteration) => iteration === 2,
  })
  assert.deepEqual(
    judged.map((each) => each.claim),
    ['refused', 'accepted'],
  )
  assert.deepEqual(state.outcome, { outcome: 'complete', because: 'claimed in iteration 2, and every gate passes' })
})

test('without a plan a claim from before a kill is not believed: the gates may be red by now', () => {
  const { state } = play({ plan: null, policy: { gates: tests }, agent: () => ({ signals: [claim] }) })
  const { policy, repo } = state
  const resumed = after([{ kind: 'run.resumed', plan: null, policy, repo, pid: 2 }], { ...state, outcome: undefined })
  assert.equal(ending(resumed), null)
})

test('a named stop ends the run after its iteration, whatever the verdict on that is [R-SIG-6]', () => {
  const stop: Signal = { kind: 'stop', name: 'quota', reason: 'used up', evidence: '' }
  const bare: Signal = { kind: 'stop', name: 'enough', reason: '', evidence: '' }
  const blocked: Signal = { kind: 'blocked', reason: 'no key', evidence: '' }
  const overload: Signal = { kind: 'throttled', by: 'overload', message: 'busy' }
  const ends = [
    { signals: [stop] },
    { signals: [stop, bare], exit: 'timeout' as const },
    { signals: [overload, stop] },
    { signals: [blocked, stop] },
    { signals: [stop], flips: ['A'] },
  ].map((more) => {
    const { judged, state } = play({ plan: aPlan([aStory('A'), aStory('B')]), agent: () => more })
    return [judged.map((event) => event.verdict), state.outcome?.outcome, state.outcome?.because]
  })
  assert.deepEqual(ends, [
    [['worked'], 'blocked', 'iteration 1: quota: used up'],
    [['failed'], 'blocked', 'iteration 1: quota: used up; enough'],
    [['throttled'], 'blocked', 'iteration 1: quota: used up'],
    [['blocked'], 'blocked', 'iteration 1: no key; quota: used up'],
    [['done'], 'blocked', 'iteration 1: quota: used up'],
  ])
})

test('of several ends that hold at once the first in the order counts (R-DONE-6)', () => {
  const all: State = {
    ...after([runStarted(aPlan([aStory('A', { passes: true })]), aPolicy({ gates: tests, maxIterations: 1 }))]),
    stop: { by: 'SIGTERM', now: true },
    check: { phase: 'green' },
    blocked: { reason: 'no key', iteration: 1 },
    questions: [{ question: 'A or B?', iteration: 1, story: 'A' }],
    inARow: { done: 0, testing: 9, retries: 9, refusedLogins: 2, limits: 0 },
    limit: { message: 'until noon', choice: 'open' },
    breaker: { ...closedBreaker, state: 'open', because: 'idle' },
    used: 1,
  }
  const without: (Partial<State> | null)[] = [
    null,
    { stop: undefined },
    { check: { phase: 'red', results: [aResult('tests', false)] } },
    { blocked: undefined },
    { questions: [] },
    { inARow: { done: 0, testing: 9, retries: 9, refusedLogins: 0, limits: 0 } },
    { limit: undefined },
    { inARow: { done: 0, testing: 0, retries: 0, refusedLogins: 0, limits: 0 } },
    { breaker: closedBreaker },
  ]
  let state = all
  const outcomes = without.map((change) => {
    state = { ...state, ...change }
    return ending(state)?.outcome
  })
  assert.deepEqual(outcomes, [
    'interrupted',
    'complete',
    'blocked',
    'question',
    'login',
    'limited',
    'testing-only',
    'stuck',
    'incomplete',
  ])
})

test('the reason of an end names some of many stories, and how many more there are [R-PROMPT-4]', () => {
  const { state } = play({
    plan: aPlan(Array.from({ length: 25 }, (_, index) => aStory(`S-${index}`))),
    policy: { maxIterations: 1 },
    agent: ({ iteration }) => committed(iteration, 't1'),
  })
  assert.match(state.outcome!.because, /still open: S-0, S-1, .*, S-19 and 5 more$/)
})

test('an agent that cannot be read twice in a row ends the run; in between, one that can be read starts the count again', () => {
  const unreadable: Signal = { kind: 'unreadable', by: 'lines', message: 'Ralph did not understand any of the 3 lines' }
  const twice = play({ plan: aPlan([aStory('A')]), agent: () => ({ signals: [unreadable] }) })
  assert.deepEqual(twice.state.outcome, { outcome: 'agent-unusable', because: unreadable.message })
  assert.deepEqual(
    [twice.judged.map(({ verdict }) => verdict), twice.state.used, twice.state.stories['A']?.attempts],
    [['unreadable', 'unreadable'], 0, 0],
  )
  const between = play({
    plan: aPlan([aStory('A')]),
    policy: { maxIterations: 2 },
    agent: ({ iteration }) => (iteration % 2 === 1 ? { signals: [unreadable] } : committed(iteration, `t${iteration}`)),
  })
  assert.equal(between.state.outcome?.outcome, 'incomplete')
  const passes = play({
    plan: aPlan([aStory('A')]),
    agent: ({ iteration }) => committed(iteration, 't1', { flips: ['A'], signals: [unreadable] }),
  })
  assert.deepEqual(passes.state.outcome?.outcome, 'complete', 'what the gates see counts, whatever it printed')
})

test('an option that the agent does not know ends the run at once, and no story has failed', () => {
  const unreadable: Signal = { kind: 'unreadable', by: 'option', message: "unknown option '--json'" }
  const { state, judged } = play({ plan: aPlan([aStory('A')]), agent: () => ({ exit: 'failed', signals: [unreadable] }) })
  assert.deepEqual([judged.length, state.outcome?.outcome], [1, 'agent-unusable'])
  assert.deepEqual([state.stories['A']?.attempts, state.stories['A']?.failedAttempts], [0, 0])
})
