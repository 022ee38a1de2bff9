import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { aWorld, type TestWorld } from '../../../test/support/world.ts'
import { decidePath, projectConfig, statusPath } from '../../adapters/project/layout.ts'
import { keyPath, personKey } from '../../adapters/project/person-key.ts'
import { restoreConfig, restoreOwn, undoGateEdits, watchAgain } from './restore-ralph-files.ts'

const restore = (test: TestWorld, iteration = 1): Promise<void> => restoreOwn(test.world, iteration, test.deed().report)
const kinds = ({ reports }: TestWorld): string[] => reports.flatMap((fact) => (fact.kind === 'noticed' ? [fact.what] : []))

test('where nobody touched what is ours, nothing is told', async () => {
  const test = await aWorld()
  await restore(test)
  assert.deepEqual(test.reports, [])
})

test('settings that appear while an agent works are taken away again, with a copy', async () => {
  const test = await aWorld()
  const path = projectConfig(test.place.top)
  writeFileSync(path, 'gates: {}\n')
  assert.equal(restoreConfig(test.world, 4, test.deed().report), true)
  assert.equal(existsSync(path), false)
  assert.equal(readFileSync(join(test.world.logs, 'config-004.rejected'), 'utf8'), 'gates: {}\n')
  assert.match(test.noticed('config-restored')[0] ?? '', /config\.yaml was created .* during iteration 4; removed$/)
})

test('settings that were changed are put back as the run began with them', async () => {
  const test = await aWorld()
  const path = projectConfig(test.place.top)
  writeFileSync(path, 'agent: other\n')
  const world = { ...test.world, configFiles: [{ path, text: 'agent: mine\n' }] }
  assert.equal(restoreConfig(world, 1, test.deed().report), true)
  assert.equal(readFileSync(path, 'utf8'), 'agent: mine\n')
  rmSync(path)
  restoreConfig(world, 1, test.deed().report)
  assert.equal(readFileSync(path, 'utf8'), 'agent: mine\n')
  assert.match(test.noticed('config-restored')[1] ?? '', /was removed during iteration 1; restored$/)
})

test('the copy of the user’s own settings is not in the project', async () => {
  const test = await aWorld()
  const path = join(test.world.home, 'config.yaml')
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, 'model: cheap\n')
  restoreConfig({ ...test.world, configFiles: [{ path, text: null }] }, 2, test.deed().report)
  const copy = join(test.world.home, 'restored', `${test.world.feature}-002-config.yaml`)
  assert.equal(readFileSync(copy, 'utf8'), 'model: cheap\n')
  assert.deepEqual(readdirSync(test.world.logs), ['last-prd.json'])
})

test('the key with which commands of a person sign is the same after an agent that replaced or removed it', async () => {
  const test = await aWorld()
  const { home } = test.world
  const key = personKey(home)
  for (const change of [() => writeFileSync(keyPath(home), 'f'.repeat(64)), () => rmSync(keyPath(home))]) {
    change()
    await restore(test)
    assert.equal(readFileSync(keyPath(home), 'utf8'), key)
  }
  assert.match(test.noticed('settings-restored')[0] ?? '', /request\.key was changed during iteration 1; restored\./)
  assert.equal(test.reports.length, 2)
})

test('a git hook that an agent made is gone before the next commit', async () => {
  const test = await aWorld()
  const hook = join(test.place.top, '.git', 'hooks', 'pre-commit')
  mkdirSync(dirname(hook), { recursive: true })
  writeFileSync(hook, '#!/bin/sh\nexit 1\n', { mode: 0o755 })
  await restore(test)
  assert.equal(existsSync(hook), false)
  assert.equal(kinds(test).length, 1)
})

test('a git configuration that an agent changed is what it was, and the agent is told', async () => {
  const test = await aWorld()
  test.place.sh('config', 'core.hooksPath', '/elsewhere')
  await restore(test)
  assert.throws(() => test.place.sh('config', 'core.hooksPath'))
  const told = test.reports.flatMap((fact) => (fact.kind === 'noticed' ? [fact.tell] : []))
  assert.deepEqual(told, [true])
})

test('a file that git was told not to look at is looked at again', async () => {
  const test = await aWorld({ files: { 'a.txt': 'a\n' } })
  test.place.sh('update-index', '--assume-unchanged', 'a.txt')
  await watchAgain(test.world, 1, test.deed().report)
  test.place.write({ 'a.txt': 'b\n' })
  assert.match(test.place.sh('status', '--porcelain'), /a\.txt/)
  assert.match(test.noticed('git-files-restored')[0] ?? '', /to ignore changes in a\.txt during iteration 1/)
})

test('a file that the user hid from git before the run stays hidden', async () => {
  const test = await aWorld({ files: { 'a.txt': 'a\n' } })
  test.place.sh('update-index', '--skip-worktree', 'a.txt')
  const own = { ...test.world.own, unwatched: new Set(['a.txt']) }
  await watchAgain({ ...test.world, own }, 1, test.deed().report)
  assert.match(test.place.sh('ls-files', '-v', 'a.txt'), /^S/)
  assert.deepEqual(test.reports, [])
})

test('a story that a gate marked as done is open again', async () => {
  const test = await aWorld()
  const plan = test.plan()
  plan.userStories = plan.userStories.map((story) => ({ ...story, passes: true }))
  writeFileSync(join(test.world.dir, 'prd.json'), JSON.stringify(plan))
  assert.equal(await undoGateEdits(test.world, 2, test.deed().report, 'the gates of iteration 2'), true)
  assert.deepEqual(
    test.plan().userStories.map(({ passes }) => passes),
    [false, false],
  )
  assert.match(test.noticed('plan-restored')[0] ?? '', /changed while the gates of iteration 2 ran; restored/)
})

test('a plan as it was is not told of', async () => {
  const test = await aWorld()
  assert.equal(await undoGateEdits(test.world, 2, test.deed().report, 'the gates'), false)
  assert.deepEqual(test.reports, [])
})

test('a folder in the place of a file of ours goes to the logs', async () => {
  const test = await aWorld()
  mkdirSync(statusPath(test.world.dir))
  await restore(test, 3)
  assert.equal(existsSync(statusPath(test.world.dir)), false)
  assert.equal(existsSync(join(test.world.logs, 'status.json-003.rejected')), true)
  assert.match(test.noticed('place-cleared')[0] ?? '', /status\.json was replaced by a folder during iteration 3/)
})

test('a link in the place of the plan is not followed: the plan is a file again', async () => {
  const test = await aWorld()
  const path = join(test.world.dir, 'prd.json')
  const text = readFileSync(path, 'utf8')
  writeFileSync(join(test.place.top, 'theirs.json'), '{}')
  rmSync(path)
  symlinkSync(join(test.place.top, 'theirs.json'), path)
  await restore(test)
  assert.equal(readFileSync(path, 'utf8'), text)
  assert.equal(readFileSync(join(test.place.top, 'theirs.json'), 'utf8'), '{}')
  assert.ok(kinds(test).includes('link-removed'))
})

test('an answer that somebody wrote while an agent was at work is not taken for a person’s', async () => {
  const test = await aWorld()
  writeFileSync(decidePath(test.world.dir), 'Which one?\n---\nThe easy one.\n')
  await restore(test)
  assert.equal(existsSync(decidePath(test.world.dir)), false)
  assert.ok(kinds(test).includes('decide-restored'))
})
