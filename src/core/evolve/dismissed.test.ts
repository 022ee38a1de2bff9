import assert from 'node:assert/strict'
import { test } from 'node:test'
import { aPlan, aResult, aStory, committed } from '../../../sim/builders.ts'
import { play } from '../../../sim/play.ts'
import type { State } from '../state.ts'
import type { ReviewFinding, StoryId } from '../types.ts'
import { evolve } from './evolve.ts'

const finding = (id: string, standing: ReviewFinding['standing'] = 'open'): ReviewFinding => ({
  id,
  kind: 'missing',
  words: `w-${id}`,
  standing,
})
const judged = (passed: boolean, findings: ReviewFinding[]) => ({
  seen: 'c1',
  result: aResult('spec', passed, { kind: 'review', story: 'A', findings }),
})
const dismissed = (id: string, story: StoryId = 'A') =>
  ({ kind: 'finding.dismissed', story, finding: id, by: 'ada', why: 'no', at: '2026-01-05T10:00:00.000Z', run: 'r' }) as const

/** Story A after one iteration that marked it done, and this review of it. */
const reviewed = (passed: boolean, findings: ReviewFinding[]): State =>
  play({
    plan: aPlan([aStory('A')]),
    policy: { review: { spec: 'judge', final: [] }, gates: [{ name: 'tests', command: 'x' }], maxIterations: 1 },
    judgedIn: 'clean',
    agent: ({ iteration }) => committed(iteration, `t${iteration}`, { flips: ['A'] }),
    reviewer: () => judged(passed, findings),
  }).state

test('a review is remembered with what it saw and what is open; dismissing one finding leaves the others', () => {
  const state = reviewed(false, [finding('aaaa'), finding('bbbb'), finding('cccc', 'late')])
  assert.deepEqual(state.stories['A']?.review, { seen: 'c1', open: [finding('aaaa'), finding('bbbb')] })
  const after = evolve(state, dismissed('aaaa')).stories['A']
  assert.deepEqual(after?.review?.open, [finding('bbbb')])
  assert.deepEqual(after?.dismissed, [{ id: 'aaaa', kind: 'missing', words: 'w-aaaa', by: 'ada', why: 'no' }])
  assert.equal(after?.accepted, undefined)
})

test('once the last finding is dismissed, a story that nothing else refused is checked again', () => {
  const state = reviewed(false, [finding('aaaa')])
  assert.equal(evolve(state, dismissed('aaaa')).stories['A']?.accepted?.isDue, true)
  assert.deepEqual(evolve(state, dismissed('ffff')).stories, state.stories)
  assert.deepEqual(evolve(state, dismissed('aaaa', 'B')).stories, state.stories)
})

test('a late finding is a reservation of a story that passes, until a person dismisses it', () => {
  const state = reviewed(true, [finding('cccc', 'late')])
  const { receipt } = state.stories['A'] ?? {}
  assert.deepEqual([receipt?.proven, receipt?.proof?.grade], [false, 'gated'])
  assert.deepEqual(
    receipt?.proof?.reservations.map(({ id, rule }) => [id, rule]),
    [['cccc', 'review-finding']],
  )
  const after = evolve(state, dismissed('cccc')).stories['A']
  assert.deepEqual([after?.receipt?.proven, after?.receipt?.proof?.reservations[0]?.answer], [true, 'accepted by ada: no'])
})

test('a story that starts again has a first review, and what was dismissed stays dismissed', () => {
  const state = evolve(reviewed(false, [finding('aaaa'), finding('bbbb')]), dismissed('aaaa'))
  const again = evolve(state, { kind: 'story.retried', story: 'A', at: '2026-01-05T11:00:00.000Z', run: 'r' }).stories['A']
  assert.equal(again?.review, undefined)
  assert.deepEqual(
    again?.dismissed?.map(({ id }) => id),
    ['aaaa'],
  )
})
