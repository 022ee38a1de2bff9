import assert from 'node:assert/strict'
import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import {
  aside,
  busyUser,
  commitAll,
  committed,
  FAIL,
  filesOnDisk,
  KEY,
  names,
  newFolder,
  pictureOf,
  placeAt,
  show,
  writeFiles,
} from '../../../../test/support/repository.ts'

test('R-ESC-2 the failed story is on its branch, and the repository is as it was, the work of the user byte for byte', async () => {
  const place = await busyUser()
  const before = pictureOf(place)
  await place.git.save(KEY)
  place.write({ 'a.txt': 'story\n', 'src/new.txt': 'committed\n' })
  place.sh('add', 'a.txt', 'src/new.txt')
  place.sh('commit', '-q', '-m', 'story', '--', 'a.txt', 'src/new.txt')
  const own = place.sh('rev-parse', 'HEAD')
  place.write({ 'left.txt': 'left\n', 'both.txt': 'broken by the story\n', 'untracked.txt': 'broken\n', 'deep/er/x.txt': 'x\n' })
  rmSync(join(place.top, 'dir/tracked.txt'))
  place.sh('add', '-A')
  const notes = [{ path: '.ralph/login/state.md', text: 'what failed\n' }]
  const result = await place.git.putAside(aside({ ownCommits: [own], notes }))
  assert.deepEqual(result, { branch: FAIL, how: 'reset' })
  assert.deepEqual(pictureOf(place), before)
  assert.deepEqual(
    names(place, FAIL),
    [
      '.gitignore',
      '.ralph/login/state.md',
      'a.txt',
      'both.txt',
      'deep/er/x.txt',
      'deleted.txt',
      'left.txt',
      'src/new.txt',
    ].concat(['staged.txt', 'unstaged.txt', 'untracked.txt']),
  )
  const content = ['a.txt', 'both.txt', 'untracked.txt', 'staged.txt', 'unstaged.txt'].map((path) => show(place, path))
  assert.deepEqual(content, ['story', 'broken by the story', 'broken', 'old', 'old'])
  assert.equal(place.sh('log', '-1', '--format=%P %an %s', FAIL), `${own} someone wip: S-1 failed`)
  assert.equal(existsSync(join(place.top, 'deep')), false)
  assert.match(place.sh('reflog', '-1', 'HEAD'), /put aside/)
})

test('uncommitted content that stays the same is kept once, whenever and for whatever it is saved', async () => {
  const place = await busyUser()
  await place.git.save('S-1')
  await place.git.save('S-2')
  const kept = ['S-1', 'S-2'].map((key) => place.sh('rev-parse', `${place.git.refOf(key)}^2`))
  assert.equal(kept[0], kept[1])
  assert.equal(place.sh('log', '-1', '--format=%ct', kept[0]!), '0')
})

test('what the story had staged and then changed again, or the user had staged, can still be found', async () => {
  const place = await committed()
  place.write({ 'a.txt': 'staged by the user\n' })
  place.sh('add', 'a.txt')
  await place.git.save(KEY)
  place.write({ 'a.txt': 'staged by the story\n' })
  place.sh('add', 'a.txt')
  const staged = place.sh('rev-parse', ':a.txt')
  place.write({ 'a.txt': 'and changed\n' })
  await place.git.putAside(aside())
  assert.equal(place.sh('show', ':a.txt'), 'staged by the user')
  await place.git.forget(KEY)
  assert.equal(place.sh('rev-list', '--objects', '--no-object-names', '--all').split('\n').includes(staged), true)
})

test('a second call with the same branch finds everything done', async () => {
  const place = await busyUser()
  const before = pictureOf(place)
  await place.git.save(KEY)
  place.write({ 'a.txt': 'story\n', 'untracked.txt': 'broken\n' })
  const first = await place.git.putAside(aside())
  const tip = place.sh('rev-parse', FAIL)
  assert.deepEqual(await place.git.putAside(aside()), first)
  assert.deepEqual(pictureOf(place), before)
  assert.equal(place.sh('rev-parse', FAIL), tip)
})

test("others' commits in between are kept: the story's own are reverted", async () => {
  const place = await committed({ 'a.txt': '1\n2\n3\n4\n5\n6\n7\n8\n', 'mine.txt': 'old\n' })
  place.write({ 'mine.txt': 'mine\n', 'untracked.txt': 'u\n' })
  place.sh('add', 'mine.txt')
  await place.git.save(KEY)
  const commit = (message: string, files: Record<string, string>) => {
    place.write(files)
    place.sh('add', ...Object.keys(files))
    place.sh('commit', '-q', '-m', message, '--', ...Object.keys(files))
    return place.sh('rev-parse', 'HEAD')
  }
  const first = commit('story 1', { 'a.txt': 'one\n2\n3\n4\n5\n6\n7\n8\n', 'story.txt': 's\n' })
  const other = commit('other', { 'a.txt': 'one\n2\n3\n4\n5\n6\n7\neight\n', 'other.txt': 'o\n' })
  const second = commit('story 2', { 'story.txt': 'more\n' })
  place.write({ 'left.txt': 'left\n' })
  const result = await place.git.putAside(aside({ ownCommits: [first, second] }))
  assert.deepEqual(result, { branch: FAIL, how: 'reverted' })
  assert.deepEqual(filesOnDisk(place.top), {
    'a.txt': '1\n2\n3\n4\n5\n6\n7\neight\n',
    'mine.txt': 'mine\n',
    'other.txt': 'o\n',
    'untracked.txt': 'u\n',
  })
  assert.equal(place.sh('status', '--porcelain'), 'M  mine.txt\n?? untracked.txt')
  assert.equal(place.sh('log', '-1', '--format=%s', 'HEAD'), `revert: what is now on ${FAIL}`)
  assert.equal(place.sh('rev-parse', 'HEAD^'), second)
  assert.equal(place.sh('merge-base', '--is-ancestor', other, 'HEAD'), '')
  assert.deepEqual([show(place, 'story.txt'), show(place, 'left.txt')], ['more', 'left'])
  const after = pictureOf(place)
  assert.deepEqual(await place.git.putAside(aside({ ownCommits: [first, second] })), result)
  assert.deepEqual(pictureOf(place), after)
})

test('with nothing of its own committed, the story is taken out of the tree on top of what others committed', async () => {
  const place = await committed({ 'a.txt': 'a\n' })
  await place.git.save(KEY)
  place.write({ 'other.txt': 'o\n' })
  const other = commitAll(place, 'other')
  place.write({ 'a.txt': 'story\n' })
  assert.deepEqual(await place.git.putAside(aside()), { branch: FAIL, how: 'reverted' })
  assert.deepEqual([place.sh('rev-parse', 'HEAD'), place.sh('status', '--porcelain'), show(place, 'a.txt')], [other, '', 'story'])
})

test('a revert that conflicts, or a merge among the commits, moves nothing', async () => {
  const place = await committed({ 'a.txt': 'a\n' })
  await place.git.save(KEY)
  place.write({ 'a.txt': 'story\n' })
  const own = commitAll(place, 'story')
  place.write({ 'a.txt': 'story and other\n' })
  commitAll(place, 'other')
  const before = pictureOf(place)
  const problem = `reverting ${own.slice(0, 10)} conflicts with later commits: revert the story's commits by hand.`
  assert.deepEqual(await place.git.putAside(aside({ ownCommits: [own] })), { problem })
  place.sh('switch', '-q', '-c', 'side', 'HEAD^')
  place.sh('commit', '-q', '--allow-empty', '-m', 'side')
  place.sh('switch', '-q', 'main')
  assert.deepEqual(pictureOf(place), before)
  place.sh('merge', '-q', '--no-edit', 'side')
  const merge = place.sh('rev-parse', '--short=10', 'HEAD')
  assert.deepEqual(await place.git.putAside(aside({ ownCommits: [own] })), {
    problem: `${merge} merges its commits with others': revert the story's commits by hand.`,
  })
  assert.deepEqual(await place.git.listBranches('wip/'), [])
})

test('R-ESC-2 nothing is moved when the branch changed, history was rewritten, something is open, or git is at work', async () => {
  const place = await committed()
  const { sh, git } = place
  const first = sh('rev-parse', 'HEAD')
  const refusal = async () => {
    const before = pictureOf(place)
    const result = await git.putAside(aside())
    assert.deepEqual(pictureOf(place), before)
    return 'problem' in result ? result.problem.replaceAll(place.top, 'TOP') : result
  }
  assert.equal(await refusal(), 'no saved state to restore for login/S-1')
  await git.save(KEY)
  place.write({ 'a.txt': 'story\n' })
  sh('switch', '-q', '-c', 'elsewhere')
  assert.equal(await refusal(), 'TOP is on branch elsewhere, and was on branch main when the story began.')
  sh('switch', '-q', '--detach', 'main')
  assert.match((await refusal()) as string, /^TOP is on no branch \(\w+\), and was on branch main when the story began\./)
  sh('switch', '-q', 'main')
  writeFileSync(join(place.top, '.git/index.lock'), '')
  assert.match((await refusal()) as string, /^TOP\/.git\/index.lock exists: another git process is running here/)
  rmSync(join(place.top, '.git/index.lock'))
  for (const [mark, open] of [
    ['MERGE_HEAD', 'merge'],
    ['CHERRY_PICK_HEAD', 'cherry-pick'],
    ['REVERT_HEAD', 'revert'],
    ['BISECT_LOG', 'bisect'],
    ['rebase-merge', 'rebase'],
  ] as const) {
    writeFileSync(join(place.top, '.git', mark), `${first}\n`)
    assert.equal(await refusal(), `a ${open} is open in TOP.`)
    rmSync(join(place.top, '.git', mark))
  }
  sh('branch', FAIL)
  assert.equal(await refusal(), `branch ${FAIL} exists with other content.`)
  sh('branch', '-D', FAIL)
  sh('commit', '-q', '--amend', '--all', '-m', 'rewritten')
  assert.equal(
    await refusal(),
    `the history of main was rewritten: ${first}, where the story began, is no longer in it. Fix it by hand.`,
  )
  assert.deepEqual(await git.listBranches('wip/'), [])
})

test('a linked worktree has its own saved states', async () => {
  const place = await committed()
  const top = newFolder()
  place.sh('worktree', 'add', '-q', '-b', 'linked', top)
  const linked = await placeAt(top)
  await place.git.save(KEY)
  assert.equal(await linked.git.isSaved(KEY), false)
  await linked.git.save(KEY)
  writeFiles(top, { 'a.txt': 'story\n' })
  assert.deepEqual(await linked.git.putAside(aside()), { branch: FAIL, how: 'reset' })
  assert.deepEqual([filesOnDisk(top), linked.sh('status', '--porcelain')], [{ 'a.txt': 'a\n' }, ''])
})

test('no hook, no signature and no identity is asked for', async () => {
  const place = await committed()
  const told = newFolder()
  place.sh('config', 'commit.gpgsign', 'true')
  place.sh('config', 'gpg.program', '/bin/false')
  for (const name of ['user.name', 'user.email']) place.sh('config', '--unset', name)
  place.sh('config', 'user.useConfigOnly', 'true')
  for (const hook of ['reference-transaction', 'post-checkout', 'pre-commit', 'post-index-change'])
    writeFileSync(join(place.top, '.git/hooks', hook), `#!/bin/sh\necho ${hook} >> '${told}'\nexit 1\n`, { mode: 0o755 })
  await place.git.save(KEY)
  place.write({ 'a.txt': 'story\n' })
  assert.deepEqual(await place.git.putAside(aside()), { branch: FAIL, how: 'reset' })
  assert.equal(existsSync(told), false)
  assert.equal(place.sh('log', '-1', '--format=%an <%ae>', FAIL), 'ralph <ralph@localhost>')
  assert.equal(place.sh('status', '--porcelain'), '')
})

test('a project in a sub-folder of a repository with long ids goes back whole, its .ralph left out', async () => {
  const place = await committed({ 'app/a.txt': 'a\n', 'b.txt': 'b\n' }, { root: 'app', init: ['--object-format=sha256'] })
  place.write({ 'b.txt': 'mine\n' })
  await place.git.save(KEY)
  place.write({ 'app/a.txt': 'story\n', 'app/.ralph/x': 'memory\n', 'new.txt': 'new\n' })
  rmSync(join(place.top, 'b.txt'))
  assert.deepEqual(await place.git.putAside(aside()), { branch: FAIL, how: 'reset' })
  assert.deepEqual(filesOnDisk(place.top), { 'app/.ralph/x': 'memory\n', 'app/a.txt': 'a\n', 'b.txt': 'mine\n' })
  assert.deepEqual(names(place, FAIL), ['app/a.txt', 'new.txt'])
})
