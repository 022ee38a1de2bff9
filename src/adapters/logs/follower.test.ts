import assert from 'node:assert/strict'
import { appendFileSync, renameSync, rmSync, truncateSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { tempFolder } from '../../../test/support/folder.ts'
import type { Event } from '../../core/types.ts'
import { followLog } from './follower.ts'

const line = (text: string): string =>
  `${JSON.stringify({ at: '2026-01-09T10:00:00.000Z', run: 'r1', kind: 'said', id: 'x', text })}\n`

/** `taken` has every event that was handed over, in that order, over all that was begun. */
function followed(t: TestContext) {
  const folder = tempFolder(t)
  const path = join(folder, 'events.jsonl')
  const taken: string[] = []
  const follower = followLog(path, () => {
    const own: string[] = []
    const add = (event: Event): void => {
      const { text } = event as Event & { text: string }
      taken.push(text)
      own.push(text)
    }
    return { add, value: () => own.join(' ') }
  })
  return { path, taken, ...follower }
}

test('what was appended is read, and nothing else a second time', (t) => {
  const { path, taken, look, unread } = followed(t)
  assert.deepEqual([look(), unread()], ['', 0])
  writeFileSync(path, line('one') + line('two'))
  assert.equal(unread(), Buffer.byteLength(line('one') + line('two')))
  assert.deepEqual([look(), unread()], ['one two', 0])
  appendFileSync(path, line('drei ü'))
  assert.equal(unread(), Buffer.byteLength(line('drei ü')))
  assert.deepEqual([look(), look()], ['one two drei ü', 'one two drei ü'])
  assert.deepEqual(taken, ['one', 'two', 'drei ü'])
})

test('half a line is left until its other half is there', (t) => {
  const { path, taken, look } = followed(t)
  const half = line('two').slice(0, 40)
  writeFileSync(path, line('one') + half)
  assert.equal(look(), 'one')
  appendFileSync(path, line('two').slice(half.length))
  assert.equal(look(), 'one two')
  assert.deepEqual(taken, ['one', 'two'])
})

test('a log that was replaced, has shrunk or has gone is read anew', (t) => {
  const { path, look } = followed(t)
  writeFileSync(path, line('one') + line('two'))
  assert.equal(look(), 'one two')
  writeFileSync(`${path}.new`, line('other') + line('more') + line('again'))
  renameSync(`${path}.new`, path)
  assert.equal(look(), 'other more again')
  truncateSync(path, Buffer.byteLength(line('other')))
  assert.equal(look(), 'other')
  rmSync(path)
  assert.equal(look(), '')
  writeFileSync(path, line('new'))
  assert.equal(look(), 'new')
})

test('a log that was cut and has grown past its old end in between is read anew', (t) => {
  const { path, look } = followed(t)
  writeFileSync(path, line('one') + line('two'))
  assert.equal(look(), 'one two')
  truncateSync(path, Buffer.byteLength(line('one')))
  appendFileSync(path, line('2nd') + line('three'))
  assert.equal(look(), 'one 2nd three')
})

test('damage is told with its line as long as it is there, without reading on or twice', (t) => {
  const { path, taken, look } = followed(t)
  writeFileSync(path, line('one'))
  assert.equal(look(), 'one')
  appendFileSync(path, `no event\n${line('three')}`)
  for (let times = 0; times < 2; times++) assert.throws(look, /events\.jsonl:2: this line is not JSON\./)
  assert.deepEqual(taken, ['one'])
  writeFileSync(path, line('one') + line('2') + line('three'))
  utimesSync(path, 1, 1) // the same size and the same file: the time alone tells
  assert.equal(look(), 'one 2 three')
})
