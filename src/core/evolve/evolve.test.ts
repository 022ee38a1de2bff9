import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  after,
  anEnd,
  aPlan,
  aPolicy,
  aRepo,
  aResult,
  aStart,
  aStory,
  begun,
  committed,
  runStarted,
} from '../../../sim/builders.ts'
import { play } from '../../../sim/play.ts'
import { answersFor, dueAmendments } from '../plan/questions.ts'
import type { State } from '../state.ts'
import type { Decision, Plan } from '../types.ts'
import { initialState, noStory } from './initial.ts'

const tests = { name: 'tests', command: 'npm test' }
const resumed = (state: State, plan: Plan | null = state.plan, repo = state.repo): State =>
  after([{ kind: 'run.resumed', plan, policy: state.policy, repo, pid: 2 }], state)
const started = (iteration: number, story: string): Decision => aStart(iteration, story)
const gated = (iteration: number): Decision => ({ kind: 'gates.started', iteration, gates: [tests], because: '' })

test('a story that passes at the start of a run is given, with a receipt that says so (R-PLAN-7)', () => {
  const state = after([runStarted(aPlan([aStory('A', { passes: true }), aStory('B')]))])
  assert.deepEqual(state.stories, {
    A: {
      ...noStory,
      receipt: { iteration: 0, proven: false, commits: [], tree: '', gates: [], agent: '', costUsd: null, given: true },
    },
  })
})

test('a pass that a kill left in the file without a receipt is no pass yet (R-PLAN-7)', () => {
  const flying = after([runStarted(aPlan([aStory('A')])), started(1, 'A')])
  const state = resumed(flying, aPlan([aStory('A', { passes: true })]))
  assert.deepEqual([state.plan?.stories[0]?.passes, state.stories['A']?.receipt], [false, undefined])
})

test('after a kill what was asked of the world and not answered is open again', () => {
  const flying = after([
    runStarted(aPlan([aStory('A')]), aPolicy({ gates: [tests] })),
    started(1, 'A'),
    { kind: 'iteration.ended', ...committed(1, 't1', { flips: ['A'] }) },
    gated(1),
    { kind: 'call.requested', call: 2, role: 'implementer', agent: 'x', because: '' },
    { kind: 'stop.requested', by: 'user', now: true },
    { kind: 'pause.requested', id: 'p' },
  ])
  const { call, flights, stop, pause, check } = resumed(flying)
  assert.deepEqual(
    { call, phases: flights.map(({ phase }) => phase), stop, pause, check },
    {
      call: { last: 2, phase: 'none', role: 'implementer', agent: 'x' },
      phases: ['waiting'],
      stop: undefined,
      pause: 'none',
      check: { phase: 'due' },
    },
  )
})

test('gates that were green before a kill are due again: nobody watched meanwhile', () => {
  const { state } = play({
    plan: aPlan([aStory('A')]),
    policy: { gates: [tests], maxIterations: 1 },
    agent: () => committed(1, 't1'),
  })
  assert.deepEqual(
    [state.check.phase, resumed({ ...state, outcome: undefined }, state.plan, aRepo('other')).check.phase],
    ['green', 'due'],
  )
})

test('what is done and gated apart says nothing about the repository itself', () => {
  const begun: State = {
    ...after([
      runStarted(aPlan([aStory('A'), aStory('B')]), aPolicy({ gates: [tests], workers: 2 })),
      aStart(1, 'A', { worker: 1 }),
    ]),
    check: { phase: 'green' },
  }
  const gone = after([{ kind: 'iteration.ended', ...committed(1, 't1', { before: aRepo('t0'), flips: ['A'] }) }, gated(1)], begun)
  const red = after([{ kind: 'gates.ended', iteration: 1, results: [aResult('tests', false)] }], gone)
  assert.deepEqual([gone.check, red.check, red.repo, red.plan], [begun.check, begun.check, begun.repo, begun.plan])
})

test('the same request twice is one', () => {
  const once = after([runStarted(null), { kind: 'said', id: 's1', text: 'be quick' }])
  assert.equal(after([{ kind: 'said', id: 's1', text: 'be quick' }], once), once)
})

test('a note stays until an iteration that started after it has a verdict that counts (R-HUM-4)', () => {
  const notes = (state: State): string[] => state.tell.map((note) => note.text)
  const flying = after([runStarted(aPlan([aStory('A')])), started(1, 'A'), { kind: 'said', id: 's1', text: 'be quick' }])
  const judged = (iteration: number, verdict: 'worked' | 'throttled'): Decision => ({
    kind: 'iteration.judged',
    because: '',
    iteration,
    verdict,
    progress: 'neutral',
    passed: [],
    proven: false,
    refused: [],
    failedGates: [],
    claim: 'none',
    openStories: [],
  })
  const home = (iteration: number, verdict: 'worked' | 'throttled', state: State): State =>
    after([{ kind: 'iteration.ended', ...anEnd(iteration) }, judged(iteration, verdict)], state)
  const first = home(1, 'worked', flying)
  const second = home(2, 'throttled', after([started(2, 'A')], first))
  const third = home(3, 'worked', after([started(3, 'A')], second))
  assert.deepEqual([first, second, third].map(notes), [
    ['A note from the user: be quick'],
    ['A note from the user: be quick'],
    [],
  ])
})

test('what one worker’s end has to tell waits for an iteration that starts later, not for one already under way', () => {
  const base = after([runStarted(aPlan([aStory('A'), aStory('B')]), aPolicy({ workers: 2 })), started(1, 'A'), started(2, 'B')])
  const worked = (iteration: number): Decision => ({
    kind: 'iteration.judged',
    because: '',
    iteration,
    verdict: 'worked',
    progress: 'idle',
    passed: [],
    proven: false,
    refused: [],
    failedGates: [],
    claim: 'none',
    openStories: [],
  })
  const state = after(
    [
      { kind: 'iteration.ended', ...anEnd(1, { repairs: ['B was removed'] }) },
      worked(1),
      { kind: 'iteration.ended', ...anEnd(2) },
      worked(2),
    ],
    base,
  )
  assert.deepEqual(state.tell, [{ text: 'The plan was corrected after iteration 1: B was removed.', since: 2 }])
})

test('retry forgets a story’s failure, skip and attempts, and keeps its receipt and what it has cost', () => {
  const { state } = play({
    plan: aPlan([aStory('A')]),
    policy: { maxAttempts: 1, gates: [tests] },
    agent: () => committed(1, 't1', { flips: ['A'] }),
    gate: () => false,
  })
  assert.equal(
    state.plan?.stories[0]?.failed?.reason,
    'its only attempt failed; last failure: Agent marked A done, but tests failed',
  )
  const retried = after([{ kind: 'story.retried', story: 'A' }], state)
  assert.deepEqual(
    [retried.plan?.stories, retried.stories],
    [[{ ...aStory('A'), failed: undefined }], { A: { ...noStory, costUsd: state.stories['A']?.costUsd } }],
  )
})

test('where the plan’s format cannot hold marks, the log does', () => {
  const plan = aPlan([aStory('A'), aStory('B')], { file: 'fix_plan.md', marks: 'log' })
  const marked = after([
    runStarted(plan),
    { kind: 'story.skipped', story: 'A' },
    { kind: 'story.failed', story: 'B', hash: '', branch: '', because: 'no' },
  ])
  const again = after([{ kind: 'run.ended', outcome: 'incomplete', because: '' }, runStarted(plan)], marked)
  assert.deepEqual(
    again.plan?.stories.map(({ skip, failed }) => ({ skip, failed: failed?.reason })),
    [
      { skip: true, failed: undefined },
      { skip: false, failed: 'no' },
    ],
  )
})

test('an answer that brings its question, which no run has asked, is in every prompt', () => {
  const written = { kind: 'question.answered', text: 'polling', story: null, question: 'WebSockets or polling?' } as const
  const { questions } = after([written], initialState)
  assert.deepEqual(questions, [{ question: 'WebSockets or polling?', text: 'polling', iteration: 0, story: null }])
  assert.deepEqual(answersFor({ questions }, 'A'), [{ question: 'WebSockets or polling?', text: 'polling' }])
})

test('a proposed criterion is due from the word that accepts it until the plan has it; the question cost no attempt', () => {
  const proposal = { before: 'it is 3', after: 'it is 4' }
  const ask = play({
    plan: aPlan([aStory('A')]),
    agent: () => ({ signals: [{ kind: 'question', text: '3 or 4?', proposal, evidence: '' }] }),
  }).state
  assert.deepEqual([ask.stories['A']?.attempts, ask.stories['A']?.failedAttempts], [0, 0])
  const answered = (text: string) => after([{ kind: 'question.answered', text, by: 'me' }], ask)
  assert.deepEqual(dueAmendments(answered('yes, it is 4')), [])
  const accepted = answered('Accept')
  assert.deepEqual(dueAmendments(accepted), [{ story: 'A', ...proposal, by: 'me' }])
  assert.deepEqual(answersFor(accepted, 'A'), [
    {
      question:
        '3 or 4?\nProposed change of the criterion (to make it: ralph answer --accept, or answer "accept"):\n- it is 3\n+ it is 4',
      text: 'Accepted: the criterion "it is 3" is now "it is 4".',
    },
  ])
  const amended = after([{ kind: 'criterion.amended', story: 'A', ...proposal, by: 'me' }], accepted)
  assert.deepEqual([dueAmendments(amended), answersFor(amended, 'A')], [[], answersFor(accepted, 'A')])
})

test('an answer stays with its story until that passes', () => {
  const ask = play({
    plan: aPlan([aStory('A')]),
    agent: () => ({ signals: [{ kind: 'question', text: 'A or B?', evidence: '' }] }),
  }).state
  const answered = after([{ kind: 'question.answered', text: 'B' }], ask)
  assert.deepEqual(answered.questions, [{ question: 'A or B?', iteration: 1, story: 'A', text: 'B' }])
  const next = after(
    [
      runStarted(aPlan([aStory('A')])),
      started(2, 'A'),
      { kind: 'iteration.ended', ...committed(2, 't2', { flips: ['A'] }) },
      {
        kind: 'iteration.judged',
        because: '',
        iteration: 2,
        verdict: 'done',
        progress: 'made',
        passed: ['A'],
        proven: false,
        refused: [],
        failedGates: [],
        claim: 'none',
        openStories: [],
      },
    ],
    answered,
  )
  assert.deepEqual(next.questions, [])
})

test('a new run keeps breaker, attempts and numbers, and starts its own counters again', () => {
  const { state } = play({ plan: aPlan([aStory('A')]), agent: () => ({}) })
  const next = after([runStarted(aPlan([aStory('A')]))], state)
  assert.deepEqual(
    [next.outcome, next.used, next.iteration, next.breaker.state, next.stories['A']?.attempts, next.totals.iterations],
    [undefined, 0, 3, 'open', 3, 0],
  )
})

test('who tolerates red gates at the start of a run is believed until its end, also after a kill', () => {
  const gates = [{ name: 'tests', command: 'x' }]
  const red = [aResult('tests', false, { output: 'old bug' })]
  const state = begun([aStory('A')], { gates, missingTools: 'stop' })
  const checking = after([{ kind: 'gates.started', iteration: 'whole', gates, because: '' }], state)
  const answered = (asked: 'continue' | 'tolerate' | 'quit') =>
    after([{ kind: 'gates.ended', iteration: 'whole', results: red, asked }], checking)
  assert.deepEqual([answered('continue').policy.baseline, answered('continue').stop], ['strict', undefined])
  assert.deepEqual(answered('quit').stop, { by: 'user', now: true })
  const tolerant = answered('tolerate')
  const killed = resumed({ ...tolerant, policy: state.policy })
  assert.deepEqual(
    [tolerant, killed].map(({ policy }) => [policy.baseline, policy.missingTools]),
    [
      ['tolerate', undefined],
      ['tolerate', undefined],
    ],
  )
  const next = after([runStarted(state.plan, state.policy)], killed)
  assert.equal(next.policy.baseline, 'strict')
})
