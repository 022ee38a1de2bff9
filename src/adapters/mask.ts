/** Takes out what looks like a credential before anything is kept or shown, also where it lies across two chunks of a stream. */
import { closeSync, fstatSync, mkdirSync, openSync, readSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'

export type MaskStream = { push(chunk: Buffer): void; end(): void }
export type Masker = {
  text(text: string): string
  /** Every byte outside a credential comes out as it went in. An unfinished line waits for its end, at most 100 ms. */
  stream(write: (bytes: Buffer) => void): MaskStream
}

/** The environment is the one that children get: its keys, tokens, secrets and passwords are masked by value. */
export function masker(env: Record<string, string | undefined>): Masker {
  const secrets = secretsOf(env)
  const inText = patternOf(secrets)
  const bytewise = secrets.map(({ name, value }) => ({ name, value: Buffer.from(value).toString('latin1') }))
  const inBytes = patternOf(bytewise)
  const starts = [...prefixes, ...bytewise.map(({ value }) => value)]
  const longest = Math.max(longestToken + 64, ...bytewise.map(({ value }) => value.length))
  return {
    text: (text) => text.replace(inText.pattern, inText.replacement),
    stream: (write) => maskStream(write, inBytes, starts, longest),
  }
}

/** The file that keeps what was printed, masked. A full disk loses the log, not the run. */
export function maskedLog(path: string, mask: Masker, onMasked?: (bytes: Buffer, stream: 'out' | 'err') => void) {
  const fd = openLog(path)
  const append = (bytes: Buffer) => {
    try {
      for (let done = 0; done < bytes.length && fd >= 0; ) done += writeSync(fd, bytes, done)
    } catch {}
  }
  // Each output has its own: the end of a key on one must not be sought on the other.
  const streamOf = (name: 'out' | 'err') =>
    mask.stream((bytes) => {
      append(bytes)
      onMasked?.(bytes, name)
    })
  const streams = { out: streamOf('out'), err: streamOf('err') }
  return {
    push: (chunk: Buffer, name: 'out' | 'err') => streams[name].push(chunk),
    /** On a line of its own, whatever was printed before it, and by whom. */
    note: (line: string) => append(Buffer.from(`${isInLine(fd) ? '\n' : ''}${mask.text(line)}\n`)),
    /** Hands on what was held back; `note` may still follow. */
    end() {
      streams.out.end()
      streams.err.end()
    },
    close: () => fd >= 0 && closeSync(fd),
  }
}

/** -1: none to be had; the folder may just have been swept away. */
function openLog(path: string): number {
  try {
    mkdirSync(dirname(path), { recursive: true })
    return openSync(path, 'a+')
  } catch {
    return -1
  }
}

/** What stands last in the file has no line end yet. */
function isInLine(fd: number): boolean {
  const last = Buffer.alloc(1)
  try {
    const { size } = fstatSync(fd)
    return size > 0 && readSync(fd, last, 0, 1, size - 1) === 1 && last[0] !== 0x0a
  } catch {
    return false
  }
}

type Secret = { name: string; value: string }
type Pattern = { pattern: RegExp; replacement: (...match: unknown[]) => string }

const holdMs = 100
const shortestSecret = 8
/** Nobody's token is longer; a limit lets us say what a chunk can no longer change. */
const longestToken = 4096
/** How far back the pattern looks: a colour code or a JSON escape may stand right before a key. */
const contextLength = 16
const secretName = /KEY|TOKEN|SECRET|PASSWORD/i
const prefixes = ['sk-', 'ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_', 'github_pat_', 'AKIA', 'ASIA', 'AIza']
  .concat(['xoxb-', 'xoxa-', 'xoxp-', 'xoxr-', 'xoxs-'])
  .concat(['bearer', 'Bearer', 'BEARER', 'authorization', 'Authorization', 'AUTHORIZATION'])

/** Words that follow "sk-" or "Bearer" in prose and style sheets are shorter, or have no digit. */
const likely = (set: string, plain: number, withDigit: number) =>
  `(?:[${set}]{${plain},${longestToken}}|(?=[${set}]{0,${plain - 2}}\\d)[${set}]{${withDigit},${plain - 1}})`
const tokens = [
  // "task-1234567890" is none; after "\n" in JSON, or a colour, it is one all the same.
  `(?:(?<![A-Za-z0-9])|(?<=\\\\[bfnrt])|(?<=\\[[0-9;]{0,12}m))(?<sk>sk-)${likely('\\w-', 20, 10)}`,
  `(?<gh>gh[pousr]_)[A-Za-z0-9]{16,255}`,
  `(?<pat>github_pat_)\\w{16,255}`,
  `(?<aws>A[KS]IA)[A-Z0-9]{12,32}`,
  `(?<xox>xox[abprs]-)[A-Za-z0-9-]{10,255}`,
  `(?<aiza>AIza)[\\w-]{20,255}`,
  `(?<bearer>[Bb](?:earer|EARER)[ \\t]{1,4})${likely('\\w.~+/=-', 16, 8)}`,
  `(?<auth>[Aa](?:uthorization|UTHORIZATION)[\\\\"']{0,4}[ \\t]{0,4}[:=][ \\t]{0,4}[\\\\"']{0,4}(?:[A-Za-z]{5,6}[ \\t]{1,4})?)${likely('\\w.~+/=-', 16, 8)}`,
]

/** Longest first, in the forms in which they can be printed: as they are, in JSON, in JSON within JSON; line by line, as no pattern goes over a line's end. */
function secretsOf(env: Record<string, string | undefined>): Secret[] {
  const found = new Map<string, string>()
  for (const [name, whole] of Object.entries(env)) {
    if (!secretName.test(name) || !whole) continue
    for (const value of whole.split(/[\r\n]+/)) {
      if (value.length < shortestSecret) continue
      const once = JSON.stringify(value).slice(1, -1)
      const twice = JSON.stringify(once).slice(1, -1)
      const ascii = once.replace(/[^\0-~]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)
      for (const form of [value, once, twice, ascii]) if (!found.has(form)) found.set(form, name)
    }
  }
  return [...found].map(([value, name]) => ({ name, value })).sort((a, b) => b.value.length - a.value.length)
}

function patternOf(secrets: Secret[]): Pattern {
  const nameOf = new Map(secrets.map(({ name, value }) => [value, name]))
  const values = secrets.map(({ value }) => value.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&'))
  return {
    pattern: new RegExp([...values, ...tokens].join('|'), 'g'),
    replacement(...match) {
      const name = nameOf.get(match[0] as string)
      if (name !== undefined) return `[RALPH masked ${name}]`
      const groups = match.at(-1) as Record<string, string | undefined>
      return `${Object.values(groups).find((prefix) => prefix !== undefined)}***`
    },
  }
}

/**
 * What a stream gives does not depend on how it was cut: a match is only taken where no later byte can change it, which is before the
 * last line end, or further back than the longest credential reaches. A pause of 100 ms hands on the rest but for what may be a credential's beginning.
 */
function maskStream(
  write: (bytes: Buffer) => void,
  { pattern, replacement }: Pattern,
  starts: string[],
  longest: number,
): MaskStream {
  let context = ''
  let held = ''
  let timer: NodeJS.Timeout | undefined

  /** Writes what begins before `limit`; a credential that begins there goes whole, unless it may still grow. */
  const flush = (limit: number, mayGrow: boolean) => {
    const text = context + held
    const end = context.length + limit
    let out = ''
    let from = context.length
    let until = Math.max(from, end)
    pattern.lastIndex = from
    for (let match = pattern.exec(text); match && match.index < end; match = pattern.exec(text)) {
      const matchEnd = match.index + match[0].length
      if (mayGrow && matchEnd === text.length) {
        until = match.index
        break
      }
      out += text.slice(from, match.index) + replacement(...match, match.groups)
      from = matchEnd
      until = Math.max(until, matchEnd)
    }
    out += text.slice(from, until)
    held = text.slice(until)
    context = text.slice(Math.max(0, until - contextLength), until)
    if (out !== '') write(Buffer.from(out, 'latin1'))
  }
  const onPause = () => {
    timer = undefined
    flush(held.length - possibleStart(context + held, starts), true)
  }

  return {
    push(chunk) {
      held += chunk.toString('latin1')
      flush(Math.max(held.lastIndexOf('\n') + 1, held.length - longest, 0), false)
      if (held === '') {
        clearTimeout(timer)
        timer = undefined
      } else timer ??= setTimeout(onPause, holdMs)
    },
    end() {
      clearTimeout(timer)
      timer = undefined
      flush(held.length, false)
    },
  }
}

/** How many of the last characters may be the beginning of something to mask. */
function possibleStart(text: string, starts: string[]): number {
  const tail = text.slice(-96)
  const [begun = ''] =
    /(?:sk-|gh[pousr]_|github_pat_|A[KS]IA|xox[abprs]-|AIza)[\w-]*$|(?:bearer|authorization)[\s\\"':=]*(?:[a-z]+\s+)?[\w.~+/=-]*$/i.exec(
      tail,
    ) ?? []
  let longest = begun.length
  for (const start of starts) {
    for (let length = Math.min(start.length - 1, text.length); length > longest; length--) {
      if (text.endsWith(start.slice(0, length))) longest = length
    }
  }
  return longest
}
