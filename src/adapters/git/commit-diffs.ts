/** What commits changed, line by line, for people who look at them later: a limited part, however much it is. */
import { commitStats } from './commit-stats.ts'
import { gitIn } from './run.ts'

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

type RunsGit = ReturnType<typeof gitIn>

async function patchesIn(run: RunsGit, id: string, paths: string[]): Promise<{ path: string; lines: string[] }[]> {
  const wanted = ['--no-walk', '--patch', '--diff-merges=first-parent', '--format=', '--src-prefix=a/', '--dst-prefix=b/']
  // A repository may configure programs for diffs: do not run them.
  const quiet = ['--no-ext-diff', '--no-textconv', '--no-renames', '--no-show-signature', '--no-color', '--no-relative']
  const only = paths.map((path) => `:(literal,top)${path}`)
  const { code, out } = await run(['-c', 'core.quotePath=false', 'log', ...wanted, ...quiet, id, '--', ...only])
  return code === 0
    ? out
        .toString('utf8')
        .split(/^(?=diff --git )/m)
        .flatMap(patchIn)
    : []
}

function patchIn(text: string): { path: string; lines: string[] }[] {
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
