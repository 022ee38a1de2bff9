/** The event log, as it is read, opened, folded and shown. */
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { foldLog, openLog, readLog } from '../../src/adapters/project/event-log.ts'
import { evolve } from '../../src/core/evolve/evolve.ts'
import { initialState } from '../../src/core/evolve/initial.ts'
import { asKnownNow } from '../../src/core/evolve/older-events.ts'
import { EXIT, Failure } from '../../src/core/failure.ts'
import { asBytes, family, orRefusal, scratch } from '../family.ts'
import { mutatedBytes, mutatedJson } from '../nasty.ts'

const fixtures = join(import.meta.dirname, '..', '..', 'test', 'fixtures', 'logs')
const logs = ['planless', 'proven', 'troubled'].map((name) =>
  readFileSync(join(fixtures, `${name}.jsonl`), 'utf8')
    .trimEnd()
    .split('\n'),
)

/** A few lines in a row of a real log. */
const lines = fc.tuple(fc.constantFrom(...logs), fc.nat({ max: 400 }), fc.nat({ max: 6 })).map(([log, from, count]) =>
  log
    .slice(from % log.length, (from % log.length) + count + 1)
    .map((line) => `${line}\n`)
    .join(''),
)
const words = [
  '\n',
  '{}\n',
  'null\n',
  '[]\n',
  '{"at":"x","run":"r","kind":"run.started","log":99}\n',
  '{"at":1,"run":"r","kind":"x"}\n',
  '"kind":"run.ended"',
  '\0\0\0\0',
  '{"at":"2026-01-09T12:00:00.000Z","run":"r","kind":"of.tomorrow"}\n',
]

export const eventLog = family<{ bytes: string }>({
  name: 'event-log',
  what: 'events.jsonl: a torn last line is cut, any other bad line is refused with its number',
  weight: 4,
  inputs: fc.record({ bytes: mutatedBytes(lines, words) }),
  async check({ bytes }) {
    const path = join(scratch(), 'events.jsonl')
    writeFileSync(path, asBytes(bytes))
    const expected = expectedOf(asBytes(bytes).toString('utf8'))
    const read = await orRefusal(() => readLog(path))
    if (read instanceof Failure) {
      assert.equal(read.exit, EXIT.data)
      assert.equal(expected.badLine, Number(new RegExp(`^${path}:(\\d+): `).exec(read.message)?.[1]), read.message)
      return
    }
    assert.equal(expected.badLine, null, `line ${expected.badLine} is bad, and was taken`)
    assert.deepEqual(read.events, expected.events)
    const log = openLog(path)
    const next = { at: '2026-01-09T12:00:00.000Z', run: 'r', kind: 'breaker.reset' } as const
    log.append([next])
    log.close()
    assert.deepEqual(
      readLog(path),
      { events: [...expected.events, next], torn: 0 },
      'what was there stays, and what is added can be read',
    )
  },
})

const newestLog = Number(/"log":(\d+)/.exec(logs.flat()[0]!)?.[1])
const kinds = new Set<string>(
  JSON.stringify(JSON.parse(readFileSync(join(import.meta.dirname, '..', '..', 'schema', 'events.schema.json'), 'utf8')))
    .match(/"kind":\{"const":"([^"]+)"/g)
    ?.map((found) => found.slice(17, -1)),
)

/** The same in the simplest words; a bad line counts as torn only at the very end. */
function expectedOf(text: string): { events: unknown[]; badLine: number | null } {
  const all = text.split('\n').slice(0, -1)
  const events: unknown[] = []
  for (const [place, line] of all.entries()) {
    const event = orNothing(() => JSON.parse(line))
    if (event === undefined) return { events, badLine: place === all.length - 1 ? null : place + 1 }
    const isEvent = ['at', 'run', 'kind'].every((key) => typeof event?.[key] === 'string')
    const isNewer = ['run.started', 'run.resumed'].includes(event?.kind) && event.log > newestLog
    if (!isEvent || isNewer || !kinds.has(event.kind)) return { events, badLine: place + 1 }
    const known = orNothing(() => asKnownNow(event))
    if (known === undefined) return { events, badLine: place + 1 }
    events.push(known)
  }
  return { events, badLine: null }
}

function orNothing<T>(step: () => T): T | undefined {
  try {
    return step()
  } catch {
    return undefined
  }
}

/** Each line is an event by its three names, and holds anything beside them. */
const event = fc.constantFrom(...logs.flat()).chain((line) => {
  const { at, run, kind, ...rest } = JSON.parse(line)
  return mutatedJson(fc.constant(rest)).chain((more) =>
    fc
      .constantFrom(kind, kind, kind, kind, 'of.tomorrow', 'constructor')
      .map((name) => ({ ...(typeof more === 'object' ? more : {}), at, run, kind: name })),
  )
})
const history = fc
  .tuple(fc.constantFrom(...logs), fc.nat({ max: 400 }), fc.array(event, { minLength: 1, maxLength: 3 }))
  .map(([log, until, more]) => ({
    lines: [...log.slice(0, until % log.length), ...more.map((one) => JSON.stringify(one))],
  }))

export const histories = family<{ lines: string[] }>({
  name: 'histories',
  what: 'logs whose events lack or twist what belongs to them, folded',
  weight: 2,
  inputs: history,
  async check({ lines: all }) {
    const path = join(scratch(), 'history.jsonl')
    writeFileSync(path, all.map((line) => `${line}\n`).join(''))
    const folded = await orRefusal(() => foldLog(path, initialState, evolve))
    if (!(folded instanceof Failure)) return assert.notEqual(folded.value, undefined)
    assert.equal(folded.exit, EXIT.data)
    assert.match(folded.message, new RegExp(`^${path}:[1-9]\\d*: `))
  },
})
