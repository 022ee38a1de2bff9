import assert from 'node:assert/strict'
import { lstatSync, mkdirSync, renameSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { tempFolder } from '../../../test/support/folder.ts'
import { searchNames } from './search-names.ts'

test('names that come, go or are renamed are found, also where the folder itself is replaced', (t) => {
  const top = tempFolder(t)
  const [folder, other, link] = [join(top, 'folder'), join(top, 'other'), join(top, 'link')]
  const looked: string[] = []
  const search = searchNames((name) => looked.push(name) > 0 && name.startsWith('a'))
  const found = (path = folder): string[] => [...search(path)].sort()
  assert.deepEqual(found(), [])
  mkdirSync(folder)
  for (const name of ['a1', 'b1']) writeFileSync(join(folder, name), '')
  assert.deepEqual(found(), ['a1'])
  writeFileSync(join(folder, 'a2'), '')
  assert.deepEqual(found(), ['a1', 'a2'])
  renameSync(join(folder, 'b1'), join(folder, 'a3'))
  unlinkSync(join(folder, 'a1'))
  assert.deepEqual(found(), ['a2', 'a3'])
  mkdirSync(other)
  symlinkSync(folder, link)
  assert.deepEqual(found(link), ['a2', 'a3'])
  unlinkSync(link)
  symlinkSync(other, link)
  assert.deepEqual(found(link), [])
  for (const path of [folder, other]) aged(path)
  assert.deepEqual([found(), found(link)], [['a2', 'a3'], []])
  const times = looked.length
  assert.deepEqual([found(), found(link)], [['a2', 'a3'], []])
  assert.equal(looked.length, times) // nothing changed, so nothing was read
  rmSync(folder, { recursive: true })
  assert.deepEqual(found(), [])
})

/** Waits until a folder's last change is so old that another one would have another time. */
function aged(folder: string): void {
  while (Date.now() - lstatSync(folder).ctimeMs < 25) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5)
}
