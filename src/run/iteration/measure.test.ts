import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { commitAll } from '../../../test/support/repository.ts'
import { aWorld, type TestWorld } from '../../../test/support/world.ts'
import { fileIdentity, isLeftByGate, measure } from './measure.ts'
import { lookAtBaseline } from './settle.ts'

const home = { did: [], astray: null }
const measured = (test: TestWorld, more: Partial<Parameters<typeof measure>[2]> = {}) =>
  measure(test.world, { iteration: 1, story: 'S-1' }, { home, ...more }, test.deed())

test('what an agent committed is its work: commits, their trees, and the files that they changed', async () => {
  const test = await aWorld({ files: { 'a.txt': 'a\n' } })
  test.place.write({ 'a.txt': 'b\n', 'new.txt': 'n\n' })
  const commit = commitAll(test.place, 'work')
  const { commits, trees, files, uncommitted, repo } = await measured(test)
  assert.deepEqual([commits, trees.length, files, uncommitted], [[commit], 1, ['a.txt', 'new.txt'], []])
  assert.deepEqual([repo.head, repo.dirt], [commit, ''])
})

test('what it left uncommitted is listed, but for what the user had there before', async () => {
  const test = await aWorld({ files: { 'a.txt': 'a\n', 'mine.txt': 'm\n' } })
  test.happens({ kind: 'users.found', iteration: 1, files: ['mine.txt'] })
  test.place.write({ 'a.txt': 'b\n', 'mine.txt': 'more\n' })
  const { uncommitted, commits, taken } = await measured(test)
  assert.deepEqual([uncommitted, commits, taken], [['a.txt'], [], undefined])
})

test('a file of the user’s that is not uncommitted any more was taken', async () => {
  const test = await aWorld({ files: { 'mine.txt': 'm\n' } })
  test.happens({ kind: 'users.found', iteration: 1, files: ['mine.txt'] })
  test.place.write({ 'mine.txt': 'more\n' })
  commitAll(test.place, 'took it')
  assert.deepEqual((await measured(test)).taken, ['mine.txt'])
})

test('what a gate left is nobody’s work, until it is written to again', async () => {
  const test = await aWorld()
  test.place.write({ 'report.xml': 'red\n' })
  await lookAtBaseline(test.world, test.state())
  assert.equal(isLeftByGate(test.world, 'report.xml'), true)
  assert.deepEqual((await measured(test)).uncommitted, [])
  test.place.write({ 'report.xml': 'by the agent\n' })
  assert.equal(isLeftByGate(test.world, 'report.xml'), false)
  assert.deepEqual((await measured(test)).uncommitted, ['report.xml'])
})

test('a new file that git ignores is hidden work; one that was there when the run began is not', async () => {
  const test = await aWorld({ files: { '.gitignore': '.ralph/*/logs/\n*.env\n' } })
  test.place.write({ 'old.env': '1\n' })
  const known = { ...test.deed(), state: { ...test.state(), ignored: ['old.env'] } }
  test.place.write({ 'new.env': '2\n' })
  const { hidden } = await measure(test.world, { iteration: 1, story: 'S-1' }, { home }, known)
  assert.ok(hidden?.includes('new.env'))
  assert.ok(!hidden?.includes('old.env'))
})

test('commits from before the agent began are the user’s', async () => {
  const test = await aWorld()
  test.place.write({ 'user.txt': 'u\n' })
  const users = commitAll(test.place, 'user')
  test.place.write({ 'agent.txt': 'a\n' })
  const agents = commitAll(test.place, 'agent')
  const { commits } = await measured(test, { begun: { head: users, trace: null } })
  assert.deepEqual(commits, [agents])
})

test('a commit that was made while git did nothing for the agent is the user’s, and that is told', async () => {
  const test = await aWorld()
  const { head } = test.state().repo
  test.place.write({ 'user.txt': 'u\n' })
  const users = commitAll(test.place, 'user')
  const trace = { head, startedMs: 0, names: ['status'], spans: [], commands: [] }
  const { commits, notices } = await measured(test, { begun: { head, trace } })
  assert.deepEqual(commits, [])
  assert.deepEqual(
    notices.map(({ what, detail }) => [what, detail.includes(users.slice(0, 10))]),
    [['users-commits', true]],
  )
})

test('a flip in the plan is the agent’s word; another story’s is set back', async () => {
  const test = await aWorld()
  const plan = test.plan()
  for (const story of plan.userStories) story.passes = true
  writeFileSync(join(test.world.dir, 'prd.json'), JSON.stringify(plan, null, 2))
  const { flips, repairs } = await measured(test)
  assert.deepEqual(flips, ['S-1'])
  assert.equal(repairs.length, 1)
  assert.match(repairs[0] ?? '', /S-2/)
  assert.deepEqual(
    test.plan().userStories.map(({ id, passes }) => [id, passes]),
    [
      ['S-1', true],
      ['S-2', false],
    ],
  )
})

test('without git, what is in the folder is compared as a whole', async () => {
  const test = await aWorld({ isGit: false })
  const before = await measured(test)
  assert.deepEqual([before.commits, before.uncommitted], [[], []])
  test.place.write({ 'a.txt': 'a\n' })
  const after = await measured(test)
  assert.notEqual(after.repo.tree, before.repo.tree)
  assert.deepEqual(after.trees, [after.repo.tree])
})

test('a file’s identity changes with its content, and says when it is gone', async () => {
  const { world, place } = await aWorld({ files: { 'a.txt': 'a\n' } })
  const before = fileIdentity(world, 'a.txt')
  place.write({ 'a.txt': 'longer\n' })
  assert.notEqual(fileIdentity(world, 'a.txt'), before)
  assert.equal(fileIdentity(world, 'none.txt'), 'gone')
})
