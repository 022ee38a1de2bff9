import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  after,
  anEnd,
  anEndedFlight,
  aPlan,
  aPolicy,
  aResult,
  aStory,
  begun,
  committed,
  runStarted,
} from '../../../sim/builders.ts'
import { type Played, play } from '../../../sim/play.ts'
import type { Gate, Policy } from '../types.ts'
import { isHeldOutFor, isHeldOutLeft } from './held-out.ts'

const proof = (heldOut: 'flip' | 'complete'): Partial<Policy> => ({
  proof: { suspicion: 'reserve', minimum: 'gated', crossExamine: 'off', heldOut },
})
const tests: Gate = { name: 'tests', command: 'run tests' }

/** Which gates ran, check by check. */
const ran = ({ decisions }: Played): string[] =>
  decisions.flatMap((decision) =>
    decision.kind === 'gates.started'
      ? [
          `${decision.iteration}: ${[...decision.gates.map(({ name }) => name), ...(decision.heldOut ? ['held-out'] : [])].join(' ')}`,
        ]
      : [],
  )
const flips = (n: number, story: string | null) => committed(n, `t${n}`, { flips: story === null ? [] : [story] })
const plan = (): ReturnType<typeof aPlan> => aPlan([aStory('A'), aStory('B')])

test('on completion it runs once, after the last flip, and a run without it is not complete', () => {
  const played = play({
    plan: plan(),
    policy: { ...proof('complete'), gates: [tests] },
    agent: ({ iteration, story }) => flips(iteration, story),
  })
  assert.deepEqual(ran(played), ['whole: tests', '1: tests', '2: tests', 'whole: held-out'])
  assert.equal(played.state.outcome?.outcome, 'complete')
})

test('red on completion, it is fixed without a story, and runs again with the gates of the fix', () => {
  const played = play({
    plan: aPlan([aStory('A')]),
    policy: { ...proof('complete'), gates: [tests] },
    agent: ({ iteration, story }) => flips(iteration, story),
    gate: ({ name }, iteration) => name !== 'held-out' || iteration === 3,
    from: undefined,
  })
  assert.deepEqual(ran(played), ['whole: tests', '1: tests', 'whole: held-out', '2: tests held-out', '3: tests held-out'])
  assert.deepEqual(
    played.judged.map(({ verdict, because }) => `${verdict}: ${because}`),
    ['done: A passed', 'failed: held-out still red', 'worked: new commits'],
  )
  assert.equal(played.state.outcome?.outcome, 'complete')
})

test('on a flip it refuses the story like a gate, and is not asked again at the end', () => {
  const played = play({
    plan: aPlan([aStory('A')]),
    policy: { ...proof('flip'), gates: [tests] },
    agent: ({ iteration, story }) => flips(iteration, story),
    gate: ({ name }, iteration) => name !== 'held-out' || iteration === 2,
  })
  assert.deepEqual(ran(played), ['whole: tests', '1: tests held-out', '2: tests held-out'])
  assert.deepEqual(
    played.judged.map(({ passed, refused, failedGates, proven }) => ({ passed, refused, failedGates, proven })),
    [
      { passed: [], refused: ['A'], failedGates: ['held-out'], proven: true },
      { passed: ['A'], refused: [], failedGates: [], proven: true },
    ],
  )
  assert.deepEqual(
    played.state.stories['A']?.receipt?.gates.map(({ name }) => name),
    ['tests', 'held-out'],
  )
})

test('without any gate it is the only one, also for what a person marks by hand', () => {
  const played = play({
    plan: aPlan([aStory('A')]),
    policy: proof('flip'),
    agent: ({ iteration, story }) => flips(iteration, story),
  })
  assert.deepEqual(ran(played), ['1: held-out'])
  assert.equal(played.state.stories['A']?.receipt?.proof?.grade, 'gated')
})

test('without a plan it runs when the work is said to be done', () => {
  const claim = { kind: 'claimed-done', by: 'promise', exitSignal: true, evidence: '' } as const
  const played = play({
    plan: null,
    policy: { ...proof('flip'), maxIterations: 3 },
    agent: ({ iteration }) => committed(iteration, `t${iteration}`, { signals: iteration === 1 ? [] : [claim] }),
    gate: (_gate, iteration) => iteration === 'whole' && ++whole === 2,
  })
  assert.deepEqual(ran(played), ['whole: held-out', 'whole: held-out'])
  assert.deepEqual([played.state.outcome?.outcome, played.state.used], ['complete', 3])
})
let whole = 0

test('it runs where the cross-examination may still clear the suspicion that would refuse: else a story would pass without it', () => {
  const finding = { rule: 'test-deleted', words: 'deleted the test adds' } as const
  const ended = anEnd(1, { flips: ['A'], findings: [finding], checks: ['test/a.test.js'] })
  const suspects = { heldOut: 'flip', suspicion: 'refuse', minimum: 'gated' } as const
  const on = (crossExamine: 'auto' | 'off', tamper: 'warn' | 'refuse') => ({
    ...begun([aStory('A')], { gates: [tests], tamper, proof: { ...suspects, crossExamine } }),
    judgedIn: 'clean' as const,
  })
  assert.deepEqual(
    [on('auto', 'warn'), on('off', 'warn'), on('auto', 'refuse')].map((state) => isHeldOutFor(state, anEndedFlight(ended))),
    [true, false, false],
  )
})

test('it is not asked where the answer is known', () => {
  const state = begun([aStory('A')], { ...proof('flip'), gates: [tests] })
  const flight = anEndedFlight(anEnd(1, { flips: ['A'] }))
  assert.equal(isHeldOutFor(state, flight), true)
  assert.equal(isHeldOutFor(state, anEndedFlight({ ...flight.ended, astray: 'elsewhere' })), false)
  assert.equal(isHeldOutFor(state, anEndedFlight(anEnd(1))), false)
  assert.equal(isHeldOutFor(begun([aStory('A')], proof('complete')), flight), false)
  assert.equal(isHeldOutFor(begun([aStory('A')]), flight), false)
  assert.equal(isHeldOutLeft(begun([aStory('A')])), false)
})

test('what fails before the first iteration is never tolerated', () => {
  const policy = aPolicy({ ...proof('complete'), gates: [tests], baseline: 'tolerate' })
  const started = runStarted(aPlan([aStory('A', { passes: true })]), policy)
  const results = [aResult('tests', false), aResult('held-out', false, { kind: 'held-out' })]
  const state = after([
    started,
    { kind: 'gates.started', iteration: 'whole', gates: [tests], heldOut: true, because: '' },
    { kind: 'gates.ended', iteration: 'whole', results },
  ])
  assert.deepEqual(
    state.baseline?.map(({ name }) => name),
    ['tests'],
  )
})
