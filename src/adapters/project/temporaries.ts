/** Removes temporary files that a kill left next to the files they were to replace. */

import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { tried } from '../../core/failure.ts'
import { isAlive } from '../process/survivors.ts'

/** Created in the git directory for one commit, by the holder of the worktree's lock: now that is us. */
const ofOurGit = /^ralph-(index|rescue-index)(\.lock)?$|^ralph-rescue\.patch$/

/** In these folders, not below them. One that cannot be removed does no harm. */
export function sweepTemporaries(folders: string[]): void {
  for (const folder of folders) {
    for (const name of namesIn(folder)) {
      const [, pid] = /^\..+\.tmp-(\d+)-\d+$/.exec(name) ?? []
      const isLeft = pid === undefined ? ofOurGit.test(name) : !isAlive(Number(pid))
      if (!isLeft) continue
      try {
        rmSync(join(folder, name), { force: true })
      } catch {}
    }
  }
}

/** None: it is not made yet. */
const namesIn = (folder: string): string[] => tried(() => readdirSync(folder), [])
