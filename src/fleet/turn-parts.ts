/** What a turn works with. */
import type { Fleet } from './database.ts'
import type { LeaseWatch } from './lease-deadline.ts'
import type { TakenLease } from './leases.ts'

export type TurnParts = {
  fleet: Fleet
  taken: TakenLease
  watch: LeaseWatch
  /** The worker's folder. */
  place: string
  env: NodeJS.ProcessEnv
  account: string
  say(text: string): void
}
