/** A feature as it will be, before anything of it is written. */
import type { TestCommand } from '../../adapters/project/test-command.ts'
import type { Settings } from '../../config/table.ts'

export type NewFile = { path: string; text: string }
/** A feature as it will be, with the files that it needs and has not, by their paths from the root. Nothing of it is written yet. */
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
  missing: NewFile[]
  head: { feature: string; branchName: string; createdAt: string; schema: string }
}
