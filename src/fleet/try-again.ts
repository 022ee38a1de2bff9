/** Retries what the database or a remote refused, as long as the worker may act. */
import { setTimeout as pause } from 'node:timers/promises'
import { isTrouble } from './database.ts'
import type { LeaseWatch } from './lease-deadline.ts'

/** null: the lease was lost meanwhile. Other errors are rethrown. */
export async function tryWhileLeased<T>(
  deed: () => Promise<T>,
  watch: Pick<LeaseWatch, 'lost'>,
  { isWorthIt = isTrouble, forMs = Infinity }: { isWorthIt?(error: unknown): boolean; forMs?: number } = {},
): Promise<T | null> {
  const giveUpAt = performance.now() + forMs
  for (let waitMs = 200; ; waitMs = Math.min(waitMs * 2, longestMs)) {
    if (watch.lost.aborted) return null
    try {
      const result = await deed()
      return watch.lost.aborted ? null : result
    } catch (error) {
      if (!isWorthIt(error) || performance.now() > giveUpAt) throw error
    }
    // With jitter: a hundred workers must not come back at the same moment.
    await pause(waitMs * (0.75 + Math.random() / 2), undefined, { signal: watch.lost }).catch(() => {})
  }
}

const longestMs = 5000
