import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { tempFolder } from '../../../test/support/folder.ts'
import { closeTemporary, openTemporary } from './temporary-files.ts'

test('caches of gates stay while nobody else writes there, and are dropped when somebody does', (t) => {
  const folder = join(tempFolder(t), 'ralph-1', '1')
  assert.equal(openTemporary(folder, ''), true)
  mkdirSync(join(folder, 'cache'))
  const file = join(folder, 'cache', 'a')
  writeFileSync(file, 'built')
  const mark = closeTemporary(folder)
  assert.equal(openTemporary(folder, mark), true)
  assert.equal(readFileSync(file, 'utf8'), 'built')
  writeFileSync(file, 'other')
  utimesSync(file, 1, 1)
  openTemporary(folder, mark)
  assert.deepEqual(readdirSync(folder), [])
  const empty = closeTemporary(folder)
  assert.ok(!existsSync(dirname(folder)), 'nothing is left of one that is empty')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'planted'), '')
  openTemporary(folder, empty)
  assert.deepEqual(readdirSync(folder), [])
})

test('a link in its place leads nowhere', (t) => {
  const base = tempFolder(t)
  mkdirSync(join(base, 'mine', '1'), { recursive: true })
  writeFileSync(join(base, 'mine', '1', 'file'), '')
  symlinkSync(join(base, 'mine'), join(base, 'ralph-1'))
  assert.equal(openTemporary(join(base, 'ralph-1', '1'), ''), true)
  assert.ok(existsSync(join(base, 'mine', '1', 'file')))
})
