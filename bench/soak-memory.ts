/** What the program under a soak really holds in memory: on request from outside, it collects all garbage and reports. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

/** `youngMb`: V8's space for new objects before the collection; `heldMb`: the heap and external buffers after it. */
export type Held = { youngMb: number; heldMb: number }

/** How Node is started so that it can be asked, and how to ask it. */
export function openMemory(folder: string): { args: string[]; heldBy(pid: number): Promise<Held> } {
  const [listener, answer] = [join(folder, 'memory.mjs'), join(folder, 'memory.json')]
  writeFileSync(listener, listenerText(answer))
  return { args: ['--expose-gc', '--import', listener], heldBy: (pid) => heldBy(pid, answer) }
}

/** Plain JavaScript: loading TypeScript would need more memory than the measured program. */
const listenerText = (answer: string): string => `import { writeFileSync } from 'node:fs'
import { getHeapSpaceStatistics } from 'node:v8'
process.on('SIGUSR2', () => {
  const young = getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space').physical_space_size
  gc()
  const { heapUsed, external } = process.memoryUsage()
  writeFileSync(${JSON.stringify(answer)}, JSON.stringify({ youngMb: young / 1e6, heldMb: (heapUsed + external) / 1e6 }))
})
`

/** It answers between two tasks. */
async function heldBy(pid: number, answer: string): Promise<Held> {
  rmSync(answer, { force: true })
  process.kill(pid, 'SIGUSR2')
  for (let tries = 0; tries < 400; tries++) {
    await pause(25)
    try {
      return JSON.parse(readFileSync(answer, 'utf8')) as Held
    } catch {
      // missing or incomplete
    }
  }
  throw new Error(`the program under the soak (${pid}) does not say what it holds`)
}
