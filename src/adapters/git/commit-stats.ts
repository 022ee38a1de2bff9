/** What commits changed, file by file and in lines, for people who look at them later. */
import { gitIn } from './run.ts'

/** `added` and `deleted` are null for binary files. */
export type CommitStat = {
  id: string
  subject: string
  files: { path: string; added: number | null; deleted: number | null }[]
}

/** In the given order; skips missing commits, and all outside a repository. */
export async function commitStats(root: string, ids: string[], env: NodeJS.ProcessEnv): Promise<CommitStat[]> {
  const named = ids.filter((id) => /^[0-9a-f]{7,64}$/.test(id))
  if (named.length === 0) return []
  const run = gitIn(root, env)
  const wanted = ['--no-walk=unsorted', '--ignore-missing', '--numstat', '--diff-merges=first-parent', '-z']
  // A repository may configure programs for diffs: do not run them.
  const quiet = ['--no-ext-diff', '--no-textconv', '--no-renames', '--no-show-signature', '--no-color']
  const { code, out } = await run(['log', ...wanted, ...quiet, '--format=%x01%H%x02%s', ...named, '--'])
  return code === 0 ? out.toString('utf8').split('\x01').slice(1).map(statIn) : []
}

/** `<id>\2<subject>`, then `<added>\t<deleted>\t<path>` each; zero bytes and line ends between them. */
function statIn(text: string): CommitStat {
  const [head = '', ...lines] = text.split('\0')
  const [id = '', subject = ''] = head.split('\x02')
  const files = lines.flatMap((line) => {
    const [, added = '', deleted = '', path = ''] = /^\n?(\d+|-)\t(\d+|-)\t(.+)$/s.exec(line) ?? []
    return path === '' ? [] : [{ path, added: countIn(added), deleted: countIn(deleted) }]
  })
  return { id, subject, files }
}

const countIn = (text: string): number | null => (text === '-' ? null : Number(text))
