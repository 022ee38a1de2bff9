/** The files that the gates of a run start, as paths from the top of the repository. */
import { existsSync, realpathSync } from 'node:fs'
import { join, relative } from 'node:path'
import { readIfThere } from '../../adapters/files/files.ts'
import type { State } from '../../core/state.ts'
import { filesOfGates, type GateFile } from '../../core/tamper/gate-files.ts'
import { commandsOfEntry } from '../../core/tamper/rules/gate-scripts.ts'
import type { Work } from '../parts.ts'

/** Gates run in the project's folder. `changed`: one that is gone counts too. */
export function gateFilesOf({ root }: Pick<Work, 'root'>, top: string, changed: string[], { policy }: State): GateFile[] {
  const folder = relative(top, realpathSync(root))
  const known = new Set(changed)
  const found = filesOfGates(
    policy.gates,
    (path) => known.has(join(folder, path)) || existsSync(join(root, path)),
    (path, entry) => commandsOfEntry(path, readIfThere(join(root, path)) ?? '', entry), // as it is now: a change to it is noticed separately
  )
  return found.map((file) => ({ ...file, path: join(folder, file.path) }))
}
