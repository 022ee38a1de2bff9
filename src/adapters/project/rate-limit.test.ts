import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { tempFolder } from '../../../test/support/folder.ts'
import { askForCall, callsThisHour, noteLimit } from './rate-limit.ts'

const folder = tempFolder()
let homes = 0
const newHome = () => join(folder, String(++homes))
const at = (minute: number) => new Date(Date.UTC(2026, 0, 9, 10, minute)).toISOString()
const ask = (home: string, minute: number, limitPerHour = 2, agent = 'claude') =>
  askForCall(home, { limitPerHour, agent, now: at(minute) })
const granted = { granted: true }

test('R-LIM-3 calls in a sliding hour are limited over all agents, and the refusal says when the next is free', () => {
  const home = newHome()
  assert.deepEqual(
    [ask(home, 0), ask(home, 20, 2, 'codex'), ask(home, 59), ask(home, 60), ask(home, 61), ask(home, 80)],
    [
      granted,
      granted,
      { granted: false, until: at(60), by: 'rate' },
      granted,
      { granted: false, until: at(80), by: 'rate' },
      granted,
    ],
  )
})

test('a lower limit waits until enough calls are an hour old', () => {
  const home = newHome()
  for (const minute of [0, 10, 20]) ask(home, minute, 0)
  assert.deepEqual(ask(home, 30, 1), { granted: false, until: at(80), by: 'rate' })
})

test('0 is no limit, and its calls count for others', () => {
  const home = newHome()
  assert.deepEqual(
    [ask(home, 0, 0), ask(home, 0, 0), ask(home, 0, 0), ask(home, 1, 3)],
    [granted, granted, granted, { granted: false, until: at(60), by: 'rate' }],
  )
})

test('R-LIM-4 a usage limit holds every run of that agent until it is over, and no other agent', () => {
  const home = newHome()
  noteLimit(home, 'claude', at(30))
  assert.deepEqual(
    [ask(home, 0), ask(home, 0, 2, 'codex'), ask(home, 29, 0), ask(home, 30)],
    [
      { granted: false, until: at(30), by: 'usage-limit' },
      granted,
      { granted: false, until: at(30), by: 'usage-limit' },
      granted,
    ],
  )
})

test('after the clock went back, old calls are in the way for an hour at most', () => {
  const home = newHome()
  ask(home, 500)
  ask(home, 501)
  assert.deepEqual(
    [ask(home, 0), ask(home, 30), ask(home, 60)],
    [{ granted: false, until: at(60), by: 'rate' }, { granted: false, until: at(60), by: 'rate' }, granted],
  )
})

test('a file that makes no sense is kept aside, and said', () => {
  for (const bad of [
    ...[
      '{"calls":',
      '[]',
      'null',
      '"x"',
      '{}',
      '{"calls":{},"limits":{}}',
      '{"calls":[],"limits":[]}',
      '{"calls":[null],"limits":{}}',
    ],
    ...['{"calls":[{"at":"soon","agent":"claude"}],"limits":{}}', `{"calls":[{"at":"${at(0)}","agent":5}],"limits":{}}`],
    ...[`{"calls":[{"at":"${at(0)}","agent":"claude","times":"2"}],"limits":{}}`, '{"calls":[],"limits":{"claude":5}}'],
  ]) {
    const home = newHome()
    mkdirSync(home)
    writeFileSync(join(home, 'calls.json'), bad)
    const note = `${join(home, 'calls.json')}, where calls are counted, was not readable. It is kept as calls.json.bad, and the counts of calls and costs start again at 0.`
    assert.deepEqual([ask(home, 0), ask(home, 0)], [{ granted: true, note }, granted])
    assert.equal(readFileSync(join(home, 'calls.json.bad'), 'utf8'), bad)
    assert.equal(existsSync(join(home, 'calls.json.lock')), false)
  }
})

test('a home that cannot be written stops with what to do', () => {
  const home = newHome()
  writeFileSync(home, 'a file, not a folder')
  assert.throws(() => ask(home, 0), { exit: 78, message: /calls\.json.*RALPH_HOME/ })
})

test('R-LIM-3 of a hundred calls an hour the hundredth is given and the next is not, also over the full hour (R01, R02, R04, R05)', () => {
  const home = newHome() // no file yet
  const given = (count: number, minute: number) =>
    Array.from({ length: count }, () => ask(home, minute, 100).granted).filter(Boolean).length
  assert.deepEqual([given(99, 58), given(1, 59), given(1, 59)], [99, 1, 0])
  assert.equal(given(100, 60), 0) // a new hour by the clock, not a new hour's worth of calls
  assert.deepEqual(ask(home, 68, 100), { granted: false, until: at(118), by: 'rate' })
  assert.deepEqual([given(100, 118), given(100, 180)], [99, 100])
})

test('hundreds of calls an hour are counted by the minute: the file stays small, and the limit of another run holds', () => {
  const home = newHome()
  const times = Array.from({ length: 700 }, (_, n) => new Date(Date.UTC(2026, 0, 9, 10, 0, 4 * n)).toISOString())
  for (const now of times) askForCall(home, { limitPerHour: 0, agent: 'claude', now })
  const { calls } = JSON.parse(readFileSync(join(home, 'calls.json'), 'utf8')) as { calls: unknown[] }
  assert.ok(calls.length <= 250, `${calls.length} entries`)
  assert.equal(callsThisHour(home, 'claude', times.at(-1)!), 700)
  assert.deepEqual(
    [ask(home, 50, 700), ask(home, 50, 100), ask(home, 50, 701)],
    [
      { granted: false, until: new Date(Date.UTC(2026, 0, 9, 11, 0, 56)).toISOString(), by: 'rate' },
      { granted: false, until: new Date(Date.UTC(2026, 0, 9, 11, 40)).toISOString(), by: 'rate' },
      granted,
    ],
  )
})

test('calls of the scripted agent have a count of their own', () => {
  const home = newHome()
  assert.deepEqual([ask(home, 0, 1, 'scripted'), ask(home, 1, 1, 'scripted').granted], [granted, false])
  assert.deepEqual([ask(home, 1, 2), ask(home, 2, 2, 'codex'), ask(home, 3, 2).granted], [granted, granted, false])
  assert.deepEqual([callsThisHour(home, 'scripted', at(4)), callsThisHour(home, 'claude', at(4))], [1, 2])
})

test('a file of a newer Ralph is refused and stays as it is; one without a version is read', () => {
  const home = newHome()
  mkdirSync(home)
  const newer = '{"version":2,"calls":{"claude":7}}\n'
  writeFileSync(join(home, 'calls.json'), newer)
  assert.throws(() => ask(home, 0), {
    exit: 65,
    message: /calls\.json, .* has version 2; this Ralph supports versions up to 1\. .*update Ralph/,
  })
  assert.equal(readFileSync(join(home, 'calls.json'), 'utf8'), newer)
  writeFileSync(join(home, 'calls.json'), JSON.stringify({ calls: [{ at: at(0), agent: 'claude' }], limits: {} }))
  assert.deepEqual(ask(home, 1, 1), { granted: false, until: at(60), by: 'rate' })
})

test('an agent that is called like something every object has is limited by nothing but its own limit', () => {
  for (const agent of ['constructor', '__proto__', 'toString']) {
    const home = newHome()
    assert.deepEqual(ask(home, 0, 0, agent), granted, agent)
    noteLimit(home, agent, at(30))
    assert.deepEqual(ask(home, 1, 0, agent), { granted: false, until: at(30), by: 'usage-limit' }, agent)
  }
})
