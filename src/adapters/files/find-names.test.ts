import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { tempFolder } from '../../../test/support/folder.ts'
import { missingContext } from './find-names.ts'

const folder = tempFolder()
const env = {
  PATH: process.env['PATH'],
  HOME: folder,
  LANG: 'C.UTF-8',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CEILING_DIRECTORIES: folder,
}

let count = 0
function project(files: Record<string, string>, { git = false } = {}): string {
  const root = join(folder, String(++count))
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true })
    writeFileSync(join(root, name), text)
  }
  if (git) execFileSync('git', ['init', '-q'], { cwd: root, env })
  return root
}

const numbered = (from: number, to: number, start = '') =>
  Array.from({ length: to - from + 1 }, (_, index) => `${start.replace('N', String(from + index))}row ${from + index}`)

const files = {
  'src/cart.ts': 'export const total = 1\nexport const totally = 2\n',
  'src/a.ts': "import { total } from './cart'\n",
  '.ralph/login/progress.txt': 'total\n',
  'image.png': 'total\0\n',
}

test('R-ESC-1: the missing name is found as a word, in files and their names, with git and without', async () => {
  const expected = [
    '### Where the missing names occur',
    '`total`:',
    "- src/a.ts:1: import { total } from './cart'",
    '- src/cart.ts:1: export const total = 1',
    '`cart`:',
    '- the file src/cart.ts',
    "- src/a.ts:1: import { total } from './cart'",
    '`tax` occurs nowhere in the project.',
  ].join('\n')
  const found = { names: ['total', 'cart', 'tax'], files: [] }
  assert.equal(await missingContext(project(files, { git: true }), found, env), expected)
  assert.equal(await missingContext(project(files), found, env), expected)
  assert.equal(await missingContext(project(files), found, { ...env, PATH: '' }), expected)
})

test('R-ESC-1: files of the trace are shown around their line, or from their beginning', async () => {
  const root = project({
    'long.txt': numbered(1, 100).join('\n'),
    'b.txt': numbered(1, 100).join('\n'),
    'short.txt': 'one\n~~~\n',
  })
  const named = [{ path: 'long.txt', line: 50 }, { path: 'short.txt', line: 900 }, { path: 'b.txt' }]
  assert.equal(
    await missingContext(root, { names: ['tax'], files: named }, env),
    [
      '### Files named in the trace',
      '`long.txt`, line 50:',
      '~~~text',
      ...numbered(35, 64, 'N | '),
      '~~~',
      '`short.txt`, line 900:',
      '~~~text',
      '1 | one',
      '2 | ~~~',
      '3 |',
      '~~~',
      '`b.txt`:',
      '~~~text',
      ...numbered(1, 40, 'N | '),
      '~~~',
      '### Where the missing names occur',
      '`tax` occurs nowhere in the project.',
    ].join('\n'),
  )
})

test('nothing from .ralph/, from outside, from binary files, or from what is not there is shown', async () => {
  const root = project(files)
  writeFileSync(join(folder, 'secret.txt'), 'secret\n')
  symlinkSync(join(folder, 'secret.txt'), join(root, 'link.txt'))
  symlinkSync(join(root, '.ralph/login/progress.txt'), join(root, 'memory.txt'))
  const paths = ['.ralph/login/progress.txt', 'image.png', 'gone.ts', '../secret.txt', 'link.txt', 'memory.txt', 'src']
  const named = paths.map((path) => ({ path }))
  const nowhere = '### Where the missing names occur\n`secret` occurs nowhere in the project.'
  assert.equal(await missingContext(root, { names: ['secret'], files: named }, env), nowhere)
  assert.equal(await missingContext(join(folder, 'gone'), { names: ['secret'], files: named }, env), nowhere)
})

test('however much there is to show, it stays under 8 kB, and both parts have room', async () => {
  const wide = `${'total ü '.repeat(200)}\n`.repeat(200)
  const many = Object.fromEntries(['a', 'b', 'c', 'd', 'e'].map((name) => [`${name}.txt`, wide]))
  for (const git of [true, false]) {
    const root = project(many, { git })
    const named = Object.keys(many).map((path) => ({ path, line: 100 }))
    const text = await missingContext(root, { names: ['total', 'ü', 'tax'], files: named }, env)
    const fences = text.split('\n').filter((line) => line.startsWith('~~~')).length
    assert.deepEqual([Buffer.byteLength(text) <= 8192, Buffer.byteLength(text) > 6000, fences % 2], [true, true, 0])
    assert.match(text, /^### Files named in the trace\n[\s\S]*\n### Where the missing names occur\n`total`:\n- a\.txt:1: total/)
  }
})
