/** How much memory a piece of code keeps alive, for tests against leaks. */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')
const collect: () => void = runInNewContext('gc')

/** By how many megabytes the heap has grown while the result is still held. */
export async function keptMb(work: () => unknown): Promise<number> {
  const before = usedBytes()
  const result = await work()
  const after = usedBytes()
  return result === undefined ? Number.NaN : (after - before) / 1e6
}

function usedBytes(): number {
  collect()
  return process.memoryUsage().heapUsed
}
