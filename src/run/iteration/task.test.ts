import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { aStart } from '../../../sim/builders.ts'
import { aWorld } from '../../../test/support/world.ts'
import { noBudget } from '../../core/decide/budget.ts'
import { taskFor } from './task.ts'

test('an agent is started in the project’s folder, with what it works on in its environment', async () => {
  const { world, state } = await aWorld({ settings: { model: 'big' } })
  const { task } = await taskFor(world, aStart(4, 'S-2', { attempt: 3 }), state())
  assert.equal(task.cwd, world.root)
  const { RALPH_ITERATION, RALPH_STORY, RALPH_ATTEMPT, RALPH_PLAN, RALPH_FEATURE_DIR, RALPH_MODEL } = task.env
  assert.deepEqual(
    [RALPH_ITERATION, RALPH_STORY, RALPH_ATTEMPT, RALPH_PLAN, RALPH_FEATURE_DIR, RALPH_MODEL],
    ['4', 'S-2', '3', join(world.dir, 'prd.json'), world.dir, 'big'],
  )
})

test('without a plan and a story these are empty, not missing', async () => {
  const { world, state } = await aWorld({ stories: null })
  const { task } = await taskFor(world, aStart(1, null), state())
  assert.deepEqual([task.env['RALPH_STORY'], task.env['RALPH_PLAN']], ['', ''])
})

test('an agent that can hold to a cost budget is given what is left of it, never nothing', async () => {
  const { world, state } = await aWorld({ policy: { budget: { ...noBudget, costUsd: 5 } } })
  const spent = (costUsd: number) => ({ ...state(), totals: { ...state().totals, costUsd } })
  assert.equal((await taskFor(world, aStart(1, 'S-1'), spent(2))).task.maxCostUsd, 3)
  assert.equal((await taskFor(world, aStart(1, 'S-1'), spent(9))).task.maxCostUsd, 0.0001)
})

test('without a cost budget no limit is passed on', async () => {
  const { world, state } = await aWorld()
  assert.equal((await taskFor(world, aStart(1, 'S-1'), state())).task.maxCostUsd, undefined)
})

test('a session that is to go on is named; else the agent begins a new one', async () => {
  const { world, state } = await aWorld()
  assert.equal((await taskFor(world, aStart(2, 'S-1', { resume: 'abc' }), state())).task.resume, 'abc')
  assert.equal((await taskFor(world, aStart(2, 'S-1'), state())).task.resume, undefined)
})

test('what git is asked meanwhile is noted, also in a worktree, but not over a user’s own trace', async () => {
  const { world, state } = await aWorld()
  const traceOf = async (there: typeof world) => (await taskFor(there, aStart(1, 'S-1'), state())).task.env['GIT_TRACE2_EVENT']
  assert.match((await traceOf(world)) ?? '', /git\.trace$/)
  const place = { path: '/w', branch: 'b', onto: 'main', fork: null, ignored: [], main: '', before: state().repo }
  assert.match((await traceOf({ ...world, place })) ?? '', /git\.trace$/)
  assert.equal(await traceOf({ ...world, env: { ...world.env, GIT_TRACE2_EVENT: '/mine' } }), '/mine')
})
