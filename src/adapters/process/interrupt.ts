/** Asks an agent to stop by itself, so that it reports what the call cost before its tree is ended. */
import { setTimeout as pause } from 'node:timers/promises'
import { processes, workOf } from './process-table.ts'

/** Measured with Claude Code: its result comes within 50 ms, in the middle of a request or of a tool. */
const quietMs = 2000
/** A busy machine takes longer than that, and an agent that keeps working after it was asked to stop is ended all the same. */
const longestMs = 15_000

type Waited = { exit: Promise<unknown>; finished?: AbortSignal | undefined; quiet?: number }

/**
 * SIGINT to the agent's own process, not to its tools. Returns when it has reported its end or exited, or once it has neither used a processor nor
 * waited for one for two seconds.
 */
export async function interrupt(root: number, { exit, finished, quiet = quietMs }: Waited): Promise<void> {
  const over = new AbortController()
  const reported = new Promise<void>((resolve) => {
    if (finished?.aborted) resolve()
    else finished?.addEventListener('abort', () => resolve(), { once: true, signal: over.signal })
  })
  try {
    const pid = insideSandbox(root)
    process.kill(pid, 'SIGINT')
    await Promise.race([exit, reported, rested(pid, quiet, over.signal)])
  } catch {
    // it has just ended
  } finally {
    over.abort()
  }
}

async function rested(pid: number, quiet: number, signal: AbortSignal): Promise<void> {
  const latest = performance.now() + longestMs
  for (let before = workOf(pid); ; ) {
    await pause(quiet, undefined, { signal })
    const now = workOf(pid)
    if (now === undefined || (!now.isDue && now.ticks === before?.ticks) || performance.now() >= latest) return
    before = now
  }
}

/** bwrap would die of the signal, and everything in it; docker passes it on. */
function insideSandbox(root: number): number {
  const all = processes()
  const inner = (pid: number): number => {
    const child = all.find(({ pid: own }) => own === pid)?.name === 'bwrap' ? all.find(({ parent }) => parent === pid) : undefined
    return child === undefined ? pid : inner(child.pid)
  }
  return inner(root)
}
