import assert from 'node:assert/strict'
import { test } from 'node:test'
import { aStart } from '../../../sim/builders.ts'
import { commitAll } from '../../../test/support/repository.ts'
import { aWorld, type TestWorld } from '../../../test/support/world.ts'
import { noStory } from '../../core/evolve/initial.ts'
import type { Ended } from '../../core/types.ts'
import { runCheck } from './check-accepted.ts'

const checks = "test('adds', () => {})\ntest('subtracts', () => {})\n"
const skipping = checks.replace("test('adds'", "test.skip('adds'")

const check = (test: TestWorld): Promise<Ended> =>
  runCheck(test.world, { iteration: 2, story: 'S-1' }, { ...test.deed(), state: test.state() })

/** S-1 has begun on a project with tests. */
async function begun(): Promise<TestWorld> {
  const test = await aWorld({ files: { 'test/a.test.js': checks } })
  test.happens(aStart(1, 'S-1', { saves: true }))
  return test
}

test('what a person accepted is looked at as any flip is, without an agent and its cost', async () => {
  const test = await begun()
  test.place.write({ 'test/a.test.js': skipping })
  commitAll(test.place, 'work')
  const { flips, exit, usage, checks: changed, findings = [] } = await check(test)
  assert.deepEqual([flips, exit, usage.costUsd, changed], [['S-1'], 'lost', 0, ['test/a.test.js']])
  assert.deepEqual(
    findings.map(({ rule }) => rule),
    ['test-skipped', 'nothing-done'],
  )
})

test('work that waited on a branch is brought back first; where it conflicts, nothing is marked done', async () => {
  const shelf = async (ours: Record<string, string>): Promise<Ended> => {
    const test = await begun()
    test.place.sh('switch', '-qc', 'wip/shelf')
    test.place.write({ 'test/a.test.js': skipping })
    commitAll(test.place, 'as far as it got')
    test.place.sh('switch', '-q', 'main')
    test.place.write(ours)
    commitAll(test.place, 'another story')
    test.state().stories['S-1'] = { ...noStory, shelf: { branch: 'wip/shelf' } }
    return check(test)
  }
  const { flips, commits, files } = await shelf({ 'b.txt': 'b\n' })
  assert.deepEqual([flips, commits.length > 0, files?.includes('test/a.test.js')], [['S-1'], true, true])
  assert.deepEqual((await shelf({ 'test/a.test.js': checks.replace('adds', 'sums') })).flips, [])
})
