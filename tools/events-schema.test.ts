/** The contract of events: the shipped schema is made from the types, and every recorded event fits it; sim/sim.test.ts looks at those of simulated worlds. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import test from 'node:test'
import { asLogged } from '../src/core/evolve/older-events.ts'
import type { Event } from '../src/core/types.ts'
import { problemsOf } from '../test/support/json-schema.ts'
import { eventsIn, logs } from '../test/support/reports.ts'
import { eventsSchema, eventsSchemaPath } from './events-schema.ts'

const schema = eventsSchema()
/** As it is logged, by the definition of its kind alone: a wrong field is then named, not "fits none of 48". */
const wrongIn = (event: Event): string[] =>
  problemsOf(JSON.parse(JSON.stringify(asLogged(event))), { $ref: `#/$defs/${event.kind}` }, schema.$defs, event.kind)

test('the shipped schema is the one that the types give; node tools/events-schema.ts writes it', () => {
  assert.deepEqual(JSON.parse(readFileSync(eventsSchemaPath, 'utf8')), schema)
})

test('every kind of event in types.ts is in the schema, and no other', () => {
  const types = readFileSync(new URL('../src/core/types.ts', import.meta.url), 'utf8')
  const events = types.slice(types.indexOf('export type Report ='), types.indexOf('export type Event ='))
  const kinds = [...events.matchAll(/\bkind: '([^']+)'/g)].map((match) => `#/$defs/${match[1]}`)
  assert.ok(kinds.length > 40)
  assert.deepEqual(schema.oneOf!.map(({ $ref }) => $ref).sort(), kinds.sort())
})

test('docs/events.md names every kind of event and of signal', () => {
  const page = readFileSync(new URL('../docs/events.md', import.meta.url), 'utf8')
  const kinds = schema.oneOf!.map(({ $ref }) => $ref!.replace('#/$defs/', ''))
  const signals = schema.$defs['signal']!.oneOf!.map(({ properties }) => String(properties!['kind']!.const))
  assert.deepEqual(
    [...kinds, ...signals].filter((kind) => !page.includes(`\`${kind}\``) && !page.includes(`"kind":"${kind}"`)),
    [],
  )
})

test('every event of the recorded logs fits the schema, field by field', () => {
  assert.ok(logs().length > 1)
  const seen = logs().flatMap((name) => eventsIn(name).map((event) => ({ event, name })))
  assert.deepEqual(
    seen.flatMap(({ event, name }) => wrongIn(event).map((problem) => `${name}: ${problem}`)),
    [],
  )
})

test('the schema as a whole tells events from what is none', () => {
  const fits = (value: unknown): boolean => problemsOf(value, schema, schema.$defs).length === 0
  const at = '2026-11-15T12:50:50.111Z'
  const ended = { at, run: 'r', kind: 'run.ended', outcome: 'complete', because: 'every story passes' }
  assert.equal(fits(ended), true)
  const { because: _because, ...silent } = ended
  for (const none of [
    silent,
    { ...ended, outcome: 'fine' },
    { ...ended, at: 'yesterday' },
    { ...ended, kind: 'run.finished' },
    { at, run: 'r', kind: 'call.granted', call: -1 },
    { at, run: 'r', kind: 'call.granted', call: '1' },
    null,
    'run.ended',
  ])
    assert.equal(fits(none), false, JSON.stringify(none))
})
