/** What a kill left behind beside the files that were to be replaced: taken away by the next run. */

import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { tried } from '../../core/failure.ts'
import { isAlive } from '../process/survivors.ts'

/** Made in the git directory for one commit, by whoever holds the lock of the worktree: now that is us. */
const ofOurGit = /^ralph-(index|rescue-index)(\.lock)?$|^ralph-rescue\.patch$/

/** Of these folders themselves, not of those in them. One that cannot be removed harms nobody. */
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
