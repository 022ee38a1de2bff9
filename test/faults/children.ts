/** Child processes that fail. */
import type { ChildProcess, SpawnOptions, spawn } from 'node:child_process'

type Spawn = typeof spawn

/** A git that fails at once, with its usual message. */
export const refusedChild = (start: Spawn, options: SpawnOptions): ChildProcess =>
  start('sh', ['-c', 'echo "fatal: unable to write new file: No space left on device" >&2; exit 128'], options)

/** A git that is killed halfway: its index lock stays. */
export const leavesLock = (start: Spawn, options: SpawnOptions): ChildProcess =>
  start('sh', ['-c', ': > "$(git rev-parse --git-path index).lock"; kill -9 $$'], options)

/** No more processes available. */
export function unstartedChild(start: Spawn, command: string, options: SpawnOptions): ChildProcess {
  const child = start('/nowhere/to/be/found', [], options)
  const emit = child.emit.bind(child)
  child.emit = (name: string, ...args: unknown[]) => {
    if (name === 'error') Object.assign(args[0] as Error, { code: 'EAGAIN', message: `spawn ${command} EAGAIN`, path: command })
    return emit(name, ...args)
  }
  return child
}
