import assert from 'node:assert/strict'
import { test } from 'node:test'
import { after, aPlan, aPolicy, aRepo, aStory, runStarted } from '../../../sim/builders.ts'
import { noStory } from '../evolve/initial.ts'
import type { State } from '../state.ts'
import type { PutAside } from '../types/results.ts'
import { decide } from './decide.ts'

/** A has committed and is skipped: its work goes onto a branch. */
function holding(): State {
  const state = after([runStarted(aPlan([aStory('A', { skip: true }), aStory('B')]), aPolicy())])
  return { ...state, stories: { A: { ...noStory, commits: ['c1'] } } }
}
const shelved = (more: Partial<PutAside> = {}): State => {
  const state = holding()
  const aside: PutAside = { story: 'A', branch: 'wip/a', how: 'reset', repo: aRepo('t0'), ...more }
  return after([...decide(state), { kind: 'story.put-aside', ...aside }], state)
}

test('the work of a story that is skipped goes onto a branch, and the story knows which', () => {
  assert.deepEqual(
    decide(holding()).map(({ kind }) => kind),
    ['story.shelved'],
  )
  assert.deepEqual(shelved().stories['A']?.shelf, { branch: 'wip/a' })
  assert.deepEqual(shelved({ how: 'reverted' }).stories['A']?.shelf, { branch: 'wip/a', revertedAt: 'h-t0' })
})

test('a story that is tried again gets back the work that waits on a branch', () => {
  const retried = after([{ kind: 'story.retried', story: 'A' }], shelved())
  assert.deepEqual(retried.stories['A']?.shelf, { branch: 'wip/a' })
})

test('work that cannot go onto a branch ends the run, and is not moved again and again', () => {
  const state = shelved({ branch: '', how: 'kept' })
  assert.deepEqual(state.stories['A']?.commits, ['c1'])
  const [end] = decide(state)
  assert.ok(end?.kind === 'run.ended')
  assert.deepEqual(
    [end.outcome, end.because],
    ['stories-failed', 'the work of A could not be moved to a branch: the state before it was not saved'],
  )
})
