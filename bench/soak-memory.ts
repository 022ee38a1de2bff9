/** What the program under a soak really holds: asked from outside, it collects all garbage and says. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

/** `youngMb`: what V8 keeps for new objects, before the collection; `heldMb`: the heap and the buffers outside it, after. */
export type Held = { youngMb: number; heldMb: number }

/** What Node is started with so that its program can be asked, and how to ask it. */
export function openMemory(folder: string): { args: string[]; heldBy(pid: number): Promise<Held> } {
  const [listener, answer] = [join(folder, 'memory.mjs'), join(folder, 'memory.json')]
  writeFileSync(listener, listenerText(answer))
  return { args: ['--expose-gc', '--import', listener], heldBy: (pid) => heldBy(pid, answer) }
}

/** Plain JavaScript: what reads TypeScript would take more memory than the program that is looked at. */
const listenerText = (answer: string): string => `import { writeFileSync } from 'node:fs'
import { getHeapSpaceStatistics } from 'node:v8'
process.on('SIGUSR2', () => {
  const young = getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space').physical_space_size
  gc()
  const { heapUsed, external } = process.memoryUsage()
  writeFileSync(${JSON.stringify(answer)}, JSON.stringify({ youngMb: young / 1e6, heldMb: (heapUsed + external) / 1e6 }))
})
`

/** It answers between two things that it does. */
async function heldBy(pid: number, answer: string): Promise<Held> {
  rmSync(answer, { force: true })
  process.kill(pid, 'SIGUSR2')
  for (let tries = 0; tries < 400; tries++) {
    await pause(25)
    try {
      return JSON.parse(readFileSync(answer, 'utf8')) as Held
    } catch {
      // not there, or not whole
    }
  }
  throw new Error(`the program under the soak (${pid}) does not say what it holds`)
}
