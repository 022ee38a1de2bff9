/**
 * Loaded before the program (--import), so that no test waits for time, or loses a race against it on a slow machine. What a run decides to
 * wait for is over at once, and its clock is as much later: a test can say "in an hour". If a file is named, each time it appears that wait,
 * and every time limit of ten minutes or more, is over.
 */
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { setClock } from '../faults/clock.ts'

const file = process.env['OVER_AT']
delete process.env['NODE_OPTIONS'] // the agent has the real clock
delete process.env['OVER_AT']
const isProgram = process.argv[1]?.endsWith('ralph.js') === true
const { setTimeout, clearTimeout } = globalThis
const waiting = new Map<unknown, { over: () => void; ms: number }>()
const limitMs = 600_000
let skippedMs = 0
let waitMs = Number.NaN

if (isProgram) {
  noteWaits()
  globalThis.setTimeout = Object.assign(begin, setTimeout) as typeof setTimeout
  globalThis.clearTimeout = (timer) => {
    waiting.delete(timer)
    clearTimeout(timer)
  }
  setClock(() => skippedMs)
}

/** The log says how long each wait is. */
function noteWaits(): void {
  const { writeFileSync } = fs
  fs.writeFileSync = (target, data, options) => {
    writeFileSync(target, data, options)
    const [line] = /^.*"kind":"wait\.started".*$/m.exec(typeof target === 'number' ? String(data) : '') ?? []
    if (line === undefined) return
    const { at, until } = JSON.parse(line) as { at: string; until: string }
    waitMs = Date.parse(until) - Date.parse(at)
  }
  syncBuiltinESMExports()
}

function begin(over: () => void, ms = 0, ...rest: []): unknown {
  const isWait = ms === waitMs
  const timer = setTimeout(over, ms, ...rest)
  if (!isWait && (file === undefined || ms < limitMs)) return timer
  if (isWait) waitMs = Number.NaN
  if (waiting.size === 0) setTimeout(look, 5)
  waiting.set(timer, { over, ms })
  return timer
}

async function look(): Promise<void> {
  if (file === undefined || fs.existsSync(file)) await passTime()
  if (waiting.size > 0) setTimeout(look, 5)
}

async function passTime(): Promise<void> {
  if (file !== undefined) fs.rmSync(file)
  const beforeMs = skippedMs
  for (const [timer, { over, ms }] of [...waiting].sort(([, a], [, b]) => a.ms - b.ms)) {
    if (!waiting.delete(timer)) continue // one before has ended it
    clearTimeout(timer as NodeJS.Timeout)
    skippedMs = beforeMs + ms
    over()
    await new Promise(setImmediate) // it may end those that come later
  }
}
