/** What is uncommitted, from one `git status`, and a hash of its content. */
import { createHash } from 'node:crypto'
import { statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { EXIT, Failure } from '../../core/failure.ts'
import { readIfThere } from '../files/files.ts'
import { identityOf, type KnownFiles } from '../files/tree-hash.ts'
import { unlessOthersRun } from '../process/other-programs.ts'
import { gitIn, type RunGit } from './run.ts'

/** A path with uncommitted changes, relative to the top. */
export type DirtyPath = {
  path: string
  /** The index differs from HEAD; the work tree differs from the index. */
  isStaged: boolean
  isUnstaged: boolean
  /** A submodule, or a nested repository. */
  isRepo: boolean
}
export type GitStatus = {
  head: string | null
  branch: string | null
  changes: DirtyPath[]
  /** If asked for. A folder that matches a pattern stands for its whole content, and ends with a slash. */
  ignored: string[]
}

export async function readStatus(run: RunGit, { withIgnored = false } = {}): Promise<GitStatus> {
  const { code, out, words } = await run(withIgnored ? [...STATUS, '--ignored=matching'] : STATUS)
  if (code !== 0) throw new Failure(EXIT.data, `git status failed: ${words}`)
  return parseStatus(out)
}

export type Looks = {
  look(): Promise<GitStatus>
  /** The last look if it still counts, else a new one. */
  lately(): Promise<GitStatus>
  /** By a commit of Ralph's own files. */
  moved(from: string | null, to: string): void
}

type LastLook = { status: GitStatus; marks: string; isAlone: () => boolean; endedMs: number; tookMs: number }

/** With ignored files, of which the last is remembered. `marks`: what changes with each switch of branches and each `git add`. */
export function looksOf(run: RunGit, readHead: () => Promise<string | null>, marks: () => string): Looks {
  let last: LastLook | null = null
  let [begun, newest] = [0, 0]
  async function look(): Promise<GitStatus> {
    begun += 1
    const number = begun
    const [isAlone, startedMs, before] = [unlessOthersRun(), Date.now(), marks()]
    const status = await readStatus(run, { withIgnored: true })
    const endedMs = Date.now()
    if (number < newest) return status // one that began later has ended before
    newest = number
    last = isAlone === null ? null : { status, marks: before, isAlone, endedMs, tookMs: endedMs - startedMs }
    return status
  }
  return {
    look,
    async lately() {
      const known = last
      if (known === null || !known.isAlone() || known.marks !== marks()) return look()
      // The user works too: a look counts about as long as another would take.
      const ageMs = Date.now() - known.endedMs
      const isRecent = ageMs >= 0 && ageMs < Math.max(momentMs, 2 * known.tookMs)
      return isRecent && known.status.head === (await readHead()) ? known.status : look()
    },
    moved(from, to) {
      if (last !== null)
        last = last.status.head === from ? { ...last, status: { ...last.status, head: to }, marks: marks() } : null
    },
  }
}

const momentMs = 100

/** HEAD as it is written, and which file the index is: git renames a new one into place. */
export function marksIn(dir: string): string {
  const index = statSync(join(dir, 'index'), { bigint: true, throwIfNoEntry: false })
  return `${readIfThere(join(dir, 'HEAD'))}${index?.ino} ${index?.mtimeNs} ${index?.size}`
}

/** Empty if nothing is uncommitted. The same content has the same hash, staged or not. */
export function dirtReader(top: string, env: NodeJS.ProcessEnv): (changes: DirtyPath[]) => Promise<string> {
  let known: KnownFiles = new Map()
  return async (changes) => {
    if (changes.length === 0) return ''
    const files = changes.filter((change) => !change.isRepo).map(({ path }) => path)
    const read = identityOf(top, files, known)
    known = read.known
    const hash = createHash('sha1').update(read.identity)
    for (const { path, isRepo } of changes) if (isRepo) hash.update(`${path}\0${await commitIn(join(top, path), env)}\0`)
    return hash.digest('hex')
  }
}

const STATUS = [
  'status',
  '--porcelain=v2',
  '-z',
  '--branch',
  '--no-ahead-behind',
  '--untracked-files=all',
  '--no-renames',
  '--ignore-submodules=dirty',
]

/** How many fields precede the path, by the first letter of the line. */
const FIELDS: Record<string, number> = { '1': 8, u: 10, '?': 1 }

function parseStatus(out: Buffer): GitStatus {
  const status: GitStatus = { head: null, branch: null, changes: [], ignored: [] }
  const changes = new Map<string, DirtyPath>()
  for (const line of linesOf(out)) {
    if (line.startsWith('# branch.oid ')) status.head = line.endsWith('(initial)') ? null : line.slice(13)
    else if (line.startsWith('# branch.head ')) status.branch = line.endsWith(' (detached)') ? null : line.slice(14)
    else if (line.startsWith('! ')) status.ignored.push(line.slice(2))
    const fields = FIELDS[line.charAt(0)]
    if (fields === undefined) continue
    const path = afterSpaces(line, fields)
    const isUntracked = line.startsWith('?')
    changes.set(path, {
      path,
      // A file that was removed from the index but kept has two lines.
      isStaged: isUntracked ? changes.has(path) : line[2] !== '.',
      isUnstaged: isUntracked || line[3] !== '.',
      isRepo: isUntracked ? path.endsWith('/') : line[5] === 'S',
    })
  }
  status.changes = [...changes.values()]
  return status
}

/** Copies each string: otherwise a kept path would keep git's whole output in memory, once per call. */
function* linesOf(out: Buffer): Generator<string> {
  for (let from = 0, to = 0; from < out.length; from = to + 1) {
    to = out.indexOf(0, from)
    if (to === -1) to = out.length
    yield out.toString('utf8', from, to)
  }
}

function afterSpaces(line: string, count: number): string {
  let at = 0
  for (let seen = 0; seen < count; seen++) at = line.indexOf(' ', at) + 1
  return line.slice(at)
}

async function commitIn(folder: string, env: NodeJS.ProcessEnv): Promise<string> {
  // Without the ceiling, an emptied submodule would answer with the commit of the outer repository.
  const run = gitIn(folder, { ...env, GIT_CEILING_DIRECTORIES: dirname(folder) })
  const said = await run(['rev-parse', '--verify', '--quiet', 'HEAD']).catch(() => null)
  return said?.code === 0 ? said.out.toString().trim() : 'none'
}
