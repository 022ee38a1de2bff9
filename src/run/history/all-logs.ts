/** The histories of a project: of its features, and of those in the archive. */
import { readLog } from '../../adapters/project/event-log.ts'
import { type Ledger, ledgerOf } from '../../views/figures/ledger.ts'
import { logsBeside } from './other-features.ts'

/** Of all logs but one; what is wrong with a log, its own commands say. */
export const ledgersBeside = (root: string, except = ''): Ledger[] => ledgersIn(logsBeside(root, except))

export const ledgersIn = (logs: string[]): Ledger[] =>
  logs.flatMap((path) => {
    try {
      return [ledgerOf(readLog(path).events)]
    } catch {
      return []
    }
  })
