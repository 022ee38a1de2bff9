/** The logs of a project: of its features, and of archived ones. */
import { readLog } from '../../adapters/project/event-log.ts'
import { type Ledger, ledgerOf } from '../../views/figures/ledger.ts'
import { logsBeside } from './other-features.ts'

/** All logs but one; an unreadable log is reported by its own commands. */
export const ledgersBeside = (root: string, except = ''): Ledger[] => ledgersIn(logsBeside(root, except))

export const ledgersIn = (logs: string[]): Ledger[] =>
  logs.flatMap((path) => {
    try {
      return [ledgerOf(readLog(path).events)]
    } catch {
      return []
    }
  })
