import assert from 'node:assert/strict'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { aStart } from '../../../sim/builders.ts'
import { commitAll, shIn } from '../../../test/support/repository.ts'
import { aWorld, type TestWorld } from '../../../test/support/world.ts'
import type { Apart } from '../world.ts'
import { makeAhead } from './make-worktree.ts'
import { enterPlace } from './worktree.ts'
import { placeOf } from './worktree-paths.ts'
import { tidyPlaces } from './worktrees.ts'

async function made(test: TestWorld): Promise<string> {
  const { commit, ...more } = await makeAhead(test.world, 'S-1')
  assert.deepEqual([commit, more], [test.place.sh('rev-parse', 'main'), {}])
  return commit!
}
async function entered(test: TestWorld, ready: string): Promise<Apart> {
  const here = await enterPlace(test.world, { ...aStart(1, 'S-1', { ready }), story: 'S-1', worker: 1 }, test.deed())
  assert.ok(!('problem' in here), 'problem' in here ? here.problem : '')
  return here
}
const pathOf = (test: TestWorld): string => placeOf(test.world, 'S-1').path

test('a story starts in the worktree that was made ahead, with what has landed since, and all there is new to it', async () => {
  const test = await aWorld({ files: { 'a.txt': 'a\n' } })
  const ready = await made(test)
  test.place.write({ 'b.txt': 'landed\n', 'a.txt': 'changed\n' })
  const tip = commitAll(test.place, 'another story')
  const here = await entered(test, ready)
  assert.equal(readFileSync(join(here.root, 'b.txt'), 'utf8'), 'landed\n')
  assert.deepEqual(
    [here.place.fork, here.place.before.head, here.place.before.dirt, await here.git.currentBranch()],
    [tip, tip, '', placeOf(test.world, 'S-1').branch],
  )
  assert.equal(await here.git.isClean(), true)
})

test('what another agent puts there before the story starts counts as work of the story, and is judged', async () => {
  const test = await aWorld({ files: { 'a.txt': 'a\n' } })
  const ready = await made(test)
  writeFileSync(join(pathOf(test), 'conftest.py'), 'planted\n')
  const here = await entered(test, ready)
  assert.equal(here.place.before.dirt, '')
  assert.equal(shIn(here.root)('status', '--porcelain', '--', '*.py'), '?? conftest.py')
})

test('where somebody has committed or switched the branch there, it is looked at as any other that exists', async () => {
  const test = await aWorld({ files: { 'a.txt': 'a\n' } })
  const ready = await made(test)
  writeFileSync(join(pathOf(test), 'mine.txt'), 'work\n')
  shIn(pathOf(test))('add', 'mine.txt')
  shIn(pathOf(test))('commit', '-qm', 'work')
  const here = await entered(test, ready)
  assert.equal(existsSync(join(here.root, 'mine.txt')), true)
  assert.equal(here.place.before.head, shIn(here.root)('rev-parse', 'HEAD'))
})

for (const [when, hasLanded] of Object.entries({ '': false, ', where something has landed since': true }))
  test(`a lock that a killed git left there is removed, and told${when}`, async () => {
    const test = await aWorld({ files: { 'a.txt': 'a\n' } })
    const ready = await made(test)
    const dir = shIn(pathOf(test))('rev-parse', '--absolute-git-dir')
    writeFileSync(join(dir, 'index.lock'), '')
    if (hasLanded) {
      test.place.write({ 'b.txt': 'landed\n' })
      commitAll(test.place, 'another story')
    }
    const here = await entered(test, ready)
    assert.equal(existsSync(join(dir, 'index.lock')), false)
    assert.equal(existsSync(join(here.root, 'b.txt')), hasLanded)
    assert.equal(test.noticed('lock-removed').length, 1)
  })

test('one that exists is not made ahead: work of an earlier attempt may be in it', async () => {
  const test = await aWorld({ files: { 'a.txt': 'a\n' } })
  await made(test)
  assert.deepEqual(await makeAhead(test.world, 'S-1'), { commit: null })
})

test('no space: that is said, and the story may try itself', async () => {
  const test = await aWorld({ settings: { 'worktree.disk_mb': 1_000_000_000 } })
  const { commit, problem } = await makeAhead(test.world, 'S-1')
  assert.equal(commit, null)
  assert.match(problem ?? '', /worktree\.disk_mb/)
})

test('where its story never starts, it goes with its branch at the end of the run', async () => {
  const test = await aWorld({ policy: { workers: 2 } })
  await made(test)
  assert.deepEqual(await tidyPlaces(test.world, test.state()), [])
  assert.equal(existsSync(pathOf(test)), false)
  assert.equal(test.place.sh('for-each-ref', 'refs/heads/wip'), '')
})
