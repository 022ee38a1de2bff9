import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { committed, env, folder, newFolder, repository, type TestRepository } from '../../../test/support/repository.ts'
import { type CommitRefused, commitChanges } from './commit.ts'
import { openGit } from './git.ts'

const ODD = [
  'with space',
  'with "quotes"',
  'new\nline',
  'tab\there',
  'ümläut 🙂',
  '*',
  ':(exclude)a.txt',
  '-n',
  'back\\slash',
  ' leading',
  'dir/#hash',
]

test('file names of any kind are listed as they are, and committed', async () => {
  const place = await committed()
  place.write(Object.fromEntries([...ODD, 'left'].map((name) => [name, 'x'])))
  const before = await place.git.snapshot()
  assert.deepEqual(before.uncommitted.toSorted(), [...ODD, 'left'].toSorted())
  const result = await place.git.commitPaths('odd names', ODD, { hooks: true })
  const after = await place.git.snapshot()
  assert.deepEqual(result, { commit: after.head })
  assert.deepEqual(after.uncommitted, ['left'])
  assert.deepEqual((await place.git.diffFiles(before.head, after.head!)).toSorted(), ODD.toSorted())
})

test("only the named paths are committed, and the user's staged changes stay staged", async () => {
  const place = await committed({
    'a.txt': 'a\n',
    'gone.txt': 'gone\n',
    'staged-gone.txt': 'x\n',
    'user.txt': 'u\n',
    'same.txt': 's\n',
  })
  place.write({
    'user.txt': 'staged by the user\n',
    'user-new.txt': 'new\n',
    'dirty.txt': 'dirty\n',
    'a.txt': 'changed\n',
    'dir/new.txt': 'new\n',
  })
  place.sh('add', 'user.txt', 'user-new.txt')
  place.sh('rm', '-q', 'staged-gone.txt')
  rmSync(join(place.top, 'gone.txt'))
  const before = place.sh('rev-parse', 'HEAD')
  const paths = ['a.txt', 'gone.txt', 'staged-gone.txt', 'same.txt', 'dir', 'never-there.txt']
  const result = await place.git.commitPaths('feat: S-1 - title', paths, { hooks: true })
  assert.deepEqual(result, { commit: place.sh('rev-parse', 'HEAD') })
  assert.deepEqual(await place.git.diffFiles(before, 'HEAD'), ['a.txt', 'dir/new.txt', 'gone.txt', 'staged-gone.txt'])
  assert.equal(place.sh('status', '--porcelain'), 'A  user-new.txt\nM  user.txt\n?? dirty.txt')
  assert.equal(place.sh('log', '-1', '--format=%B').trim(), 'feat: S-1 - title')
  assert.equal(await place.git.commitPaths('again', paths, { hooks: true }), null)
})

test('a rename is committed as both of its names', async () => {
  const place = await committed({ 'old.txt': 'same content\n' })
  renameSync(join(place.top, 'old.txt'), join(place.top, 'new.txt'))
  await place.git.commitPaths('rename', ['old.txt', 'new.txt'], { hooks: true })
  assert.equal(place.sh('ls-files'), 'new.txt')
})

test("Ralph's own files are committed alone, without hooks, from a sub-folder too, ignored ones left out", async () => {
  const place = await committed({ 'app/a.txt': 'a\n' }, { root: 'app' })
  writeFileSync(join(place.top, '.git/hooks/pre-commit'), '#!/bin/sh\nexit 1\n', { mode: 0o755 })
  writeFileSync(join(place.top, '.git/hooks/prepare-commit-msg'), '#!/bin/sh\nexit 1\n', { mode: 0o755 })
  place.write({
    'app/a.txt': 'b\n',
    'app/.ralph/.gitignore': 'events.jsonl\n',
    'app/.ralph/x/progress.txt': 'p',
    'app/.ralph/x/events.jsonl': 'e',
  })
  const result = await place.git.commitState('chore: state')
  assert.deepEqual(result, { commit: place.sh('rev-parse', 'HEAD') })
  assert.equal(place.sh('show', '--name-only', '--format='), 'app/.ralph/.gitignore\napp/.ralph/x/progress.txt')
  assert.equal(await place.git.commitState('chore: state'), null)
})

test("another feature's drafts do not come into a commit of Ralph's own files, and stay as they were staged", async () => {
  const place = await committed({ '.ralph/other/prd.json': '{}\n', '.ralph/[x]/prd.json': '{}\n' })
  place.write({
    '.ralph/config.yaml': 'c\n',
    '.ralph/[x]/prd.json': 'mine\n',
    '.ralph/other/prd.json': 'draft\n',
    '.ralph/other/draft.md': 'draft\n',
  })
  place.sh('add', '.ralph/other/draft.md')
  assert.ok('commit' in (await place.git.commitState('chore: state', ['other', 'never-there']))!)
  assert.equal(place.sh('show', '--name-only', '--format='), '.ralph/[x]/prd.json\n.ralph/config.yaml')
  assert.equal(place.sh('status', '--porcelain').trim(), 'A  .ralph/other/draft.md\n M .ralph/other/prd.json')
  assert.equal(await place.git.commitState('chore: state', ['other']), null)
})

test('a hook that refuses is told in its own words, and the index is as before', async () => {
  const place = await committed()
  writeFileSync(join(place.top, '.git/hooks/pre-commit'), '#!/bin/sh\necho "lint: no" >&2\nexit 1\n', { mode: 0o755 })
  place.write({ 'a.txt': 'b\n', 'new.txt': 'new\n' })
  const before = place.sh('status', '--porcelain')
  assert.deepEqual(await place.git.commitPaths('x', ['a.txt', 'new.txt'], { hooks: true }), { error: 'lint: no' })
  assert.equal(place.sh('status', '--porcelain'), before)
  assert.deepEqual(await place.git.commitPaths('x', ['a.txt', 'new.txt'], { hooks: false }), {
    commit: place.sh('rev-parse', 'HEAD'),
  })
})

test('a hook that leaves a process behind with our output open holds nothing up', async () => {
  const place = await committed()
  const pidFile = join(folder, 'left-behind.pid')
  writeFileSync(join(place.top, '.git/hooks/post-commit'), `#!/bin/sh\nsleep 60 &\necho $! > '${pidFile}'\n`, { mode: 0o755 })
  place.write({ 'a.txt': 'b\n' })
  const result = await place.git.commitPaths('x', ['a.txt'], { hooks: true })
  execFileSync('sh', ['-c', `kill $(cat '${pidFile}')`])
  assert.deepEqual(result, { commit: place.sh('rev-parse', 'HEAD') })
})

test('where git does not know who we are, Ralph commits under its own name', async () => {
  const place = await committed()
  place.sh('config', '--unset', 'user.name')
  place.sh('config', '--unset', 'user.email')
  place.sh('config', 'user.useConfigOnly', 'true')
  place.write({ 'a.txt': 'b\n' })
  await place.git.commitPaths('x', ['a.txt'], { hooks: true })
  assert.equal(place.sh('log', '-1', '--format=%an <%ae> %s'), 'ralph <ralph@localhost> x')
})

test('signing that fails is told, and nothing is committed', async () => {
  const place = await committed()
  place.sh('config', 'commit.gpgSign', 'true')
  place.sh('config', 'gpg.program', '/bin/false')
  place.write({ 'a.txt': 'b\n' })
  const head = place.sh('rev-parse', 'HEAD')
  const result = await place.git.commitPaths('x', ['a.txt'], { hooks: true })
  assert.match((result as { error: string }).error, /gpg failed to sign/)
  assert.equal(place.sh('rev-parse', 'HEAD'), head)
})

/** The same repository, opened by someone with less patience. */
async function commitWithin(seconds: string, { top }: TestRepository): Promise<unknown> {
  const git = (await openGit(top, { ...env, RALPH_GIT_SECONDS: seconds }))!
  const result = await git.commitPaths('x', ['a.txt'], { hooks: true })
  git.close()
  return result
}

test('signing that waits for a passphrase is ended and named, and everything is as before', async () => {
  const place = await committed()
  const gpg = join(folder, 'gpg')
  writeFileSync(gpg, '#!/bin/sh\nsleep 1000\n', { mode: 0o755 })
  for (const [name, value] of Object.entries({ 'commit.gpgSign': 'true', 'gpg.program': gpg, 'user.signingKey': 'K' }))
    place.sh('config', name, value)
  place.write({ 'a.txt': 'b\n' })
  const before = [place.sh('rev-parse', 'HEAD'), place.sh('status', '--porcelain')]
  assert.deepEqual(await commitWithin('0.4', place), {
    error:
      `git commit waited for "/bin/sh ${gpg} --status-fd=2 -bsau K" for 0.2 s and was stopped: ` +
      'signing may ask for a passphrase or a touch, and nobody is there to answer. ' +
      'Unlock the key before the run, or turn signing off in this repository: git config commit.gpgsign false',
  })
  assert.deepEqual([place.sh('rev-parse', 'HEAD'), place.sh('status', '--porcelain')], before)
  for (const name of ['ralph-index', 'ralph-index.lock', 'index.lock'])
    assert.deepEqual([name, existsSync(join(place.top, '.git', name))], [name, false])
})

test("Ralph's own files are never signed, whatever work commits are", async () => {
  const place = await committed()
  place.sh('config', 'commit.gpgSign', 'true')
  place.sh('config', 'gpg.program', '/bin/false')
  place.write({ '.ralph/x/progress.txt': 'p' })
  assert.deepEqual(await place.git.commitState('chore: state'), { commit: place.sh('rev-parse', 'HEAD') })
})

test('a hook may take longer than git alone, and one that never ends is ended and named', async () => {
  const place = await committed()
  const hook = join(place.top, '.git/hooks/pre-commit')
  writeFileSync(hook, '#!/bin/sh\nsleep 1\n', { mode: 0o755 })
  place.write({ 'a.txt': 'b\n' })
  assert.deepEqual(await commitWithin('0.5', place), { commit: place.sh('rev-parse', 'HEAD') })
  writeFileSync(hook, '#!/bin/sh\necho "checking" >&2\nsleep 1000\n', { mode: 0o755 })
  place.write({ 'a.txt': 'c\n' })
  assert.deepEqual(await commitWithin('0.1', place), {
    error:
      'checking\ngit commit waited for "/bin/sh .git/hooks/pre-commit" for 1 s and was stopped. ' +
      `Try it by hand in ${place.top}, or set RALPH_GIT_SECONDS to a longer time.`,
  })
})

test('a file that the agent took out of the index but kept is committed as it is', async () => {
  const place = await committed({ 'a.txt': 'a\n', 'b.txt': 'b\n' })
  place.sh('rm', '-q', '--cached', 'a.txt')
  place.write({ 'a.txt': 'changed\n' })
  assert.deepEqual((await place.git.snapshot()).uncommitted, ['a.txt'])
  const result = await place.git.commitPaths('x', ['a.txt'], { hooks: true })
  assert.deepEqual(result, { commit: place.sh('rev-parse', 'HEAD') })
  assert.deepEqual([place.sh('show', 'HEAD:a.txt'), place.sh('status', '--porcelain')], ['changed', ''])
})

test('a file ignored after it was taken out of the index is committed as deleted', async () => {
  const place = await committed({ 'a.txt': 'a\n', 'out.log': 'log\n' })
  place.sh('rm', '-q', '--cached', 'out.log')
  place.write({ '.gitignore': '*.log\n' })
  const result = await place.git.commitPaths('x', ['.gitignore', 'out.log'], { hooks: true })
  assert.deepEqual(result, { commit: place.sh('rev-parse', 'HEAD') })
  assert.deepEqual([place.sh('ls-files'), place.sh('status', '--porcelain')], ['.gitignore\na.txt', ''])
})

test('what was staged and then undone in the file is nothing to commit, and no longer uncommitted', async () => {
  const place = await committed()
  place.write({ 'a.txt': 'b\n' })
  place.sh('add', 'a.txt')
  place.write({ 'a.txt': 'a\n' })
  assert.equal(await place.git.commitPaths('x', ['a.txt'], { hooks: true }), null)
  assert.equal(await place.git.isClean(), true)
})

test('nothing is committed into an open merge', async () => {
  const place = await committed()
  place.sh('switch', '-q', '-c', 'side')
  place.sh('commit', '-q', '--allow-empty', '-m', 'side')
  place.sh('switch', '-q', 'main')
  place.sh('merge', '-q', '--no-ff', '--no-commit', 'side')
  place.write({ 'a.txt': 'b\n' })
  const result = await place.git.commitPaths('x', ['a.txt'], { hooks: true })
  assert.deepEqual(result, { error: `a merge is open in ${place.top}: Ralph's commit would become part of it` })
  assert.equal(place.git.inProgress(), 'merge')
})

test('the first commit of a repository can be ours', async () => {
  const place = await repository()
  place.write({ 'a.txt': 'a\n', 'staged.txt': 's\n', '.ralph/config.yaml': 'agent: claude\n' })
  place.sh('add', 'staged.txt')
  assert.deepEqual(await place.git.commitState('chore: state'), { commit: place.sh('rev-parse', 'HEAD') })
  assert.equal(place.sh('status', '--porcelain'), 'A  staged.txt\n?? a.txt')
})

test('a hook that formats what is committed has its way, and leaves the tree clean', async () => {
  const place = await committed()
  writeFileSync(join(place.top, '.git/hooks/pre-commit'), '#!/bin/sh\necho formatted > a.txt\ngit add a.txt\n', { mode: 0o755 })
  place.write({ 'a.txt': 'b\n' })
  await place.git.commitPaths('x', ['a.txt'], { hooks: true })
  assert.deepEqual([place.sh('show', 'HEAD:a.txt'), await place.git.isClean()], ['formatted', true])
})

test('a hook that adds whatever is there does not commit the user’s uncommitted files, tracked, staged or new', async () => {
  const place = await committed({ 'a.txt': 'a\n', 'user.txt': 'u\n', 'gone.txt': 'g\n', '.ralph/f/prd.json': 'p\n' })
  writeFileSync(join(place.top, '.git/hooks/pre-commit'), '#!/bin/sh\ngit add -A\n', { mode: 0o755 })
  writeFileSync(join(place.top, '.git/hooks/commit-msg'), '#!/bin/sh\necho "Change-Id: 1" >> "$1"\n', { mode: 0o755 })
  place.write({ 'a.txt': 'b\n', 'user.txt': 'mine\n', 'new.txt': 'mine\n', 'staged.txt': 'mine\n', '.ralph/f/prd.json': 'q\n' })
  rmSync(join(place.top, 'gone.txt'))
  place.sh('add', 'staged.txt')
  const result = await place.git.commitPaths('x', ['a.txt'], { hooks: true })
  const leftOut = ['gone.txt', 'new.txt', 'staged.txt', 'user.txt']
  assert.deepEqual(result, { commit: place.sh('rev-parse', 'HEAD'), leftOut })
  assert.equal(place.sh('show', '--format=%B', '--name-only', 'HEAD').replace(/\n+/g, '\n'), 'x\nChange-Id: 1\na.txt')
  assert.equal(place.sh('rev-list', '--count', 'HEAD'), '2')
  assert.equal(
    place.sh('status', '--porcelain').replace(/^(?=\w )/, ' '),
    ' M .ralph/f/prd.json\n D gone.txt\nA  staged.txt\n M user.txt\n?? new.txt',
  )
})

test('a file that only a hook adds is in the index as it is in the commit, and is no staged revert', async () => {
  const place = await committed({ 'a.txt': 'a\n', VERSION: '1\n', 'old.txt': 'o\n' })
  const hook = '#!/bin/sh\necho 2 > VERSION\necho n > made.txt\ngit add VERSION made.txt\ngit rm -q old.txt\n'
  writeFileSync(join(place.top, '.git/hooks/pre-commit'), hook, { mode: 0o755 })
  place.write({ 'a.txt': 'b\n' })
  const result = await place.git.commitPaths('x', ['a.txt'], { hooks: true })
  assert.deepEqual(result, { commit: place.sh('rev-parse', 'HEAD'), isOther: true })
  assert.deepEqual([place.sh('show', 'HEAD:VERSION'), place.sh('status', '--porcelain')], ['2', ''])
})

test('nothing is committed while the index is locked', async () => {
  const place = await committed()
  place.write({ 'a.txt': 'b\n' })
  const lock = join(place.top, '.git/index.lock')
  writeFileSync(lock, '')
  const result = await place.git.commitPaths('x', ['a.txt'], { hooks: true })
  const error = `${lock} exists: another git process is running here, or one was killed. If no git is running, remove it.`
  assert.deepEqual(result, { error, isPassing: true })
})

test('a lock of the index that goes away is waited for', async () => {
  const place = await committed()
  place.write({ 'a.txt': 'b\n' })
  const lock = join(place.top, '.git/index.lock')
  writeFileSync(lock, '')
  const result = place.git.commitPaths('x', ['a.txt'], { hooks: true })
  setTimeout(() => rmSync(lock), 100)
  assert.deepEqual(await result, { commit: place.sh('rev-parse', 'HEAD') })
})

test('a git that is killed while our commit is brought into the index is told, and the next try leaves the index right', async () => {
  const place = await committed()
  place.write({ 'new.txt': 'n\n' })
  const hook = join(place.top, '.git/hooks/post-commit') // the very moment between the commit and the index
  writeFileSync(hook, '#!/bin/sh\n: > .git/index.lock\n', { mode: 0o755 })
  const first = await place.git.commitPaths('x', ['new.txt'], { hooks: true })
  assert.match((first as { error: string }).error, /index\.lock': File exists/)
  assert.equal((first as { isPassing?: true }).isPassing, true)
  for (const path of [hook, join(place.top, '.git/index.lock')]) rmSync(path)
  assert.equal(await place.git.commitPaths('x', ['new.txt'], { hooks: true }), null)
  assert.deepEqual([place.sh('log', '-1', '--format=%s'), place.sh('status', '--porcelain')], ['x', ''])
})

test('an index that cannot be copied for our commit is the fault of the world, and no refusal', async () => {
  const dir = newFolder()
  mkdirSync(join(dir, 'index'), { recursive: true }) // what is no file cannot be copied, by root neither
  const changes = { wanted: [{ path: 'a.txt', isStaged: false, isUnstaged: true, isRepo: false }], others: [] }
  const never = () => assert.fail('git was started')
  const result = (await commitChanges({ run: never, dir, readHead: never, isOwn: never }, 'x', changes, true)) as CommitRefused
  assert.match(result.error, /index is a folder/)
  assert.equal(result.isPassing, true)
})
