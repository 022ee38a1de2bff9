import assert from 'node:assert/strict'
import { existsSync, writeFileSync } from 'node:fs'
import { test } from 'node:test'
import { after, aPlan, aStory, runStarted } from '../../../sim/builders.ts'
import { aWorld } from '../../../test/support/world.ts'
import { openLog } from '../../adapters/project/event-log.ts'
import { eventLogPath, stateMdPath } from '../../adapters/project/layout.ts'
import { noStory } from '../../core/evolve/initial.ts'
import type { State } from '../../core/state.ts'
import { freshFacts, startFresh, triedStories } from './start-fresh.ts'

const failed = { branch: 'wip/ralph-fail-S-1', reason: 'tests', at: '2026-01-05T08:00:00.000Z' }

test('stories with something to forget are those that failed or were tried, and still count', () => {
  const plan = aPlan([
    aStory('failed', { failed }),
    aStory('tried'),
    aStory('new'),
    aStory('done', { passes: true }),
    aStory('out', { skip: true, failed }),
  ])
  const tried = { ...noStory, attempts: 2 }
  const state: State = { ...after([runStarted(plan)]), stories: { tried, done: tried, out: tried } }
  assert.deepEqual(
    triedStories(state, plan).map(({ id }) => id),
    ['failed', 'tried'],
  )
  assert.deepEqual(freshFacts(triedStories(state, plan)), [
    { kind: 'story.retried', story: 'failed' },
    { kind: 'story.retried', story: 'tried' },
  ])
})

test('a failure’s branch is moved out of the way, and plan, log and state.md forget it', async () => {
  const test = await aWorld({ stories: [{ id: 'S-1', failed }, { id: 'S-2' }] })
  test.place.sh('branch', failed.branch)
  writeFileSync(stateMdPath(test.world.dir), '# S-1\n')
  const log = openLog(eventLogPath(test.world.dir))
  const next = await startFresh(test.world, log, test.state())
  log.close()
  assert.equal(test.place.sh('branch', '--list', '--format=%(refname:short)', '*ralph-fail*'), `archive/${failed.branch}`)
  assert.equal(test.plan().userStories[0]?.['failed'], undefined)
  assert.equal(next.plan?.stories[0]?.failed, undefined)
  assert.equal(existsSync(stateMdPath(test.world.dir)), false)
})

test('a branch that is not a failure’s is not ours to move, whatever the plan says', async () => {
  const test = await aWorld({ stories: [{ id: 'S-1', failed: { ...failed, branch: 'main' } }] })
  const log = openLog(eventLogPath(test.world.dir))
  await startFresh(test.world, log, test.state())
  log.close()
  assert.equal(test.place.sh('branch', '--format=%(refname:short)'), 'main')
})
