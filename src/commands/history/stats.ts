/** `ralph stats`: figures over all features of a project. */
import type { Io } from '../../io.ts'
import { ledgersBeside } from '../../run/history/all-logs.ts'
import { projectRoot } from '../../run/project.ts'
import { statsLines, statsOf } from '../../views/figures/stats.ts'

export function runStats(args: { json?: boolean }, io: Io): Promise<number> {
  const { root } = projectRoot(io)
  const stats = statsOf(ledgersBeside(root))
  if (args.json) io.raw(`${JSON.stringify({ version: 1, root, ...stats }, null, 2)}\n`)
  else io.out(`${statsLines(stats).join('\n')}\n`)
  return Promise.resolve(0)
}
