import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { commitAll, committed, repository } from '../../../test/support/repository.ts'
import { aSetup, aWorld, quietScreen } from '../../../test/support/world.ts'
import { initialState } from '../../core/evolve/initial.ts'
import type { State } from '../../core/state.ts'
import { checkRepository, checkStillGit } from './repository.ts'

const gone = 'f'.repeat(40)

test('a project that had a repository and lost it is refused: branches and the way back were part of the deal', async () => {
  const { state, world } = await aWorld()
  await assert.rejects(checkStillGit(null, state(), world), {
    exit: 65,
    message: /was in a git repository when the last run began/,
  })
})

test('a project that never had one goes on without', async () => {
  const { state, world } = await aWorld({ isGit: false })
  assert.equal(await checkStillGit(null, state(), world), null)
})

test('a repository without a commit is refused with what to do', async () => {
  const place = await repository()
  await assert.rejects(checkStillGit(place.git, initialState, aSetup(place.top)), { exit: 65, message: /has no commit yet/ })
})

test('a repository that lacks where the run was, but has where it began, is gone on with from its HEAD', async () => {
  const test = await aWorld()
  const from = test.place.sh('rev-parse', 'HEAD')
  const state: State = {
    ...test.state(),
    repo: { head: gone, tree: '', dirt: '' },
    home: { branch: 'main', from, phase: 'known' },
  }
  const fact = await checkStillGit(test.place.git, state, test.world)
  assert.deepEqual([fact?.what, fact?.repo?.head], ['history-changed', from])
})

test('another repository in its place is refused', async () => {
  const test = await aWorld()
  const home = { branch: 'main', from: 'e'.repeat(40), phase: 'known' as const }
  const state: State = { ...test.state(), repo: { head: gone, tree: '', dirt: '' }, home }
  await assert.rejects(checkStillGit(test.place.git, state, test.world), { exit: 65 })
})

test('a merge of the user’s that is open is not the agent’s to finish', async () => {
  const place = await committed({ 'a.txt': 'a\n' })
  place.sh('switch', '-qc', 'other')
  place.write({ 'a.txt': 'theirs\n' })
  commitAll(place, 'theirs')
  place.sh('switch', '-q', 'main')
  place.write({ 'a.txt': 'ours\n' })
  commitAll(place, 'ours')
  assert.throws(() => place.sh('merge', 'other'))
  await assert.rejects(checkRepository(place.git, initialState, quietScreen()), {
    exit: 65,
    message: /^A merge is open in .*git merge --continue\) or abort it \(git merge --abort/,
  })
})

test('what its own run left open is its own to go on with', async () => {
  const test = await aWorld()
  writeFileSync(join(test.place.top, '.git', 'MERGE_HEAD'), `${test.place.sh('rev-parse', 'HEAD')}\n`)
  await checkRepository(test.place.git, test.state(), quietScreen())
})

test('without git there is nothing to check', async () => {
  await checkRepository(null, initialState, quietScreen())
})
