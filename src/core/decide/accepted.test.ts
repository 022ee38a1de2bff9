import assert from 'node:assert/strict'
import { test } from 'node:test'
import { after, anEnd, aPlan, aResult, aStory, committed } from '../../../sim/builders.ts'
import { type Played, play, type Script } from '../../../sim/play.ts'
import type { Finding } from '../proof/finding.ts'
import type { State } from '../state.ts'
import type { Ended, Policy, Report } from '../types.ts'

const skipped: Finding = { rule: 'test-skipped', file: 'a.test.ts', line: 3, words: 'skips the test adds' }
const deleted: Finding = { rule: 'test-deleted', file: 'b.test.ts', words: 'deleted the test file b.test.ts' }
const asking: Partial<Policy> = {
  gates: [{ name: 'tests', command: 'x' }],
  proof: { suspicion: 'ask', minimum: 'gated', crossExamine: 'off' },
}

/** What a check of an accepted story finds: it was marked done, as it is. */
const checked = (iteration: number, story: string, findings: Finding[]): Ended =>
  anEnd(iteration, { exit: 'lost', exitCode: null, flips: [story], findings, repo: { head: 'h', tree: 't1', dirt: '' } })

type More = {
  policy?: Partial<Policy>
  from?: State
  before?: Report[]
  found?: Finding[]
  isGreen?: boolean
  reviewer?: Script['reviewer']
}

/** Each story is marked done at once; A skips a test. In a check of it this is `found`. */
const run = ({ policy = {}, found = [skipped], isGreen = true, ...more }: More = {}, stories = [aStory('A')]): Played =>
  play({
    plan: more.from?.plan ?? aPlan(stories),
    policy: { ...asking, ...policy },
    agent: ({ iteration, story, mode }) =>
      mode === 'check'
        ? checked(iteration, story!, found)
        : committed(iteration, `t${iteration}`, { flips: [story!], ...(story === 'A' ? { findings: [skipped] } : {}) }),
    gate: (_gate, iteration) => isGreen || iteration === 'whole',
    ...more,
  })

const answer = (text: string): Report => ({ kind: 'question.answered', text, story: 'A', by: 'me' })

test('a story that would pass with a suspicion waits for a person, with both choices, and loses no attempt', () => {
  const { state, judged } = run()
  assert.deepEqual(
    judged.map(({ verdict, passed, refused, parked }) => [verdict, passed, refused, parked]),
    [['question', [], [], ['A']]],
  )
  assert.equal(state.outcome?.outcome, 'question')
  const { question, suspicions } = state.questions[0]!
  assert.deepEqual(suspicions, [{ rule: 'test-skipped', file: 'a.test.ts', line: 3, words: 'skips the test adds' }])
  assert.match(
    question,
    /^A passes its checks, but this is suspicious:\n- skips the test adds \(a\.test\.ts:3\)\nAnswer yes .* Answer no, and why, /,
  )
  assert.deepEqual([state.stories['A']?.failedAttempts, state.plan?.stories[0]?.passes], [0, false])
})

test('a yes lets it pass without another call, once its gates agree: the receipt says who accepted what', () => {
  const { state, kinds } = run({ from: run().state, before: [answer('Yes.')] })
  assert.equal(state.outcome?.outcome, 'complete')
  assert.deepEqual([kinds.includes('call.requested'), kinds.includes('gates.started')], [false, true])
  const { receipt, accepted } = state.stories['A']!
  assert.deepEqual(receipt?.proof?.reservations, [
    { rule: 'test-skipped', file: 'a.test.ts', line: 3, words: 'skips the test adds', answer: 'accepted by me' },
  ])
  assert.deepEqual([receipt?.proven, accepted?.isDue, state.questions], [true, undefined, []])
})

test('what was accepted stays on record, also if it does not show in the check', () => {
  const { state } = run({ from: run().state, before: [answer('yes')], found: [] })
  assert.deepEqual(
    state.stories['A']?.receipt?.proof?.reservations.map(({ answer: said }) => said),
    ['accepted by me'],
  )
})

test('a check that finds something else asks again; one that fails opens the story for the next agent', () => {
  const other = run({ from: run().state, before: [answer('yes')], found: [skipped, deleted] })
  assert.deepEqual(
    other.state.questions[0]?.suspicions?.map(({ rule }) => rule),
    ['test-deleted'],
  )
  const red = run({ from: run().state, before: [answer('yes')], isGreen: false, policy: { maxIterations: 1 } })
  assert.deepEqual(red.judged[0]?.refused, ['A'])
  assert.equal(red.kinds.filter((kind) => kind === 'call.requested').length, 1)
})

test('any other answer sends it back, and the story goes on with the words', () => {
  const { state, decisions } = run({ from: run().state, before: [answer('no, keep the test')], policy: { maxIterations: 1 } })
  const started = decisions.find((decision) => decision.kind === 'iteration.started')
  assert.deepEqual(started?.kind === 'iteration.started' && [started.mode, started.story], ['implement', 'A'])
  assert.equal(state.stories['A']?.accepted, undefined)
  assert.equal(after([answer('no')], after([answer('yes')], run().state)).stories['A']?.accepted, undefined)
})

test('while its question waits, other stories go on; its check waits for its turn', () => {
  const stories = [aStory('A'), aStory('B', { priority: 2 })]
  const first = run({ policy: { decide: 'park' } }, stories)
  assert.deepEqual([first.state.outcome?.outcome, first.judged.map(({ passed }) => passed)], ['question', [[], ['B']]])
  const then = run({ policy: { decide: 'park' }, from: first.state, before: [answer('yes')] })
  assert.equal(then.state.outcome?.outcome, 'complete')
  assert.equal(then.kinds.includes('call.requested'), false)
})

test('a suspicion that a reviewer has answered is not asked about; below the minimum it is asked about first', () => {
  const review = (answers?: string[]): Played => {
    const result = aResult('spec', true, { kind: 'review', story: 'A', ...(answers === undefined ? {} : { answers }) })
    return run({ policy: { review: { spec: 'judge', final: [] } }, reviewer: () => ({ result }) })
  }
  assert.equal(review().state.outcome?.outcome, 'question')
  assert.equal(review(['the story asks for it']).state.outcome?.outcome, 'complete')
  const { state } = run({ policy: { proof: { suspicion: 'ask', minimum: 'reviewed', crossExamine: 'off' } } })
  assert.equal(state.outcome?.outcome, 'question')
})
