import assert from 'node:assert/strict'
import { test } from 'node:test'
import { aPlan, aStory, committed } from '../../sim/builders.ts'
import { play } from '../../sim/play.ts'
import type { State } from './state.ts'
import type { Ended, Policy, Signal } from './types.ts'

type By = Extract<Signal, { kind: 'claimed-done' }>['by']
const says = (by: By = 'keywords'): Partial<Ended> => ({
  signals: [{ kind: 'claimed-done', by, exitSignal: false, evidence: 'keyword done (complete): It is done.' }],
})
const gated: Partial<Policy> = { gates: [{ name: 'tests', command: 'npm test' }], maxIterations: 6 }

const asked = (policy: Partial<Policy> = gated): State => play({ plan: null, policy, agent: () => says() }).state
const answered = (text: string, more: Partial<Parameters<typeof play>[0]> = {}) =>
  play({ plan: null, policy: gated, agent: () => ({}), ...more, from: asked(), before: [{ kind: 'question.answered', text }] })

test('without a plan, plain words that it is done never end a run, however often they come: a person is asked', () => {
  for (const by of ['keywords', 'status-block'] as const) {
    const { state, judged } = play({ plan: null, agent: () => says(by) })
    assert.deepEqual(
      judged.map(({ verdict, claim }) => [verdict, claim]),
      [
        ['worked', 'none'],
        ['question', 'asked'],
      ],
    )
    assert.equal(state.outcome?.outcome, 'question')
    assert.deepEqual(state.questions, [
      {
        question:
          'The agent says that it is done, but did not send the done signal ("It is done."). Is the work complete? Answer yes to accept it, once the gates pass, or say what is missing to continue the run.',
        iteration: 2,
        story: null,
        accepts: true,
      },
    ])
    assert.equal(state.breaker.counts['no-progress'].times, 1)
  }
  assert.match(
    asked({ maxIterations: 1 }).tell[0]!.text,
    /^Iteration 1 said that the work is done, but did not send the done signal/,
  )
})

test('a signal in words that leave it open is words alone: the next prompt says so, and a person is asked', () => {
  const evidence = 'promise COMPLETE, in words that leave it open: Sijamaliza kazi.'
  const signals: Signal[] = [{ kind: 'claimed-done', by: 'promise', exitSignal: false, evidence }]
  const { state, judged } = play({ plan: null, agent: () => ({ signals }) })
  assert.deepEqual(
    [state.outcome?.outcome, judged.at(-1)?.because],
    ['question', `the agent sent the done signal, but its words do not say that it is done (${evidence})`],
  )
  assert.match(
    state.questions[0]!.question,
    /^The agent sent the done signal, but its words do not say that it is done \("Sijamaliza kazi\."\)\. Is the work complete\?/,
  )
  const [first] = play({ plan: null, policy: { maxIterations: 1 }, agent: () => ({ signals }) }).state.tell
  assert.equal(
    first?.text,
    'Iteration 1 sent the done signal, but its words did not say that everything is done. If it is, say so in one English sentence right before the signal; if not, do what is missing.',
  )
})

test('on a red gate nobody is asked whether it is done', () => {
  const { state, judged } = play({
    plan: null,
    policy: { ...gated, maxStuck: 0, sameError: 0 },
    agent: () => says(),
    gate: () => false,
  })
  assert.deepEqual(
    [state.outcome?.outcome, state.questions, judged.filter(({ verdict }) => verdict !== 'worked')],
    ['incomplete', [], []],
  )
})

test('a yes completes the run once the gates pass, without another call; and only that run', () => {
  const { state, kinds } = answered('Yes.')
  assert.deepEqual(
    [state.outcome, kinds, state.questions],
    [
      { outcome: 'complete', because: 'accepted by a person after iteration 2, and every gate passes' },
      ['gates.started', 'run.ended'],
      [],
    ],
  )
  const again = play({ plan: null, policy: { ...gated, maxIterations: 1 }, agent: () => ({}), from: state })
  assert.deepEqual([again.state.outcome?.outcome, again.judged.length], ['incomplete', 1])
})

test('a yes holds where red gates are tolerated, and not where they are red', () => {
  const tolerant = answered('yes', { policy: { ...gated, baseline: 'tolerate' }, gate: () => false })
  assert.deepEqual([tolerant.state.outcome?.outcome, tolerant.judged.length], ['complete', 0])
  const red = answered('yes', {
    policy: { ...gated, maxIterations: 2 },
    gate: (_, iteration) => iteration !== 'whole',
    agent: ({ iteration }) => committed(iteration, `t${iteration}`),
  })
  assert.deepEqual([red.state.outcome?.outcome, red.judged.length], ['incomplete', 2], 'the yes was to what was there then')
})

test('a no, or a yes with a reserve, goes on with it; words that come again are asked about again', () => {
  for (const text of ['no', 'Yes, but the tests are missing']) {
    const { state, judged } = answered(text, { agent: () => says() })
    assert.deepEqual([state.outcome?.outcome, judged.map(({ claim }) => claim)], ['question', ['none', 'asked']], text)
  }
})

test('"already done" without a mark in the plan is answered with how to mark it, and the first time is no idling', () => {
  const { state, judged } = play({ plan: aPlan([aStory('A')]), policy: { doneSignals: 0 }, agent: () => says() })
  assert.deepEqual(
    [state.outcome?.outcome, judged.length, state.breaker.counts['no-progress'].iterations],
    ['stuck', 4, [2, 3, 4]],
  )
  const [first] = play({ plan: aPlan([aStory('A')]), policy: { maxIterations: 1 }, agent: () => says() }).state.tell
  assert.equal(
    first?.text,
    'Iteration 1 said that A is done and changed nothing, but did not mark it in the plan. If it is done, set its `passes` to true in the plan: the gates then check it, and you need not change anything else. If not, do what is missing.',
  )
})
