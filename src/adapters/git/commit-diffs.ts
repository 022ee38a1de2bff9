/** What commits changed, line by line, for people who look at them later: a limited part, however much it is. */
import type { ChangedLines } from '../../core/review/findings.ts'
import { commitStats } from './commit-stats.ts'
import { gitIn, type RunGit } from './run.ts'

/** `lines` as git prints them, from the first `@@` on; none for a binary file. */
export type FileDiff = {
  commit: string
  path: string
  added: number
  deleted: number
  isBinary: boolean
  lines: string[]
  isCut: boolean
}

/** In the given order; `missing`: commits that are not there any more; `isCut`: files were left out. */
export async function commitDiffs(
  root: string,
  ids: string[],
  env: NodeJS.ProcessEnv,
): Promise<{ files: FileDiff[]; missing: string[]; isCut: boolean }> {
  const stats = await commitStats(root, ids, env)
  const run = gitIn(root, env)
  const files: FileDiff[] = []
  let isCut = false
  for (const { id, files: changed } of stats) {
    const room = mostFiles - files.length
    const shown = changed.filter(({ added, deleted }) => (added ?? 0) + (deleted ?? 0) <= hugeLines).slice(0, room)
    const texts = shown.length === 0 ? [] : await patchesIn(run, id, shown.length === changed.length ? [] : shown.map(pathOf))
    const byPath = new Map(texts.map(({ path, lines }) => [path, lines]))
    isCut ||= changed.length > room
    for (const { path, added, deleted } of changed.slice(0, room)) {
      const lines = byPath.get(path) ?? []
      const isBinary = added === null
      const isLong = lines.length > mostLines || (!isBinary && lines.length === 0 && (added ?? 0) + (deleted ?? 0) > 0)
      const counts = { added: added ?? 0, deleted: deleted ?? 0 }
      files.push({ commit: id, path, ...counts, isBinary, lines: lines.slice(0, mostLines).map(clipped), isCut: isLong })
    }
  }
  const missing = ids.filter((id) => !stats.some((stat) => stat.id === id || stat.id.startsWith(id)))
  return { files, missing, isCut }
}

const mostFiles = 300
const mostLines = 2000
/** A lock file, or data: nobody reads it here. */
const hugeLines = 20_000
const longestLine = 1000

const pathOf = ({ path }: { path: string }): string => path
const clipped = (line: string): string => (line.length > longestLine ? `${line.slice(0, longestLine)}…` : line)

/** Of each file that differs between two commits, the lines that are new or others; beside removed ones, the lines around them. null: one is missing. */
export async function changedLinesBetween(run: RunGit, from: string, to: string): Promise<ChangedLines | null> {
  const wanted = ['-r', '--patch', '--unified=0', '--text', ...prefixes, ...quiet]
  const { code, out } = await run(['-c', 'core.quotePath=false', 'diff-tree', ...wanted, from, to, '--'])
  if (code !== 0) return null
  const changed = patchesOf(out).map(({ path, lines }) => [path, lines.flatMap(partIn)] as const)
  return Object.fromEntries(changed)
}

function partIn(line: string): [first: number, last: number][] {
  const [, start, count = '1'] = /^@@ -\d+(?:,\d+)? \+(\d+)(?:,(\d+))? @@/.exec(line) ?? []
  const first = Number(start)
  return start === undefined ? [] : [[first, count === '0' ? first + 1 : first + Number(count) - 1]]
}

const prefixes = ['--src-prefix=a/', '--dst-prefix=b/']
/** A repository may configure programs for diffs: do not run them. */
const quiet = ['--no-ext-diff', '--no-textconv', '--no-renames', '--no-color', '--no-relative']

async function patchesIn(run: RunGit, id: string, paths: string[]): Promise<Patch[]> {
  const wanted = ['--no-walk', '--patch', '--diff-merges=first-parent', '--format=', '--no-show-signature', ...prefixes, ...quiet]
  const only = paths.map((path) => `:(literal,top)${path}`)
  const { code, out } = await run(['-c', 'core.quotePath=false', 'log', ...wanted, id, '--', ...only])
  return code === 0 ? patchesOf(out) : []
}

type Patch = { path: string; lines: string[] }

const patchesOf = (out: Buffer): Patch[] =>
  out
    .toString('utf8')
    .split(/^(?=diff --git )/m)
    .flatMap(patchIn)

function patchIn(text: string): Patch[] {
  const lines = text.replace(/\n$/, '').split('\n')
  const from = lines.findIndex((line) => line.startsWith('@@'))
  if (from === -1) return []
  const named =
    lines.slice(0, from).find((line) => /^\+\+\+ "?b\//.test(line)) ??
    lines.slice(0, from).find((line) => /^--- "?a\//.test(line))
  if (named === undefined) return []
  return [{ path: unquoted(named.slice(4).replace(/\t$/, '')).slice(2), lines: lines.slice(from) }]
}

/** Git puts names with quotes, backslashes, tabs and line ends into quotes. */
function unquoted(name: string): string {
  if (!name.startsWith('"')) return name
  const plain: Record<string, string> = { n: '\n', t: '\t', r: '\r', '"': '"', '\\': '\\' }
  return name.slice(1, -1).replace(/\\(.)/g, (_, letter: string) => plain[letter] ?? letter)
}
