import assert from 'node:assert/strict'
import { lstatSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { tempFolder } from '../../../test/support/folder.ts'
import { layOver } from './lay-over.ts'

function folderWith(files: Record<string, string>): string {
  const folder = tempFolder()
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
  return folder
}

test('its files replace those that are there, and are named where they are new', () => {
  const from = folderWith({ 'test/a.js': 'held a', 'test/deep/b.js': 'held b', '.git/config': 'its own' })
  const onto = folderWith({ 'test/a.js': 'own a', 'test/c.js': 'own c' })
  assert.deepEqual(layOver(from, onto), ['test/deep/b.js'])
  assert.deepEqual(
    ['test/a.js', 'test/deep/b.js', 'test/c.js'].map((name) => readFileSync(join(onto, name), 'utf8')),
    ['held a', 'held b', 'own c'],
  )
  assert.deepEqual(readdirSync(onto), ['test'])
})

test('nothing is written through a link, to a folder or to a file', () => {
  const from = folderWith({ 'test/a.js': 'held a', 'b.js': 'held b', 'c/d.js': 'held d' })
  const elsewhere = folderWith({ 'b.js': 'own b' })
  const onto = folderWith({ c: 'a file in the place of the folder' })
  symlinkSync(elsewhere, join(onto, 'test'))
  symlinkSync(join(elsewhere, 'b.js'), join(onto, 'b.js'))
  layOver(from, onto)
  assert.deepEqual([readdirSync(elsewhere), readFileSync(join(elsewhere, 'b.js'), 'utf8')], [['b.js'], 'own b'])
  assert.deepEqual(
    [lstatSync(join(onto, 'test')).isDirectory(), lstatSync(join(onto, 'b.js')).isFile(), readdirSync(join(onto, 'c'))],
    [true, true, ['d.js']],
  )
})
