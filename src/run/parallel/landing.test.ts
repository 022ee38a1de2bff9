import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { anEnd, anEndedFlight, aStart } from '../../../sim/builders.ts'
import { commitAll, shIn } from '../../../test/support/repository.ts'
import { aWorld, type TestWorld } from '../../../test/support/world.ts'
import type { Ended } from '../../core/types.ts'
import type { Apart } from '../world.ts'
import { land } from './landing.ts'
import { enterPlace } from './worktree.ts'

async function workIn(test: TestWorld, files: Record<string, string>): Promise<Apart> {
  const here = await enterPlace(test.world, { ...aStart(1, 'S-1'), story: 'S-1', worker: 1 }, test.deed())
  assert.ok(!('problem' in here))
  for (const [name, text] of Object.entries(files)) writeFileSync(join(here.root, name), text)
  return here
}
const commitIn = (here: Apart): string => {
  shIn(here.root)('add', '-A', '--', '.', ':!.ralph')
  shIn(here.root)('commit', '-qm', 'work')
  return shIn(here.root)('rev-parse', 'HEAD')
}
async function landed(test: TestWorld, here: Apart, more: Partial<Ended> = {}) {
  const { head, tree, dirt, uncommitted } = await here.git.snapshot()
  const ended = anEnd(1, { repo: { head, tree, dirt }, uncommitted, flips: ['S-1'], ...more })
  const state = { ...test.state(), flights: [anEndedFlight(ended, { story: 'S-1', worker: 1 })] }
  const decision = { kind: 'landing.started', iteration: 1, story: 'S-1', because: '' } as const
  return land({ ...test.world, state: () => state }, decision, { ...test.deed(), state })
}
const red = ({ results }: Awaited<ReturnType<typeof land>>): string => results.find(({ passed }) => !passed)?.output ?? ''

test('work that nobody has overtaken lands as it is, without a merge', async () => {
  const test = await aWorld({ files: { 'a.txt': 'a\n' } })
  const here = await workIn(test, { 'b.txt': 'work\n' })
  const commit = commitIn(here)
  const landing = await landed(test, here)
  assert.deepEqual([landing.results, landing.repo.head], [[], commit])
  assert.equal(test.place.sh('rev-parse', 'main'), commit)
})

test('what the agent left uncommitted is committed for the story, and lands too', async () => {
  const test = await aWorld()
  const landing = await landed(test, await workIn(test, { 'b.txt': 'work\n' }))
  assert.equal(landing.commits.length, 1)
  assert.equal(test.place.sh('show', 'main:b.txt'), 'work')
  assert.equal(test.place.sh('log', '-1', '--format=%s'), 'feat: S-1 - Story S-1')
})

test('where others have landed meanwhile, both sides’ work is on the branch', async () => {
  const test = await aWorld({ files: { 'a.txt': 'a\n' } })
  const here = await workIn(test, { 'b.txt': 'work\n' })
  commitIn(here)
  test.place.write({ 'c.txt': 'others\n' })
  commitAll(test.place, 'others')
  const landing = await landed(test, here)
  assert.deepEqual(landing.results, [])
  assert.deepEqual([test.place.sh('show', 'main:b.txt'), test.place.sh('show', 'main:c.txt')], ['work', 'others'])
})

test('work that does not fit is sent back with the conflict and what to do; the branch stays as it is', async () => {
  const test = await aWorld({ files: { 'a.txt': 'a\n' } })
  const here = await workIn(test, { 'a.txt': 'own\n' })
  commitIn(here)
  test.place.write({ 'a.txt': 'others\n' })
  const tip = commitAll(test.place, 'others')
  const landing = await landed(test, here)
  assert.match(red(landing), /conflicts with what landed on main[\s\S]*a\.txt[\s\S]*git merge main/)
  assert.equal(test.place.sh('rev-parse', 'main'), tip)
})

test('gates that are red on both sides’ work together keep it off the branch', async () => {
  const test = await aWorld({
    files: { 'a.txt': 'a\n' },
    policy: { gates: [{ name: 'tests', command: '! { test -f b.txt && test -f c.txt; }' }] },
  })
  const here = await workIn(test, { 'b.txt': 'work\n' })
  commitIn(here)
  test.place.write({ 'c.txt': 'others\n' })
  const tip = commitAll(test.place, 'others')
  const landing = await landed(test, here)
  assert.deepEqual(
    landing.results.map(({ name, passed }) => [name, passed]),
    [['tests', false]],
  )
  assert.equal(test.place.sh('rev-parse', 'main'), tip)
})

test('a landing that was done before a kill is not done again', async () => {
  const test = await aWorld()
  const here = await workIn(test, { 'b.txt': 'work\n' })
  commitIn(here)
  await landed(test, here)
  const tip = test.place.sh('rev-parse', 'main')
  test.world.worktrees.open.clear() // another process: it knows nothing of the first
  const again = await landed(test, here)
  assert.deepEqual([again.results, test.place.sh('rev-parse', 'main')], [[], tip])
})

test('an untracked file of the user’s in the way blocks the landing, and stays', async () => {
  const test = await aWorld()
  const here = await workIn(test, { 'b.txt': 'work\n' })
  commitIn(here)
  test.place.write({ 'b.txt': 'the user’s\n' })
  const landing = await landed(test, here)
  assert.match(landing.blocked ?? '', /cannot land in .*Commit or move what is in the way/s)
  assert.equal(test.place.sh('status', '--porcelain', 'b.txt'), '?? b.txt')
})

test('where the user has checked out another branch, nothing lands there', async () => {
  const test = await aWorld()
  const here = await workIn(test, { 'b.txt': 'work\n' })
  commitIn(here)
  test.place.sh('switch', '-qc', 'elsewhere')
  const landing = await landed(test, here)
  assert.match(
    landing.blocked ?? '',
    /is on elsewhere, but this run works on main: switch back \(git switch main\), then run again\. The work is safe on wip\/ralph-work-thing-S-1/,
  )
})

test('with git.auto_commit off, uncommitted work is not landed: the story must commit it', async () => {
  const test = await aWorld({ settings: { 'git.auto_commit': false } })
  const landing = await landed(test, await workIn(test, { 'b.txt': 'work\n' }))
  assert.match(red(landing), /git\.auto_commit is off, and b\.txt is not committed/)
})

test('a worktree that is gone has nothing to land', async () => {
  const test = await aWorld()
  const here = await workIn(test, { 'b.txt': 'work\n' })
  const flight = anEndedFlight(anEnd(1, { flips: ['S-2'] }), { story: 'S-2', worker: 1 })
  const state = { ...test.state(), flights: [flight] }
  const decision = { kind: 'landing.started', iteration: 1, story: 'S-2', because: '' } as const
  const landing = await land({ ...test.world, state: () => state }, decision, { ...test.deed(), state })
  assert.equal(red(landing), 'its worktree is missing')
  assert.ok(here)
})
