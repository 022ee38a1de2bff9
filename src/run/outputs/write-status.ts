/** The only writer of status.json. */
import { replaceFile } from '../../adapters/files/files.ts'
import { statusPath } from '../../adapters/project/layout.ts'
import type { StatusFile } from '../../views/status/account.ts'

export const writeStatus = (dir: string, status: StatusFile): void =>
  replaceFile(statusPath(dir), `${JSON.stringify(status, null, 2)}\n`)
