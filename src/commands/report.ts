/** `ralph report`: what a feature came to, what it cost, what is left, and whether learning helped. */
import { join } from 'node:path'
import { readLog } from '../adapters/store.ts'
import type { Io } from '../io.ts'
import { allLogs } from '../run/all-logs.ts'
import { projectOrArchive } from '../run/archived.ts'
import { costLines, forecastLines } from '../views/costs.ts'
import { learningLines } from '../views/learning.ts'
import { type Ledger, ledgerOf } from '../views/ledger.ts'
import { receiptLines, reportMarkdown } from '../views/report.ts'

export async function runReport(args: { feature?: string }, io: Io): Promise<number> {
  const project = await projectOrArchive(io, args.feature)
  const own = ledgerOf(readLog(join(project.dir, 'events.jsonl')).events)
  if (own.runs.length === 0) {
    io.out(`${project.feature} has never run. Start with: ralph run\n`)
    return 0
  }
  const others = allLogs(project.root)
    .filter((path) => path !== join(project.dir, 'events.jsonl'))
    .flatMap((path): Ledger[] => {
      try {
        return [ledgerOf(readLog(path).events)]
      } catch {
        return [] // its own report says what is wrong with it
      }
    })
  const all = [own, ...others]
  const parts = [costLines(own), forecastLines(own, all), receiptLines(own.state), learningLines(all)]
  io.out(
    `${[reportMarkdown(own.state), ...parts.filter((lines) => lines.length > 0).map((lines) => `${lines.join('\n')}\n`)].join('\n')}`,
  )
  return 0
}
