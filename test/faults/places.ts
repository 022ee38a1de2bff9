/** Where a test's project is: in memory, where flushing costs nothing, or on its own disk. */
import { accessSync, constants } from 'node:fs'
import { tmpdir } from 'node:os'

/** Projects are created in this folder, instead of the usual temporary folder. */
export function madeIn<T>(folder: string, make: () => T): T {
  const before = process.env['TMPDIR']
  process.env['TMPDIR'] = folder
  try {
    return make()
  } finally {
    if (before === undefined) delete process.env['TMPDIR']
    else process.env['TMPDIR'] = before
  }
}

/** Killing a process loses nothing that was written, flushed or not: such tests need no real disk. */
export function memory(): string {
  try {
    accessSync('/dev/shm', constants.W_OK)
    return '/dev/shm'
  } catch {
    return tmpdir()
  }
}
