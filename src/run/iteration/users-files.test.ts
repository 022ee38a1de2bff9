import assert from 'node:assert/strict'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { aWorld, type TestWorld } from '../../../test/support/world.ts'
import { beginningOf } from '../failure/checkpoint.ts'
import { lookAtBaseline } from './settle.ts'
import { bringBackUsers, findUsers, forgetUsers, keepPerhapsUsers, keepUsers, noteUsers, takeOutUsers } from './users-files.ts'

const files = { 'mine.txt': 'as committed\n', 'app.txt': 'app\n' }

/** The user is at work on mine.txt when the next iteration begins. */
async function withUsersWork(): Promise<TestWorld> {
  const test = await aWorld({ files })
  test.place.write({ 'mine.txt': 'half done\n' })
  const state = await findUsers(test.world, { iteration: 1, story: 'S-1' }, test.deed())
  test.happens({ kind: 'users.found', iteration: 1, files: state.users })
  await keepUsers(test.world, test.deed())
  return test
}
const read = ({ place }: TestWorld, name = 'mine.txt'): string => readFileSync(join(place.top, name), 'utf8')

test('what is dirty before an agent starts, and was left by no iteration, is the user’s: it is told, and counts at once', async () => {
  const { world, place, deed, reports } = await aWorld({ files })
  place.write({ 'mine.txt': 'half done\n', 'new.txt': 'new\n' })
  const state = await findUsers(world, { iteration: 1, story: 'S-1' }, deed())
  assert.deepEqual(state.users, ['mine.txt', 'new.txt'])
  assert.deepEqual(reports, [{ kind: 'users.found', iteration: 1, files: ['mine.txt', 'new.txt'] }])
})

test('in a clean work tree nothing is found and nothing is told', async () => {
  const { world, deed, reports, state } = await aWorld({ files })
  assert.equal(await findUsers(world, { iteration: 1, story: 'S-1' }, deed()), state())
  assert.deepEqual(reports, [])
})

test('what git has said already is not asked for again', async () => {
  const { world, deed } = await aWorld({ files })
  const { users } = await findUsers(world, { iteration: 1, story: 'S-1', dirty: ['app.txt'] }, deed())
  assert.deepEqual(users, ['app.txt'])
})

test('what a gate has left is nobody’s, until somebody writes to it again', async () => {
  const { world, place, deed, state } = await aWorld({ files })
  place.write({ 'report.xml': 'red\n' })
  await lookAtBaseline(world, state())
  assert.deepEqual((await findUsers(world, { iteration: 1, story: 'S-1' }, deed())).users, [])
  place.write({ 'report.xml': 'and more\n' })
  assert.deepEqual((await findUsers(world, { iteration: 1, story: 'S-1' }, deed())).users, ['report.xml'])
})

test('without git there is nothing to find, to keep or to bring back', async () => {
  const { world, deed, reports, state } = await aWorld({ isGit: false })
  assert.equal(await findUsers(world, { iteration: 1, story: 'S-1' }, deed()), state())
  await keepUsers(world, deed())
  await bringBackUsers(world, 1, deed())
  assert.deepEqual(reports, [])
})

test('the user’s file comes back where an agent discarded it; the agent is told, with where the copy is', async () => {
  const test = await withUsersWork()
  test.place.sh('checkout', '-q', '--', 'mine.txt')
  await bringBackUsers(test.world, 1, test.deed())
  assert.equal(read(test), 'half done\n')
  const [detail = ''] = test.noticed('users-restored')
  assert.match(
    detail,
    /^Uncommitted changes that are not the agent's were discarded during iteration 1, and restored: mine\.txt\. A copy is in refs\/ralph\//,
  )
})

test('a new file of the user’s comes back where it was deleted', async () => {
  const test = await aWorld({ files })
  test.place.write({ 'draft.txt': 'only here\n' })
  const { users } = await findUsers(test.world, { iteration: 1, story: 'S-1' }, test.deed())
  test.happens({ kind: 'users.found', iteration: 1, files: users })
  await keepUsers(test.world, test.deed())
  rmSync(join(test.place.top, 'draft.txt'))
  await bringBackUsers(test.world, 1, test.deed())
  assert.equal(read(test, 'draft.txt'), 'only here\n')
})

test('what somebody unknown changed of the user’s stays, and it is told once how to get the old version', async () => {
  const test = await withUsersWork()
  test.place.write({ 'mine.txt': 'half done, and the agent’s\n' })
  await bringBackUsers(test.world, 1, test.deed())
  await bringBackUsers(test.world, 2, test.deed())
  assert.equal(read(test), 'half done, and the agent’s\n')
  assert.equal(test.noticed('users-changed').length, 1)
  assert.match(test.noticed('users-changed')[0] ?? '', /git restore --source=refs\/ralph\/\S+ -- mine\.txt$/)
})

test('what an agent wrote into the user’s file is a question to the user, with a patch of it; the user’s version is back', async () => {
  const test = await withUsersWork()
  test.place.write({ 'mine.txt': 'half done\nand the agent’s\n' })
  const [question] = await bringBackUsers(test.world, 1, test.deed(), { isAgents: () => true })
  assert.equal(read(test), 'half done\n')
  assert(question?.kind === 'question')
  assert.match(
    question.text,
    /^The agent changed mine\.txt, which has your uncommitted changes\. Both versions are kept: .* \(to take it: git apply \.ralph\/thing\/logs\/your-files-001\.patch\)\. .* ralph answer yes\. If not: ralph answer/,
  )
  test.place.sh('apply', '.ralph/thing/logs/your-files-001.patch')
  assert.equal(read(test), 'half done\nand the agent’s\n')
})

test('what an agent committed of the user’s is told to it, so that it does not do so again', async () => {
  const test = await withUsersWork()
  const from = test.place.sh('rev-parse', 'HEAD')
  test.place.sh('commit', '-qam', 'agent takes all')
  const out = await takeOutUsers(test.world, test.state().users, { from, trace: null })
  assert.deepEqual([out?.paths, test.place.sh('rev-parse', 'HEAD')], [['mine.txt'], from])
  await bringBackUsers(test.world, 1, test.deed(), { hasStaged: true, ...(out && { out }) })
  assert.equal(test.place.sh('status', '--porcelain').trim(), 'M mine.txt')
  assert.match(
    test.noticed('users-committed')[0] ?? '',
    /^Uncommitted changes that are not the agent's were committed during iteration 1, and removed from the commits: mine\.txt\.$/,
  )
  assert.deepEqual(
    test.reports.flatMap((fact) => (fact.kind === 'noticed' && fact.what === 'users-committed' ? [fact.tell] : [])),
    [true],
  )
})

test('nobody is told anything where the user’s files are as they were', async () => {
  const test = await withUsersWork()
  test.reports.length = 0
  await bringBackUsers(test.world, 1, test.deed())
  assert.deepEqual(test.reports, [])
})

test('a user who goes on writing is kept as of the last iteration, not of the first', async () => {
  const test = await withUsersWork()
  test.place.write({ 'mine.txt': 'nearly done\n' })
  await keepUsers(test.world, test.deed())
  test.place.sh('checkout', '-q', '--', 'mine.txt')
  await bringBackUsers(test.world, 2, test.deed())
  assert.equal(read(test), 'nearly done\n')
})

test('the copy of an older run is not brought into a new one', async () => {
  const test = await withUsersWork()
  await forgetUsers(test.world)
  test.place.sh('checkout', '-q', '--', 'mine.txt')
  await bringBackUsers(test.world, 1, test.deed())
  assert.equal(read(test), 'as committed\n')
})

test('a newer version that the user made after the last agent is saved with the story’s beginning', async () => {
  const test = await withUsersWork()
  const { world, place } = test
  await place.git.save(beginningOf(world, 'S-1'), [])
  noteUsers(world, test.state())
  place.write({ 'mine.txt': 'much more by the user\n' })
  await findUsers(world, { iteration: 2, story: 'S-1' }, test.deed())
  const ref = place.git.refOf(beginningOf(world, 'S-1'))
  assert.match(place.sh('log', '-1', '--format=%B', ref), /mine\.txt/)
})

test('before a story is put aside, what appeared while gates looked stays where it is, and that is told', async () => {
  const test = await aWorld({ files })
  const { world, place } = test
  await place.git.save(beginningOf(world, 'S-1'), [])
  place.write({ 'notes.txt': 'the user’s, perhaps\n' })
  await lookAtBaseline(world, test.state())
  await keepPerhapsUsers(world, 'S-1', test.deed())
  assert.match(test.noticed('users-kept')[0] ?? '', /^notes\.txt changed while gates or reviewers checked S-1/)
  assert.equal(existsSync(join(place.top, 'notes.txt')), true)
})

test('what gates write each time is no user’s, and is not kept for a story that fails', async () => {
  const test = await aWorld({ files })
  const { world, place } = test
  await place.git.save(beginningOf(world, 'S-1'), [])
  place.write({ 'coverage.xml': '1\n' })
  await lookAtBaseline(world, test.state())
  place.write({ 'coverage.xml': '22\n' })
  await lookAtBaseline(world, test.state())
  await keepPerhapsUsers(world, 'S-1', test.deed())
  assert.deepEqual(test.noticed('users-kept'), [])
})
