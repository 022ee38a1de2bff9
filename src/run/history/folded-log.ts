/** A feature's log, folded once: its state, and the totals that status.json shows. */
import { foldLog } from '../../adapters/project/event-log.ts'
import { eventLogPath } from '../../adapters/project/layout.ts'
import { evolve } from '../../core/evolve/evolve.ts'
import { initialState } from '../../core/evolve/initial.ts'
import type { State } from '../../core/state.ts'
import type { Event } from '../../core/types.ts'
import { type Account, chargeCalls, emptyAccount } from '../../views/status/account.ts'

export type Book = { state: State; account: Account }

export const emptyBook = (): Book => ({ state: initialState, account: emptyAccount() })

export const bookOf = ({ dir }: { dir: string }): Book => foldLog(eventLogPath(dir), emptyBook(), withEvent).value

/** Mutable. */
export function withEvent(book: Book, event: Event): Book {
  chargeCalls(book.account, book.state, event)
  book.state = evolve(book.state, event)
  return book
}
