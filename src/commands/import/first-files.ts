/** A feature that is about to be created, before anything is written. */
import type { TestCommand } from '../../adapters/test-command/look.ts'
import type { Settings } from '../../config/table.ts'

export type NewFile = { path: string; text: string }
/** A feature about to be created, with its missing files, by paths from the root. */
export type First = {
  feature: string
  root: string
  home: string
  isNew: boolean
  /** The plan's name and its path from the root. */
  plan: string
  planPath: string
  settings: Settings
  tests: TestCommand | undefined
  /** Other commands that an agent checks its work with. */
  checks: string[]
  missing: NewFile[]
  head: { feature: string; branchName: string; createdAt: string; schema: string }
}
