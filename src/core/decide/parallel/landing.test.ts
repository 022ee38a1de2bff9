import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  after,
  aLanding,
  anEnd,
  anEndedFlight,
  aPlan,
  aPolicy,
  aRepo,
  aResult,
  aStory,
  committed,
  runStarted,
} from '../../../../sim/builders.ts'
import { play } from '../../../../sim/play.ts'
import type { EndedFlight, Flight, State } from '../../state.ts'
import type { LandingEnded } from '../../types/results.ts'
import type { Decision, Ended, Policy, Report } from '../../types.ts'
import { decide } from '../decide.ts'

const tests = { name: 'tests', command: 'npm test' }
const conflict = aResult('landing', false, { output: 'src/a.ts conflicts' })
const stopNow: Report = { kind: 'stop.requested', by: 'user', now: true }
const settled = (iteration: number, state: State): Report => ({
  kind: 'iteration.settled',
  iteration,
  repo: state.repo,
  commits: [],
})

/** Work on a story that was flipped and gated where it was made. */
const ready = (iteration: number, story: string, more: Partial<Ended> = {}): EndedFlight =>
  anEndedFlight(committed(iteration, `t${iteration}`, { before: aRepo('t0'), flips: [story], ...more }), {
    story,
    worker: iteration,
    gates: [aResult('tests', true)],
  })
const begun = (flights: Flight[], policy: Partial<Policy> = {}): State => ({
  ...after([runStarted(aPlan([aStory('A'), aStory('B')]), aPolicy({ workers: 2, gates: [tests], ...policy }))]),
  baseline: [],
  iteration: flights.length,
  flights,
})
/** The state after the core's own next decision, and that decision. */
const step = (state: State): [Decision, State] => {
  const [decision] = decide(state)
  assert.ok(decision)
  return [decision, after([decision], state)]
}
const land = (state: State, more: Partial<LandingEnded> = {}): [Decision, State] => {
  const [started, landing] = step(state)
  assert.equal(started.kind, 'landing.started')
  return step(after([{ kind: 'landing.ended', ...aLanding(started.iteration, { repo: state.repo }), ...more }], landing))
}
const verdictOf = (decision: Decision): unknown =>
  decision.kind === 'iteration.judged' ? [decision.verdict, decision.passed, decision.refused] : decision.kind

test('what was done apart is gated where it was made, lands, and only then passes', () => {
  const { kinds, state } = play({
    plan: aPlan([aStory('A')]),
    policy: { workers: 2, gates: [tests] },
    agent: ({ iteration }) => committed(iteration, 't1', { before: aRepo('t0'), flips: ['A'] }),
    landing: () => ({ commits: ['h-t2'], repo: aRepo('t2') }),
  })
  assert.deepEqual(kinds, [
    'gates.started',
    'call.requested',
    'iteration.started',
    'gates.started',
    'landing.started',
    'iteration.judged',
    'gates.started',
    'run.ended',
  ])
  assert.deepEqual(
    [state.outcome?.outcome, state.repo, state.stories['A']?.receipt?.commits, state.stories['A']?.isApart],
    ['complete', aRepo('t2'), ['h-t1', 'h-t2'], false],
  )
})

test('a story that was flipped without a change lands too, and passes on its gates', () => {
  const { kinds, judged } = play({
    plan: aPlan([aStory('A')]),
    policy: { workers: 2, gates: [tests] },
    agent: ({ iteration }) => anEnd(iteration, { before: aRepo('t0'), flips: ['A'] }),
  })
  assert.equal(kinds.filter((kind) => kind === 'landing.started').length, 1)
  assert.deepEqual([judged[0]?.verdict, judged[0]?.passed, judged[0]?.proven], ['done', ['A'], true])
})

test('what its gates or its reviewers refuse does not land, and neither does what was done here', () => {
  const red = begun([{ ...ready(1, 'A'), gates: [aResult('tests', false)] }])
  assert.deepEqual(verdictOf(step(red)[0]), ['failed', [], ['A']])
  const { worker: _worker, ...here } = ready(1, 'A')
  assert.deepEqual(verdictOf(step(begun([here]))[0]), ['done', ['A'], []])
  const unflipped = begun([ready(1, 'A', { flips: [] })])
  assert.deepEqual(verdictOf(step(unflipped)[0]), ['worked', [], []])
})

test('landings wait for each other until the one before is settled', () => {
  const [first, landing] = step(begun([ready(1, 'A'), ready(2, 'B')]))
  assert.deepEqual([first.kind, 'iteration' in first && first.iteration], ['landing.started', 1])
  assert.deepEqual(decide(landing), [])
  const landed = after([{ kind: 'landing.ended', ...aLanding(1) }], landing)
  const [judged, waiting] = step(landed)
  assert.deepEqual([verdictOf(judged), decide(waiting)], [['done', ['A'], []], []])
  const [second] = step(after([settled(1, waiting)], waiting))
  assert.deepEqual([second.kind, 'iteration' in second && second.iteration], ['landing.started', 2])
})

test('nothing lands while a failed story is put aside', () => {
  const state: State = { ...begun([ready(1, 'A')]), failing: { story: 'B', branch: 'wip/b' } }
  assert.deepEqual(decide(state), [])
  const [decision] = step(
    after([{ kind: 'story.put-aside', story: 'B', branch: 'wip/b', how: 'reset', repo: state.repo }], state),
  )
  assert.equal(decision.kind, 'landing.started')
})

test('a conflict refuses the flip: the next attempt is a fix that is told what conflicts', () => {
  const [judged, bounced] = land(begun([ready(1, 'A')]), { results: [conflict] })
  assert.deepEqual(verdictOf(judged), ['failed', [], ['A']])
  assert.deepEqual([bounced.stories['A']?.bounced, bounced.stories['A']?.refusals.map(({ gates }) => gates)], [1, [[conflict]]])
  const next = after([settled(1, bounced), { kind: 'call.granted', call: 1 }], {
    ...bounced,
    call: { last: 1, phase: 'requested', role: 'implementer' },
  })
  const starts = decide(next).map((decision) => decision.kind === 'iteration.started' && [decision.story, decision.mode])
  assert.deepEqual(starts, [['A', 'fix']])
})

test('of two words of a gate the one after the merge counts, and the time of both is the story’s', () => {
  const [judged, state] = land(begun([ready(1, 'A', { durationMs: 1000 })]), {
    results: [aResult('tests', false, { durationMs: 300 })],
  })
  assert.deepEqual(verdictOf(judged), ['failed', [], ['A']])
  assert.deepEqual([state.stories['A']?.refusals[0]?.gates.length, state.stories['A']?.spentMs], [1, 1400])
})

test('a gate that was red in the same way before the run is tolerated after the merge, too', () => {
  const red = aResult('tests', false)
  const state: State = { ...begun([ready(1, 'A')], { baseline: 'tolerate' }), baseline: [red] }
  assert.deepEqual(verdictOf(land(state, { results: [red] })[0]), ['done', ['A'], []])
  assert.deepEqual(verdictOf(land({ ...state, baseline: [] }, { results: [red] })[0]), ['failed', [], ['A']])
})

test('where a person must make room the run ends as blocked, and no attempt is used up', () => {
  const [judged, state] = land(begun([ready(1, 'A')]), { results: [conflict], blocked: 'a.ts is in the way' })
  assert.deepEqual(verdictOf(judged), ['blocked', [], ['A']])
  assert.equal(judged.because, 'its work cannot land: a.ts is in the way')
  const { attempts, failedAttempts, bounced } = state.stories['A']!
  assert.deepEqual([attempts, failedAttempts, bounced], [0, 0, 0])
  const [end] = step(after([settled(1, state)], state))
  assert.deepEqual(end, { kind: 'run.ended', outcome: 'blocked', because: 'iteration 1: a.ts is in the way' })
})

test('a landing that a kill cut off is decided again', () => {
  const [, landing] = step(begun([ready(1, 'A')]))
  const { plan, policy, repo } = landing
  const [again] = step(after([{ kind: 'run.resumed', plan, policy, repo, pid: 2 }], landing))
  assert.deepEqual([again.kind, 'iteration' in again && again.iteration], ['landing.started', 1])
})

test('a landing that was over before a kill is not made twice', () => {
  const [, landing] = step(begun([ready(1, 'A')]))
  const landed = after([{ kind: 'landing.ended', ...aLanding(1) }], landing)
  const { plan, policy, repo } = landed
  const [judged] = step(after([{ kind: 'run.resumed', plan, policy, repo, pid: 2 }], landed))
  assert.deepEqual(verdictOf(judged), ['done', ['A'], []])
})

test('asked to stop now, what waits to land is interrupted and passes nothing', () => {
  const [, landing] = step(begun([ready(1, 'A'), ready(2, 'B')]))
  const stopped = after([stopNow], landing)
  const [stopping, waiting] = step(stopped)
  assert.deepEqual([stopping.kind, 'iteration' in stopping && stopping.iteration], ['iteration.stopping', 1])
  assert.deepEqual(verdictOf(step(waiting)[0]), ['interrupted', [], ['B']])
})

test('a landing that was stopped is interrupted; one that came through all the same has passed', () => {
  const [, landing] = step(begun([ready(1, 'A')]))
  const [, stopping] = step(after([stopNow], landing))
  const cut = aResult('tests', false, { ended: 'stopped', exitCode: null })
  const ended = (results: LandingEnded['results']): unknown =>
    verdictOf(step(after([{ kind: 'landing.ended', ...aLanding(1, { results }) }], stopping))[0])
  assert.deepEqual(ended([cut]), ['interrupted', [], ['A']])
  assert.deepEqual(ended([aResult('tests', true)]), ['done', ['A'], []])
})

test('while the breaker is open, or the run is to pause, what is in flight still lands', () => {
  const open = begun([ready(1, 'A')])
  const [decision] = step({ ...open, pause: 'requested', breaker: { ...open.breaker, state: 'open', because: 'stuck' } })
  assert.equal(decision.kind, 'landing.started')
})

test('a landing that changes the repository makes the check of the whole due, and one that does not leaves it', () => {
  const green: State = { ...begun([ready(1, 'A')]), check: { phase: 'green' }, finals: [aResult('final', true)] }
  const [, same] = land(green)
  const [, changed] = land(green, { repo: aRepo('t1') })
  assert.deepEqual([same.check, same.finals.length], [{ phase: 'green' }, 1])
  assert.deepEqual([changed.check, changed.finals, changed.repo], [{ phase: 'due' }, [], aRepo('t1')])
})

test('an agent that leaves its place as it found it was idle, also where that was brought up to date', () => {
  const place = aRepo('t7', '~left')
  const flight = anEndedFlight(anEnd(1, { before: place, repo: place }), { worker: 1 })
  const inVain = { ...flight, ended: anEnd(1, { before: place, repo: place, commits: ['h1', 'h2'], trees: ['t0', 't0'] }) }
  const progress = [flight, inVain].map((each) => {
    const [judged] = step(begun([{ ...each, gates: [] }]))
    return judged.kind === 'iteration.judged' && judged.progress
  })
  assert.deepEqual(progress, ['idle', 'idle'])
})
