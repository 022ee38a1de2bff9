import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anEnd, aResult } from '../../../sim/builders.ts'
import type { Event, GateResult } from '../types.ts'
import { asKnownNow, asLogged } from './older-events.ts'

const at = { at: '2026-01-01T00:00:00.000Z', run: 'r' }
const older = (name: string, command: string): GateResult => {
  const { kind: _kind, ...rest } = aResult(name, false, { command })
  return rest as GateResult
}
const results = [
  older('tests', 'npm test'),
  older('landing', 'git merge'),
  older('landing', 'make land'),
  older('spec', 'review by x'),
]

test('results of older logs get the kind that their names meant; a gate of the user that is called like one of ours stays a command', () => {
  const known = asKnownNow({ ...at, kind: 'gates.ended', iteration: 1, results } as Event) as Extract<
    Event,
    { kind: 'gates.ended' }
  >
  assert.deepEqual(
    known.results.map(({ kind }) => kind),
    ['command', 'landing', 'command', 'review'],
  )
})

test('weakened checks of older logs are findings without a rule of their own', () => {
  const event = { ...at, kind: 'iteration.ended', ...anEnd(1) } as const
  assert.deepEqual(asKnownNow({ ...event, weakened: ['deleted a.test.ts'] } as Event), {
    ...event,
    findings: [{ rule: 'weakened-check', words: 'deleted a.test.ts' }],
  })
  assert.equal(asKnownNow(event), event)
})

test('an event of this version is the same object', () => {
  const event = { ...at, kind: 'gates.ended', iteration: 1, results: [aResult('tests', true)] } as Event
  assert.equal(asKnownNow(event), event)
})

test('a check of the whole is one of iteration 0 in a log, so that an older Ralph knows it, and nowhere else', () => {
  const known: Event = { ...at, kind: 'gates.ended', iteration: 'whole', results: [aResult('tests', true)] }
  const logged = { ...known, iteration: 0 }
  assert.deepEqual([asLogged(known), asKnownNow(logged)], [logged, known])
  const own: Event = { ...logged, iteration: 1 }
  assert.deepEqual([asLogged(own) === own, asKnownNow(own) === own], [true, true])
})
