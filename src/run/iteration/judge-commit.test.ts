import assert from 'node:assert/strict'
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { aFlight, anEnd, anEndedFlight, aResult } from '../../../sim/builders.ts'
import { commitAll } from '../../../test/support/repository.ts'
import { aWorld, type TestWorld } from '../../../test/support/world.ts'
import type { EndedFlight } from '../../core/state.ts'
import type { Ended, Gate } from '../../core/types.ts'
import { checkCommitted, commitSeen, noteSeen } from './judge-commit.ts'

const gates: Gate[] = [{ name: 'tests', command: 'test -f a.txt' }]

/** An iteration that left these files uncommitted, and marked S-1 as done. */
async function ended(test: TestWorld, more: Partial<Ended> = {}): Promise<EndedFlight> {
  const { head, tree, dirt, uncommitted } = await test.place.git.snapshot()
  return anEndedFlight(anEnd(1, { repo: { head, tree, dirt }, uncommitted, flips: ['S-1'], ...more }), {
    story: 'S-1',
    gates: [aResult('tests', true)],
  })
}
const committedBy = (test: TestWorld, flight: EndedFlight) => commitSeen(test.world, flight, ['S-1'], test.deed())
const hookOf = (test: TestWorld, text: string): void => {
  const hook = join(test.place.top, '.git', 'hooks', 'pre-commit')
  writeFileSync(hook, `#!/bin/sh\n${text}\n`)
  chmodSync(hook, 0o755)
}

test('the work of a story that passes is committed with its title, and is what the gates saw', async () => {
  const test = await aWorld()
  test.place.write({ 'a.txt': 'done\n' })
  const flight = await ended(test)
  noteSeen(test.world, flight)
  const { work, unseen } = await committedBy(test, flight)
  assert.ok(work !== null && 'commit' in work)
  assert.equal(unseen, null)
  assert.equal(test.place.sh('log', '-1', '--format=%s'), 'feat: S-1 - Story S-1')
})

test('where nothing is left uncommitted, nothing is committed', async () => {
  const test = await aWorld()
  assert.deepEqual(await committedBy(test, await ended(test)), { work: null, unseen: null })
})

test('with git.auto_commit off the work stays uncommitted', async () => {
  const test = await aWorld({ settings: { 'git.auto_commit': false } })
  test.place.write({ 'a.txt': 'done\n' })
  assert.equal((await committedBy(test, await ended(test))).work, null)
  assert.equal(test.place.sh('status', '--porcelain'), '?? a.txt')
})

test('what changed between the gates and the commit was seen by no gate', async () => {
  const test = await aWorld()
  test.place.write({ 'a.txt': 'done\n' })
  const flight = await ended(test)
  noteSeen(test.world, flight)
  test.place.write({ 'a.txt': 'changed since\n' })
  assert.equal((await committedBy(test, flight)).unseen, 'files changed after the gates had run')
})

test('after a kill nobody knows what the gates saw: it counts as changed', async () => {
  const test = await aWorld()
  test.place.write({ 'a.txt': 'done\n' })
  assert.equal((await committedBy(test, await ended(test))).unseen, 'files changed after the gates had run')
})

test('a branch that got other content after the gates was seen by none of them', async () => {
  const test = await aWorld()
  const flight = await ended(test)
  test.place.write({ 'b.txt': 'by somebody\n' })
  commitAll(test.place, 'somebody')
  assert.equal((await committedBy(test, flight)).unseen, 'the branch changed after the gates had run')
})

test('without a hard gate nothing was promised about what is committed', async () => {
  const test = await aWorld()
  test.place.write({ 'a.txt': 'done\n' })
  const flight = { ...(await ended(test)), gates: [aResult('lint', true, { soft: true })] }
  assert.equal((await committedBy(test, flight)).unseen, null)
})

test('a hook that changes what is committed makes it another work than the gates saw', async () => {
  const test = await aWorld()
  hookOf(test, 'echo formatted > a.txt; git add a.txt')
  test.place.write({ 'a.txt': 'done\n' })
  const flight = await ended(test)
  noteSeen(test.world, flight)
  assert.equal((await committedBy(test, flight)).unseen, 'a commit hook changed what was committed')
})

test('a hook that refuses the commit is a refusal in its own words', async () => {
  const test = await aWorld()
  hookOf(test, 'echo "lint failed" >&2; exit 1')
  test.place.write({ 'a.txt': 'done\n' })
  const { work } = await committedBy(test, await ended(test))
  assert.ok(work !== null && 'error' in work)
  assert.match(work.error, /lint failed/)
})

test('what was committed is checked in the work tree itself where no checkout can judge', async () => {
  const test = await aWorld({ files: { 'a.txt': 'a\n' }, policy: { gates } })
  const flight = await ended(test)
  const world = { ...test.world, git: test.place.git }
  const results = await checkCommitted(world, flight, { ...test.deed(), state: { ...test.state(), flights: [aFlight(1)] } })
  assert.deepEqual(
    results.map(({ name, passed }) => [name, passed]),
    [['tests', true]],
  )
})
