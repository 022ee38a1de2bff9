/**
 * Where tests and measurements make their files: in memory, if there is room and programs can be started from there. Flushing costs nothing
 * there, and ext4 creates files slowly where many were deleted a moment ago (it skips their places one by one). Killing a process loses
 * nothing that was written, flushed or not: such tests need no real disk.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { freemem, tmpdir } from 'node:os'
import { join } from 'node:path'

const shared = '/dev/shm'
/** Several times what a whole run of the tests needs at once. */
const roomBytes = 4 * 2 ** 30
let isUsable: boolean | undefined

export function inMemory(): string {
  if (tmpdir().startsWith(`${shared}/`)) return tmpdir()
  isUsable ??= hasRoom() && startsPrograms()
  return isUsable ? shared : tmpdir()
}

const { NODE_COMPILE_CACHE: cache } = process.env
/** For environments that are built from scratch: `npm test` keeps compiled modules, so that each start of the program is faster. */
export const compiled: Record<string, string> = cache === undefined ? {} : { NODE_COMPILE_CACHE: cache }

/** `npm test` has set the temporary folder to one in memory. */
export const onDisk = (): string => process.env['RALPH_TEST_DISK'] ?? tmpdir()

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

function hasRoom(): boolean {
  try {
    const { bavail, bsize } = statfsSync(shared)
    return bavail * bsize >= roomBytes && freemem() >= 2 * roomBytes
  } catch {
    return false
  }
}

/** Containers often forbid it there. */
function startsPrograms(): boolean {
  try {
    const folder = mkdtempSync(join(shared, 'ralph-room-'))
    const program = join(folder, 'program')
    writeFileSync(program, '#!/bin/sh\n', { mode: 0o755 })
    const { status } = spawnSync(program)
    rmSync(folder, { recursive: true })
    return status === 0
  } catch {
    return false
  }
}
