/** Ends everything that was started when Ralph exits early (a second Ctrl+C, a bug). */
import { isAlive } from './survivors.ts'

/** From now until the returned function is called, this leader's process group is ended on exit. */
export function endAtExit(leader: number): () => void {
  if (running.size === 0) process.once('exit', endAll)
  running.add(leader)
  return () => {
    running.delete(leader)
    if (running.size === 0) process.off('exit', endAll)
  }
}

/** git removes its lock files when it is terminated, but not when it is killed. */
const graceMs = 500
const running = new Set<number>()

function endAll(): void {
  for (const leader of running) signalGroup(leader, 'SIGTERM')
  const giveUpAt = performance.now() + graceMs
  const still = new Int32Array(new SharedArrayBuffer(4))
  while ([...running].some((leader) => isAlive(leader)) && performance.now() < giveUpAt) Atomics.wait(still, 0, 0, 5)
  for (const leader of running) signalGroup(leader, 'SIGKILL')
}

function signalGroup(leader: number, signal: 'SIGTERM' | 'SIGKILL'): void {
  try {
    process.kill(-leader, signal)
  } catch {
    // gone meanwhile
  }
}
