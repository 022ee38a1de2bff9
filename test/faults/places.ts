/** Where a test's project lies: in memory, where flushing costs nothing, or on a disk of its own. */
import { accessSync, constants } from 'node:fs'
import { tmpdir } from 'node:os'

/** Projects that are made here lie in this folder, and not where temporary folders usually do. */
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

/** A kill of a process loses nothing that was written, flushed or not: what needs no real disk need not wait for one. */
export function memory(): string {
  try {
    accessSync('/dev/shm', constants.W_OK)
    return '/dev/shm'
  } catch {
    return tmpdir()
  }
}
