import assert from 'node:assert/strict'
import { readdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { aResult } from '../../../sim/builders.ts'
import { tempFolder } from '../../../test/support/folder.ts'
import { aWorld, type TestWorld } from '../../../test/support/world.ts'
import type { GateResult } from '../../core/types.ts'
import type { HeldOut } from '../parts.ts'
import { withHeldOut } from './held-out.ts'

/** A gate whose runner counts the test files that it finds. */
const counting = { name: 'tests', command: 'set -- *.test.js; echo "# pass $#"; echo "# fail 0"' }
const stories = [{ id: 'S-1', acceptanceCriteria: ['Is rounded up'] }]

async function checked(test: TestWorld, heldOut: HeldOut, results: GateResult[] = []): Promise<GateResult[]> {
  return withHeldOut({ ...test.world, heldOut }, { iteration: 'whole', results }, test.deed())
}

function folderOf(files: Record<string, string>): HeldOut {
  const folder = tempFolder()
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  return { folder }
}

test('tests of a folder that the gates do not run have checked nothing', async () => {
  const test = await aWorld({ stories, files: { 'a.test.js': '' }, policy: { gates: [counting] } })
  const before = aResult('tests', true, { census: { passed: 1, failed: 0, skipped: 0 } })
  const run = async (name: string) => (await checked(test, folderOf({ [name]: '' }), [before]))[1]
  const [found, lost] = [await run('b.test.js'), await run('c.spec.js')]
  assert.deepEqual([found?.passed, lost?.passed, lost?.ended], [true, false, 'missing'])
  assert.match(lost?.output ?? '', /could not run\. Only the user can fix that/)
})

test('it sees what is committed, knows for which stories it runs, and leaves no checkout and, if it passes, no output', async () => {
  const test = await aWorld({ stories })
  test.place.write({ 'uncommitted.txt': '' })
  const { judges, home } = test.world
  const command = '! test -e uncommitted.txt && test "$RALPH_STORIES" = S-1'
  assert.deepEqual(
    (await checked(test, { command, files: [] })).map(({ name, passed }) => [name, passed]),
    [['held-out', true]],
  )
  assert.deepEqual(readdirSync(judges.folder), [])
  assert.deepEqual(
    readdirSync(join(home, 'held-out'), { recursive: true }).filter((name) => /\.log$/.test(String(name))),
    [],
  )
})

test('where the gates have decided, or Ralph is asked to stop, it does not run', async () => {
  const test = await aWorld({ stories })
  const leaves: HeldOut = { command: `touch ${join(dirname(test.place.top), 'ran')}`, files: [] }
  const red = aResult('tests', false)
  assert.deepEqual(await checked(test, leaves, [red]), [red])
  const stopped = { ...test.deed(), stop: AbortSignal.abort() }
  const results = await withHeldOut({ ...test.world, heldOut: leaves }, { iteration: 'whole', results: [] }, stopped)
  assert.deepEqual(
    results.map(({ name, ended }) => [name, ended]),
    [['held-out', 'stopped']],
  )
  assert.equal(readdirSync(dirname(test.place.top)).includes('ran'), false)
})
