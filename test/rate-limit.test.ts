/** The limit on calls an hour, shared by several processes at once: real processes, one real file, a clock of the test's own. */
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { on, once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { after, test } from 'node:test'
import { askForCall } from '../src/adapters/project/rate-limit.ts'

const folder = mkdtempSync(join(tmpdir(), 'ralph-rate-'))
const started: ChildProcess[] = []
after(() => {
  for (const child of started) child.kill('SIGKILL')
  rmSync(folder, { recursive: true })
})
let homes = 0
const newHome = (): string => {
  const home = join(folder, String(++homes))
  mkdirSync(home)
  return home
}
const HOUR_MS = 3_600_000
const begin = Date.UTC(2026, 0, 9, 10)
const at = (ms: number): string => new Date(begin + ms).toISOString()

/**
 * A process that asks `times` times and prints the time of each call that it is given. Its clock is a file that every reader moves on by
 * `stepMs`: it is read when a process has its turn, so all of them live in one time. At its ask number `blockAt` it stays there.
 */
function asking(
  home: string,
  { times, stepMs, limit, blockAt = -1 }: Record<'times' | 'stepMs' | 'limit', number> & { blockAt?: number },
) {
  const program = `
    import { readFileSync, renameSync, writeFileSync, writeSync } from 'node:fs'
    import { askForCall } from ${JSON.stringify(import.meta.resolve('../src/adapters/project/rate-limit.ts'))}
    const clock = ${JSON.stringify(join(home, 'clock'))}
    for (let ask = 0; ask < ${times}; ask++) {
      let now
      const tick = () => {
        const ms = Number(readFileSync(clock, 'utf8')) + ${stepMs}
        writeFileSync(clock + '.new', String(ms))
        renameSync(clock + '.new', clock)
        if (ask === ${blockAt}) {
          writeSync(1, 'blocked\\n')
          Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
        }
        return (now = new Date(${begin} + ms).toISOString())
      }
      if (askForCall(${JSON.stringify(home)}, { limitPerHour: ${limit}, agent: 'claude', now: tick }).granted) writeSync(1, now + '\\n')
    }`
  const env = { PATH: process.env['PATH'], HOME: folder, LANG: 'C.UTF-8' }
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  started.push(child)
  const lines: string[] = []
  const reader = createInterface(child.stdout)
  reader.on('line', (line) => lines.push(line))
  const ended = Promise.all([once(child, 'close'), once(reader, 'close')]).then(([[code]]) => ({ code, lines }))
  return { child, reader, ended }
}

/** The most calls that any hour has. */
const mostInAnHour = (times: string[]): number => {
  const ms = times.map((time) => Date.parse(time)).sort((a, b) => a - b)
  return Math.max(...ms.map((first) => ms.filter((other) => other >= first && other - first < HOUR_MS).length))
}

const recorded = (home: string): string[] =>
  (JSON.parse(readFileSync(join(home, 'calls.json'), 'utf8')) as { calls: { at: string }[] }).calls.map((call) => call.at)

test('R-LIM-3 four processes that ask over four hours never get more than the limit in any hour, and no less than they could', async () => {
  const home = newHome()
  writeFileSync(join(home, 'clock'), '0')
  const ended = await Promise.all(
    Array.from({ length: 4 }, () => asking(home, { times: 120, stepMs: (4 * HOUR_MS) / 480, limit: 25 }).ended),
  )
  const given = ended.flatMap(({ lines }) => lines)
  assert.deepEqual(
    ended.map(({ code }) => code),
    [0, 0, 0, 0],
  )
  assert.deepEqual([mostInAnHour(given), given.length, new Set(given).size], [25, 100, 100])
})

test('R-LIM-3 one that is killed while it holds the lock holds nobody up, and no call that was given is lost', async () => {
  const home = newHome()
  writeFileSync(join(home, 'clock'), '0')
  const victim = asking(home, { times: 20, stepMs: 1000, limit: 60, blockAt: 12 })
  for await (const [line] of on(victim.reader, 'line')) if (line === 'blocked') break
  const others = Array.from({ length: 3 }, () => asking(home, { times: 30, stepMs: 1000, limit: 60 }))
  await Promise.all(others.map(({ child }) => once(child, 'spawn')))
  assert.equal(existsSync(join(home, 'calls.json.lock')), true)
  victim.child.kill('SIGKILL')
  const ended = await Promise.all([victim, ...others].map(({ ended }) => ended))
  const given = ended.flatMap(({ lines }) => lines).filter((line) => line !== 'blocked')
  assert.deepEqual(
    ended.map(({ code }) => code),
    [null, 0, 0, 0],
  )
  assert.equal(given.length, 60)
  assert.deepEqual(recorded(home).toSorted(), given.toSorted())
  assert.equal(existsSync(join(home, 'calls.json.lock')), false)
})

test('R-LIM-3 processes killed at any moment leave a file that counts every call they were given', async () => {
  const home = newHome()
  writeFileSync(join(home, 'clock'), '0')
  const given: string[] = []
  for (let round = 1; round <= 6; round++) {
    const both = [0, 1].map(() => asking(home, { times: 1000, stepMs: 1, limit: 0 }))
    let seen = 0
    // Killed after a number of calls that is another one each time, wherever each of the two then is.
    for await (const _ of on(both[0]!.reader, 'line')) if (++seen === round * 7) break
    for (const { child } of both) child.kill('SIGKILL')
    for (const { lines } of await Promise.all(both.map(({ ended }) => ended))) given.push(...lines)
  }
  // Where there are many, the older ones of a minute are counted together.
  const { calls } = JSON.parse(readFileSync(join(home, 'calls.json'), 'utf8')) as { calls: { at: string; times?: number }[] }
  const counted = calls.reduce((sum, { times = 1 }) => sum + times, 0)
  const apart = new Set(calls.map(({ at }) => at))
  const firstApart = calls.findLast(({ times }) => times !== undefined)?.at ?? ''
  assert.deepEqual(
    given.filter((time) => time > firstApart && !apart.has(time)),
    [],
  )
  // A call that was counted, and whose process was killed before it could say so: one for each that was killed, at most.
  assert.ok(counted >= given.length && counted - given.length <= 12, `${counted} counted, ${given.length} given`)
})

test('R-LIM-3 a count that makes no sense is kept aside once, and three processes that meet it count together from there', async () => {
  const home = newHome()
  writeFileSync(join(home, 'clock'), '0')
  writeFileSync(join(home, 'calls.json'), '{"calls":[{"at":"2026-01-09T')
  const ended = await Promise.all([1, 2, 3].map(() => asking(home, { times: 10, stepMs: 1000, limit: 20 }).ended))
  const given = ended.flatMap(({ lines }) => lines)
  assert.equal(given.length, 20)
  assert.deepEqual(recorded(home).toSorted(), given.toSorted())
  assert.equal(readFileSync(join(home, 'calls.json.bad'), 'utf8'), '{"calls":[{"at":"2026-01-09T')
})

test('R-LIM-3 a clock that jumped back by a day is in the way for an hour at most, in every process', async () => {
  const home = newHome()
  const ask = (now: string) => askForCall(home, { limitPerHour: 5, agent: 'claude', now: () => now })
  writeFileSync(join(home, 'clock'), String(24 * HOUR_MS))
  assert.equal((await asking(home, { times: 5, stepMs: 1000, limit: 5 }).ended).lines.length, 5)
  writeFileSync(join(home, 'clock'), '0')
  const back = await Promise.all([1, 2].map(() => asking(home, { times: 5, stepMs: 1000, limit: 5 }).ended))
  assert.deepEqual(
    back.flatMap(({ lines }) => lines),
    [],
  )
  // The first that looked was at its second 1: from then on they count as made, once.
  assert.deepEqual(
    [ask(at(HOUR_MS)), ask(at(HOUR_MS + 1000))],
    [{ granted: false, until: at(HOUR_MS + 1000), by: 'rate' }, { granted: true }],
  )
})
