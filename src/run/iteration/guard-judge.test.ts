import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { aWorld } from '../../../test/support/world.ts'
import type { Agent, Task } from '../../ports.ts'
import { checkoutFor, clearJudges, emptyFolderFor, fromProject, undoJudgesChanges } from './guard-judge.ts'

test('a reviewer sees the work as it stands, committed or not, in a checkout of its own', async () => {
  const test = await aWorld({ files: { 'a.txt': 'a\n' } })
  test.place.write({ 'a.txt': 'changed\n', 'new.txt': 'new\n' })
  const look = await checkoutFor(test.world, 'the reviewer', test.deed().report)
  assert.notEqual(look.cwd, test.world.root)
  assert.deepEqual([look.isShared, look.missing], [false, ''])
  assert.equal(readFileSync(join(look.cwd, 'a.txt'), 'utf8'), 'changed\n')
  assert.equal(existsSync(join(look.cwd, 'new.txt')), true)
})

test('what git ignores, and may hold keys, is not in the checkout', async () => {
  const test = await aWorld({ files: { '.gitignore': '.ralph/*/logs/\n*.env\n' } })
  test.place.write({ 'secret.env': 'KEY=1\n' })
  const look = await checkoutFor(test.world, 'the reviewer', test.deed().report)
  assert.equal(existsSync(join(look.cwd, 'secret.env')), false)
})

test('a judge that looks and changes nothing is heard', async () => {
  const test = await aWorld()
  const look = await checkoutFor(test.world, 'the reviewer', test.deed().report)
  assert.equal(await undoJudgesChanges(test.world, look, { iteration: 1, who: 'the reviewer' }, test.deed().report), null)
})

test('a judge that changes files in its checkout is not heard; the project is as it was', async () => {
  const test = await aWorld({ files: { 'a.txt': 'a\n' } })
  const look = await checkoutFor(test.world, 'the reviewer', test.deed().report)
  writeFileSync(join(look.cwd, 'a.txt'), 'by the judge\n')
  assert.equal(
    await undoJudgesChanges(test.world, look, { iteration: 1, who: 'the reviewer' }, test.deed().report),
    'The reviewer changed files in its checkout (a.txt). They are discarded, and its answer does not count.',
  )
  assert.equal(readFileSync(join(test.place.top, 'a.txt'), 'utf8'), 'a\n')
})

test('the next judge finds the checkout as new', async () => {
  const test = await aWorld({ files: { 'a.txt': 'a\n' } })
  const first = await checkoutFor(test.world, 'the reviewer', test.deed().report)
  writeFileSync(join(first.cwd, 'a.txt'), 'by the judge\n')
  writeFileSync(join(first.cwd, 'left.txt'), 'left\n')
  await first.over()
  const second = await checkoutFor(test.world, 'the reviewer', test.deed().report)
  assert.equal(second.cwd, first.cwd)
  assert.equal(readFileSync(join(second.cwd, 'a.txt'), 'utf8'), 'a\n')
  assert.equal(existsSync(join(second.cwd, 'left.txt')), false)
})

test('two judges at once look in two places', async () => {
  const test = await aWorld()
  const looks = [
    await checkoutFor(test.world, 'the reviewer', test.deed().report),
    await checkoutFor(test.world, 'the reviewer', test.deed().report),
  ]
  assert.notEqual(looks[0]?.cwd, looks[1]?.cwd)
})

test('without git a judge gets a copy without instructions for agents, and its answer counts only if it changed nothing there', async () => {
  const files = {
    'src/x.txt': 'x\n',
    'CLAUDE.md': 'pass\n',
    'sub/AGENTS.md': 'pass\n',
    '.claude/settings.json': '{}',
    'node_modules/a/b.js': '',
  }
  const test = await aWorld({ isGit: false, files })
  const look = await checkoutFor(test.world, 'the reviewer', test.deed().report)
  assert.deepEqual([look.isShared, readFileSync(join(look.cwd, 'src/x.txt'), 'utf8')], [false, 'x\n'])
  for (const path of ['CLAUDE.md', 'sub/AGENTS.md', '.claude/settings.json', 'node_modules'])
    assert.equal(existsSync(join(look.cwd, path)), false, path)
  test.place.write({ 'src/x.txt': 'of somebody else\n' })
  assert.equal(await look.over(), null)
  writeFileSync(join(look.cwd, 'mine.txt'), '')
  assert.match((await look.over()) ?? '', /^changed files in its copy of the project/)
})

test('without git and without room for a copy, it looks at the project itself, and that is told', async () => {
  const test = await aWorld({ isGit: false, settings: { 'worktree.disk_mb': 1e12 } })
  const look = await checkoutFor(test.world, 'the reviewer', test.deed().report)
  assert.deepEqual([look.cwd, look.isShared], [test.world.root, true])
  assert.match(
    test.noticed('judge-place')[0] ?? '',
    /instructions for agents that an implementer left .* may reach it: only \d+ MB free/,
  )
  assert.equal(await look.over(), null)
  test.place.write({ 'x.txt': 'x\n' })
  assert.match((await look.over()) ?? '', /^Files changed during the review\. Outside a git repository/)
})

test('where there is no room for a checkout, it looks at the project itself, and that is told', async () => {
  const test = await aWorld({ settings: { 'worktree.disk_mb': 1e12 } })
  const look = await checkoutFor(test.world, 'the reviewer', test.deed().report)
  assert.equal(look.isShared, true)
  assert.match(test.noticed('judge-place')[0] ?? '', /^Could not create a checkout for the reviewer, .*MB free/)
})

test('a plan that changed while a judge looked at the project itself is put back, and the answer does not count', async () => {
  const test = await aWorld({ isGit: false, settings: { 'worktree.disk_mb': 1e12 } })
  const look = { ...(await checkoutFor(test.world, 'the reviewer', test.deed().report)), over: async () => null }
  const plan = test.plan()
  writeFileSync(
    join(test.world.dir, 'prd.json'),
    JSON.stringify({ ...plan, userStories: plan.userStories.map((story) => ({ ...story, passes: true })) }),
  )
  const problem = await undoJudgesChanges(test.world, look, { iteration: 1, who: 'the reviewer' }, test.deed().report)
  assert.match(problem ?? '', /^The plan was changed while the reviewer worked in the project itself, and restored/)
  assert.equal(test.plan().userStories[0]?.passes, false)
})

test('a learner gets an empty folder, which goes with it', async () => {
  const test = await aWorld()
  const look = emptyFolderFor(test.world)
  assert.equal(existsSync(look.cwd), true)
  await look.over()
  assert.equal(existsSync(look.cwd), false)
})

test('what judges left is gone at the end of the run', async () => {
  const test = await aWorld()
  await checkoutFor(test.world, 'the reviewer', test.deed().report)
  assert.equal(await clearJudges(test.world), null)
  assert.equal(existsSync(test.world.judges.folder), false)
})

test('a file of the project that a judge’s command line names is found from its own folder', async () => {
  const { world, place } = await aWorld({ files: { 'tools/agent.mjs': '' } })
  const agent = {
    launch: () => ({ command: 'node', args: ['tools/agent.mjs', '--model', 'x'], env: {}, stdin: '' }),
  } as unknown as Agent
  const cwd = join(place.top, '..', 'elsewhere')
  mkdirSync(cwd, { recursive: true })
  const { args } = fromProject(agent, world).launch({ cwd } as Task)
  assert.deepEqual(args, [join(place.top, 'tools/agent.mjs'), '--model', 'x'])
})
