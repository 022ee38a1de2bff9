import assert from 'node:assert/strict'
import { test } from 'node:test'
import { after, aPlan, aPolicy, aRepo, aStart, aStory, committed, runStarted } from '../../sim/builders.ts'
import { decide } from './decide.ts'
import type { State } from './state.ts'
import type { Ended, Report } from './types.ts'
import { leftAmong, maxListed } from './users.ts'

const plan = aPlan([aStory('A'), aStory('B')])
const started = (dirty: string[], left: string[] = []): Report => ({
  ...(runStarted(plan, aPolicy()) as Extract<Report, { kind: 'run.started' }>),
  dirty,
  left,
})
/** Comes back from an iteration on A. */
const worked = (state: State, iteration: number, more: Partial<Ended> = {}): State => {
  const begun = after([aStart(iteration, 'A', { saves: true })], state)
  const ended = after([{ kind: 'iteration.ended', ...committed(iteration, `t${iteration}`, more) }], begun)
  const judged = after(decide(ended), ended)
  return after([{ kind: 'iteration.settled', iteration, repo: aRepo(`t${iteration}`), commits: [] }], judged)
}
const whose = ({ users, left }: State) => ({ users, left })

test('what an iteration leaves is its story’s, in the next run too; all else that is dirty then is the user’s', () => {
  const first = worked(after([started(['mine'])]), 1, { uncommitted: ['half'] })
  assert.deepEqual(whose(first), { users: ['mine'], left: ['half'] })
  const dirty = ['half', 'later', 'mine']
  const left = leftAmong(first, dirty, [])
  assert.deepEqual(whose(after([started(dirty, left)], first)), { users: ['later', 'mine'], left: ['half'] })
})

test('what somebody has committed since is nobody’s leftover', () => {
  assert.deepEqual(leftAmong({ left: ['half'], users: [] }, ['half'], ['half']), [])
})

test('where more was left than is listed, all is left but the user’s', () => {
  const left = Array.from({ length: maxListed }, (_, index) => `f${index}`)
  assert.deepEqual(leftAmong({ left, users: ['mine'] }, ['f1', 'mine', 'unlisted'], []), ['f1', 'unlisted'])
})

test('a file of the user’s that an iteration commits is not uncommitted any more; when its story fails, it is again', () => {
  const taken = worked(after([started(['mine', 'notes'])]), 1, { taken: ['mine'] })
  assert.deepEqual(whose(taken), { users: ['notes'], left: [] })
  const aside = { kind: 'story.put-aside', story: 'A', branch: 'wip/a', repo: aRepo('t0') } as const
  assert.deepEqual(after([{ ...aside, how: 'reset' }], taken).users, ['notes', 'mine'])
  assert.deepEqual(after([{ ...aside, how: 'kept' }], taken).users, ['notes'])
})

test('once a story has passed nothing is left of it: what is dirty in its files later is newer', () => {
  assert.deepEqual(whose(worked(after([started([])]), 1, { uncommitted: ['a.ts'], flips: ['A'] })), { users: [], left: [] })
})
