import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { test } from 'node:test'
import { commitAll, commitIn, committed, newFolder, placeAt, type TestRepository } from '../../../test/support/repository.ts'

/** A repository, and a worktree of it on the branch `work`. */
async function two(): Promise<{ main: TestRepository; work: TestRepository }> {
  const main = await committed({ 'a.txt': 'a\n', '.ralph/f/prd.json': '{"passes": false}\n' })
  const path = newFolder()
  assert.equal(await main.git.addWorktree(path, 'work', 'HEAD'), null)
  return { main, work: await placeAt(path) }
}

/** One more file, committed; gives the commit. */
test('where nothing else has landed, the work itself is what lands', async () => {
  const { main, work } = await two()
  const head = commitIn(work, 'b.txt', 'b\n')
  const tip = (await main.git.head())!
  assert.deepEqual(await main.git.joined(tip, head, { own: 'ours', message: 'm\n' }), { commit: head, isSame: true })
  assert.equal(await main.git.advance(head), null)
  assert.equal(readFileSync(join(main.top, 'b.txt'), 'utf8'), 'b\n')
  assert.equal(await main.git.joined(head, head, { own: 'ours', message: 'm\n' }), null)
})

test('another git that has the lock of the index for a moment does not keep work from landing', async () => {
  const { main, work } = await two()
  const head = commitIn(work, 'b.txt', 'b\n')
  const lock = join(main.top, '.git', 'index.lock')
  writeFileSync(lock, '')
  const landing = main.git.advance(head)
  setTimeout(() => rmSync(lock), 200)
  assert.equal(await landing, null)
  assert.equal(await main.git.head(), head)
})

test('what has landed meanwhile stays; the merge has both, and is not what the gates have seen', async () => {
  const { main, work } = await two()
  const head = commitIn(work, 'b.txt', 'b\n')
  const tip = commitIn(main, 'c.txt', 'c\n')
  const joined = (await main.git.joined(tip, head, { own: 'ours', message: 'both\n' }))!
  assert.ok('commit' in joined && !joined.isSame)
  assert.equal(await main.git.advance(joined.commit), null)
  assert.equal(main.sh('log', '-1', '--format=%s %P'), `both ${tip} ${head}`)
  assert.deepEqual(
    ['b.txt', 'c.txt'].map((name) => existsSync(join(main.top, name))),
    [true, true],
  )
})

test('a conflict is told in words, and nothing is changed', async () => {
  const { main, work } = await two()
  const head = commitIn(work, 'a.txt', 'theirs\n')
  const tip = commitIn(main, 'a.txt', 'ours\n')
  assert.deepEqual(await main.git.joined(tip, head, { own: 'ours', message: 'm\n' }), {
    conflict: 'CONFLICT (content): Merge conflict in a.txt',
  })
  assert.deepEqual([main.sh('rev-parse', 'HEAD'), main.sh('status', '--porcelain')], [tip, ''])
})

test('what was committed of .ralph/ stays apart, on either side, and is no conflict', async () => {
  const { main, work } = await two()
  commitIn(work, '.ralph/f/prd.json', '{"passes": "theirs"}\n')
  commitIn(work, '.ralph/other/x', 'x\n')
  const head = commitIn(work, 'b.txt', 'b\n')
  const tip = commitIn(main, '.ralph/f/prd.json', '{"passes": "ours"}\n')
  const landing = (await main.git.joined(tip, head, { own: 'ours', message: 'm\n' }))!
  assert.ok('commit' in landing)
  assert.equal(main.sh('ls-tree', '-r', '--name-only', landing.commit), '.ralph/f/prd.json\na.txt\nb.txt')
  assert.equal(main.sh('show', `${landing.commit}:.ralph/f/prd.json`), '{"passes": "ours"}')
  const fresh = (await work.git.joined(head, tip, { own: 'theirs', message: 'm\n' }))!
  assert.ok('commit' in fresh)
  assert.equal(main.sh('rev-parse', `${fresh.commit}:.ralph`), main.sh('rev-parse', `${tip}:.ralph`))
})

test('a merge by hand does not stumble over .ralph/ once that is taken from the other side', async () => {
  const { main, work } = await two()
  commitIn(work, '.ralph/f/prd.json', '{"passes": "theirs"}\n')
  const tip = commitIn(main, '.ralph/f/prd.json', '{"passes": "ours"}\n')
  await work.git.takeOwn(tip)
  work.sh('merge', '-q', '--no-edit', tip)
  assert.equal(work.sh('show', 'HEAD:.ralph/f/prd.json'), '{"passes": "ours"}')
})

test('uncommitted changes of the user in the way of what lands: refused, and as they were', async () => {
  const { main, work } = await two()
  const head = commitIn(work, 'a.txt', 'theirs\n')
  main.write({ 'a.txt': "the user's\n" })
  const refused = await main.git.advance(head)
  assert.match(refused?.error ?? '', /Your local changes to the following files would be overwritten by merge/)
  assert.equal(readFileSync(join(main.top, 'a.txt'), 'utf8'), "the user's\n")
})

test('a landing that was killed between its files and the branch is done again; what the user changed stays', async () => {
  const { main, work } = await two()
  const tip = commitIn(work, 'b.txt', 'b\n')
  commitIn(work, 'long.txt', 'one\ntwo\nthree\n')
  work.sh('rm', '-q', 'a.txt')
  const head = commitIn(work, 'more.txt', 'm\n')
  main.write({ 'mine.txt': "the user's\n" })
  main.sh('read-tree', '-m', '-u', 'HEAD', head) // all but the branch
  assert.equal(await main.git.advance(head), null)
  assert.deepEqual([main.sh('rev-parse', 'HEAD'), main.sh('status', '--porcelain')], [head, '?? mine.txt'])

  main.sh('reset', '-q', '--hard', 'HEAD~3')
  main.write({ 'b.txt': 'b\n', 'long.txt': 'one\ntw' }) // in the middle of the second file
  rmSync(join(main.top, 'a.txt'))
  assert.equal(await main.git.advance(head), null)
  assert.deepEqual([main.sh('rev-parse', 'HEAD'), main.sh('status', '--porcelain')], [head, '?? mine.txt'])

  main.sh('reset', '-q', '--hard', 'HEAD~3')
  main.write({ 'b.txt': 'b\n', 'long.txt': 'another\n' })
  assert.equal(await main.git.advance(tip), null)
  assert.match((await main.git.advance(head))?.error ?? '', /long\.txt/)
  assert.equal(readFileSync(join(main.top, 'long.txt'), 'utf8'), 'another\n')
})

test('locks that a killed git left: of our own refs, and in a worktree of ours, they go; any other is named with its age', async () => {
  const { main, work } = await two()
  const lock = (...names: string[]): string => {
    const path = join(main.top, '.git', ...names)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, '')
    utimesSync(path, new Date(Date.now() - 720_000), new Date(Date.now() - 720_000))
    return path
  }
  const ours = [lock('refs', 'ralph', 'f-S-1-0.lock'), lock('refs', 'heads', 'wip', 'ralph-work-f-S-1.lock')]
  const packed = lock('packed-refs.lock')
  const index = lock('worktrees', basename(work.git.dir), 'index.lock')
  const [refs, cleared] = await Promise.all([main.git.clearRefLocks(), work.git.clearOwnLocks()])
  assert.deepEqual([refs.cleared.toSorted(), cleared], [ours.toSorted(), [index]])
  assert.equal(
    refs.stuck,
    `${packed} exists: another git process is running here, or one was killed. If no git is running, remove it. It is 12 min old.`,
  )
  assert.deepEqual(
    [...ours, index, packed].map((path) => existsSync(path)),
    [false, false, false, true],
  )
})

test('everything uncommitted, and a note that git ignores, becomes one commit', async () => {
  const { work } = await two()
  work.write({ 'a.txt': 'changed\n', 'new.txt': 'new\n', '.gitignore': 'note.md\n' })
  const commit = await work.git.commitAll('all of it\n', [{ path: 'note.md', text: 'why\n' }])
  assert.equal(work.sh('log', '-1', '--format=%H %s'), `${commit} all of it`)
  assert.equal(work.sh('ls-tree', '-r', '--name-only', 'HEAD'), '.gitignore\n.ralph/f/prd.json\na.txt\nnew.txt\nnote.md')
  assert.equal(work.sh('status', '--porcelain', '--', 'a.txt', 'new.txt'), '')
  assert.equal(await work.git.commitAll('again\n', []), null)
})

test('a worktree is taken as it is, made again where it was removed by hand, and goes with its branch', async () => {
  const { main, work } = await two()
  const head = commitIn(work, 'b.txt', 'b\n')
  assert.equal(await main.git.addWorktree(work.top, 'work', 'HEAD'), null)
  assert.match((await main.git.addWorktree(work.top, 'another', 'HEAD'))?.error ?? '', /is in use by the branch work/)
  rmSync(work.top, { recursive: true })
  assert.equal(await main.git.addWorktree(work.top, 'work', 'HEAD'), null)
  assert.equal(work.sh('rev-parse', 'HEAD'), head)
  assert.deepEqual(
    (await main.git.listWorktrees()).map(({ branch }) => branch),
    ['main', 'work'],
  )
  assert.equal(await main.git.removeWorktrees([work.top]), null)
  assert.deepEqual([existsSync(work.top), await main.git.branchExists('work')], [false, true])
  assert.equal(await main.git.removeWorktrees([work.top]), null)
  assert.equal(await main.git.deleteBranches(['work', 'other']), null)
  assert.equal(await main.git.branchExists('work'), false)
})

test('a worktree that was killed before its files were there gets them', async () => {
  const main = await committed({ 'a.txt': 'a\n' })
  const path = newFolder()
  main.sh('worktree', 'add', '-q', '--no-checkout', '--detach', path)
  assert.equal(existsSync(join(path, 'a.txt')), false)
  assert.equal(await main.git.addWorktree(path, 'work', 'HEAD'), null)
  const work = await placeAt(path)
  const now = [readFileSync(join(path, 'a.txt'), 'utf8'), work.sh('status', '--porcelain', '--branch')]
  assert.deepEqual(now, ['a\n', '## work'])
  work.sh('switch', '-q', '--detach')
  assert.match((await main.git.addWorktree(path, 'work', 'HEAD'))?.error ?? '', /is in use$/)
})

test('many worktrees made and removed at the same time do not stumble over each other', async () => {
  const { main } = await two()
  const names = Array.from({ length: 12 }, (_, index) => `w${index}`)
  const place = (name: string): string => join(main.top, '..', name)
  const made = await Promise.all(names.map((name) => main.git.addWorktree(place(name), name, 'HEAD')))
  const gone = await Promise.all([names.slice(0, 6), names.slice(6)].map((some) => main.git.removeWorktrees(some.map(place))))
  assert.deepEqual(
    [...made, ...gone, await main.git.deleteBranches(names)].filter((refused) => refused !== null),
    [],
  )
})

test('a landing or a switch of branches does not overwrite files of the user that git ignores, nor a folder of them', async () => {
  const main = await committed({ '.gitignore': 'keys.json\nbuild/\n' })
  const path = newFolder()
  await main.git.addWorktree(path, 'work', 'HEAD')
  const work = await placeAt(path)
  work.write({ '.gitignore': '', 'keys.json': 'agent\n', build: 'agent\n' })
  const head = commitAll(work, 'more')
  const users = { 'keys.json': "the user's\n", 'build/out': "the user's\n" }
  main.write(users)
  assert.match((await main.git.advance(head))?.error ?? '', /build[\s\S]*keys\.json/)
  main.sh('branch', 'feature', head)
  assert.match((await main.git.switchTo('feature'))?.error ?? '', /build[\s\S]*keys\.json/)
  for (const [name, text] of Object.entries(users)) assert.equal(readFileSync(join(main.top, name), 'utf8'), text)

  rmSync(join(main.top, 'build'), { recursive: true })
  main.write({ 'keys.json': 'agent\n' }) // a landing was killed after it had written this
  assert.equal(await main.git.advance(head), null)
  assert.equal(main.sh('status', '--porcelain'), '')
})
