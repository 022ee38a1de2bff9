import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { aStart } from '../../../sim/builders.ts'
import { aWorld, type TestWorld } from '../../../test/support/world.ts'
import type { Ended } from '../../core/types.ts'
import { runIteration } from '../iteration/iteration.ts'
import { runApart } from './iteration.ts'

const flip = 'sed -i "0,/\\"passes\\": false/s//\\"passes\\": true/" $RALPH_PLAN'
const withAgent = (script: string, settings = {}): Promise<TestWorld> =>
  aWorld({ settings: { agent: { name: 'mine', command: ['sh', '-c', `cat > /dev/null\n${script}`] }, ...settings } })
const started = { ...aStart(1, 'S-1', { worker: 1 }), story: 'S-1' }
const apart = (test: TestWorld): Promise<Ended> =>
  runApart(test.world, started, test.deed(), (place, stop) => runIteration(place, started, { ...test.deed(), stop }))

test('an agent apart works in a worktree: the project itself is as it was', async () => {
  const test = await withAgent(`echo w > w.txt; git add w.txt; git commit -qm w; ${flip}`)
  const { flips, commits, files } = await apart(test)
  assert.deepEqual([flips, commits.length, files], [['S-1'], 1, ['w.txt']])
  assert.equal(existsSync(join(test.place.top, 'w.txt')), false)
  assert.equal(test.plan().userStories[0]?.passes, false)
})

test('its agent’s return is told before its work is looked at, so that the next one can start', async () => {
  const test = await withAgent('echo w > w.txt; echo "Wrote w.txt."')
  await apart(test)
  assert.deepEqual(
    test.reports.flatMap((fact) => (fact.kind === 'agent.returned' ? [fact.iteration] : [])),
    [1],
  )
})

test('a flip without any work, and without a word that it is done, is set back', async () => {
  const { flips, repairs } = await apart(await withAgent(flip))
  assert.deepEqual(flips, [])
  assert.match(repairs.at(-1) ?? '', /story S-1 was marked done, but nothing changed/)
})

test('what it wrote into its progress.txt is in the run’s', async () => {
  const test = await withAgent(
    String.raw`printf -- '---\nIteration: 1\nStory: S-1 - Story S-1\nLearnt: much\n' >> .ralph/thing/progress.txt`,
  )
  assert.equal((await apart(test)).wroteProgress, true)
  assert.match(readFileSync(join(test.world.dir, 'progress.txt'), 'utf8'), /Learnt: much/)
})

test('a worktree that cannot be made ready is a failed iteration with the reason', async () => {
  const { exit, signals, commits } = await apart(await withAgent('true', { 'worktree.setup': 'echo no network; exit 1' }))
  assert.deepEqual([exit, commits], ['failed', []])
  assert.match(JSON.stringify(signals), /worktree\.setup failed .*no network/)
})

test('a worktree that its agent removes takes the work with it, and nothing else', async () => {
  const test = await withAgent('rm -rf "$PWD"')
  const { exit, signals } = await apart(test)
  assert.equal(exit, 'failed')
  assert.match(JSON.stringify(signals), /its worktree .* was removed/)
  assert.equal(existsSync(join(test.place.top, '.git')), true)
})
