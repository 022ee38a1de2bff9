import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  aFlight,
  after,
  aLanding,
  anEnd,
  anEndedFlight,
  aPlan,
  aPolicy,
  aRepo,
  aStart,
  aStory,
  runStarted,
} from '../../../../sim/builders.ts'
import { play } from '../../../../sim/play.ts'
import { evolve } from '../../evolve/evolve.ts'
import { noStory } from '../../evolve/initial.ts'
import type { Flight, State } from '../../state.ts'
import type { Decision, Policy, Report, Story } from '../../types.ts'
import { noBudget } from '../budget.ts'
import { decide } from '../decide.ts'
import { concernsNobody } from './parallel.ts'

const begun = (stories: Story[], policy: Partial<Policy> = {}, more: Partial<State> = {}): State => ({
  ...after([runStarted(aPlan(stories), aPolicy({ workers: 2, ...policy }))]),
  ...more,
})

/** What starts from here while no agent comes back: each call that is asked for is granted. */
function startsFrom(state: State): string[] {
  const starts: string[] = []
  let now = state
  for (let made = decide(now); made.length > 0; made = decide(now)) {
    const answers = made.flatMap((decision): Report[] =>
      decision.kind === 'call.requested' ? [{ kind: 'call.granted', call: decision.call }] : [],
    )
    for (const decision of made) if (isStart(decision)) starts.push(`${decision.story} ${decision.worker ?? 'here'}`)
    now = after([...made, ...answers], now)
  }
  return starts
}

const isStart = (decision: Decision): decision is Extract<Decision, { kind: 'iteration.started' }> =>
  decision.kind === 'iteration.started'

const [A, B, C, D] = [aStory('A'), aStory('B'), aStory('C'), aStory('D')]
const flying = (iteration: number, story: string, worker: number): Flight => aFlight(iteration, { story, worker })
/** Its agent has ended and flipped it. */
const ended = (
  iteration: number,
  story: string,
  worker: number,
  phase: 'checking' | 'reviewing' | 'landing' | 'waiting',
): Flight => anEndedFlight(anEnd(iteration, { flips: [story] }), { story, worker, phase })
const gated = (iteration: number, story: string, worker: number): Flight => ended(iteration, story, worker, 'checking')

test('each story starts in a place of its own, as many at once as there are workers', () => {
  assert.deepEqual(startsFrom(begun([A, B, C, D])), ['A 1', 'B 2'])
  assert.deepEqual(startsFrom(begun([A, B, C, D], { workers: 3 })), ['A 1', 'B 2', 'C 3'])
})

test('an agent that is back has left its worker to the next story, before its work was looked at', () => {
  const busy = { flights: [flying(1, 'A', 1), flying(2, 'B', 2)], iteration: 2 }
  const back = (policy: Partial<Policy> = {}): State =>
    after([{ kind: 'agent.returned', iteration: 1 }], begun([A, B, C, D], policy, busy))
  assert.deepEqual(startsFrom(begun([A, B, C, D], {}, busy)), [])
  assert.deepEqual(startsFrom(back()), ['C 3'])
  assert.deepEqual(startsFrom(back({ budget: { ...noBudget, durationMs: 60_000 } })), ['C 3'])
})

test('an end that the others may have to wait for frees no worker yet: a failure, a limit, a blocker, a question, a stop', () => {
  const error = { kind: 'error' as const, hash: 'h', message: 'no' }
  const done = { kind: 'claimed-done' as const, by: 'promise' as const, exitSignal: false, evidence: '' }
  const throttled = { kind: 'throttled' as const, by: 'usage-limit' as const, message: 'come back at 5' }
  const blocked = { kind: 'blocked' as const, reason: 'no key', evidence: '' }
  const question = { kind: 'question' as const, text: 'red?', evidence: '' }
  const stop = { kind: 'stop' as const, name: 'mine', reason: 'enough', evidence: '' }
  for (const signals of [[], [done]]) assert.equal(concernsNobody({ exit: 'ok', signals }), true)
  for (const signal of [error, throttled, blocked, question, stop])
    assert.equal(concernsNobody({ exit: 'ok', signals: [done, signal] }), false)
  for (const exit of ['failed', 'timeout', 'circling', 'over-budget', 'stopped'] as const)
    assert.equal(concernsNobody({ exit, signals: [] }), false)
})

test('where money or tokens are limited, the next agent waits until it is known what the last one has spent', () => {
  const sharing = [flying(1, 'A', 1), flying(2, 'B', 2)].map((flight) => ({ ...flight, maxUsd: 2 }))
  const busy = { flights: sharing, iteration: 2 }
  for (const limit of [{ costUsd: 5 }, { tokens: 1000 }]) {
    const policy = { budget: { ...noBudget, ...limit } }
    const back = after([{ kind: 'agent.returned', iteration: 1 }], begun([A, B, C, D], policy, busy))
    assert.deepEqual(startsFrom(back), [])
    assert.deepEqual(startsFrom(after([{ kind: 'iteration.ended', ...anEnd(1) }], back)), ['C 3'])
  }
})

test('with one worker everything is done in the repository itself, one after the other', () => {
  const { decisions } = play({
    plan: aPlan([A, B]),
    policy: { workers: 1 },
    agent: ({ iteration, story }) => anEnd(iteration, { flips: [story!] }),
  })
  assert.deepEqual(
    decisions.filter(isStart).map(({ story, worker, saves }) => [story, worker, saves]),
    [
      ['A', undefined, true],
      ['B', undefined, true],
    ],
  )
  assert.deepEqual(startsFrom(begun([A, B], { workers: 1 }, { flights: [gated(1, 'C', 1)] })), [])
})

test('outside git, and where the agent picks its story, there is one at a time, here', () => {
  const plain = begun([A, B])
  assert.deepEqual(startsFrom({ ...plain, repo: { ...plain.repo, head: null } }), ['A here'])
  assert.deepEqual(startsFrom(begun([A, B], { pick: 'agent' })), ['null here'])
})

test('a worker is free again when its agent has ended, and the lowest free number is next', () => {
  assert.deepEqual(startsFrom(begun([A, B, C, D], {}, { flights: [gated(1, 'A', 1), flying(2, 'B', 2)] })), ['C 3'])
  assert.deepEqual(startsFrom(begun([A, B, C, D], {}, { flights: [flying(2, 'B', 2)] })), ['A 1'])
})

test('a reviewer keeps a worker busy, and waits for one itself', () => {
  const review = { review: { spec: 'judge', final: [] } }
  const reviewing = ended(1, 'A', 1, 'reviewing')
  assert.deepEqual(startsFrom(begun([A, B, C, D], review, { flights: [reviewing, flying(2, 'B', 2)] })), [])
  const due = ended(1, 'A', 1, 'waiting')
  const full = begun([A, B, C, D], review, { flights: [due, flying(2, 'B', 2), flying(3, 'C', 3)] })
  assert.deepEqual(decide(full), [])
  const free = after([{ kind: 'iteration.ended', ...anEnd(3) }], full)
  assert.deepEqual(
    decide(after(decide(free), free)).map(({ kind }) => kind),
    ['call.requested'],
  )
})

test('work that waits for its gates or its landing does not pile up: twice as many flights as workers, at most', () => {
  const stories = ['A', 'B', 'C', 'D', 'E'].map((id) => aStory(id))
  const flights = ['A', 'B', 'C', 'D'].map((id, i) => gated(i + 1, id, i + 1))
  assert.deepEqual(startsFrom(begun(stories, {}, { flights })), [])
  assert.deepEqual(startsFrom(begun(stories, {}, { flights: flights.slice(1) })), ['A 1'])
})

test('the limit of iterations counts those in flight', () => {
  assert.deepEqual(startsFrom(begun([A, B, C], { maxIterations: 1 })), ['A 1'])
  assert.deepEqual(startsFrom(begun([A, B, C, D], { maxIterations: 3 }, { used: 1, flights: [gated(2, 'A', 1)] })), ['B 2'])
})

test('two stories that touch the same are not started together, and the next that does not is', () => {
  const stories = [aStory('A', { touches: ['src'] }), aStory('B', { touches: ['src/b.ts'] }), aStory('C', { touches: ['docs'] })]
  assert.deepEqual(startsFrom(begun(stories)), ['A 1', 'C 2'])
  assert.deepEqual(startsFrom(begun(stories, { workers: 1 })), ['A here'])
})

test('files that earlier attempts changed, committed or not, count as touched', () => {
  const ended = anEnd(1, { before: aRepo('t0'), files: ['src/a.ts'], uncommitted: ['lib/x.ts'] })
  const state = after([
    runStarted(
      aPlan([aStory('A', { priority: 2 }), aStory('B', { touches: ['src'] }), aStory('C', { touches: ['lib'] }), D]),
      aPolicy({ workers: 2 }),
    ),
    aStart(1, 'A', { worker: 1 }),
    { kind: 'iteration.ended', ...ended },
  ])
  const judged = after(decide(state), state)
  assert.deepEqual(judged.stories['A']?.files, ['src/a.ts', 'lib/x.ts'])
  const again: State = { ...judged, flights: [flying(2, 'A', 1)] }
  assert.deepEqual(startsFrom(again), ['D 2'])
})

test('a story that was begun apart stays apart with one worker, and one begun here stays here with several', () => {
  const isApart = { A: { ...noStory, isApart: true } }
  assert.deepEqual(startsFrom(begun([A, B], { workers: 1 }, { stories: isApart })), ['A 1'])
  const isSaved = { A: { ...noStory, isSaved: true } }
  assert.deepEqual(startsFrom(begun([A, B], {}, { stories: isSaved })), ['A here'])
  assert.deepEqual(startsFrom(begun([A, B, C], {}, { stories: isSaved, flights: [flying(1, 'B', 1)] })), ['C 2'])
})

test('a story that is tried again forgets its past, but not that its work lies apart', () => {
  const stories = { A: { ...noStory, isApart: true, failedAttempts: 2, bounced: 2, files: ['src/a.ts'] } }
  const retried = after([{ kind: 'story.retried', story: 'A' }], begun([A, B], { workers: 1 }, { stories }))
  assert.deepEqual(retried.stories, { A: { ...noStory, isApart: true } })
  assert.deepEqual(startsFrom(retried), ['A 1'])
})

test('nothing starts beside an iteration in the repository itself, also when its story was tried again meanwhile', () => {
  const here = after([aStart(1, 'A', { saves: true })], begun([A, B]))
  assert.deepEqual(startsFrom(here), [])
  assert.deepEqual(startsFrom(evolve(here, { at: here.at, run: here.run, kind: 'story.retried', story: 'A' })), [])
})

test('a story that did not fit twice starts when nothing else is in flight, and nothing starts beside it', () => {
  const stories = { A: { ...noStory, isApart: true, bounced: 2 } }
  assert.deepEqual(startsFrom(begun([A, B, C], {}, { stories })), ['A 1'])
  assert.deepEqual(startsFrom(begun([A, B, C, D], { workers: 3 }, { stories, flights: [flying(1, 'B', 1)] })), ['C 2', 'D 3'])
  assert.deepEqual(startsFrom(begun([A, B, C], {}, { stories: { A: { ...noStory, isApart: true, bounced: 1 } } })), [
    'A 1',
    'B 2',
  ])
})

test('a story whose attempts are used up does not start while another lands, and fails after that', () => {
  const stories = { A: { ...noStory, isApart: true, failedAttempts: 1 } }
  const landing = ended(1, 'B', 1, 'landing')
  const state = begun([A, B], { maxAttempts: 1 }, { stories, flights: [landing] })
  assert.deepEqual(startsFrom(state), [])
  const landed = after([{ kind: 'landing.ended', ...aLanding(1) }], state)
  const judged = after(decide(landed), landed)
  const settled = after([{ kind: 'iteration.settled', iteration: 1, repo: state.repo, commits: [] }], judged)
  assert.deepEqual([decide(judged), decide(settled).map(({ kind }) => kind)], [[], ['story.failed']])
})
