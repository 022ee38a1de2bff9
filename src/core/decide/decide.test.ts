import assert from 'node:assert/strict'
import { test } from 'node:test'
import { after, anEnd, aPlan, aResult, aStory, begun, committed, runStarted } from '../../../sim/builders.ts'
import { play } from '../../../sim/play.ts'
import { evolve } from '../evolve/evolve.ts'
import { initialState } from '../evolve/initial.ts'
import type { State } from '../state.ts'
import type { Decision, Report, Signal } from '../types.ts'
import { decide } from './decide.ts'

const tests = { name: 'tests', command: 'npm test' }

/** Lets the core answer until it has nothing to add. */
function settled(state: State, facts: Report[]): { state: State; decisions: Decision[] } {
  const decisions: Decision[] = []
  let now = state
  for (const fact of facts) {
    now = after([fact], now)
    for (let made = decide(now); made.length > 0; made = decide(now)) {
      decisions.push(...made)
      now = after(made, now)
    }
  }
  return { state: now, decisions }
}
const kindsOf = (decisions: Decision[]): string[] => decisions.map((decision) => decision.kind)

test('before a run and after its end there is nothing to decide', () => {
  assert.deepEqual(decide(initialState), [])
  const { state } = play({ plan: aPlan([aStory('A', { passes: true })]), agent: () => ({}) })
  assert.deepEqual(decide(state), [])
})

test('a run starts with a call for its first story, and spends it on an iteration', () => {
  const { decisions } = settled(begun([aStory('A')]), [{ kind: 'call.granted', call: 1 }])
  assert.deepEqual(decisions, [
    {
      kind: 'iteration.started',
      iteration: 1,
      call: 1,
      story: 'A',
      attempt: 1,
      mode: 'implement',
      code: (decisions[0] as { code: string }).code,
      shift: '',
      shifts: 0,
      saves: true,
      because: 'priority 1, first open story',
    },
  ])
  assert.match((decisions[0] as { code: string }).code, /^[bcdfghjkmnpqrstvwxz2-9]{4}$/)
})

test('a refused call is waited for, and a refusal that is over already is not', () => {
  const state = begun([aStory('A')])
  const at = state.at
  const refused = (until: string): Report => ({ kind: 'call.refused', call: 1, until, by: 'rate' })
  assert.deepEqual(settled(state, [refused('2026-01-05T09:00:00.000Z')]).decisions, [
    {
      kind: 'wait.started',
      until: '2026-01-05T09:00:00.000Z',
      for: 'rate',
      because: 'hourly call limit reached; raise it with -r',
    },
  ])
  assert.deepEqual(kindsOf(settled(state, [refused(at)]).decisions), ['call.requested'])
})

test('a throttled iteration is tried again after a pause that grows, and counts for nothing', () => {
  const busy: Signal = { kind: 'throttled', by: 'overload', message: 'busy' }
  const { state, decisions } = play({ plan: aPlan([aStory('A')]), policy: { maxRetries: 3 }, agent: () => ({ signals: [busy] }) })
  const waits = decisions.filter((decision) => decision.kind === 'wait.started')
  const pauses = waits.map((wait) => (Date.parse(wait.until) - Date.parse('2026-01-05T08:00:00.000Z')) / 1000)
  assert.deepEqual(
    pauses.map((seconds, i) => Math.abs(seconds / [5, 15, 60][i]! - 1) <= 0.2),
    [true, true, true],
  )
  assert.deepEqual(
    [state.used, state.iteration, state.breaker.counts['no-progress'].times, state.outcome?.outcome],
    [0, 4, 0, 'limited'],
  )
})

test('a refused login is tried once more, and then ends the run', () => {
  const refused: Signal = { kind: 'throttled', by: 'login', message: 'expired' }
  const { state } = play({ plan: aPlan([aStory('A')]), agent: () => ({ signals: [refused] }) })
  assert.deepEqual(state.outcome, { outcome: 'login', because: "the agent's login or key is rejected: expired" })
  assert.deepEqual([state.used, state.iteration], [0, 2])
})

test('BLOCKED and DECIDE end the run and leave the story’s counters alone (R-HUM-3)', () => {
  const blocked = play({
    plan: aPlan([aStory('A')]),
    agent: () => ({ signals: [{ kind: 'blocked', reason: 'no key', evidence: '' }] }),
  }).state
  const asked = play({
    plan: aPlan([aStory('A')]),
    agent: () => ({ signals: [{ kind: 'question', text: 'A or B?', evidence: '' }] }),
  }).state
  assert.deepEqual(
    [blocked, asked].map(({ outcome, stories }) => [outcome, stories['A']?.attempts, stories['A']?.failedAttempts]),
    [
      [{ outcome: 'blocked', because: 'iteration 1: no key' }, 0, 0],
      [{ outcome: 'question', because: 'iteration 1 asks: A or B?' }, 0, 0],
    ],
  )
})

test('a stop at once ends the agent, sets its flip back and ends the run as interrupted', () => {
  const flying = settled(begun([aStory('A')]), [{ kind: 'call.granted', call: 1 }]).state
  const { state, decisions } = settled(flying, [
    { kind: 'stop.requested', by: 'SIGINT', now: true },
    { kind: 'iteration.ended', ...anEnd(1, { exit: 'stopped', flips: ['A'] }) },
    { kind: 'iteration.settled', iteration: 1, repo: flying.repo, commits: [] },
  ])
  assert.deepEqual(kindsOf(decisions), ['iteration.stopping', 'iteration.judged', 'run.ended'])
  assert.deepEqual([state.plan?.stories[0]?.passes, state.used, state.outcome?.outcome], [false, 0, 'interrupted'])
})

test('a stop for later lets the iteration and its gates come home', () => {
  const flying = settled(begun([aStory('A')], { gates: [tests] }), [
    { kind: 'gates.ended', iteration: 'whole', results: [aResult('tests', true)] },
    { kind: 'call.granted', call: 1 },
  ]).state
  const { state, decisions } = settled(flying, [
    { kind: 'stop.requested', by: 'user', now: false },
    { kind: 'iteration.ended', ...committed(1, 't1', { flips: ['A'] }) },
    { kind: 'gates.ended', iteration: 1, results: [aResult('tests', true)] },
    { kind: 'iteration.settled', iteration: 1, repo: flying.repo, commits: [] },
  ])
  assert.deepEqual(kindsOf(decisions), ['gates.started', 'iteration.judged', 'run.ended'])
  assert.deepEqual([state.plan?.stories[0]?.passes, state.outcome?.outcome], [true, 'interrupted'])
})

test('a pause holds the next call back until it is lifted', () => {
  const { decisions } = settled(after([runStarted(aPlan([aStory('A')]))]), [
    { kind: 'pause.requested', id: 'p1' },
    { kind: 'pause.requested', id: 'p1' },
    { kind: 'resume.requested', id: 'p2' },
  ])
  assert.deepEqual(kindsOf(decisions), ['run.paused', 'call.requested'])
})

test('when one worker says BLOCKED, no other iteration starts while the rest come home', () => {
  const stories = [aStory('A'), aStory('B'), aStory('C')]
  const flying = settled(begun(stories, { workers: 2 }), [
    { kind: 'call.granted', call: 1 },
    { kind: 'call.granted', call: 2 },
  ]).state
  const { decisions } = settled(flying, [
    { kind: 'iteration.ended', ...anEnd(1, { signals: [{ kind: 'blocked', reason: 'no key', evidence: '' }] }) },
    { kind: 'iteration.settled', iteration: 1, repo: flying.repo, commits: [] },
    { kind: 'iteration.ended', ...anEnd(2) },
    { kind: 'iteration.settled', iteration: 2, repo: flying.repo, commits: [] },
  ])
  assert.deepEqual(kindsOf(decisions), ['iteration.judged', 'iteration.judged', 'run.ended'])
})

test('a story is failed once its failed attempts are used up, and the next gets its turn', () => {
  const { state, decisions } = play({
    plan: aPlan([aStory('A'), aStory('B', { priority: 2 })]),
    policy: { maxAttempts: 2, gates: [tests] },
    agent: ({ iteration, story }) => committed(iteration, `t${iteration}`, { flips: [story!] }),
    gate: (_gate, iteration) => iteration !== 'whole' && iteration > 2,
  })
  const told = decisions.flatMap((decision) => {
    if (decision.kind === 'iteration.started') return [`${decision.mode} ${decision.story} ${decision.attempt}`]
    return decision.kind === 'story.failed' ? [`${decision.story}: ${decision.because}`] : []
  })
  assert.deepEqual(told, [
    'implement A 1',
    'fix A 2',
    'A: failed after 2 attempts; last failure: Agent marked A done, but tests failed',
    'implement B 1',
  ])
  assert.equal(state.outcome?.outcome, 'stories-failed')
})

test('red gates with every story passing get an iteration of their own, without a story', () => {
  const { state, decisions } = play({
    plan: aPlan([aStory('A', { passes: true })]),
    policy: { gates: [tests] },
    agent: ({ iteration }) => committed(iteration, 't1'),
    gate: (_gate, iteration) => iteration === 1,
  })
  const started = decisions.find((decision) => decision.kind === 'iteration.started')
  assert.deepEqual([started?.story, started?.mode], [null, 'fix'])
  assert.equal(state.outcome?.outcome, 'complete')
})

test('one story alone that passes already ends the run without a call', () => {
  const { kinds } = play({
    plan: aPlan([aStory('A', { passes: true }), aStory('B')]),
    policy: { only: 'A', gates: [tests] },
    agent: () => ({}),
  })
  assert.deepEqual(kinds, ['run.ended'])
})

test('asked again after its answers are recorded, the core has nothing to add', () => {
  const state = begun([aStory('A')])
  const made = decide(state)
  const recorded = made.reduce((now, decision) => evolve(now, { at: state.at, run: 'r1', ...decision }), state)
  assert.deepEqual([kindsOf(made), decide(recorded)], [['call.requested'], []])
})
