import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { tempFolder } from '../../../test/support/folder.ts'
import { keepPlan } from './live-plan.ts'
import { parsePlan } from './parse-plan.ts'

const text = (...done: string[]): string =>
  JSON.stringify(
    { userStories: ['S-1', 'S-2'].map((id) => ({ id, title: id, priority: 1, passes: done.includes(id) })) },
    null,
    2,
  )

async function keeperFor(t: TestContext) {
  const dir = tempFolder(t)
  const path = join(dir, 'prd.json')
  writeFileSync(path, text())
  const write = (...done: string[]): void => writeFileSync(path, text(...done))
  return { dir, write, read: () => readFileSync(path, 'utf8'), plan: keepPlan(dir, await parsePlan('prd.json', text())) }
}

const allowed = { pick: 'ralph' as const, story: 'S-1' }

test('what is written into the plan after its agent has ended is not its agent’s: put back and told', async (t) => {
  const { plan, write, read } = await keeperFor(t)
  const untouched = plan.written()
  write('S-1')
  const late = 'prd.json was changed after its agent had ended; restored'
  assert.deepEqual(await plan.agentEdits(1, allowed, untouched), { plan: undefined, flips: [], repairs: [late] })
  assert.equal(read(), text())
  write('S-1')
  const flipped = plan.written()
  write('S-1', 'S-2')
  const { flips, repairs } = await plan.agentEdits(2, allowed, flipped)
  assert.deepEqual([flips, repairs, read()], [['S-1'], [late], text('S-1')])
})

test('a plan file beside the plan is the user’s if it was there when nobody was at work, and else goes to the logs', async (t) => {
  const { dir, plan } = await keeperFor(t)
  writeFileSync(join(dir, 'tasks.json'), '{}')
  await plan.userEdits()
  writeFileSync(join(dir, '@fix_plan.md'), '- [x] all')
  assert.deepEqual(plan.removeStrays(3), [
    '@fix_plan.md was created, but the plan of this run is prd.json; moved to logs/fix_plan.md-003.rejected',
  ])
  assert.deepEqual(plan.removeStrays(3), [])
  assert.equal(readFileSync(join(dir, 'logs', 'fix_plan.md-003.rejected'), 'utf8'), '- [x] all')
  plan.letGo()
  writeFileSync(join(dir, 'fix_plan.md'), '- [x] all')
  assert.deepEqual(plan.removeStrays(4), [])
})
