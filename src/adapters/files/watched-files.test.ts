import assert from 'node:assert/strict'
import { appendFileSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { tempFolder } from '../../../test/support/folder.ts'
import { watchFiles } from './watched-files.ts'

function watched(t: TestContext, ...names: string[]) {
  const folder = tempFolder(t)
  const put = (name: string, text: string): void => {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
  for (const name of names) put(name, name)
  symlinkSync('/etc', join(folder, 'linked'))
  return { folder, put, written: watchFiles(folder) }
}

test('a file that was written is found, also where its content and its times are as before', (t) => {
  const { folder, put, written } = watched(t, 'a', 'b', 'c/d', 'e', '.git/index')
  readFileSync(join(folder, 'a'))
  put('new', '')
  put('c/__pycache__/d', '')
  put('.git/index', '')
  assert.deepEqual(written(), [])
  put('b', 'other')
  put('b', 'b')
  utimesSync(join(folder, 'b'), 1, 1)
  appendFileSync(join(folder, 'c/d'), '')
  rmSync(join(folder, 'e'))
  assert.deepEqual(written().includes('b') && written().includes('e') && !written().includes('a'), true)
})

test('the files of a folder that was moved away and back are found', (t) => {
  const { folder, written } = watched(t, 'test/a.js', 'test/deep/b.js', 'src/c.js')
  renameSync(join(folder, 'test'), join(folder, 'away'))
  renameSync(join(folder, 'away'), join(folder, 'test'))
  assert.deepEqual(written(), ['test/a.js', 'test/deep/b.js'])
})
