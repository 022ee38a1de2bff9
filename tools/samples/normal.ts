/** Replaces what varies between runs in the output of a sample: times, durations, ids, paths. */
import { dirname } from 'node:path'
import { ralphProgram, type TestProject } from '../../test/support/project.ts'

const duration = String.raw`(?:\d+h )?(?:\d+m )?\d+(?:\.\d)?s\b`
const took = (before: string): string =>
  ({ 'Duration:': '4.0s', '(agent': '2.4s', ', gates': '0.6s', in: '0.2s', '✓': '0.2s' })[before.trim()] ?? '0.8s'

/** The same id is the same word throughout a project: samples of a page belong together, and may name what an earlier one printed. */
export function stableWords({ root, home }: Pick<TestProject, 'root' | 'home'>) {
  const runs = new Map<string, string>()
  const hashes = new Map<string, string>()
  const branches = new Map<string, string>()
  const numbered = (seen: Map<string, string>, id: string, name: (index: number) => string): string =>
    seen.get(id) ?? seen.set(id, name(seen.size)).get(id)!
  const shown = (output: string): string =>
    output
      .replaceAll(root, '/home/me/shop')
      .replaceAll(home, '/home/me')
      .replaceAll(process.execPath, '/usr/bin/node')
      .replaceAll(dirname(dirname(ralphProgram)), '/usr/lib/node_modules/ralph-proven')
      .replace(/\b\d{8}-\d{6}-[0-9a-f]{4}\b/g, (id) => numbered(runs, id, (index) => `20261116-09${30 + index}00-7d7${index}`))
      .replace(/\b(wip\/ralph-\S+?)-\d{8}-\d{6}\b/g, (branch, kind) =>
        numbered(branches, branch, (index) => `${kind}-20261116-0935${String(index).padStart(2, '0')}`),
      )
      .replace(/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z|(?<![\w:.-])\d\d:\d\d(?::\d\d)?\b/g, (time) =>
        time.length > 20 ? '2026-11-16T09:35:00.000Z' : time.length > 8 ? '2026-11-16T09:35:00Z' : '09:35',
      )
      .replace(/\b\d{4}-\d\d-\d\d(?=[ -])/g, '2026-11-16')
      .replaceAll('until 2026-11-16 09:35', 'until 09:35') // an hour later may be tomorrow
      .replaceAll('resets at 2026-11-16 09:35', 'resets at 2026-11-17 00:00')
      .replace(/waiting (.+?) until/g, (_, time: string) => `waiting ${/[mh]/.test(time) ? '59m 58s' : '5.6s'} until`)
      .replace(new RegExp(`(?:${duration}|\\d+ min) ago`, 'g'), 'just now')
      // In a column, 12s is shorter than 0.8s.
      .replace(new RegExp(`(?<= {2})${duration} {2,}(?=[a-z])`, 'g'), '0.8s  ')
      .replace(
        new RegExp(`(Duration: +|\\(agent |, gates | in |✓ |waiting |waiting \\d+m )?\\b${duration}`, 'g'),
        (words, before: string = '') => (before.startsWith('waiting') ? words : before + took(before)),
      )
      .replace(/^(\d+,(?:implement|fix|review),)\d+/gm, '$10')
      .replace(/("(?:ms|durationMs|pid)": ?)\d+/g, '$1800')
      .replace(/\b(?:[0-9a-f]{40}|[0-9a-f]{7})\b/g, (hash) =>
        numbered(hashes, hash, (index) => `c0ffe${String(index).padStart(2, '0')}`),
      )
      // Where a long value is cut, and how long it is, depends on the real paths in it.
      .replace(/(?:"[^"']*",)*"?[^"']*…' \([\d,]+ characters\)/g, "…' (6,000 characters)")
      .replace(/git version [\d.]+/g, 'git version 2.39.5')
      .replace(/\b\d+ GB free/g, '78 GB free')
  /** A command with the real name of a branch. */
  const real = (line: string): string => [...branches].reduce((text, [branch, word]) => text.replaceAll(word, branch), line)
  return { shown, real }
}
