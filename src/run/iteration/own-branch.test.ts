import assert from 'node:assert/strict'
import { test } from 'node:test'
import { aFlight } from '../../../sim/builders.ts'
import { commitAll, newFolder, shIn } from '../../../test/support/repository.ts'
import { aWorld, type TestWorld } from '../../../test/support/world.ts'
import { noStory } from '../../core/evolve/initial.ts'
import type { State } from '../../core/state.ts'
import { toldNext } from '../noticed.ts'
import { homeAfterKill } from '../preflight/home-after-kill.ts'
import {
  answerForBranch,
  comeHome,
  holdBranch,
  homeNotices,
  isUsersOnly,
  keepPassed,
  mustBeHome,
  mustBeUnmoved,
  passedKey,
  whyGone,
} from './own-branch.ts'

const head = ({ place }: TestWorld): string => place.sh('rev-parse', 'HEAD')
const branch = ({ place }: TestWorld): string => place.sh('rev-parse', '--abbrev-ref', 'HEAD')
const trace = (...names: string[]) => ({ head: null, startedMs: 0, names, spans: [], commands: [] })

test('where the user has checked out something else, the run stops and says how to go back', async () => {
  const { world, place } = await aWorld()
  await mustBeHome(world)
  place.sh('switch', '-qc', 'elsewhere')
  await assert.rejects(mustBeHome(world), {
    exit: 65,
    message: /is on elsewhere, but this run works on main\. .*git switch main/,
  })
})

test('in the worktree of a story the user’s checkout is nobody’s business', async () => {
  const { world, place } = await aWorld()
  place.sh('switch', '-qc', 'elsewhere')
  const before = { head: null, tree: '', dirt: '' }
  const worktree = { path: '/w', branch: 'wip', onto: 'main', fork: null, ignored: [], main: '', before }
  await mustBeHome({ ...world, place: worktree })
})

test('a switch is the user’s doing only if the agent asked git for nothing that moves HEAD', async () => {
  const { world, place } = await aWorld()
  place.sh('switch', '-qc', 'elsewhere')
  await mustBeUnmoved(world, trace('status', 'switch'))
  await mustBeUnmoved(world, null)
  await assert.rejects(mustBeUnmoved(world, trace('status', 'commit')), { exit: 65 })
})

test('after an agent HEAD is on the run’s branch again, with what it committed elsewhere', async () => {
  const test = await aWorld()
  const from = head(test)
  test.place.sh('switch', '-qc', 'agents-own')
  test.place.write({ 'work.txt': 'done\n' })
  const commit = commitAll(test.place, 'work')
  const { did, astray } = await comeHome(test.world, 1, from)
  assert.equal(branch(test), 'main')
  assert.equal(test.place.sh('merge-base', '--is-ancestor', commit, 'HEAD'), '')
  assert.deepEqual([did.length > 0, astray], [true, null])
})

test('an agent that stayed on the branch did nothing that must be corrected', async () => {
  const test = await aWorld()
  const from = head(test)
  test.place.write({ 'work.txt': 'done\n' })
  commitAll(test.place, 'work')
  assert.deepEqual(await comeHome(test.world, 1, from), { did: [], astray: null })
})

test('a branch that was moved from another worktree while somebody was at work goes back to where it was', async () => {
  const test = await aWorld()
  test.place.write({ 'a.txt': '1\n' })
  const commit = commitAll(test.place, 'one')
  const other = newFolder()
  test.place.sh('worktree', 'add', '-q', '-b', 'other', other)
  shIn(other)('update-ref', 'refs/heads/main', 'HEAD~1')
  await holdBranch(test.world, 1, test.deed().report)
  assert.equal(test.place.sh('rev-parse', 'main'), commit)
  assert.match(test.noticed('branch-changed')[0] ?? '', /^during iteration 1 /)
})

test('the project itself is the user’s alone where every agent is in a worktree', async () => {
  const { world } = await aWorld()
  const withFlights = (...flights: State['flights']) => ({ ...world, state: () => ({ ...world.state(), flights }) })
  assert.equal(isUsersOnly(withFlights()), false)
  assert.equal(isUsersOnly(withFlights(aFlight(1, { worker: 1 }), aFlight(2, { worker: 2 }))), true)
  assert.equal(isUsersOnly(withFlights(aFlight(1, { worker: 1 }), aFlight(2))), false)
})

test('work that was checked and is not on the branch any more is told with its commit', async () => {
  const test = await aWorld()
  test.place.write({ 'a.txt': '1\n' })
  const gone = commitAll(test.place, 'checked')
  assert.equal(await whyGone(test.world, gone), null)
  test.place.sh('reset', '-q', '--hard', 'HEAD~1')
  assert.match(
    (await whyGone(test.world, gone)) ?? '',
    new RegExp(`^${gone.slice(0, 10)}, which was checked, is no longer on main`),
  )
})

test('what passed is kept from being pruned, whatever becomes of the branch', async () => {
  const test = await aWorld()
  test.place.write({ 'a.txt': '1\n' })
  const passed = commitAll(test.place, 'passed')
  await keepPassed(test.world, passed, test.deed().report)
  assert.equal(test.place.sh('rev-parse', test.place.git.refOf(passedKey(test.world))), passed)
  assert.deepEqual(test.reports, [])
})

/** S-1 has passed with this commit. */
const passedWith = (state: State, commits: string[]): State => ({
  ...state,
  plan: state.plan && { ...state.plan, stories: state.plan.stories.map((story) => ({ ...story, passes: story.id === 'S-1' })) },
  stories: { 'S-1': { ...noStory, receipt: { iteration: 1, commits, gates: [], proven: true } as never } },
})

test('before the run is complete: a story whose work is gone is open again, in the plan file too', async () => {
  const test = await aWorld({ stories: [{ id: 'S-1', passes: true }] })
  test.place.write({ 'a.txt': '1\n' })
  const gone = commitAll(test.place, 'S-1')
  await keepPassed(test.world, gone, test.deed().report)
  test.place.sh('reset', '-q', '--hard', 'HEAD~1')
  const { missing } = await answerForBranch(test.world, passedWith(test.state(), [gone]))
  assert.deepEqual(
    missing.map(({ story }) => story),
    ['S-1'],
  )
  assert.match(missing[0]?.because ?? '', /is no longer on main\. refs\/ralph\/\S+ still has it/)
  assert.equal(test.plan().userStories[0]?.passes, false)
})

test('before the run is complete: work that is on the branch is not missing', async () => {
  const test = await aWorld({ stories: [{ id: 'S-1', passes: true }] })
  test.place.write({ 'a.txt': '1\n' })
  const commit = commitAll(test.place, 'S-1')
  const { missing, repo } = await answerForBranch(test.world, passedWith(test.state(), [commit]))
  assert.deepEqual([missing, repo.head], [[], commit])
  assert.equal(test.plan().userStories[0]?.passes, true)
})

test('a run is not complete in the middle of a merge', async () => {
  const test = await aWorld()
  test.place.sh('switch', '-qc', 'other')
  test.place.write({ 'a.txt': 'theirs\n' })
  commitAll(test.place, 'theirs')
  test.place.sh('switch', '-q', 'main')
  test.place.write({ 'a.txt': 'ours\n' })
  commitAll(test.place, 'ours')
  assert.throws(() => test.place.sh('merge', 'other'))
  await assert.rejects(answerForBranch(test.world, test.state()), { message: /a merge is open .*git merge --abort/ })
})

test('after a kill the lost agent’s HEAD comes home before the plan is read', async () => {
  const test = await aWorld()
  const { world, place } = test
  const state: State = { ...test.state(), flights: [aFlight(1)], home: { branch: 'main', from: head(test), phase: 'known' } }
  place.sh('switch', '-qc', 'agents-own')
  assert.deepEqual(await homeAfterKill(world, place.git, state), { astray: null })
  assert.equal(branch(test), 'main')
})

test('what was corrected, and what is astray, is reported under the iteration that did it', () => {
  assert.deepEqual(homeNotices(3, { did: ['left main'], astray: 'work is on x' }), [
    toldNext('branch-changed', 'iteration 3 left main'),
    toldNext('work-astray', 'iteration 3: work is on x.'),
  ])
  assert.deepEqual(homeNotices(3, { did: [], astray: null }), [])
})
