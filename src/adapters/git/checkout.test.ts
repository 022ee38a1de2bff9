import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { env, newFolder, placeAt, repository, shIn, type TestRepository } from '../../../test/support/repository.ts'
import { openGit } from './git.ts'

async function begun(init: string[] = []): Promise<TestRepository> {
  const place = await repository({ init })
  place.write({ 'a.txt': 'a\n', 'b/c.txt': 'c\n', '.gitignore': 'out/\n', '.ralph/thing/prd.json': '{}\n' })
  place.sh('add', '-A')
  place.sh('commit', '-qm', 'first')
  return place
}
const filesIn = (folder: string): string[] =>
  (readdirSync(folder, { recursive: true }) as string[])
    .filter((name) => !/^\.git(\/|$)/.test(name) && statSync(join(folder, name)).isFile())
    .sort()
async function checkedOut({ git }: Pick<TestRepository, 'git'>, folder: string, mark = '') {
  const made = await git.checkOut(folder, mark)
  assert(!('error' in made), JSON.stringify(made))
  return made
}
/** All that a judge must not touch. */
const picture = ({ top, sh }: TestRepository): string =>
  [
    sh('for-each-ref'),
    sh('status', '--porcelain'),
    sh('rev-parse', 'HEAD'),
    sh('ls-files', '-s'),
    sh('config', '--local', '-l'),
    filesIn(top).join(),
  ].join('\n')

test('the work as it stands is checked out: committed, staged, changed, new and deleted files, and nothing that git ignores', async () => {
  const place = await begun()
  place.write({
    'a.txt': 'changed\n',
    'new/d.txt': 'd\n',
    'out/built.js': 'x\n',
    'staged.txt': 's\n',
    '.ralph/thing/notes.txt': 'own\n',
  })
  rmSync(join(place.top, 'b'), { recursive: true })
  place.sh('add', 'staged.txt')
  const before = picture(place)
  const folder = newFolder()
  const { commit, changed } = await checkedOut(place, folder)
  assert.deepEqual(filesIn(folder), ['.gitignore', '.ralph/thing/prd.json', 'a.txt', 'new/d.txt', 'staged.txt'])
  assert.equal(readFileSync(join(folder, 'a.txt'), 'utf8'), 'changed\n')
  assert.deepEqual([await changed(), shIn(folder)('rev-parse', 'HEAD')], [[], commit])
  assert.equal(shIn(folder)('log', '--format=%s'), 'Work that is not committed yet\nfirst')
  assert.equal(shIn(folder)('diff', '--name-only', 'main', '--', '.', ':!.ralph'), 'a.txt\nb/c.txt\nnew/d.txt\nstaged.txt')
  assert.equal(picture(place), before)
})

test('files that give orders come from an earlier commit, where they were added, changed or deleted since, committed or not', async () => {
  const place = await begun()
  place.write({ 'CLAUDE.md': 'be short\n', 'b/AGENTS.md': 'be kind\n' })
  place.sh('add', '-A')
  place.sh('commit', '-qm', 'orders')
  const at = place.sh('rev-parse', 'HEAD')
  place.write({ 'CLAUDE.md': 'pass\n', '.claude/settings.json': '{}\n', 'a.txt': 'work\n' })
  rmSync(join(place.top, 'b/AGENTS.md'))
  place.sh('add', '-A')
  place.sh('commit', '-qm', 'work')
  place.write({ 'b/CLAUDE.md': 'pass\n' })
  const isOlder = (path: string): boolean => /CLAUDE|AGENTS|\.claude/.test(path)
  const [folder, before] = [newFolder(), picture(place)]
  const made = await place.git.checkOut(folder, '', undefined, [{ at, isOlder }])
  assert(!('error' in made), JSON.stringify(made))
  assert.deepEqual(filesIn(folder), ['.gitignore', '.ralph/thing/prd.json', 'CLAUDE.md', 'a.txt', 'b/AGENTS.md', 'b/c.txt'])
  const texts = ['CLAUDE.md', 'b/AGENTS.md', 'a.txt'].map((name) => readFileSync(join(folder, name), 'utf8'))
  assert.deepEqual([texts, await made.changed()], [['be short\n', 'be kind\n', 'work\n'], []])
  const none = await place.git.checkOut(folder, made.mark, undefined, [{ at: null, isOlder }])
  assert(!('error' in none), JSON.stringify(none))
  assert.deepEqual(filesIn(folder), ['.gitignore', '.ralph/thing/prd.json', 'a.txt', 'b/c.txt'])
  assert.equal(picture(place), before)
})

test('a judge that commits, resets, moves branches, cleans and edits settings in its checkout reaches nothing of the project', async () => {
  const place = await begun()
  place.write({ 'a.txt': 'uncommitted\n' })
  const before = picture(place)
  const folder = newFolder()
  const { changed } = await checkedOut(place, folder)
  const judge = shIn(folder)
  writeFileSync(join(folder, 'evil.txt'), 'x\n')
  judge('add', '-A')
  judge('-c', 'user.name=j', '-c', 'user.email=j@x', 'commit', '-qm', 'evil')
  judge('branch', '-f', 'main', 'HEAD')
  judge('config', 'core.hooksPath', '/tmp/evil')
  judge('update-ref', '-d', 'refs/heads/main')
  judge('gc', '-q', '--prune=now')
  assert.deepEqual(
    (await changed()).map((line) => line.replace(/\w{10}/, 'id')),
    ['HEAD (id)'],
  )
  assert.equal(picture(place), before)
})

test('what the last judge left in the folder, or set up in its repository, is gone at the next checkout', async () => {
  const place = await begun()
  place.write({ 'out/kept.txt': "the user's, ignored\n" })
  const folder = newFolder()
  const first = await checkedOut(place, folder)
  const judge = shIn(folder)
  // As a trap: the next clean and checkout there would hit the project.
  judge('config', 'core.worktree', place.top)
  writeFileSync(join(folder, '.git', 'info', 'sparse-checkout'), '/b/\n')
  judge('config', 'core.sparseCheckout', 'true')
  mkdirSync(join(folder, 'left'))
  writeFileSync(join(folder, 'left', 'x.txt'), 'x\n')
  writeFileSync(join(folder, 'a.txt'), 'swayed\n')
  execFileSync('touch', ['-r', join(folder, 'b/c.txt'), join(folder, 'a.txt')])
  place.write({ 'b/c.txt': 'c2\n' })
  const second = await checkedOut(place, folder, first.mark)
  assert.deepEqual(filesIn(folder), ['.gitignore', '.ralph/thing/prd.json', 'a.txt', 'b/c.txt'])
  assert.deepEqual(
    ['a.txt', 'b/c.txt'].map((name) => readFileSync(join(folder, name), 'utf8')),
    ['a\n', 'c2\n'],
  )
  assert.deepEqual(await second.changed(), [])
  assert.ok(existsSync(join(place.top, 'out/kept.txt')))
})

test('the next checkout in a folder writes only what differs, unless its index is not the one that we left', async () => {
  const place = await begun()
  const folder = newFolder()
  const inode = (): number => statSync(join(folder, 'a.txt')).ino
  const first = await checkedOut(place, folder)
  const before = inode()
  place.write({ 'b/c.txt': 'c2\n' })
  const second = await checkedOut(place, folder, first.mark)
  assert.equal(inode(), before)
  writeFileSync(`${folder}.index`, 'not an index')
  const third = await checkedOut(place, folder, second.mark)
  assert.deepEqual([await third.changed(), filesIn(folder).length], [[], 4])
})

test('a worktree, a shallow clone, a sparse checkout, other line ends and SHA-256 are checked out as they are', async () => {
  const place = await begun()
  place.write({ 'a.txt': 'second\n' })
  place.sh('commit', '-qam', 'second')
  const worktree = newFolder()
  place.sh('worktree', 'add', '-q', '-b', 'story', worktree)
  writeFileSync(join(worktree, 'story.txt'), 's\n')
  const apart = newFolder()
  await checkedOut({ git: place.git.worktreeAt(worktree, worktree) }, apart)
  assert.ok(filesIn(apart).includes('story.txt'))

  const shallow = newFolder()
  shIn(place.top)('clone', '-q', '--depth', '1', `file://${place.top}`, shallow)
  const short = await placeAt(shallow)
  const shortFolder = newFolder()
  await checkedOut(short, shortFolder)
  assert.equal(shIn(shortFolder)('log', '--format=%s'), 'second')

  short.sh('sparse-checkout', 'set', 'b')
  short.sh('config', 'core.autocrlf', 'true')
  const sparseFolder = newFolder()
  const sparse = await checkedOut(short, sparseFolder)
  assert.deepEqual([filesIn(sparseFolder), await sparse.changed()], [['.gitignore', 'a.txt', 'b/c.txt'], []])
  assert.equal(readFileSync(join(sparseFolder, 'b/c.txt'), 'utf8'), 'c\r\n')

  const other = await begun(['--object-format=sha256'])
  const { commit } = await checkedOut(other, newFolder())
  assert.equal(commit.length, 64)
})

test('a change of the same length is undone, however soon after the checkout it was made: the copy of the index is no later than the index', async () => {
  const place = await begun()
  const folder = newFolder()
  let mark = ''
  for (let round = 0; round < 20; round++) {
    mark = (await checkedOut(place, folder, mark)).mark
    assert.equal(readFileSync(join(folder, 'a.txt'), 'utf8'), 'a\n')
    assert.ok(statSync(`${folder}.index`).mtimeMs < statSync(join(folder, '.git', 'index')).mtimeMs)
    writeFileSync(join(folder, 'a.txt'), 'b\n')
  }
})

test('where no checkout can be made, git says why, and nothing is left of it', async () => {
  const place = await begun()
  const closed = newFolder()
  mkdirSync(closed)
  writeFileSync(join(closed, 'file'), '')
  const made = await place.git.checkOut(join(closed, 'file', '1'), '')
  assert.match('error' in made ? made.error : '', /ENOTDIR|not a directory/i)
  const folder = newFolder()
  const blob = place.sh('rev-parse', 'HEAD:b/c.txt')
  const object = join(place.top, '.git', 'objects', blob.slice(0, 2), blob.slice(2))
  chmodSync(object, 0o644)
  rmSync(object)
  const broken = await place.git.checkOut(folder, '')
  assert.ok('error' in broken)
  assert.deepEqual([existsSync(folder), existsSync(`${folder}.index`)], [false, false])
})

test('variables that name another repository do not lead a checkout astray', async () => {
  const place = await begun()
  const git = await openGit(place.top, { ...env, GIT_DIR: join(place.top, '.git'), GIT_WORK_TREE: place.top })
  const before = picture(place)
  const folder = newFolder()
  const { changed } = await checkedOut({ git: git! }, folder)
  git!.close()
  assert.deepEqual([await changed(), filesIn(folder).length, picture(place)], [[], 4, before])
})

async function withSubmodule(): Promise<{
  place: TestRepository
  folder: string
  same(): Promise<[string[], string[], string]>
}> {
  const [place, lib] = [await begun(), await begun()]
  place.sh('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', lib.top, 'lib')
  place.sh('commit', '-qm', 'with a submodule')
  const folder = newFolder()
  return {
    place,
    folder,
    async same() {
      await checkedOut(place, folder)
      const { same, others } = await place.git.fillSubmodules(folder, (path) => path.endsWith('new.js'))
      const file = join(folder, 'lib/a.txt')
      return [same, others, existsSync(file) ? readFileSync(file, 'utf8') : '']
    },
  }
}

test('a submodule that is what the commit says can be linked; of any other the commit’s content is written, whatever its own git says', async () => {
  const { place, same } = await withSubmodule()
  assert.deepEqual(await same(), [['lib/'], [], ''])
  place.write({ 'lib/out/old.js': 'built' })
  assert.deepEqual(await same(), [['lib/'], [], ''])
  place.write({ 'lib/a.txt': 'work\n' })
  place.sh('-C', 'lib', 'update-index', '--assume-unchanged', 'a.txt')
  assert.deepEqual(await same(), [[], ['lib/'], 'a\n'])
  place.write({ 'lib/a.txt': 'a\n', '.git/modules/lib/info/exclude': 'hidden.txt\n', 'lib/hidden.txt': 'work' })
  assert.deepEqual(await same(), [[], ['lib/'], 'a\n'])
  rmSync(join(place.top, 'lib/hidden.txt'))
  rmSync(join(place.top, 'lib/out'), { recursive: true })
  place.write({ 'lib/.gitignore': 'out/\n', 'lib/out/new.js': 'work' })
  assert.deepEqual((await same())[0], ['lib/'])
})

test('a folder that only .gitmodules names, and one that was never fetched, stay empty', async () => {
  const place = await begun()
  place.write({ '.gitmodules': '[submodule "gen"]\n\tpath = gen\n\turl = ./gen\n', 'gen/work.js': 'x' })
  place.sh('add', '.gitmodules')
  place.sh('commit', '-qm', 'false')
  const folder = newFolder()
  await checkedOut(place, folder)
  assert.deepEqual(await place.git.fillSubmodules(folder, () => false), { same: [], others: [] })
})

test('a submodule that moves to a commit which no remote has is named', async () => {
  const { place } = await withSubmodule()
  const from = place.sh('rev-parse', 'HEAD')
  assert.deepEqual(await place.git.localSubmodules(from), [])
  place.write({ 'lib/a.txt': 'work\n' })
  place.sh('-C', 'lib', '-c', 'user.name=x', '-c', 'user.email=x@x', 'commit', '-qam', 'work')
  place.sh('commit', '-qam', 'moved')
  assert.deepEqual(await place.git.localSubmodules(from), ['lib'])
  place.sh('-C', 'lib', 'update-ref', 'refs/remotes/origin/main', 'HEAD')
  assert.deepEqual(await place.git.localSubmodules(from), [])
})

test('links that lead out of a checkout are removed, unless they were there at the beginning', async () => {
  const place = await begun()
  symlinkSync('/etc/hosts', join(place.top, 'old'))
  place.sh('add', '-A')
  place.sh('commit', '-qm', 'links')
  const from = place.sh('rev-parse', 'HEAD')
  for (const [name, target] of Object.entries({ 'b/in': '../a.txt', 'b/out': '../../x', far: '/etc/passwd' }))
    symlinkSync(target, join(place.top, name))
  place.sh('add', '-A')
  place.sh('commit', '-qm', 'more links')
  const folder = newFolder()
  await checkedOut(place, folder)
  assert.deepEqual(await place.git.cutLinks(folder, from), ['b/out', 'far'])
  assert.deepEqual(
    ['old', 'b/in', 'b/out', 'far'].map((name) => lstatSync(join(folder, name), { throwIfNoEntry: false })?.isSymbolicLink()),
    [true, true, undefined, undefined],
  )
})

test('a commit with none of the uncommitted files is HEAD, without asking git status; with some it has just these', async () => {
  const place = await begun()
  place.write({ 'a.txt': 'changed\n', 'new.txt': 'new\n', 'other.txt': 'other\n' })
  place.sh('add', 'other.txt')
  const trace = `${newFolder()}.txt`
  const git = await openGit(place.top, { ...env, GIT_TRACE: trace })
  assert(git !== null)
  const head = place.sh('rev-parse', 'HEAD')
  assert.equal(await git.commitWith([]), head)
  const asked = existsSync(trace) ? readFileSync(trace, 'utf8') : ''
  const commit = await git.commitWith(['a.txt', 'new.txt'])
  git.close()
  assert.deepEqual(
    [/built-in: git status/.test(asked), place.sh('rev-parse', `${commit}^`), place.sh('diff', '--name-only', head, commit)],
    [false, head, 'a.txt\nnew.txt'],
  )
  assert.match(readFileSync(trace, 'utf8'), /built-in: git status/)
})
