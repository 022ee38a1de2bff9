import assert from 'node:assert/strict'
import { appendFileSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { tempFolder } from '../../test/support/folder.ts'
import { followLines } from './follow.ts'

function logIn(t: TestContext) {
  const folder = tempFolder(t)
  return { folder, path: join(folder, 'events.jsonl') }
}

test('lines come once, in order, with their numbers, and half a line waits for its end', (t) => {
  const { path } = logIn(t)
  const follower = followLines(path, 1, () => {})
  t.after(follower.close)
  assert.deepEqual(follower.read(), [])
  writeFileSync(path, 'known\none\ntw')
  assert.deepEqual(follower.read(), [{ seq: 2, line: 'one' }])
  appendFileSync(path, 'ö\n'.slice(0, 1))
  assert.deepEqual(follower.read(), [])
  appendFileSync(path, '\nthree\n')
  assert.deepEqual(follower.read(), [
    { seq: 3, line: 'twö' },
    { seq: 4, line: 'three' },
  ])
})

test('a log that was removed and put back goes on where it was, and one that moved to the archive is read to its end', (t) => {
  const { folder, path } = logIn(t)
  writeFileSync(path, 'one\n')
  const follower = followLines(path, 0, () => {})
  t.after(follower.close)
  assert.deepEqual(follower.read(), [{ seq: 1, line: 'one' }])
  const text = readFileSync(path, 'utf8')
  rmSync(path)
  writeFileSync(path, `${text}two\n`)
  assert.deepEqual(follower.read(), [{ seq: 2, line: 'two' }])
  appendFileSync(path, 'three\n')
  mkdirSync(join(folder, 'archive'))
  renameSync(path, join(folder, 'archive', 'events.jsonl'))
  assert.deepEqual(follower.read(), [{ seq: 3, line: 'three' }])
})
