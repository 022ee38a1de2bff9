/** A checkout for gates and reviewers, in its own repository: nothing they do there reaches the original one. */
import { createHash } from 'node:crypto'
import { appendFileSync, existsSync, mkdirSync, readlinkSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { tried } from '../../core/failure.ts'
import type { ChangedLines } from '../../core/review/findings.ts'
import { copyRegular, readRegular } from '../files/open.ts'
import { removeFolders } from '../files/remove-folders.ts'
import type { CommitRefused } from './commit.ts'
import { changedLinesBetween } from './commit-diffs.ts'
import { submodulesIn } from './hidden-by-index.ts'
import { diffFiles } from './objects/diff.ts'
import { marksIn } from './objects/index-file.ts'
import { presentState, treeOf } from './rescue/capture-state.ts'
import { type FileEntry, filesOf, git, ownCommitOf, type RescueRepo, SUBMODULE, treeWith, WITHOUT_HOOKS } from './rescue/trees.ts'
import { gitIn } from './run.ts'
import { readStatus } from './status.ts'
import { commonDirOf, gitDirOf, objectsDirOf } from './worktree-folders.ts'

export type Checkout = {
  /** What is checked out: the commit of the work, or one on top of it with the uncommitted changes. */
  commit: string
  /** Lets the next checkout in the same folder write only what differs. */
  mark: string
  /** What differs from the commit; also names another HEAD. */
  changed(): Promise<string[]>
}
export type What = string | ((path: string) => boolean)
/** Files that are taken from another commit, as far as they differ; `at` null: there were none. */
export type Older = { at: string | null; isOlder(path: string): boolean }
export type Checkouts = {
  /**
   * The work as it stands, including uncommitted and new files, but without what git ignores. `mark`: that of the last checkout in this
   * folder; '': none. `what`: which uncommitted files, or another commit instead.
   */
  checkOut(folder: string, mark: string, what?: What, older?: Older[]): Promise<Checkout | CommitRefused>
  /**
   * The submodules of a checkout, which come out of git empty: those whose work tree is exactly what the commit says can be linked to it; of the others
   * the content of the commit is written. `isNew`: of files that a submodule ignores, those that were not there before.
   */
  fillSubmodules(folder: string, isNew: (path: string) => boolean): Promise<{ same: string[]; others: string[] }>
  /** Removes links of a checkout that lead out of it: a clone has nothing there. Those that the commit `from` has too stay. */
  cutLinks(folder: string, from: string | null): Promise<string[]>
  /** Submodules that are other commits, or new, since `from` (null: before the first commit), and that no remote of theirs has. */
  localSubmodules(from: string | null): Promise<string[]>
  /** HEAD, or a commit on top of it that no branch has, with these uncommitted files. */
  commitWith(uncommitted: string[]): Promise<string>
  /** Which lines differ between two commits, in the second one; null: one of them is missing. */
  changedLines(from: string, to: string): Promise<ChangedLines | null>
  /** The content of a file in a commit; null: there is none. */
  textAt(commit: string, path: string): Promise<string | null>
}

export function checkoutsOf(repo: RescueRepo, env: NodeJS.ProcessEnv, algorithm: string): Checkouts {
  const idBytes = algorithm === 'sha256' ? 32 : 20

  async function workCommit(what: What): Promise<string> {
    if (typeof what === 'string') return what
    const status = await readStatus(repo.run)
    const changes = status.changes.filter(({ path }) => what(path))
    const { head, tree } = await presentState(repo, [], Promise.resolve({ ...status, changes }))
    return tree === (await treeOf(repo, head))
      ? head
      : ownCommitOf(repo, { tree, parents: [head], message: 'Work that is not committed yet\n' })
  }

  /** git status takes long, and is asked only if there is something to add. */
  async function commitWith(uncommitted: string[]): Promise<string> {
    const head = uncommitted.length > 0 ? undefined : (await repo.objects.read('HEAD'))?.id
    const wanted = new Set(uncommitted)
    return head ?? workCommit((path) => wanted.has(path))
  }

  async function withOlder(commit: string, { at, isOlder }: Older): Promise<string> {
    const paths = (await diffFiles(repo.objects, at, commit)).filter(isOlder)
    if (paths.length === 0) return commit
    const then = at === null ? new Map<string, FileEntry>() : await filesOf(repo, at)
    const tree = await treeWith(repo, commit, new Map(paths.map((path) => [path, then.get(path) ?? null])))
    return ownCommitOf(repo, { tree, parents: [commit], message: 'Some files as they are in another commit\n' })
  }

  async function checkedOut(folder: string, mark: string, what: What, older: Older[]): Promise<Checkout> {
    let commit = await workCommit(what)
    for (const each of older) commit = await withOlder(commit, each)
    const index = `${folder}.index`
    const isKnown = mark !== '' && hashOf(index) === mark
    // The last user may have set up the repository so that ours would run or remove something: only its files are reused.
    const old = isKnown ? join(folder, '.git') : folder
    const error = await removeFolders([old])
    if (error !== null) throw new Error(error)
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const own = { ...repo, top: folder, run: gitIn(folder, withoutRepository(env)) }
    await makeRepository(folder)
    if (isKnown) copyIndex(index, join(folder, '.git', 'index'))
    await git(own, [...EXACT, 'checkout', '--quiet', '--force', '--detach', '--no-recurse-submodules', commit, '--'], WRITE)
    if (isKnown) await git(own, [...EXACT, 'clean', '-ffdxq'], WRITE)
    copyIndex(join(folder, '.git', 'index'), index)
    return { commit, mark: hashOf(index), changed: () => changedIn(own, commit) }
  }

  /** As `git init` does, which would be one more process before each gate. `of`: of a submodule, where its objects are, and its commit. */
  async function makeRepository(folder: string, of?: { objects: string; id: string }): Promise<void> {
    const [dir, common] = [join(folder, '.git'), commonDirOf(repo.dir)]
    for (const inside of [['objects', 'info'], ['refs', 'heads'], ['info']]) mkdirSync(join(dir, ...inside), { recursive: true })
    writeFileSync(join(dir, 'HEAD'), `${of?.id ?? 'ref: refs/heads/main'}\n`)
    const format = algorithm === 'sha1' ? '0' : `1\n[extensions]\n\tobjectFormat = ${algorithm}\n[core]`
    writeFileSync(
      join(dir, 'config'),
      `[core]\n\trepositoryFormatVersion = ${format}\n\tbare = false\n\tlogAllRefUpdates = true\n`,
    )
    writeFileSync(join(dir, 'objects', 'info', 'alternates'), `${lineOf(of?.objects ?? objectsDirOf(repo.dir, env))}\n`)
    if (existsSync(join(common, 'shallow'))) copyRegular(join(common, 'shallow'), join(dir, 'shallow'))
    const [config, refs] = await Promise.all([
      git(repo, ['config', '--list', '-z']),
      git(repo, ['for-each-ref', '--format=%(objectname) %(refname)', 'refs/heads', 'refs/remotes', 'refs/tags']),
    ])
    appendFileSync(join(dir, 'config'), config.split('\0').map(settingOf).join(''))
    if (of !== undefined) return
    writeFileSync(join(dir, 'packed-refs'), refs)
    const sparse = join(repo.dir, 'info', 'sparse-checkout')
    if (existsSync(sparse)) copyRegular(sparse, join(dir, 'info', 'sparse-checkout'))
  }

  async function fillSubmodules(folder: string, isNew: (path: string) => boolean): Promise<{ same: string[]; others: string[] }> {
    const named = submodulesIn(folder)
    if (named.length === 0) return { same: [], others: [] }
    const links = (await entriesIn(folder, SUBMODULE)).filter(({ path }) => named.includes(`${path}/`))
    const same: string[] = []
    for (const { id, path } of links) if (await isAsItIs(folder, path, id, isNew)) same.push(`${path}/`)
    return { same, others: links.map(({ path }) => `${path}/`).filter((path) => !same.includes(path)) }
  }

  /** Otherwise its content is written. By a repository of our own: its settings could hide what differs, or run programs. */
  async function isAsItIs(folder: string, path: string, id: string, isNew: (path: string) => boolean): Promise<boolean> {
    const [there, here] = [join(repo.top, path), join(folder, path)]
    const dir = statSync(join(there, '.git'), { throwIfNoEntry: false })?.isDirectory() ? join(there, '.git') : gitDirOf(there)
    if (!existsSync(join(dir, 'HEAD'))) return false // it was never fetched
    await removeFolders([here])
    mkdirSync(here, { recursive: true })
    await makeRepository(here, { objects: objectsDirOf(dir, {}), id })
    const own = withoutRepository(env)
    const look = gitIn(there, { ...own, GIT_DIR: join(here, '.git'), GIT_WORK_TREE: there })
    const isSame = async (): Promise<boolean> => {
      if ((await look(['read-tree', id], WRITE)).code !== 0) return false
      await look([...EXACT, 'update-index', '-q', '--refresh'], WRITE)
      const { changes, ignored } = await readStatus((args, how) => look([...EXACT, ...args], how), { withIgnored: true })
      return changes.length === 0 && !ignored.some((one) => isNew(join(there, one)))
    }
    if (await isSame()) {
      await removeFolders([here])
      return true
    }
    await gitIn(here, own)([...EXACT, 'checkout', '--quiet', '--force', '--detach', '--no-recurse-submodules', id, '--'], WRITE)
    return false
  }

  async function cutLinks(folder: string, from: string | null): Promise<string[]> {
    const { hasLinks } = marksIn(readRegular(join(folder, '.git', 'index'), Number.POSITIVE_INFINITY), idBytes)
    const cut: string[] = []
    for (const link of hasLinks ? await entriesIn(folder, LINK) : []) {
      const target = tried(() => readlinkSync(join(folder, link.path)), '')
      const leadsTo = resolve(folder, dirname(link.path), target)
      if (target === '' || leadsTo === folder || leadsTo.startsWith(`${folder}/`)) continue
      const before = from === null ? null : await repo.objects.read(`${from}:${link.path}`)
      if (before?.body.toString() === target) continue
      rmSync(join(folder, link.path))
      cut.push(link.path)
    }
    return cut
  }

  /** Of the index of a checkout that was just made. */
  async function entriesIn(folder: string, mode: string): Promise<{ id: string; path: string }[]> {
    const run = gitIn(folder, withoutRepository(env))
    const lines = (await git({ ...repo, run }, ['ls-files', '-s', '-z'])).split('\0')
    return lines
      .filter((line) => line.startsWith(`${mode} `))
      .map((line) => {
        const [, id = '', path = ''] = /^\d+ (\w+) \d\t(.*)$/s.exec(line) ?? []
        return { id, path }
      })
  }

  async function localSubmodules(from: string | null): Promise<string[]> {
    const named = submodulesIn(repo.top)
    if (named.length === 0) return []
    const changed = (await diffFiles(repo.objects, from, 'HEAD')).filter((path) => named.includes(`${path}/`))
    const links = await Promise.all(
      changed.map(async (path) => ({
        path,
        id: (await git(repo, ['rev-parse', '--quiet', '--verify', `HEAD:${path}`])).trim(),
      })),
    )
    const isLocal = async ({ path, id }: { path: string; id: string }): Promise<boolean> => {
      const run = gitIn(join(repo.top, path), { ...withoutRepository(env), GIT_CEILING_DIRECTORIES: repo.top })
      const { code, out } = await run(['rev-list', '-1', id, '--not', '--remotes'], { env: { GIT_ALLOW_PROTOCOL: 'none' } })
      return code !== 0 || out.length > 0
    }
    const areLocal = await Promise.all(links.map(isLocal))
    return changed.filter((_, at) => areLocal[at])
  }

  return {
    fillSubmodules,
    localSubmodules,
    cutLinks,
    commitWith,
    changedLines: (from, to) => changedLinesBetween(repo.run, from, to),
    async textAt(commit, path) {
      const object = await repo.objects.read(`${commit}:${path}`)
      return object?.type === 'blob' ? object.body.toString() : null
    },
    async checkOut(folder, mark, what = () => true, older = []) {
      try {
        // Leftovers of the last one may be in the way: then start from nothing.
        return await checkedOut(folder, mark, what, older).catch(() => checkedOut(folder, '', what, older))
      } catch (error) {
        await removeFolders([folder, `${folder}.index`])
        return { error: (error as Error).message.trim() }
      }
    },
  }
}

/** Without the variables that select a repository regardless of the folder. */
export const withoutRepository = <E extends Record<string, string | undefined>>(env: E): E =>
  Object.fromEntries(Object.entries(env).filter(([name]) => !REPOSITORY.test(name))) as E

const REPOSITORY =
  /^GIT_(DIR|WORK_TREE|COMMON_DIR|INDEX_FILE|OBJECT_DIRECTORY|ALTERNATE_OBJECT_DIRECTORIES|PREFIX|NAMESPACE|SHALLOW_FILE|GRAFT_FILE|CEILING_DIRECTORIES)$/

const WRITE = { kind: 'write' } as const
const LINK = '120000'
/** Also finds a file whose content was changed and whose time was set back. */
const EXACT = ['-c', 'core.trustctime=true', '-c', 'core.checkStat=default', '-c', 'core.untrackedCache=false']

async function changedIn(own: RescueRepo, commit: string): Promise<string[]> {
  const { head, changes } = await readStatus((args, how) => own.run([...WITHOUT_HOOKS, ...EXACT, ...args], how))
  const files = changes.map(({ path }) => path)
  return head === commit ? files : [`HEAD (${head?.slice(0, 10) ?? 'none'})`, ...files]
}

/** What decides how files come out of git, and which. */
const SETTINGS =
  /^(core\.(autocrlf|eol|safecrlf|ignorecase|precomposeunicode|filemode|symlinks|longpaths|attributesfile|sparsecheckout|sparsecheckoutcone)|filter\..*)$/

/** As a line of a configuration file; empty: not one of them. */
function settingOf(line: string): string {
  const end = line.indexOf('\n')
  const [key, value] = end < 0 ? [line, 'true'] : [line.slice(0, end), line.slice(end + 1)]
  if (!SETTINGS.test(key)) return ''
  const [first, last] = [key.indexOf('.'), key.lastIndexOf('.')]
  const inner = first === last ? '' : ` "${escaped(key.slice(first + 1, last))}"`
  return `[${key.slice(0, first)}${inner}]\n\t${key.slice(last + 1)} = "${escaped(value).replaceAll('\n', '\\n')}"\n`
}

const escaped = (text: string): string => text.replace(/[\\"]/g, '\\$&')

const lineOf = (path: string): string => (/["\n]/.test(path) ? `"${escaped(path).replaceAll('\n', '\\n')}"` : path)

/**
 * With its time: git compares the content of a file that may have changed since the index was written, however short the clock's steps are. A copy with a
 * later time would hide a change of the same length.
 */
function copyIndex(from: string, to: string): void {
  copyRegular(from, to)
  const seconds = Math.floor(statSync(from).mtimeMs - 1) / 1000
  utimesSync(to, seconds, seconds)
}

const hashOf = (path: string): string =>
  existsSync(path) ? createHash('sha1').update(readRegular(path, Number.POSITIVE_INFINITY)).digest('hex') : 'none'
