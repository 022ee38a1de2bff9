import assert from 'node:assert/strict'
import { appendFileSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import fc from 'fast-check'
import { tempFolder } from '../../../test/support/folder.ts'
import { evolve } from '../../core/evolve/evolve.ts'
import { initialState } from '../../core/evolve/initial.ts'
import { Failure } from '../../core/failure.ts'
import type { Event } from '../../core/types.ts'
import { foldLog, openLog, readLog } from './event-log.ts'

const folder = tempFolder()
let logs = 0
const newPath = () => join(folder, String(++logs), 'events.jsonl')
const said = (text: string): Event => ({ at: '2026-01-09T10:00:00.000Z', run: 'r1', kind: 'said', id: 'x', text })
const linesOf = (...events: unknown[]) => events.map((event) => `${JSON.stringify(event)}\n`).join('')

test('what is appended is read again, also by a log opened later', () => {
  const path = newPath()
  const first = openLog(path)
  first.append([said('one'), said('two\nlines')])
  first.append([])
  first.close()
  const second = openLog(path)
  second.append([said('drei: ü 🙂')])
  second.close()
  assert.deepEqual(readLog(path), { events: [said('one'), said('two\nlines'), said('drei: ü 🙂')], torn: 0 })
})

test('a check of the whole is written as one of iteration 0: what every Ralph that reads this version knows', () => {
  const path = newPath()
  const whole: Event = { at: '2026-01-09T10:00:00.000Z', run: 'r1', kind: 'iteration.stopping', iteration: 'whole', because: '' }
  const log = openLog(path)
  log.append([whole])
  log.close()
  assert.deepEqual([readFileSync(path, 'utf8'), readLog(path).events], [linesOf({ ...whole, iteration: 0 }), [whole]])
})

test('a log that is not there is empty', () => {
  assert.deepEqual(readLog(join(folder, 'nowhere')), { events: [], torn: 0 })
})

test('R-FILE-2 a log cut at any byte keeps exactly its whole lines, and goes on after them', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'grapheme', maxLength: 30 }), { maxLength: 6 }), fc.nat(), (texts, place) => {
      const path = newPath()
      const events = texts.map(said)
      const whole = Buffer.from(linesOf(...events))
      const cut = whole.subarray(0, place % (whole.length + 1))
      const kept = cut.lastIndexOf(0x0a) + 1
      const before = events.slice(0, cut.subarray(0, kept).toString().split('\n').length - 1)
      mkdirSync(dirname(path))
      writeFileSync(path, cut)
      assert.deepEqual(readLog(path), { events: before, torn: cut.length - kept })
      const log = openLog(path)
      log.append([said('next')])
      log.close()
      assert.equal(log.torn, cut.length - kept)
      assert.deepEqual(readLog(path), { events: [...before, said('next')], torn: 0 })
    }),
    { numRuns: 60 },
  )
})

test('a last line that is no JSON is torn, line end or not, however long it is', () => {
  const path = newPath()
  mkdirSync(dirname(path))
  const rubbish = `{"at":"${'x'.repeat(300_000)}\n`
  writeFileSync(path, linesOf(said('one')) + rubbish)
  assert.deepEqual(readLog(path), { events: [said('one')], torn: rubbish.length })
  const log = openLog(path)
  log.close()
  assert.equal(log.torn, rubbish.length)
  assert.equal(readFileSync(path, 'utf8'), linesOf(said('one')))
})

for (const [what, line] of [
  ['no JSON', '{"at":'],
  ['empty', ''],
  ['no event', '{"at":"2026-01-09T10:00:00.000Z","run":"r1"}'],
  ['null', 'null'],
  ['a list', '[]'],
  ['a text', '"x"'],
  ['an event whose fields are of other kinds', '{"at":1,"run":"r1","kind":"said"}'],
  ['an event whose kind is no text', '{"at":"2026-01-09T10:00:00.000Z","run":"r1","kind":["said"]}'],
] as const) {
  test(`R-FILE-2 a line in the middle that is ${what} stops with its number`, () => {
    const path = newPath()
    mkdirSync(dirname(path))
    writeFileSync(path, `${linesOf(said('one'))}${line}\n${linesOf(said('two'))}`)
    assert.throws(
      () => readLog(path),
      (error: Error & { exit?: number }) => error.exit === 65 && error.message.startsWith(`${path}:2: `),
    )
  })
}

test('a log that a newer Ralph has begun or gone on with is refused and says so', () => {
  for (const kind of ['run.started', 'run.resumed']) {
    const path = newPath()
    mkdirSync(dirname(path))
    writeFileSync(path, linesOf(said('one'), { at: '2026-01-09T10:00:00.000Z', run: 'r1', kind, log: 2 }))
    assert.throws(() => readLog(path), {
      exit: 65,
      message: `${path}:2: this log has version 2; this Ralph reads versions up to 1. A newer Ralph wrote it: update Ralph. Nothing was changed.`,
    })
  }
})

test('an event of a kind that nobody knows is no reason to crash: its line is named', () => {
  const path = newPath()
  mkdirSync(dirname(path))
  writeFileSync(path, linesOf(said('one'), { at: '2026-01-09T10:00:00.000Z', run: 'r1', kind: 'moon.risen' }))
  assert.throws(() => readLog(path), {
    exit: 65,
    message: /:2: this line is an event of an unknown kind \(moon\.risen\)\. /,
  })
})

test('a long log is folded piece by piece, lines across pieces included', () => {
  const path = newPath()
  mkdirSync(dirname(path))
  const text = 'ü'.repeat(1000)
  const one = linesOf(said(text))
  writeFileSync(path, one.repeat(2000))
  const total = foldLog(path, 0, (sum, event) => sum + (event.kind === 'said' && event.text === text ? 1 : 0))
  const bytes = 2000 * Buffer.byteLength(one)
  assert.deepEqual(total, { value: 2000, torn: 0, readTo: { bytes, lines: 2000 } })
})

test('R-FILE-2 a log that the agent deletes or replaces in mid-run is restored, and the run goes on', () => {
  const path = newPath()
  const log = openLog(path)
  log.append([said('one')])
  rmSync(dirname(path), { recursive: true })
  log.append([said('two')])
  writeFileSync(`${path}.new`, 'rubbish')
  renameSync(`${path}.new`, path)
  log.append([said('three')])
  rmSync(path)
  mkdirSync(join(path, 'a folder in its place'), { recursive: true })
  log.append([said('four')])
  log.append([said('five')])
  log.close()
  assert.equal(log.restored(), 3)
  assert.equal(statSync(path).mode & 0o077, 0, 'it is still for its user alone')
  assert.deepEqual(readLog(path), { events: ['one', 'two', 'three', 'four', 'five'].map(said), torn: 0 })
})

test('what a stranger appends to the log is cut before the next event', () => {
  const path = newPath()
  const log = openLog(path)
  log.append([said('one')])
  appendFileSync(path, 'echo >> events.jsonl\n')
  log.append([said('two')])
  log.close()
  assert.equal(log.restored(), 1)
  assert.deepEqual(readLog(path).events, [said('one'), said('two')])
})

test('a log cut in place of which there is no copy stops with words: its history cannot be told any more', () => {
  const path = newPath()
  const log = openLog(path)
  log.append([said('one')])
  truncateSync(path)
  assert.throws(() => log.append([said('two')]), {
    exit: 65,
    message: /was cut from outside during the run, and there is no copy/,
  })
  log.close()
})

test('an event that lacks what belongs to it, or of a kind that nobody knows, is refused with its line, not with a fault', () => {
  const settled = { at: '2026-01-09T10:00:00.000Z', run: 'r1', kind: 'iteration.settled', iteration: 1 }
  const unknown = { at: '2026-01-09T10:00:00.000Z', run: 'r1', kind: 'of.tomorrow' }
  for (const [bad, what] of [
    [{ ...settled, kind: 'gates.ended' }, 'is an event (gates.ended) that cannot be applied'],
    [settled, 'is an event (iteration.settled) that cannot be applied'],
    [unknown, 'is an event of an unknown kind (of.tomorrow)'],
  ] as const) {
    const path = newPath()
    mkdirSync(dirname(path))
    writeFileSync(path, linesOf(said('one'), bad))
    assert.throws(
      () => foldLog(path, initialState, evolve),
      (error) => error instanceof Failure && error.exit === 65 && error.message.startsWith(`${path}:2: this line ${what}`),
    )
  }
})
