/** Compresses and bundles old iteration logs: they are kept, but need little space. */
import { createReadStream, createWriteStream, readdirSync, renameSync, rmSync, statSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { openTemporary, temporaryName } from '../files/files.ts'
import { openRegular } from '../files/open.ts'
import { bundleLogs } from './bundle.ts'

/**
 * Compresses logs older than the newest `keep` iterations, and returns how many. What cannot be compressed or bundled stays as it is: this
 * must never disturb a run.
 */
export async function compressOldLogs(logs: string, keep: number): Promise<number> {
  let done = 0
  for (const name of oldLogs(logs, keep).slice(0, MOST_AT_ONCE)) if (await compressed(join(logs, name))) done += 1
  if (done === 0) return 0
  removeLeftovers(logs)
  await bundleLogs(logs).catch(() => {})
  return done
}

/** An iteration must not wait for hundreds of logs: the rest follows after the next one. */
const MOST_AT_ONCE = 20

/** Oldest first, by number: file dates change when a project is copied. */
function oldLogs(logs: string, keep: number): string[] {
  try {
    return readdirSync(logs, { withFileTypes: true })
      .map((entry) => ({ name: entry.name, number: entry.isFile() ? (numberOf(entry.name) ?? -1) : -1 }))
      .filter(({ number }) => number >= 0)
      .sort((a, b) => a.number - b.number)
      .map(({ name }) => name)
      .slice(0, -keep || undefined)
  } catch {
    return [] // no logs yet
  }
}

/** Half-written files of a killed run: only one run exists at a time, so those of other processes belong to nobody. */
function removeLeftovers(logs: string): void {
  for (const name of readdirSync(logs)) {
    const pid = /^\.iterations?-.*\.tmp-(\d+)-\d+$/.exec(name)?.[1]
    if (pid !== undefined && Number(pid) !== process.pid) rmSync(join(logs, name), { force: true })
  }
}

function numberOf(name: string): number | null {
  const digits = /^iteration-(\d+)\.log$/.exec(name)?.[1]
  return digits === undefined ? null : Number(digits)
}

/** The log is deleted only when the new file is complete; after a kill it is repeated. */
async function compressed(path: string): Promise<boolean> {
  const temporary = temporaryName(`${path}.gz`)
  try {
    const { createGzip } = await import('node:zlib')
    const { atime, mtime } = statSync(path)
    await pipeline(
      createReadStream(path, { fd: openRegular(path) }),
      createGzip(),
      createWriteStream(temporary, { fd: openTemporary(temporary, 0o600), flush: true }),
    )
    utimesSync(temporary, atime, mtime)
    renameSync(temporary, `${path}.gz`)
    rmSync(path)
    return true
  } catch {
    rmSync(temporary, { force: true })
    return false
  }
}
