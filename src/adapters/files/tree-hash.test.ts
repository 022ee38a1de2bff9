import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, rmSync, symlinkSync, truncateSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { tempFolder } from '../../../test/support/folder.ts'
import { hashFiles, identityOf } from './tree-hash.ts'

const folder = tempFolder()
let roots = 0
function project(files: Record<string, string>): string {
  const root = join(folder, String(++roots))
  write(root, files)
  return root
}
function write(root: string, files: Record<string, string>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true })
    writeFileSync(join(root, name), text)
  }
}

test('R-PROG-1 the same files have the same identity wherever they are, and only content counts', () => {
  const one = project({ 'a.txt': 'a', 'src/b.txt': 'b' })
  const two = project({
    'src/b.txt': 'b',
    'a.txt': 'a',
    '.ralph/x/events.jsonl': 'e',
    'node_modules/p/i.js': 'n',
    'src/.git/HEAD': 'h',
  })
  utimesSync(join(two, 'a.txt'), 1_700_000_000, 1_700_000_000)
  const { tree } = hashFiles(one)
  assert.deepEqual(hashFiles(two), { head: null, tree, dirt: '', uncommitted: [], branch: null, isUnborn: false })
})

test('any change of a file is another identity, and the change back is the first one', () => {
  const root = project({ 'a.txt': 'a', 'b.txt': 'b' })
  const seen = [hashFiles(root).tree]
  const then = (change: () => void) => {
    change()
    seen.push(hashFiles(root).tree)
  }
  then(() => write(root, { 'a.txt': 'x' }))
  then(() => rmSync(join(root, 'b.txt')))
  then(() => write(root, { 'c.txt': 'b' }))
  then(() => symlinkSync('nowhere', join(root, 'link')))
  assert.equal(new Set(seen).size, 5)
  rmSync(join(root, 'link'))
  rmSync(join(root, 'c.txt'))
  write(root, { 'a.txt': 'a', 'b.txt': 'b' })
  assert.equal(hashFiles(root).tree, seen[0])
})

test('a named pipe holds nothing up', () => {
  const root = project({ 'a.txt': 'a' })
  execFileSync('mkfifo', [join(root, 'pipe')])
  assert.notEqual(hashFiles(root).tree, hashFiles(project({ 'a.txt': 'a' })).tree)
})

test('a file that looks as before is not read again, a young one and a big one are never remembered', () => {
  const root = project({ old: 'old', young: 'young', big: '' })
  truncateSync(join(root, 'big'), (8 << 20) + 1)
  for (const name of ['old', 'big']) utimesSync(join(root, name), 1_700_000_000, 1_700_000_000)
  const first = identityOf(root, ['old', 'young', 'big'], new Map())
  assert.deepEqual([...first.known.keys()], ['old'])
  const told = new Map([['old', { ...first.known.get('old')!, identity: 'remembered' }]])
  assert.equal(identityOf(root, ['old'], told).known.get('old')?.identity, 'remembered')
})

test('a project that is not there has no files', () => {
  assert.equal(hashFiles(join(folder, 'nowhere')).tree, hashFiles(project({ '.ralph/x': 'x' })).tree)
})
