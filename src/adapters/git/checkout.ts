/** A checkout for gates and reviewers, in its own repository: nothing they do there reaches the original one. */
import { createHash } from 'node:crypto'
import { appendFileSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { copyRegular, readRegular } from '../files/open.ts'
import { removeFolders } from '../files/remove-folders.ts'
import type { CommitRefused } from './commit.ts'
import { diffFiles } from './objects/diff.ts'
import { presentState, treeOf } from './rescue/state.ts'
import { type FileEntry, filesOf, must, ownCommitOf, type RescueRepo, treeWith, WITHOUT_HOOKS } from './rescue/trees.ts'
import { gitIn } from './run.ts'
import { readStatus } from './status.ts'
import { commonDirOf, objectsDirOf } from './worktree-folders.ts'

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
  checkOut(folder: string, mark: string, what?: What, older?: Older): Promise<Checkout | CommitRefused>
}

export function checkoutsOf(repo: RescueRepo, env: NodeJS.ProcessEnv, algorithm: string): Checkouts {
  async function workCommit(what: What): Promise<string> {
    if (typeof what === 'string') return what
    const status = await readStatus(repo.run)
    const changes = status.changes.filter(({ path }) => what(path))
    const { head, tree } = await presentState(repo, [], Promise.resolve({ ...status, changes }))
    return tree === (await treeOf(repo, head))
      ? head
      : ownCommitOf(repo, { tree, parents: [head], message: 'Work that is not committed yet\n' })
  }

  async function withOlder(commit: string, { at, isOlder }: Older): Promise<string> {
    const paths = (await diffFiles(repo.objects, at, commit)).filter(isOlder)
    if (paths.length === 0) return commit
    const then = at === null ? new Map<string, FileEntry>() : await filesOf(repo, at)
    const tree = await treeWith(repo, commit, new Map(paths.map((path) => [path, then.get(path) ?? null])))
    return ownCommitOf(repo, { tree, parents: [commit], message: 'Orders for agents as they were when the run began\n' })
  }

  async function checkedOut(folder: string, mark: string, what: What, older?: Older): Promise<Checkout> {
    const work = await workCommit(what)
    const commit = older === undefined ? work : await withOlder(work, older)
    const index = `${folder}.index`
    const isKnown = mark !== '' && hashOf(index) === mark
    // The last user may have set up the repository so that ours would run or remove something: only its files are reused.
    const old = isKnown ? join(folder, '.git') : folder
    const error = await removeFolders([old])
    if (error !== null) throw new Error(error)
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const own = { ...repo, top: folder, run: gitIn(folder, withoutRepository(env)) }
    await makeRepository(own, folder)
    if (isKnown) copyRegular(index, join(folder, '.git', 'index'))
    await must(own, [...EXACT, 'checkout', '--quiet', '--force', '--detach', '--no-recurse-submodules', commit, '--'], WRITE)
    if (isKnown) await must(own, [...EXACT, 'clean', '-ffdxq'], WRITE)
    copyRegular(join(folder, '.git', 'index'), index)
    return { commit, mark: hashOf(index), changed: () => changedIn(own, commit) }
  }

  async function makeRepository(own: RescueRepo, folder: string): Promise<void> {
    const format = algorithm === 'sha1' ? [] : [`--object-format=${algorithm}`]
    await must(own, ['-c', 'init.defaultRefFormat=files', 'init', '--quiet', '--template=', ...format], WRITE)
    const [dir, common] = [join(folder, '.git'), commonDirOf(repo.dir)]
    mkdirSync(join(dir, 'objects', 'info'), { recursive: true })
    writeFileSync(join(dir, 'objects', 'info', 'alternates'), `${lineOf(objectsDirOf(repo.dir, env))}\n`)
    if (existsSync(join(common, 'shallow'))) copyRegular(join(common, 'shallow'), join(dir, 'shallow'))
    const [config, refs] = await Promise.all([
      must(repo, ['config', '--list', '-z']),
      must(repo, ['for-each-ref', '--format=%(objectname) %(refname)', 'refs/heads', 'refs/remotes', 'refs/tags']),
    ])
    appendFileSync(join(dir, 'config'), config.split('\0').map(settingOf).join(''))
    writeFileSync(join(dir, 'packed-refs'), refs)
    const sparse = join(repo.dir, 'info', 'sparse-checkout')
    mkdirSync(join(dir, 'info'), { recursive: true })
    if (existsSync(sparse)) copyRegular(sparse, join(dir, 'info', 'sparse-checkout'))
  }

  return {
    async checkOut(folder, mark, what = () => true, older) {
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

const hashOf = (path: string): string =>
  existsSync(path) ? createHash('sha1').update(readRegular(path, Number.POSITIVE_INFINITY)).digest('hex') : 'none'
