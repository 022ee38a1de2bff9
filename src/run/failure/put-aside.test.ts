import assert from 'node:assert/strict'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { aFlight } from '../../../sim/builders.ts'
import { commitAll } from '../../../test/support/repository.ts'
import { aWorld, type TestWorld } from '../../../test/support/world.ts'
import { noStory } from '../../core/evolve/initial.ts'
import type { State } from '../../core/state.ts'
import { logPath } from '../iteration/call-result.ts'
import { bringShelf } from './bring-back-shelved.ts'
import { beginningOf } from './checkpoint.ts'
import { putAside, saveBeginning, saveLate } from './put-aside.ts'

const branch = 'wip/ralph-fail-S-1-20260105-080000'
const failed = { story: 'S-1', branch, because: 'failed after 5 attempts' }
const failure = { branch, reason: failed.because, at: '2026-01-05T08:00:00.000Z' }

/** S-1 began here, has its commits and what it left uncommitted, and has failed for good. */
const failing = (test: TestWorld, commits: string[], left: string[] = []): State => {
  const state = test.state()
  const plan = state.plan && {
    ...state.plan,
    stories: state.plan.stories.map((story) => (story.id === 'S-1' ? { ...story, failed: failure } : story)),
  }
  return { ...state, plan, left, stories: { 'S-1': { ...noStory, isSaved: true, commits } } }
}
/** The world as its log says that S-1 has failed. */
const aside = (test: TestWorld, state: State, how = failed) =>
  putAside({ ...test.world, state: () => state }, how, state, test.deed().report)

test('the work of a failed story goes to its branch, committed or not, and the repository back to where it began', async () => {
  const test = await aWorld({ files: { 'a.txt': 'a\n' } })
  await saveBeginning(test.world, 'S-1', test.state(), test.deed().report)
  test.place.write({ 'a.txt': 'half\n' })
  const commit = commitAll(test.place, 'half of it')
  test.place.write({ 'b.txt': 'uncommitted\n' })
  const result = await aside(test, failing(test, [commit], ['b.txt']))
  assert.deepEqual([result.how, result.branch, 'problem' in result], ['reset', branch, false])
  assert.equal(test.place.sh('show', `${branch}:a.txt`), 'half')
  assert.equal(test.place.sh('show', `${branch}:b.txt`), 'uncommitted')
  assert.equal(readFileSync(join(test.place.top, 'a.txt'), 'utf8'), 'a\n')
  assert.equal(existsSync(join(test.place.top, 'b.txt')), false)
})

test('the plan says that the story failed, on which branch and why', async () => {
  const test = await aWorld()
  await saveBeginning(test.world, 'S-1', test.state(), test.deed().report)
  test.place.write({ 'b.txt': 'half\n' })
  await aside(test, failing(test, []))
  assert.deepEqual(test.plan().userStories[0]?.['failed'], failure)
})

test('doing it again after a kill changes nothing more', async () => {
  const test = await aWorld()
  await saveBeginning(test.world, 'S-1', test.state(), test.deed().report)
  test.place.write({ 'b.txt': 'half\n' })
  const state = failing(test, [])
  await aside(test, state)
  const tip = test.place.sh('rev-parse', branch)
  const { how } = await aside(test, state)
  assert.deepEqual([how, test.place.sh('rev-parse', branch)], ['reset', tip])
})

test('uncommitted files of the user’s stay where they are', async () => {
  const test = await aWorld({ files: { 'mine.txt': '0\n' } })
  test.place.write({ 'mine.txt': 'half done\n' })
  await saveBeginning(test.world, 'S-1', test.state(), test.deed().report)
  test.happens({ kind: 'users.found', iteration: 1, files: ['mine.txt'] })
  test.place.write({ 'b.txt': 'agent\n' })
  await aside(test, failing(test, [], ['b.txt']))
  assert.equal(readFileSync(join(test.place.top, 'mine.txt'), 'utf8'), 'half done\n')
  assert.equal(existsSync(join(test.place.top, 'b.txt')), false)
})

test('a story that a person wants tried again meanwhile gets no mark of failure', async () => {
  const test = await aWorld()
  const state = failing(test, [])
  const retried = { ...state, plan: test.state().plan }
  await putAside({ ...test.world, state: () => retried }, failed, state, test.deed().report)
  assert.equal(test.plan().userStories[0]?.['failed'], undefined)
})

test('without git the work stays, and the plan names no branch', async () => {
  const test = await aWorld({ isGit: false })
  const state = failing(test, [])
  const { how, branch: at } = await aside(test, state)
  assert.deepEqual([how, at], ['kept', ''])
  assert.deepEqual(test.plan().userStories[0]?.['failed'], { ...failure, branch: '' })
})

test('where the beginning was not kept, the work stays and the problem is told', async () => {
  const test = await aWorld()
  test.place.write({ 'b.txt': 'half\n' })
  const result = await aside(test, failing(test, []))
  assert.equal(result.how, 'kept')
  assert.match(('problem' in result && result.problem) || '', /the state before S-1 was not saved/)
  assert.equal(existsSync(join(test.place.top, 'b.txt')), true)
})

test('a beginning is kept once for a story; of one that is yet to be picked, for whichever it is', async () => {
  const test = await aWorld({ files: { 'a.txt': 'a\n' } })
  test.place.write({ 'a.txt': 'dirty\n' })
  assert.deepEqual(await saveBeginning(test.world, null, test.state(), test.deed().report), ['a.txt'])
  assert.equal(await test.place.git.isSaved(beginningOf(test.world, null)), true)
  assert.equal(await test.place.git.isSaved(beginningOf(test.world, 'S-1')), false)
})

test('a kill before the beginning was kept is made good, but not once the agent had begun', async () => {
  const test = await aWorld()
  const state = failing(test, [])
  const flight = aFlight(1, { story: 'S-1' })
  writeFileSync(logPath(test.world, 1), 'the agent was here\n')
  await saveLate(test.world, flight, state, test.deed().report)
  assert.equal(await test.place.git.isSaved(beginningOf(test.world, 'S-1')), false)
  await saveLate(test.world, { ...flight, iteration: 2 }, state, test.deed().report)
  assert.equal(await test.place.git.isSaved(beginningOf(test.world, 'S-1')), true)
})

/** Work on S-1 that waits on a branch. */
async function shelved(test: TestWorld, files: Record<string, string>): Promise<State> {
  test.place.sh('switch', '-qc', 'wip/shelf')
  test.place.write(files)
  commitAll(test.place, 'as far as it got')
  test.place.sh('switch', '-q', 'main')
  return { ...test.state(), stories: { 'S-1': { ...noStory, shelf: { branch: 'wip/shelf' } } } } as State
}

test('work that had to wait comes back before the story’s next iteration, once', async () => {
  const test = await aWorld({ files: { 'a.txt': 'a\n' } })
  const state = await shelved(test, { 'b.txt': 'waited\n' })
  assert.equal(await bringShelf(test.world, 'S-1', state), null)
  assert.equal(readFileSync(join(test.place.top, 'b.txt'), 'utf8'), 'waited\n')
  const head = test.place.sh('rev-parse', 'HEAD')
  assert.equal(await bringShelf(test.world, 'S-1', state), null)
  assert.equal(test.place.sh('rev-parse', 'HEAD'), head)
})

test('work that waited and does not fit any more is told to the agent, with where it is', async () => {
  const test = await aWorld({ files: { 'a.txt': 'a\n' } })
  const state = await shelved(test, { 'a.txt': 'theirs\n' })
  test.place.write({ 'a.txt': 'ours\n' })
  commitAll(test.place, 'ours')
  assert.match((await bringShelf(test.world, 'S-1', state)) ?? '', /on the branch wip\/shelf, .*conflicts with .*\n[\s\S]*a\.txt/)
})

test('a shelf that somebody deleted is not missed', async () => {
  const test = await aWorld()
  const state = { ...test.state(), stories: { 'S-1': { ...noStory, shelf: { branch: 'wip/gone' } } } } as State
  assert.equal(await bringShelf(test.world, 'S-1', state), null)
  assert.equal(await bringShelf(test.world, 'S-2', state), null)
})
