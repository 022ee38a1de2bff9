/** The secret of this user, with which commands sign what a person asks of a run: agents and gates are not given it. */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { linkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { EXIT, Failure } from '../../core/failure.ts'
import { dropFile, errorCode, makeFolder, readIfThere, replaceFile, temporaryName } from '../files/files.ts'

export const keyPath = (home: string): string => join(home, 'request.key')

/** Made when it is first needed. The one that a process began with stays: who replaces the file signs for nobody who is at work. */
export function personKey(home: string): string {
  const known = keys.get(home) ?? keptKey(home)
  keys.set(home, known)
  return known
}

export const signatureOf = (key: string, parts: string[]): string =>
  createHmac('sha256', key).update(JSON.stringify(parts)).digest('hex')

export function isSigned(key: string, parts: string[], signature: unknown): boolean {
  const right = Buffer.from(signatureOf(key, parts))
  const given = Buffer.from(String(signature))
  return given.length === right.length && timingSafeEqual(given, right)
}

const keys = new Map<string, string>()

function keptKey(home: string): string {
  const path = keyPath(home)
  try {
    makeFolder(home, 0o700)
    const kept = readIfThere(path)
    if (kept !== null && isKey(kept)) return kept
    const made = randomBytes(32).toString('hex')
    if (kept === null) return madeOnce(path, made)
    replaceFile(path, made)
    return made
  } catch (error) {
    const what = `${path} cannot be read or written (${errorCode(error) || (error as Error).message}).`
    throw new Failure(EXIT.config, `${what} Make its folder writable, or set RALPH_HOME to one that is.`)
  }
}

/** Of two processes that make it at once, both use the one that came first. */
function madeOnce(path: string, made: string): string {
  const temporary = temporaryName(path)
  try {
    writeFileSync(temporary, made, { mode: 0o600, flag: 'wx' })
    linkSync(temporary, path)
    return made
  } catch (error) {
    const first = errorCode(error) === 'EEXIST' ? readIfThere(path) : null
    if (first === null) throw error
    return first
  } finally {
    dropFile(temporary)
  }
}

const isKey = (text: string): boolean => /^[0-9a-f]{64}$/.test(text)
