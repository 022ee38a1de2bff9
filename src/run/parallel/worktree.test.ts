import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { aFlight, aStart } from '../../../sim/builders.ts'
import { commitAll, shIn } from '../../../test/support/repository.ts'
import { aWorld, type TestWorld } from '../../../test/support/world.ts'
import { placeOfFlight } from '../../core/evolve/flights.ts'
import { sure } from '../../core/failure.ts'
import type { Apart } from '../world.ts'
import { enterPlace, knownFork, openPlace, setUp, worldOf } from './worktree.ts'
import { placeOf, projectPlaces, tooFull } from './worktree-paths.ts'
import { leavePlace, tidyPlaces } from './worktrees.ts'

async function entered(test: TestWorld, story = 'S-1', worker = 1): Promise<Apart> {
  const here = await enterPlace(test.world, { ...aStart(1, story), story, worker }, test.deed())
  assert.ok(!('problem' in here), 'problem' in here ? here.problem : '')
  return here
}
const problemOf = async (test: TestWorld): Promise<string> => {
  const here = await enterPlace(test.world, { ...aStart(1, 'S-1'), story: 'S-1', worker: 1 }, test.deed())
  return 'problem' in here ? here.problem : ''
}

test('a story gets a worktree at the tip of the working branch, on a branch of its own', async () => {
  const test = await aWorld({ files: { 'a.txt': 'a\n' } })
  const here = await entered(test)
  assert.equal(shIn(here.root)('rev-parse', 'HEAD'), test.place.sh('rev-parse', 'main'))
  assert.equal(shIn(here.root)('rev-parse', '--abbrev-ref', 'HEAD'), placeOf(test.world, 'S-1').branch)
  assert.deepEqual([here.place.onto, here.place.fork], ['main', test.place.sh('rev-parse', 'main')])
})

test('it is given the plan and the notes as the run has them, committed or not', async () => {
  const test = await aWorld()
  test.place.write({ '.ralph/thing/progress.txt': 'earlier\n' })
  const here = await entered(test)
  assert.equal(readFileSync(join(here.dir, 'progress.txt'), 'utf8'), 'earlier\n')
  assert.equal(readFileSync(join(here.dir, 'prd.json'), 'utf8'), test.world.plan.current()?.text)
})

test('what an earlier attempt left there is gone on with, and what landed meanwhile comes in', async () => {
  const test = await aWorld({ files: { 'a.txt': 'a\n' } })
  const first = await entered(test)
  writeFileSync(join(first.root, 'mine.txt'), 'own work\n')
  shIn(first.root)('add', 'mine.txt')
  shIn(first.root)('commit', '-qm', 'own work')
  test.place.write({ 'b.txt': 'landed\n' })
  const tip = commitAll(test.place, 'another story')
  const again = await entered(test)
  assert.equal(existsSync(join(again.root, 'mine.txt')), true)
  assert.equal(readFileSync(join(again.root, 'b.txt'), 'utf8'), 'landed\n')
  assert.equal(again.place.fork, tip)
})

test('where what landed does not fit, the worktree stays as the story left it', async () => {
  const test = await aWorld({ files: { 'a.txt': 'a\n' } })
  const first = await entered(test)
  writeFileSync(join(first.root, 'a.txt'), 'own\n')
  shIn(first.root)('commit', '-qam', 'own')
  test.place.write({ 'a.txt': 'others\n' })
  commitAll(test.place, 'others')
  const again = await entered(test)
  assert.equal(readFileSync(join(again.root, 'a.txt'), 'utf8'), 'own\n')
})

test('files that git does not bring are copied once; a missing one is told and holds nobody up', async () => {
  const test = await aWorld({ settings: { 'worktree.copy': ['.env', 'none.txt', '../outside'] } })
  test.place.write({ '.env': 'KEY=1\n' })
  const here = await entered(test)
  assert.equal(readFileSync(join(here.root, '.env'), 'utf8'), 'KEY=1\n')
  assert.deepEqual(test.noticed('worktree-copy'), [
    'worktree.copy: none.txt does not exist',
    'worktree.copy: ../outside is not inside the project and was not copied',
  ])
  test.reports.length = 0
  await entered(test)
  assert.deepEqual(test.noticed('worktree-copy'), [])
})

test('the user’s command makes it ready once; where that fails, the story cannot begin and is told why', async () => {
  const test = await aWorld({ settings: { 'worktree.setup': 'echo ready >> ready.txt' } })
  const here = await entered(test)
  await entered(test)
  assert.equal(readFileSync(join(here.root, 'ready.txt'), 'utf8'), 'ready\n')
  const broken = await aWorld({ settings: { 'worktree.setup': 'echo no network; exit 1' } })
  assert.match(await problemOf(broken), /^worktree\.setup failed \(echo no network; exit 1\): [\s\S]*no network/)
})

test('without a command there is nothing to set up', async () => {
  const { world } = await aWorld()
  assert.equal(await setUp(world, 1, new AbortController().signal), null)
})

test('each worker has ports of its own where the settings ask for them', async () => {
  const test = await aWorld({ settings: { 'worktree.port_base': 4000 } })
  const ports = async (story: string, worker: number) => (await entered(test, story, worker)).env['RALPH_PORT_BASE']
  assert.deepEqual([await ports('S-1', 1), await ports('S-2', 2)], ['4000', '4020'])
})

test('what lies in its place and is no worktree is moved away, not deleted', async () => {
  const test = await aWorld()
  const { path } = placeOf(test.world, 'S-1')
  mkdirSync(path, { recursive: true })
  writeFileSync(join(path, 'somebodys.txt'), 'x\n')
  await entered(test)
  assert.equal(readFileSync(join(`${path}.old-1`, 'somebodys.txt'), 'utf8'), 'x\n')
})

test('a disk that is too full is told before a worktree is begun', async () => {
  const test = await aWorld({ settings: { 'worktree.disk_mb': 1e12 } })
  assert.match(await problemOf(test), /MB free in .*worktree\.disk_mb requires 1000000000000\. Free some space, or lower it/)
  assert.equal(tooFull({ settings: { ...test.world.settings, 'worktree.disk_mb': 0 } }, '/tmp/x'), null)
})

test('a worktree that is gone is not opened, and the repository itself is no place for its gates', async () => {
  const test = await aWorld()
  const here = await entered(test)
  rmSync(here.place.path, { recursive: true })
  assert.equal(await openPlace(test.world, 'S-1'), null)
  const state = { ...test.state(), flights: [aFlight(1, { story: 'S-1', worker: 1 })] }
  const gone = await worldOf(test.world, 1, state)
  assert.deepEqual([gone.git, gone.root], [null, here.place.path])
})

test('an iteration without a worker works in the project itself', async () => {
  const test = await aWorld()
  assert.equal(await worldOf(test.world, 1, { ...test.state(), flights: [aFlight(1)] }), test.world)
})

test('where its branch left the working branch is known until an agent merges', async () => {
  const test = await aWorld()
  const here = await entered(test)
  assert.equal(await knownFork(here), here.place.fork)
  writeFileSync(join(here.root, 'own.txt'), 'own\n')
  shIn(here.root)('add', 'own.txt')
  shIn(here.root)('commit', '-qm', 'own')
  test.place.write({ 'b.txt': 'landed\n' })
  commitAll(test.place, 'another')
  shIn(here.root)('merge', '-q', '--no-edit', 'main')
  assert.equal(await knownFork(here), null)
})

test('two stories never share a worktree or a branch, however alike their names are', () => {
  const project = { root: '/p', home: '/h', feature: 'thing' }
  const names = ['S-1', 'S/1', 'S 1', 's-1', 'é'.repeat(60)].map((id) => placeOf(project, id))
  assert.equal(new Set(names.map(({ path }) => path)).size, names.length)
  assert.equal(new Set(names.map(({ branch }) => branch)).size, names.length)
})

test('projects of one repository, and its worktrees, have branches of their own for the same story', () => {
  const branchIn = (root: string, dir: string) =>
    placeOf({ root, home: '/h', feature: 'thing', git: { top: '/p', dir } }, 'S-1').branch
  const branches = [branchIn('/p', '/p/.git'), branchIn('/p/app', '/p/.git'), branchIn('/p', '/p/.git/worktrees/second')]
  assert.equal(new Set(branches).size, 3)
})

test('worktrees are not inside the repository, where its own tools would find every file twice', () => {
  assert.ok(projectPlaces({ root: '/p/app', home: '/h/.ralph' }).startsWith('/h/.ralph/'))
})

test('once its work is on the branch, a story’s worktree and branch go', async () => {
  const test = await aWorld()
  const here = await entered(test)
  assert.equal(await leavePlace(test.world, 'S-1'), null)
  assert.equal(existsSync(here.place.path), false)
  assert.equal(test.place.sh('branch', '--list', here.place.branch), '')
})

test('while another story lands, the worktrees of those that have landed wait', async () => {
  const test = await aWorld()
  const here = await entered(test)
  const landing = { ...test.state(), flights: [{ ...aFlight(2, { worker: 2 }), phase: 'returned' as const }] }
  await leavePlace({ ...test.world, state: () => landing }, 'S-1')
  assert.equal(existsSync(here.place.path), true)
  await leavePlace(test.world, null)
  assert.equal(existsSync(here.place.path), false)
})

test('at the end, a worktree with work that is not on the branch stays and is named', async () => {
  const test = await aWorld({ policy: { workers: 2 } })
  const here = await entered(test)
  writeFileSync(join(here.root, 'half.txt'), 'half\n')
  const apart = { 'S-1': { isApart: true } } as never
  const lines = await tidyPlaces(test.world, { ...test.state(), stories: apart })
  assert.deepEqual(lines, [`Worktree:    S-1 in ${here.place.path} (${here.place.branch})`])
  assert.equal(existsSync(here.place.path), true)
})

test('at the end, a worktree whose story never began goes', async () => {
  const test = await aWorld({ policy: { workers: 2 } })
  const { path, branch } = placeOf(test.world, 'S-1')
  await test.place.git.addWorktree(path, branch, test.place.sh('rev-parse', 'main'))
  assert.deepEqual(await tidyPlaces(test.world, test.state()), [])
  assert.equal(existsSync(path), false)
})

test('the branch of an attempt that has landed goes at the end, also if a kill came after its worktree was removed [R-COST-6]', async () => {
  const test = await aWorld()
  const { branch } = placeOf(test.world, placeOfFlight({ story: 'S-1', candidate: 2 }))
  const state = test.state()
  const plan = sure(state.plan, 'plan')
  const passed = { ...plan, stories: plan.stories.map((story) => ({ ...story, passes: true })) }
  const losers = [{ iteration: 1, branch: 'wip/other', because: 'another was better' }]
  test.place.sh('branch', branch, 'main')
  assert.deepEqual(await tidyPlaces(test.world, { ...state, plan: passed, stories: { 'S-1': { losers } } as never }), [])
  assert.equal(test.place.sh('branch', '--list', branch), '')
})
