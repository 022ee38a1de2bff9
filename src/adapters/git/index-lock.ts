/** The lock of the index: another git's is waited for; one that stays was left behind by a git that was killed. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

/** null: it is free, at once or within a few seconds. We cannot tell whether its owner lives: git closes the file and goes on. */
export async function whyLocked(dir: string): Promise<string | null> {
  const lock = join(dir, 'index.lock')
  for (let waitedMs = 0; existsSync(lock); waitedMs += LOOK_MS) {
    if (waitedMs >= WAIT_MS) return `${lock} exists: another git is at work here, or one was killed. If none is, remove it.`
    await pause(LOOK_MS)
  }
  return null
}

/** An editor that looks at the repository takes the lock for a moment; so does a commit of the user. */
const WAIT_MS = 3000
const LOOK_MS = 50
