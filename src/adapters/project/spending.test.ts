import assert from 'node:assert/strict'
import { mkdirSync } from 'node:fs'
import { test } from 'node:test'
import { newFolder } from '../../../test/support/repository.ts'
import type { Usage } from '../../core/types.ts'
import { askForCall, callsThisHour } from './rate-limit.ts'
import { envelopesNow, openSpending } from './spending.ts'

const aHome = (): string => {
  const home = newFolder()
  mkdirSync(home, { recursive: true })
  return home
}
/** Local time, as days are. */
const at = (day: number, hour = 12, month = 0): string => new Date(2026, month, day, hour).toISOString()
const took = (costUsd: number | null, inputTokens = 100): Usage => ({ inputTokens, outputTokens: 0, costUsd })
const call = (home: string, now: string, usage: Usage, agent = 'claude'): void =>
  openSpending(home, agent, () => now).ended(usage)
const spent = (home: string, now: string, agent = 'claude') =>
  envelopesNow(home, agent, { day: 10, month: 100 }, now).map(({ usedUsd, unknown }) => [Number(usedUsd.toFixed(6)), unknown])

test('what calls cost adds up by local day and month, and starts again with the next', () => {
  const home = aHome()
  call(home, at(8, 23), took(1))
  call(home, at(9, 1), took(2))
  call(home, at(9, 22), took(3), 'codex')
  assert.deepEqual(spent(home, at(9, 23)), [
    [5, 0],
    [6, 0],
  ])
  assert.deepEqual(spent(home, at(10)), [
    [0, 0],
    [6, 0],
  ])
  assert.deepEqual(spent(home, at(1, 0, 1)), [
    [0, 0],
    [0, 0],
  ])
  assert.deepEqual(
    envelopesNow(home, 'claude', { day: 10, month: 100 }, at(9)).map(({ which, limitUsd, until }) => [which, limitUsd, until]),
    [
      ['day', 10, at(10, 0)],
      ['month', 100, at(1, 0, 1)],
    ],
  )
  assert.deepEqual(envelopesNow(home, 'claude', { day: null, month: null }, at(9)), [])
})

test('a call counts while it runs, and so does one that never ended because its run was killed', () => {
  const home = aHome()
  const killed = openSpending(home, 'claude', () => at(9))
  killed.soFar(took(1.5))
  killed.soFar(took(2.5))
  const other = openSpending(home, 'claude', () => at(9))
  other.soFar(took(1))
  other.ended(took(1.25))
  assert.deepEqual(spent(home, at(9))[0], [3.75, 0])
})

test('a call of unknown cost has the price that the tokens of its agent had so far; without one it is unknown, not 0', () => {
  const home = aHome()
  openSpending(home, 'claude', () => at(9)).soFar(took(null, 5_000))
  assert.deepEqual(spent(home, at(9))[0], [0, 1])
  call(home, at(9), took(0.2, 1_000))
  assert.deepEqual(spent(home, at(9))[0], [1.2, 0])
  call(home, at(9), took(null, 1_000))
  openSpending(home, 'codex', () => at(9))
  assert.deepEqual(spent(home, at(9))[0], [1.2, 2])
})

test('scripted calls use up nothing of what real agents may spend', () => {
  const home = aHome()
  call(home, at(9), took(7), 'scripted')
  call(home, at(9), took(1))
  assert.deepEqual(
    [spent(home, at(9))[0], spent(home, at(9), 'scripted')[0]],
    [
      [1, 0],
      [7, 0],
    ],
  )
})

test('counted calls and what they cost share a file, and neither loses the other; what is older than two months is dropped', () => {
  const home = aHome()
  call(home, at(9, 12, 0), took(4))
  askForCall(home, { limitPerHour: 5, agent: 'claude', now: at(9) })
  assert.deepEqual(spent(home, at(9))[0], [4, 0])
  call(home, at(9), took(1))
  assert.equal(callsThisHour(home, 'claude', at(9)), 1)
  call(home, at(9, 12, 3), took(1))
  assert.deepEqual(spent(home, at(9))[1], [0, 0])
})
