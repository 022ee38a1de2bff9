import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, rmSync, symlinkSync, utimesSync } from 'node:fs'
import { basename, join } from 'node:path'
import { test } from 'node:test'
import {
  commitAll,
  committed,
  env,
  folder,
  home,
  newFolder,
  placeAt,
  repository,
  shIn,
  writeFiles,
} from '../../../test/support/repository.ts'
import { openGit } from './git.ts'

test('a clean repository is its head, the tree that git names, its branch, and no dirt', async () => {
  const { git, sh } = await committed()
  assert.deepEqual(await git.snapshot(), {
    head: sh('rev-parse', 'HEAD'),
    tree: sh('rev-parse', 'HEAD^{tree}'),
    dirt: '',
    uncommitted: [],
    branch: 'main',
    isUnborn: false,
  })
})

test('R-ITER-6 what is in .ralph changes neither tree nor dirt, committed or not', async () => {
  for (const root of ['', 'packages/app']) {
    const place = await committed({ 'packages/app/a.txt': 'a\n', 'z.txt': 'z\n' }, { root })
    const before = await place.git.snapshot()
    place.write({ [join(root, '.ralph/login/progress.txt')]: 'memory\n' })
    assert.deepEqual(await place.git.snapshot(), before)
    assert.equal(await place.git.isClean(), true)
    const head = commitAll(place, 'state')
    assert.deepEqual(await place.git.snapshot(), { ...before, head })
    assert.deepEqual(await place.git.commitsSince(before.head), { commits: [head], trees: [before.tree], isRewound: false })
    assert.deepEqual(await place.git.diffFiles(before.head, head), [])
    place.write({ [join(root, '.ralphs')]: 'another name\n' })
    assert.deepEqual((await place.git.snapshot()).uncommitted, [join(root, '.ralphs')])
  }
})

test('a folder that holds nothing but .ralph is as if it were not there', async () => {
  const place = await committed({ 'a.txt': 'a\n' }, { root: 'app' })
  const { tree } = await place.git.snapshot()
  place.write({ 'app/.ralph/config.yaml': 'agent: claude\n' })
  commitAll(place, 'state')
  assert.equal((await place.git.snapshot()).tree, tree)
})

test('R-PROG-1 a change and its revert give two commits, and the tree from before', async () => {
  const place = await committed()
  const before = await place.git.snapshot()
  place.write({ 'a.txt': 'b\n' })
  const change = commitAll(place, 'change')
  place.sh('revert', '--no-edit', 'HEAD')
  const after = await place.git.snapshot()
  const since = await place.git.commitsSince(before.head)
  assert.equal(after.tree, before.tree)
  assert.deepEqual(since, {
    commits: [change, after.head],
    trees: [place.sh('rev-parse', `${change}^{tree}`), before.tree],
    isRewound: false,
  })
  assert.deepEqual(await place.git.commitsSince(after.head), { commits: [], trees: [], isRewound: false })
  assert.deepEqual(await place.git.diffFiles(before.head, change), ['a.txt'])
})

test('the same dirt is the same, staged or not, and any other content is other dirt', async () => {
  const place = await committed({ 'a.txt': 'a\n', 'b.txt': 'b\n' })
  const dirt = async () => (await place.git.snapshot()).dirt
  place.write({ 'a.txt': 'changed\n', 'new.txt': 'new\n' })
  const first = await dirt()
  assert.equal(await dirt(), first)
  place.sh('add', '-A')
  assert.equal(await dirt(), first)
  const others = [first]
  place.write({ 'a.txt': 'CHANGED\n' })
  others.push(await dirt())
  rmSync(join(place.top, 'b.txt'))
  others.push(await dirt())
  chmodSync(join(place.top, 'new.txt'), 0o755)
  others.push(await dirt())
  rmSync(join(place.top, 'new.txt'))
  symlinkSync('a.txt', join(place.top, 'new.txt'))
  others.push(await dirt())
  assert.equal(new Set(others).size, 5)
  assert.deepEqual((await place.git.snapshot()).uncommitted, ['a.txt', 'b.txt', 'new.txt'])
  place.sh('reset', '-q', '--hard')
  place.write({ 'a.txt': 'changed\n', 'new.txt': 'new\n' })
  assert.equal(await dirt(), first)
})

test('a dirty file that was read before and has a new content of the same size and time is read again', async () => {
  const place = await committed()
  const dirt = async () => (await place.git.snapshot()).dirt
  const write = (text: string) => {
    place.write({ 'a.txt': text })
    utimesSync(join(place.top, 'a.txt'), 1_700_000_000, 1_700_000_000)
  }
  write('1\n')
  const first = await dirt()
  assert.equal(await dirt(), first)
  write('2\n')
  assert.notEqual(await dirt(), first)
})

test('ignored files are no dirt', async () => {
  const place = await committed({ '.gitignore': 'out/\n' })
  place.write({ 'out/x': 'x' })
  assert.equal((await place.git.snapshot()).dirt, '')
})

test('a repository without a commit has no head, and its first commits are all new', async () => {
  const place = await repository()
  const { git, sh } = place
  assert.deepEqual(await git.snapshot(), {
    head: null,
    tree: sh('hash-object', '-t', 'tree', '/dev/null'),
    dirt: '',
    uncommitted: [],
    branch: 'main',
    isUnborn: true,
  })
  assert.deepEqual(await git.commitsSince(null), { commits: [], trees: [], isRewound: false })
  place.write({ 'a.txt': 'a\n' })
  const head = commitAll(place, 'first')
  assert.deepEqual(await git.commitsSince(null), { commits: [head], trees: [sh('rev-parse', 'HEAD^{tree}')], isRewound: false })
  assert.deepEqual(await git.diffFiles(null, head), ['a.txt'])
})

test('a detached HEAD has no branch', async () => {
  const { git, sh } = await committed()
  sh('checkout', '-q', '--detach')
  assert.deepEqual([(await git.snapshot()).branch, await git.currentBranch()], [null, null])
})

test('commits of a merged branch are new, those that were there before are not', async () => {
  const place = await committed()
  const { git, sh } = place
  const head = sh('rev-parse', 'HEAD')
  sh('switch', '-q', '-c', 'side')
  place.write({ 'b.txt': 'b\n' })
  const side = commitAll(place, 'side')
  sh('switch', '-q', 'main')
  place.write({ 'c.txt': 'c\n' })
  const main = commitAll(place, 'main')
  sh('merge', '-q', '--no-edit', 'side')
  const { commits } = await git.commitsSince(head)
  assert.deepEqual([commits.slice(0, 2).sort(), commits.slice(2)], [[side, main].sort(), [sh('rev-parse', 'HEAD')]])
})

test('in a history that was rewritten only what the old one had not is new', async () => {
  const place = await committed()
  const { git, sh } = place
  place.write({ 'b.txt': 'b\n' })
  const old = commitAll(place, 'second')
  sh('commit', '-q', '--amend', '-m', 'second, reworded')
  const amended = sh('rev-parse', 'HEAD')
  assert.deepEqual((await git.commitsSince(old)).commits, [amended])
  assert.deepEqual((await git.commitsSince('0'.repeat(39).concat('1'))).commits, [amended])
  assert.deepEqual(await git.diffFiles('0'.repeat(39).concat('1'), amended), [])
})

test('at most 500 commits are told, the newest', async () => {
  const { git, sh, top } = await committed()
  const head = sh('rev-parse', 'HEAD')
  const stream = Array.from(
    { length: 510 },
    (_, i) => `commit refs/heads/main\ncommitter a <a@b> ${i} +0000\ndata 1\nx\n${i === 0 ? `from ${head}\n` : ''}\n`,
  )
  execFileSync('git', ['fast-import', '--quiet'], { cwd: top, env, input: stream.join('') })
  const { commits } = await git.commitsSince(head)
  assert.deepEqual([commits.length, commits.at(-1)], [500, sh('rev-parse', 'HEAD')])
})

test('a SHA-256 repository works alike', async () => {
  const place = await committed({ 'app/a.txt': 'a\n', 'app/.ralph/x': 'x' }, { root: 'app', init: ['--object-format=sha256'] })
  const before = await place.git.snapshot()
  rmSync(join(place.top, 'app/.ralph'), { recursive: true })
  const head = commitAll(place, 'without')
  assert.equal(head.length, 64)
  assert.equal(before.tree, place.sh('rev-parse', 'HEAD^{tree}'))
  assert.deepEqual(await place.git.commitsSince(before.head), { commits: [head], trees: [before.tree], isRewound: false })
})

test('a submodule counts by its commit only', async () => {
  const library = await committed({ 'lib.txt': 'lib\n' })
  const place = await committed()
  place.sh('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', library.top, 'lib')
  commitAll(place, 'submodule')
  const before = await place.git.snapshot()
  const lib = shIn(join(place.top, 'lib'))
  place.write({ 'lib/lib.txt': 'changed\n', 'lib/new.txt': 'new\n' })
  assert.deepEqual(await place.git.snapshot(), before)
  const commitInLib = () => lib('-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-q', '-a', '--allow-empty', '-m', 'x')
  commitInLib()
  const moved = await place.git.snapshot()
  commitInLib()
  const further = await place.git.snapshot()
  assert.deepEqual([before.uncommitted, moved.uncommitted, further.uncommitted], [[], ['lib'], ['lib']])
  assert.equal(new Set([before.dirt, moved.dirt, further.dirt]).size, 3)
  const commit = await place.git.commitPaths('move', ['lib'], { hooks: true })
  assert.deepEqual(commit, { commit: place.sh('rev-parse', 'HEAD') })
  assert.equal(place.sh('rev-parse', 'HEAD:lib'), lib('rev-parse', 'HEAD'))
})

test('a repository inside the repository is dirt by its commit, and is not committed', async () => {
  const place = await committed()
  const inner = join(place.top, 'inner')
  mkdirSync(inner)
  shIn(inner)('init', '-q')
  writeFiles(inner, { x: 'x' })
  const unborn = await place.git.snapshot()
  commitAll({ ...place, sh: (...args) => shIn(inner)('-c', 'user.name=a', '-c', 'user.email=a@b', ...args) }, 'inner')
  const born = await place.git.snapshot()
  assert.deepEqual([unborn.uncommitted, born.uncommitted], [['inner/'], ['inner/']])
  assert.notEqual(unborn.dirt, born.dirt)
  assert.equal(await place.git.commitPaths('inner', ['inner'], { hooks: true }), null)
})

test('a worktree has its own git directory, branch and state', async () => {
  const main = await committed()
  const top = newFolder()
  main.sh('worktree', 'add', '-q', '-b', 'other', top)
  const other = await placeAt(top)
  other.write({ 'b.txt': 'b\n' })
  commitAll(other, 'in the worktree')
  assert.deepEqual(
    [other.git.top, other.git.dir, main.git.dir],
    [top, join(main.top, '.git/worktrees', basename(top)), join(main.top, '.git')],
  )
  assert.deepEqual([(await main.git.snapshot()).branch, (await other.git.snapshot()).branch], ['main', 'other'])
  assert.notEqual((await main.git.snapshot()).head, (await other.git.snapshot()).head)
})

test('branches are made from HEAD with the uncommitted work, and switched to', async () => {
  const { git, write } = await committed()
  write({ 'a.txt': 'uncommitted\n' })
  assert.equal(await git.branchExists('feature/login'), false)
  assert.equal(await git.createBranch('feature/login'), null)
  assert.deepEqual(
    [await git.branchExists('feature/login'), await git.currentBranch(), await git.isClean()],
    [true, 'feature/login', false],
  )
  assert.equal(await git.switchTo('main'), null)
  assert.equal(await git.currentBranch(), 'main')
  assert.match((await git.createBranch('feature/login'))!.error, /already exists/)
  assert.match((await git.createBranch('no..name'))!.error, /not a valid branch name/)
  assert.match((await git.switchTo('nowhere'))!.error, /nowhere/)
  assert.deepEqual(await git.switchTo('--detach'), { error: '--detach is not a branch' })
})

test('a merge, a revert, a rebase or a bisect that is open is seen', async () => {
  const place = await committed()
  const { git, sh } = place
  const fails = (...args: string[]) => assert.throws(() => sh(...args))
  assert.equal(git.inProgress(), null)
  sh('switch', '-q', '-c', 'side')
  place.write({ 'a.txt': 'side\n' })
  commitAll(place, 'side')
  sh('switch', '-q', 'main')
  place.write({ 'a.txt': 'main\n' })
  commitAll(place, 'main')
  const seen: unknown[] = []
  for (const [command, ...args] of [
    ['merge', 'side'],
    ['cherry-pick', 'side'],
    ['revert', 'HEAD~1'],
    ['rebase', 'side'],
  ] as const) {
    fails(command, ...args)
    seen.push(git.inProgress())
    assert.deepEqual((await git.snapshot()).uncommitted, ['a.txt'])
    sh(command, '--abort')
  }
  sh('bisect', 'start')
  seen.push(git.inProgress())
  assert.deepEqual(seen, ['merge', 'cherry-pick', 'revert', 'rebase', 'bisect'])
})

test('a folder outside any repository has no git, and a missing git is said', async () => {
  const bare = join(folder, 'bare')
  mkdirSync(bare)
  shIn(bare)('init', '-q', '--bare')
  assert.equal(await openGit(home, env), null)
  assert.equal(await openGit(bare, env), null)
  await assert.rejects(openGit(home, { ...env, PATH: home }), { exit: 69, message: /git could not be started/ })
})

test('a repository that goes away is a failure that says so and what to do, not an answer of one around it', async () => {
  const { git, top } = await committed()
  await git.snapshot()
  rmSync(join(top, '.git'), { recursive: true })
  const gone = {
    exit: 65,
    message: /^The git repository of \S+ is gone: \S+\.git no longer exists\. .* then run again\.$/,
  }
  await assert.rejects(git.snapshot(), gone)
})
