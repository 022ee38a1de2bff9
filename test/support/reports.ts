/** Recorded logs, and the report for each: text, data and page. */
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { asKnownNow } from '../../src/core/evolve/older-events.ts'
import type { Event } from '../../src/core/types.ts'
import { ledgerOf } from '../../src/views/figures/ledger.ts'
import { type ReportData, reportData } from '../../src/views/report/data.ts'
import { historyOf } from '../../src/views/report/history.ts'
import { reportPage } from '../../src/views/report/html/page.ts'
import { wholeReport } from '../../src/views/report/report.ts'

// Reports have local times, and golden files must be the same everywhere.
process.env['TZ'] = 'UTC'

const folder = join(dirname(fileURLToPath(import.meta.url)), '..', 'fixtures')

export const logs = (): string[] =>
  readdirSync(join(folder, 'logs'))
    .filter((name) => name.endsWith('.jsonl'))
    .map((name) => name.replace(/\.jsonl$/, ''))
    .sort()

export const eventsIn = (name: string): Event[] =>
  readFileSync(join(folder, 'logs', `${name}.jsonl`), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => asKnownNow(JSON.parse(line)))

export const goldenOf = (name: string, kind: string): string => readFileSync(join(folder, 'report', `${name}.${kind}`), 'utf8')

export function dataOf(events: Event[]): ReportData {
  const ledger = ledgerOf(events)
  return reportData(ledger, historyOf(events), [ledger])
}

export function reportsOf(name: string): { md: string; json: string; html: string } {
  const events = eventsIn(name)
  const data = dataOf(events)
  return {
    md: wholeReport(ledgerOf(events).state, data),
    json: `${JSON.stringify(data, null, 2)}\n`,
    html: reportPage(data),
  }
}
