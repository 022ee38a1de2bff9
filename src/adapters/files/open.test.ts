import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { tempFolder } from '../../../test/support/folder.ts'
import { EXIT } from '../../core/failure.ts'
import { appendLines, readIfThere, replaceFile } from './files.ts'
import { isCopyable, openRegular, SpecialFile } from './open.ts'
import { readTail } from './tail.ts'

const folder = tempFolder()

const pipeAt = (name: string): string => {
  const path = join(folder, name)
  execFileSync('mkfifo', [path])
  return path
}

test('a named pipe in the place of a file holds no reader up, and counts as not there', () => {
  const path = pipeAt('read')
  assert.equal(readIfThere(path), null)
  assert.equal(readTail(path, 3), '')
  assert.throws(() => openRegular(path), SpecialFile)
  symlinkSync(path, join(folder, 'link-to-pipe'))
  assert.equal(readIfThere(join(folder, 'link-to-pipe')), null)
})

test('a device, which may have no end, counts as not there', () => {
  symlinkSync('/dev/zero', join(folder, 'zeros'))
  assert.equal(readIfThere(join(folder, 'zeros')), null)
})

test('a named pipe is replaced by what is written or appended', () => {
  const [replaced, appended] = [pipeAt('replace'), pipeAt('append')]
  replaceFile(replaced, 'one\n')
  appendLines(appended, 'two\n')
  assert.deepEqual([readFileSync(replaced, 'utf8'), readFileSync(appended, 'utf8')], ['one\n', 'two\n'])
})

test('a link to a file is read and appended to', () => {
  const link = join(folder, 'link')
  writeFileSync(join(folder, 'target'), 'one\n')
  symlinkSync('target', link)
  appendLines(link, 'two\n')
  assert.equal(readIfThere(link), 'one\ntwo\n')
})

test('a folder in the place of a file is said in words, also where something is to be appended', () => {
  const path = join(folder, 'taken')
  mkdirSync(path)
  const expected = { exit: EXIT.data, message: `${path} is a folder; expected a file. Move it away.` }
  assert.throws(() => readIfThere(path), expected)
  assert.throws(() => appendLines(path, 'x'), expected)
})

test('only what is a pipe, a socket or a device is left out of a copy: not a link to itself, nor one to nothing', () => {
  symlinkSync('itself', join(folder, 'itself'))
  symlinkSync('nowhere', join(folder, 'to-nothing'))
  const paths = [join(folder, 'itself'), join(folder, 'to-nothing'), folder, pipeAt('left-out')]
  assert.deepEqual(paths.map(isCopyable), [true, true, true, false])
})

test('a file of gigabytes is not read: its name and size are said', () => {
  const path = join(folder, 'huge.json')
  writeFileSync(path, '')
  truncateSync(path, 5 * 1024 ** 3)
  assert.throws(() => readIfThere(path), {
    exit: EXIT.data,
    message: `${path} is too large: 5,120 MB, at most 64 MB allowed. Make it smaller, or move it away.`,
  })
})
