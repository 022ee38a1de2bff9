import assert from 'node:assert/strict'
import { test } from 'node:test'
import { after, aPlan, aPolicy, aRepo, aResult, aStart, aStory, committed, runStarted } from '../../../sim/builders.ts'
import { decide } from '../decide/decide.ts'
import type { State } from '../state.ts'
import type { Ended, Report } from '../types.ts'
import { noStory } from './initial.ts'
import { foundAmong, leftAmong, maxLeft } from './users-files.ts'

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
  assert.deepEqual(leftAmong({ left: ['half'] }, ['half'], ['half']), [])
})

test('however much was left, what is not listed is not taken for the iteration’s', () => {
  const left = Array.from({ length: maxLeft }, (_, index) => `f${index}`)
  assert.deepEqual(leftAmong({ left }, ['f1', 'mine'], []), ['f1'])
  assert.deepEqual(foundAmong({ left, users: [] }, ['f1', 'mine'], []), ['mine'])
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

test('what a story took of the user’s before somebody changed the repository is the user’s again when it fails', () => {
  const taken = worked(after([started(['mine'])]), 1, { taken: ['mine'] })
  const next = after([{ ...(started(['new']) as Extract<Report, { kind: 'run.started' }>), repo: aRepo('t9') }], taken)
  const again = worked(next, 2)
  const aside = { kind: 'story.put-aside', story: 'A', branch: 'wip/a', how: 'reset', repo: aRepo('t0') } as const
  assert.deepEqual(whose(after([aside], again)), { users: ['new', 'mine'], left: [] })
})

test('what iterations had left before the agent picked a story is left again when that story is put aside', () => {
  const begun = after([aStart(1, null, { saves: true })], {
    ...after([runStarted(plan, aPolicy({ pick: 'agent', gates: [{ name: 'tests', command: 'x' }] }))]),
    left: ['half'],
  })
  const ended = after([{ kind: 'iteration.ended', ...committed(1, 't1', { flips: ['A'], uncommitted: [] }) }], begun)
  const red = after([{ kind: 'gates.ended', iteration: 1, results: [aResult('tests', false)] }], ended)
  const settled = after([...decide(red), { kind: 'iteration.settled', iteration: 1, repo: aRepo('t1'), commits: [] }], red)
  assert.deepEqual([settled.left, settled.stories['A']?.begunWith], [[], { users: [], left: ['half'] }])
  const aside = { kind: 'story.put-aside', story: 'A', branch: 'wip/a', how: 'reset', repo: aRepo('t0') } as const
  assert.deepEqual(after([aside], settled).left, ['half'])
})

test('a story that is picked again keeps what it began with', () => {
  const begunWith = { users: ['mine'], left: [] }
  const state = after([runStarted(plan, aPolicy({ pick: 'agent' }))])
  const known = { ...state, stories: { A: { ...noStory, isSaved: true, begunWith } } }
  const begun = after([aStart(1, null, { saves: true })], known)
  const ended = after(
    [
      {
        kind: 'iteration.ended',
        ...committed(1, 't1', { flips: ['A'], findings: [{ rule: 'test-deleted', words: 'a test is gone' }] }),
      },
    ],
    begun,
  )
  const settled = after([...decide(ended), { kind: 'iteration.settled', iteration: 1, repo: aRepo('t1'), commits: [] }], ended)
  assert.deepEqual(settled.stories['A']?.begunWith, begunWith)
})

test('what is dirty before an agent starts and no iteration has left is the user’s, also when the story under way fails', () => {
  const first = worked(after([started(['mine'])]), 1, { uncommitted: ['half'] })
  const files = foundAmong(first, ['half', 'later', 'mine', 'sub/'], ['sub/'])
  assert.deepEqual(files, ['later'])
  const found = after([aStart(2, 'A'), { kind: 'users.found', iteration: 2, files }], first)
  assert.deepEqual(whose(found), { users: ['mine', 'later'], left: ['half'] })
  assert.deepEqual(found.stories['A']?.begunWith?.users, ['mine', 'later'])
})
