import assert from 'node:assert/strict'
import { test } from 'node:test'
import { aPlan, aPolicy, aResult, aStory, begun } from '../../../sim/builders.ts'
import { nextTarget } from '../decide/next-story.ts'
import type { Policy, Story } from '../types.ts'
import { countingStories, isAllPassed, isUnblocked } from './stories.ts'

const failed = { branch: 'wip', reason: 'no', at: '' }
const nextId = (stories: Story[], policy?: Partial<Policy>): string | null | undefined =>
  nextTarget(begun(stories, policy))?.story?.id

test('the next story has the lowest number, and ties go by place in the file (R-PLAN-5)', () => {
  assert.equal(nextId([aStory('A', { priority: 2 }), aStory('B', { priority: 1 }), aStory('C', { priority: 1 })]), 'B')
})

test('a story waits for its dependencies, and a skipped one counts as met', () => {
  const waiting = aStory('B', { priority: 1, dependsOn: ['A'] })
  assert.equal(nextId([aStory('A', { priority: 9 }), waiting]), 'A')
  assert.equal(nextId([aStory('A', { priority: 9, passes: true }), waiting]), 'B')
  assert.equal(nextId([aStory('A', { priority: 9, skip: true }), waiting]), 'B')
  assert.equal(nextId([aStory('A', { failed }), waiting]), undefined)
})

test('passing, failed and skipped stories are not next', () => {
  assert.equal(nextId([aStory('A', { passes: true }), aStory('B', { failed }), aStory('C', { skip: true }), aStory('D')]), 'D')
})

test('one story alone is all that counts, even one marked skip', () => {
  const plan = aPlan([aStory('A'), aStory('B', { skip: true })])
  assert.deepEqual(
    countingStories(plan, aPolicy({ only: 'B' })).map((story) => story.id),
    ['B'],
  )
  assert.equal(nextId(plan.stories, { only: 'B' }), 'B')
})

test('a plan is all passed when what counts passes; no plan never is', () => {
  assert.equal(isAllPassed(aPlan([aStory('A', { passes: true }), aStory('B', { skip: true })]), aPolicy()), true)
  assert.equal(isAllPassed(aPlan([aStory('A', { passes: true }), aStory('B', { failed })]), aPolicy()), false)
  assert.equal(isAllPassed(null, aPolicy()), false)
})

test('the agent picks for itself if the policy says so, one iteration at a time', () => {
  assert.deepEqual(nextTarget(begun([aStory('A')], { pick: 'agent' })), {
    story: null,
    mode: 'implement',
    because: 'the agent picks the story',
  })
})

test('with every story passing and a gate red, the target is that gate', () => {
  const state = begun([aStory('A', { passes: true })])
  const results = [aResult('tests', false), aResult('lint', true)]
  assert.deepEqual(nextTarget({ ...state, check: { phase: 'red', results } }), {
    story: null,
    mode: 'fix',
    because: 'every story passes, but gate tests is red',
  })
  assert.equal(nextTarget({ ...state, check: { phase: 'green' } }), null)
})

test('a dependency that is not in the plan holds nothing up', () => {
  const story = aStory('A', { dependsOn: ['gone'] })
  assert.equal(isUnblocked(aPlan([story]), story), true)
})
