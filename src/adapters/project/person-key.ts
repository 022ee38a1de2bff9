/** This user's secret, with which commands sign what a person asks of a run. Agents and gates do not get it. */
import { createCipheriv, createDecipheriv, createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { linkSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { EXIT, Failure, tried } from '../../core/failure.ts'
import { dropFile, errorCode, makeFolder, readIfThere, replaceFile, temporaryName } from '../files/files.ts'

export const keyPath = (home: string): string => join(home, 'request.key')

/** Created when first needed. A process keeps the one it started with, so that replacing the file gains nothing. */
export function personKey(home: string): string {
  const known = keys.get(home) ?? keptKey(home)
  keys.set(home, known)
  return known
}

/** If somebody replaced the file while this process runs: commands of a person must sign with the key that it knows. Says whether it did. */
export function restorePersonKey(home: string): boolean {
  const known = keys.get(home)
  if (known === undefined || readIfThere(keyPath(home)) === known) return false
  return tried(() => {
    makeFolder(home, 0o700)
    rmSync(keyPath(home), { force: true, recursive: true })
    replaceFile(keyPath(home), known, 0o600)
    return true
  }, false)
}

export const signatureOf = (key: string, parts: string[]): string =>
  createHmac('sha256', key).update(JSON.stringify(parts)).digest('hex')

export function isSigned(key: string, parts: string[], signature: unknown): boolean {
  const right = Buffer.from(signatureOf(key, parts))
  const given = Buffer.from(String(signature))
  return given.length === right.length && timingSafeEqual(given, right)
}

/** Bytes before the content. */
export const sealedAtLeast = 16

/** For what may lie where agents look, but is not for them. */
export function sealed(key: string, bytes: Buffer): Buffer {
  const start = randomBytes(sealedAtLeast)
  return Buffer.concat([start, createCipheriv('aes-256-ctr', Buffer.from(key, 'hex'), start).update(bytes)])
}

export const unsealed = (key: string, bytes: Buffer): Buffer =>
  createDecipheriv('aes-256-ctr', Buffer.from(key, 'hex'), bytes.subarray(0, sealedAtLeast)).update(bytes.subarray(sealedAtLeast))

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

/** If two processes create it at once, both use the first one. */
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
