/** Asks an agent to stop by itself, so that it reports what the call cost before its tree is ended. */
import { setTimeout as pause } from 'node:timers/promises'
import { processes } from './process-table.ts'

/** Measured with Claude Code: its result comes within 50 ms, in the middle of a request or of a tool. */
const reportMs = 2000

/** SIGINT to the agent's own process, not to its tools. Returns when it has reported its end or exited, or after two seconds. */
export async function interrupt(root: number, exit: Promise<unknown>, finished?: AbortSignal): Promise<void> {
  const over = new AbortController()
  const reported = new Promise<void>((resolve) => {
    if (finished?.aborted) resolve()
    else finished?.addEventListener('abort', () => resolve(), { once: true, signal: over.signal })
  })
  try {
    process.kill(insideSandbox(root), 'SIGINT')
    await Promise.race([exit, reported, pause(reportMs, undefined, { signal: over.signal })])
  } catch {
    // it has just ended
  } finally {
    over.abort()
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
