/** Masks credentials before anything is stored or shown, also across two chunks of a stream. */
import { closeSync, fstatSync, mkdirSync, readSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { APPEND, openRegular } from '../files/open.ts'
import { type Credentials, credentialsOf, type Found, keyMark, lookBack } from './credentials.ts'
import { openEscapeAt, withoutEscapes } from './escapes.ts'
import { secretsOf } from './secrets.ts'

export type MaskStream = { push(chunk: Buffer): void; end(): void }
export type Masker = {
  text(text: string): string
  /** For text that arrives line by line: masks the lines of a private key too. */
  lines(): (text: string) => string
  /** Bytes outside credentials pass unchanged. An unfinished line waits for its end, at most 100 ms. */
  stream(write: (bytes: Buffer) => void): MaskStream
}

/** The environment of the children: its keys, tokens, secrets and passwords are masked by value. */
export function masker(env: Record<string, string | undefined>): Masker {
  const secrets = secretsOf(env)
  const inText = credentialsOf(secrets)
  const inBytes = credentialsOf(secrets.map(({ name, value }) => ({ name, value: Buffer.from(value).toString('latin1') })))
  return {
    text: (text) => withoutCredentials(text, inText),
    lines: () => lineMask(inText),
    stream: (write) => maskStream(write, inBytes),
  }
}

/** The file that keeps the output, masked. A full disk loses the log, not the run. */
export function maskedLog(path: string, mask: Masker, onMasked?: (bytes: Buffer, stream: 'out' | 'err') => void) {
  const fd = openLog(path)
  const append = (bytes: Buffer) => {
    try {
      for (let done = 0; done < bytes.length && fd >= 0; ) done += writeSync(fd, bytes, done)
    } catch {}
  }
  // Each output has its own: a key does not continue from one to the other.
  const streamOf = (name: 'out' | 'err') =>
    mask.stream((bytes) => {
      append(bytes)
      onMasked?.(bytes, name)
    })
  const streams = { out: streamOf('out'), err: streamOf('err') }
  return {
    push: (chunk: Buffer, name: 'out' | 'err') => streams[name].push(chunk),
    /** On its own line, whatever was printed before it. */
    note: (line: string) => append(Buffer.from(`${isInLine(fd) ? '\n' : ''}${mask.text(line)}\n`)),
    /** Passes on what was held back; `note` may still follow. */
    end() {
      streams.out.end()
      streams.err.end()
    },
    close: () => fd >= 0 && closeSync(fd),
  }
}

/** -1: cannot be opened; the folder may just have been deleted. */
function openLog(path: string): number {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    return openRegular(path, APPEND, 0o600)
  } catch {
    return -1
  }
}

/** The file does not end with a line end yet. */
function isInLine(fd: number): boolean {
  const last = Buffer.alloc(1)
  try {
    const { size } = fstatSync(fd)
    return size > 0 && readSync(fd, last, 0, 1, size - 1) === 1 && last[0] !== 0x0a
  } catch {
    return false
  }
}

const holdMs = 100

function withoutCredentials(text: string, credentials: Credentials): string {
  const found = foundIn(text, 0, credentials)
  if (found.length === 0) return text
  let out = ''
  let from = 0
  for (const { start, end, instead } of found) {
    out += text.slice(from, start) + instead
    from = end
  }
  return out + text.slice(from)
}

function lineMask(credentials: Credentials): (text: string) => string {
  let isInKey = false
  return (text) => {
    const whole = isInKey ? `${keyMark}\n${text}` : text
    const goesOn = credentials.openKeyAt(whole) !== null
    const masked = isInKey && goesOn ? '***' : withoutCredentials(text, credentials)
    isInKey = goesOn
    return masked
  }
}

function foundIn(text: string, from: number, credentials: Credentials): Found[] {
  const plain = withoutEscapes(text)
  if (plain.text === text) return credentials.in(text, from)
  return credentials
    .in(plain.text, plain.at(from))
    .map(({ start, end, instead }) => ({ start: plain.original(start), end: plain.original(end), instead }))
}

/**
 * The result does not depend on how the stream was chunked: a match counts only where no later byte can change it, which is before the last
 * line end, or further back than the longest credential. A private key is held until it ends. After a pause of 100 ms the rest is passed on,
 * except what may be the start of a credential.
 */
function maskStream(write: (bytes: Buffer) => void, credentials: Credentials): MaskStream {
  let context = ''
  let held = ''
  let timer: NodeJS.Timeout | undefined

  /** Writes what begins before `limit`; a credential that begins there is written whole, unless it may still grow. */
  const flush = (limit: number, how: 'settled' | 'pause' | 'end') => {
    const text = context + held
    const openKey = how === 'settled' ? credentials.openKeyAt(text) : null
    const end = Math.min(context.length + limit, openKey ?? text.length)
    let out = ''
    let from = context.length
    let until = Math.max(from, end)
    for (const { start, end: foundEnd, instead } of foundIn(text, from, credentials)) {
      if (start >= end) break
      if (how === 'pause' && foundEnd === text.length) {
        until = start
        break
      }
      out += text.slice(from, start) + instead
      from = foundEnd
      until = Math.max(until, foundEnd)
    }
    out += text.slice(from, until)
    held = text.slice(until)
    context = text.slice(Math.max(0, until - lookBack), until)
    if (out !== '') write(Buffer.from(out, 'latin1'))
  }
  const onPause = () => {
    timer = undefined
    const text = context + held
    const plain = withoutEscapes(text)
    const open = Math.min(plain.original(credentials.openAt(plain.text)), openEscapeAt(text))
    flush(Math.max(0, open - context.length), 'pause')
  }

  return {
    push(chunk) {
      held += chunk.toString('latin1')
      const settled = Math.max(held.lastIndexOf('\n') + 1, held.length - credentials.longest, 0)
      if (settled > 0) flush(settled, 'settled')
      if (held === '') {
        clearTimeout(timer)
        timer = undefined
      } else timer ??= setTimeout(onPause, holdMs)
    },
    end() {
      clearTimeout(timer)
      timer = undefined
      flush(held.length, 'end')
    },
  }
}
