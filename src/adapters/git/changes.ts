/** What happened to the files of the work tree since a commit or tree: kinds and lines, read from git's diff. */
import { existsSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isTestFile } from '../../core/tamper/test-code.ts'
import type { FileChange } from '../../core/tamper/weakened-checks.ts'
import { dropFile } from '../files/files.ts'
import { copyRegular } from '../files/open.ts'
import type { CommitRefused } from './commit.ts'
import type { RunGit, Said } from './run.ts'

/** `dir`: the git directory of the worktree. `isClean`: nothing is uncommitted, so there are no untracked files to add first. */
export type Between = { dir: string; from: string; isClean: boolean }

/**
 * From a commit or tree to the work tree, with untracked files and without `.ralph/`. `run` works at the top of the repository, and paths are
 * relative to it. Touches neither index nor work tree. A very large change names all files, but gives lines only for some: tests first.
 */
export async function changesBetween(run: RunGit, { dir, from, isClean }: Between): Promise<FileChange[] | CommitRefused> {
  if (isClean) return changesIn(run, from, {})
  const folder = mkdtempSync(join(tmpdir(), 'ralph-changes-'))
  try {
    const index = join(folder, 'index')
    const real = join(dir, 'index')
    if (existsSync(real)) copyRegular(real, index)
    const env = { GIT_INDEX_FILE: index }
    // Untracked files are added only to the copy of the index. Skips one that cannot be read.
    await run(['add', '--intent-to-add', '--ignore-errors', '--', '.', notOurs], { kind: 'write', env })
    return await changesIn(run, from, env)
  } finally {
    dropFile(folder)
  }
}

async function changesIn(run: RunGit, from: string, env: Record<string, string>): Promise<FileChange[] | CommitRefused> {
  const listed = await run([...diff, '--raw', '--numstat', '-z', from, '--', '.', notOurs], { env })
  if (listed.code !== 0) return { error: listed.words }
  const files = filesIn(listed.out.toString())
  const wanted = withinBounds(files)
  const paths = wanted.flatMap(({ path, from: before }) => (before === undefined ? [path] : [before, path]))
  const patch =
    paths.length === 0 ? nothing : await run(['--literal-pathspecs', ...diff, '--patch', from, '--', ...paths], { env })
  if (patch.code !== 0) return { error: patch.words }
  const lines = linesIn(patch.out.toString('utf8', 0, mostBytes))
  return files.map(({ weight: _weight, ...file }) => ({ ...file, ...(lines.get(file.path) ?? { added: [], removed: [] }) }))
}

type File = Pick<FileChange, 'path' | 'kind' | 'from'> & { weight: number }
type Lines = Pick<FileChange, 'added' | 'removed'>

const mostBytes = 2 * 1024 * 1024
const mostLines = 40_000
const mostFiles = 1000
const longestLine = 500
const notOurs = ':(top,exclude,glob)**/.ralph/**'
/** Overrides what a user's settings could change; large files count as binary and have no lines. */
const diff = [
  ...[
    '-c',
    'core.quotePath=false',
    '-c',
    'core.bigFileThreshold=256k',
    '-c',
    'diff.noprefix=false',
    '-c',
    'diff.mnemonicPrefix=false',
  ],
  ...[
    'diff',
    '--unified=0',
    '-M',
    '--no-color',
    '--no-ext-diff',
    '--no-textconv',
    '--ignore-submodules=all',
    '--diff-algorithm=myers',
  ],
]
const nothing: Said = { code: 0, out: Buffer.alloc(0), words: '' }
const kinds: Record<string, FileChange['kind']> = { A: 'added', D: 'deleted', R: 'renamed' }

/** `:100644 100644 <id> <id> R086`, zero, the path before, zero, the path; then `<added>\t<removed>\t<path>` for each of them. */
function filesIn(text: string): File[] {
  const fields = text.split('\0')
  const files = new Map<string, File>()
  let at = 0
  for (let field = fields[at]; field !== undefined; field = fields[++at]) {
    if (field.startsWith(':')) {
      const letter = field.charAt(field.lastIndexOf(' ') + 1)
      const before = letter === 'R' || letter === 'C' ? fields[++at] : undefined
      const path = fields[++at] ?? ''
      const kind = kinds[letter] ?? 'modified'
      files.set(path, { path, kind, ...(before === undefined ? {} : { from: before }), weight: 0 })
      continue
    }
    const [added, removed, own] = field.split('\t')
    if (removed === undefined) continue
    const path = own === '' ? fields[(at += 2)] : field.slice(`${added}\t${removed}\t`.length)
    const file = files.get(path ?? '')
    // A dash stands for binary files.
    if (file) file.weight = added === '-' ? 0 : Number(added) + Number(removed)
  }
  return [...files.values()]
}

function withinBounds(files: File[]): File[] {
  const withLines = files.filter(({ weight }) => weight > 0)
  const isTest = (file: File): boolean => isTestFile(file.path) || isTestFile(file.from ?? '')
  let lines = 0
  return [...withLines.filter(isTest), ...withLines.filter((file) => !isTest(file))]
    .filter(({ weight }) => (lines += weight) <= mostLines)
    .slice(0, mostFiles)
}

function linesIn(patch: string): Map<string, Lines> {
  const all = new Map<string, Lines>()
  let lines: Lines = { added: [], removed: [] }
  let at = 0
  let [oldLeft, newLeft] = [0, 0]
  for (const text of patch.split('\n')) {
    if (oldLeft > 0 && text.startsWith('-')) {
      oldLeft -= 1
      lines.removed.push(cut(text))
    } else if (newLeft > 0 && text.startsWith('+')) {
      newLeft -= 1
      lines.added.push({ at: at++, text: cut(text) })
    } else if (text.startsWith('diff --git ')) {
      lines = { added: [], removed: [] }
      const path = sameTwice(text.slice('diff --git '.length))
      if (path !== null) all.set(path, lines)
    } else if (text.startsWith('rename to ')) {
      all.set(unquoted(text.slice('rename to '.length)), lines)
    } else {
      const hunk = /^@@ -\d+(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/.exec(text)
      if (hunk) [oldLeft, at, newLeft] = [Number(hunk[1] ?? 1), Number(hunk[2]), Number(hunk[3] ?? 1)]
    }
  }
  return all
}

const cut = (text: string): string => text.slice(1, longestLine).replace(/\r$/, '')

/** `a/x b/x`, or both in quotes; null if the two differ. */
function sameTwice(names: string): string | null {
  const half = (names.length - 1) / 2
  const [before, after] = [unquoted(names.slice(0, half)), unquoted(names.slice(half + 1))]
  return before.slice(2) === after.slice(2) ? after.slice(2) : null
}

const escapes: Record<string, string> = { a: '\x07', b: '\b', t: '\t', n: '\n', v: '\v', f: '\f', r: '\r' }

/** Git quotes a path with odd characters as C does. */
function unquoted(name: string): string {
  if (!name.startsWith('"')) return name
  return name.slice(1, -1).replace(/\\([0-7]{3}|.)/g, (_, code: string) => {
    return code.length === 3 ? String.fromCharCode(Number.parseInt(code, 8)) : (escapes[code] ?? code)
  })
}
