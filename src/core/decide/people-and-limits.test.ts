import assert from 'node:assert/strict'
import { test } from 'node:test'
import { aPlan, aReading, aStory } from '../../../sim/builders.ts'
import { play } from '../../../sim/play.ts'
import { initialState } from '../evolve/initial.ts'
import { lostToProvider } from '../evolve/judged.ts'
import type { Question } from '../plan/question.ts'
import { questionFor } from '../plan/questions.ts'
import type { State } from '../state.ts'
import { later, msBetween } from '../text/time.ts'
import type { Ended, Policy } from '../types.ts'
import { decide } from './decide.ts'

test('T08 R-SIG-7: an iteration that only asks is told to decide; the second in a row on a story calls a person', () => {
  const asks = (): Partial<Ended> => ({
    reading: { ...aReading(), status: 'question' },
    signals: [{ kind: 'asked', text: 'X or Y?', evidence: '' }],
  })
  const { state, judged } = play({ plan: aPlan([aStory('A')]), agent: asks })
  assert.deepEqual(
    judged.map((event) => [event.verdict, event.because]),
    [
      ['worked', 'nothing changed'],
      ['question', 'the agent asks for the second time: X or Y?'],
    ],
  )
  assert.deepEqual(
    [state.outcome?.outcome, state.breaker.counts['no-progress'].times, state.questions],
    ['question', 0, [{ question: 'X or Y?', iteration: 2, story: 'A' }]],
  )
})

test('R-LIM-4: at a usage limit the run waits for its reset, ends, or asks, as the policy says, and counts nothing', () => {
  const limited: Partial<Ended> = {
    exit: 'failed',
    signals: [{ kind: 'throttled', by: 'usage-limit', message: 'resets 9pm', until: '2030-01-01T00:00:00.000Z' }],
  }
  const kindsOf = (onLimit: Policy['onLimit']) => {
    const { state, kinds } = play({
      plan: aPlan([aStory('A')]),
      policy: { onLimit, maxIterations: 1, maxRetries: 0 },
      agent: ({ iteration }) => (iteration === 1 ? limited : {}),
    })
    return [state.outcome?.outcome, state.used, ...kinds.filter((kind) => kind.startsWith('limit') || kind.startsWith('wait'))]
  }
  assert.deepEqual(kindsOf('exit'), ['limited', 0])
  assert.deepEqual(kindsOf('wait'), ['incomplete', 1, 'wait.started'])
  assert.deepEqual(kindsOf('ask'), ['limited', 0, 'limit.asked'])
})

test('R-LIM-4: a usage limit that is there again after each reset is waited for longer each time, until an iteration counts', () => {
  const { state, decisions } = play({
    plan: aPlan([aStory('A')]),
    policy: { onLimit: 'wait', maxIterations: 2 },
    agent: ({ iteration }, { at }) => {
      if (iteration === 4 || iteration === 15) return {}
      return { exit: 'failed', signals: [{ kind: 'throttled', by: 'usage-limit', message: 'soon', until: later(at, 1000) }] }
    },
  })
  const waits = decisions.flatMap((each) => (each.kind === 'wait.started' ? [msBetween(state.at, each.until) / 1000] : []))
  assert.deepEqual(waits, [1, 60, 120, 1, 60, 120, 240, 480, 960, 1920, 3600, 3600, 3600])
})

test('R-LIM-4: a person is asked about a limit once, and what was said holds, whatever another worker meets meanwhile', () => {
  const limit = { message: 'resets 9pm', until: '2030-01-01T00:00:00.000Z' }
  const met = (choice: NonNullable<State['limit']>['choice'], by?: 'usage-limit' | 'overload'): State['limit'] => {
    const throttled = by && { kind: 'throttled' as const, by, message: 'met by another worker' }
    const caller = { agent: 'claude', role: 'implementer' as const }
    return lostToProvider({ ...initialState, limit: { ...limit, choice } }, throttled, caller).limit
  }
  for (const choice of ['asked', 'exit'] as const) {
    const kept = { ...limit, choice }
    assert.deepEqual([met(choice), met(choice, 'usage-limit'), met(choice, 'overload')], [kept, kept, kept])
  }
  assert.deepEqual([met('wait'), met('wait', 'overload')], [undefined, undefined])
  assert.deepEqual(met('wait', 'usage-limit'), { message: 'met by another worker', choice: 'open' })
})

test('R-SESS-1: a session goes on after honest work, for a day, and not after a failure', () => {
  const resumes = (ends: Partial<Ended>[], policy: Partial<Policy> = {}) =>
    play({
      plan: aPlan([aStory('A')]),
      policy: { session: 'resume', maxIterations: ends.length, maxStuck: 0, ...policy },
      agent: ({ iteration }) => ends[iteration - 1]!,
    }).decisions.flatMap((decision) => (decision.kind === 'iteration.started' ? [decision.resume] : []))
  const works = { session: 's-1' }
  assert.deepEqual(resumes([works, works, works]), [undefined, 's-1', 's-1'])
  assert.deepEqual(resumes([works, works], { session: 'fresh' }), [undefined, undefined])
  assert.deepEqual(resumes([works, { session: 's-1', exit: 'failed' }, works, works]), [undefined, 's-1', undefined, 's-1'])
  assert.deepEqual(resumes([{ session: 's-1', exit: 'timeout' }, works]), [undefined, undefined])
})

test('S02 R-SESS-1: a session of yesterday is not gone on with', () => {
  const { state } = play({
    plan: aPlan([aStory('A')]),
    policy: { session: 'resume', maxIterations: 1 },
    agent: () => ({ session: 's-1' }),
  })
  const next = (hours: number) =>
    decide({
      ...state,
      outcome: undefined,
      policy: { ...state.policy, maxIterations: 2 },
      call: { last: 2, phase: 'granted', role: 'implementer' },
      at: later(state.at, hours * 3_600_000),
    }).map((decision) => decision.kind === 'iteration.started' && decision.resume)
  assert.deepEqual([next(23), next(25)], [['s-1'], [undefined]])
})

test('a provider that stays away from the reviewer ends the run: cutting the iteration off does not forget it [R-CB-4]', () => {
  const away = { kind: 'throttled' as const, by: 'overload' as const, message: 'overloaded' }
  const { state, decisions } = play({
    plan: aPlan([aStory('A')]),
    policy: { maxRetries: 1, review: { spec: 'judge', final: [] } },
    agent: () => ({ flips: ['A'] }),
    reviewer: () => ({ exit: 'failed', result: undefined, throttled: away }),
  })
  assert.deepEqual(state.outcome, { outcome: 'limited', because: 'the provider is still unavailable after a retry: overloaded' })
  assert.equal(decisions.filter((decision) => decision.kind === 'iteration.started').length, 1)
  assert.equal(decisions.filter((decision) => decision.kind === 'review.started').length, 2)
})

test('an answer that names no story is for the oldest question that is open; once all are answered, it corrects the last', () => {
  const asked = (iteration: number, story: string, text?: string) => ({
    iteration,
    story,
    question: `what of ${story}?`,
    ...(text === undefined ? {} : { text }),
  })
  const [open, first, both] = [
    [asked(1, 'A'), asked(2, 'B')],
    [asked(1, 'A', 'red'), asked(2, 'B')],
    [asked(1, 'A', 'red'), asked(2, 'B', 'blue')],
  ]
  const storyAsked = (questions: Question[], story?: string | null) => questionFor({ questions }, story)?.story
  assert.deepEqual(
    [open, first, both].map((questions) => storyAsked(questions)),
    ['A', 'B', 'B'],
  )
  assert.deepEqual(
    [open, first, both].map((questions) => storyAsked(questions, 'A')),
    ['A', 'A', 'A'],
  )
  assert.equal(storyAsked([]), undefined)
})
