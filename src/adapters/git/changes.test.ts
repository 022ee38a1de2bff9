import assert from 'node:assert/strict'
import { renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { commitAll, committed, env, type TestRepository } from '../../../test/support/repository.ts'
import { weakenedChecks } from '../../core/tamper/weakened-checks.ts'
import { changesBetween } from './changes.ts'
import { gitIn } from './run.ts'

const changes = (place: TestRepository, from: string, isClean = false) =>
  changesBetween(gitIn(place.top, env), { dir: join(place.top, '.git'), from, isClean })
const numbered = (count: number) => Array.from({ length: count }, (_, index) => `line ${index}\n`).join('')

test('committed, staged, unstaged and untracked changes come with their lines, without .ralph/, and the index stays', async () => {
  const place = await committed({ 'a.txt': 'one\ntwo\nthree\n', 'gone.txt': 'what was here\n', 'b.txt': 'b\n', 'c.txt': 'c\n' })
  const from = place.sh('rev-parse', 'HEAD')
  place.write({ 'a.txt': 'one\n2\n2b\nthree\n', '.ralph/login/prd.json': '{}\n', 'sub/.ralph/x': 'x\n' })
  rmSync(join(place.top, 'gone.txt'))
  commitAll(place, 'second')
  place.write({ 'b.txt': 'b\nstaged\n' })
  place.sh('add', 'b.txt')
  place.write({ 'c.txt': '', 'new file "ü"\t.txt': '++ a\n-- b', '-n': 'x\r\n', 'empty.txt': '' })
  const status = place.sh('status', '--porcelain')
  assert.deepEqual(await changes(place, from), [
    { path: '-n', kind: 'added', added: [{ at: 1, text: 'x' }], removed: [] },
    {
      path: 'a.txt',
      kind: 'modified',
      added: [
        { at: 2, text: '2' },
        { at: 3, text: '2b' },
      ],
      removed: ['two'],
    },
    { path: 'b.txt', kind: 'modified', added: [{ at: 2, text: 'staged' }], removed: [] },
    { path: 'c.txt', kind: 'modified', added: [], removed: ['c'] },
    { path: 'empty.txt', kind: 'added', added: [], removed: [] },
    { path: 'gone.txt', kind: 'deleted', added: [], removed: ['what was here'] },
    {
      path: 'new file "ü"\t.txt',
      kind: 'added',
      added: [
        { at: 1, text: '++ a' },
        { at: 2, text: '-- b' },
      ],
      removed: [],
    },
  ])
  assert.equal(place.sh('status', '--porcelain'), status)
})

test('where nothing is uncommitted the answer is the same without a copy of the index', async () => {
  const place = await committed({ 'a.txt': 'one\n', 'gone.txt': 'what was here\n', 'moved.txt': numbered(20) })
  const from = place.sh('rev-parse', 'HEAD')
  place.write({ 'a.txt': 'one\ntwo\n', 'new.txt': 'new\n', '.ralph/login/prd.json': '{}\n' })
  rmSync(join(place.top, 'gone.txt'))
  renameSync(join(place.top, 'moved.txt'), join(place.top, 'elsewhere.txt'))
  commitAll(place, 'second')
  assert.deepEqual(await changes(place, from, true), await changes(place, from))
})

test('a file that was moved is renamed, also while the move is not committed', async () => {
  const place = await committed({ 'a b.txt': numbered(20), 'same.txt': 'untouched\n' })
  const from = place.sh('rev-parse', 'HEAD^{tree}')
  renameSync(join(place.top, 'a b.txt'), join(place.top, 'ü.txt'))
  place.write({ 'ü.txt': `${numbered(20)}more\n` })
  assert.deepEqual(await changes(place, from), [
    { path: 'ü.txt', kind: 'renamed', from: 'a b.txt', added: [{ at: 21, text: 'more' }], removed: [] },
  ])
})

test('of a very large change every file is named, and tests keep their lines', async () => {
  const place = await committed({ 'z.test.ts': "test('adds', f)\n", 'text.bin': 'a\n' })
  const from = place.sh('rev-parse', 'HEAD')
  place.write({ 'a.txt': numbered(20_000), 'b.txt': numbered(25_000), 'c.txt': 'c\n', 'text.bin': 'a\0b', 'z.test.ts': 'x\n' })
  place.write({ 'huge.txt': 'x'.repeat(300_000) })
  const all = await changes(place, from)
  assert.ok(Array.isArray(all))
  assert.deepEqual(
    all.map(({ path, added, removed }) => [path, added.length, removed.length]),
    [
      ['a.txt', 20_000, 0],
      ['b.txt', 0, 0],
      ['c.txt', 1, 0],
      ['huge.txt', 0, 0],
      ['text.bin', 0, 0],
      ['z.test.ts', 1, 1],
    ],
  )
})

test('T15: removed, skipped and deleted tests are found in a real repository', async () => {
  const place = await committed({
    'test/a.test.ts': "test('adds', () => {})\n",
    'test/b.test.ts': "import x from 'x'\ntest('one', () => {})\ntest('two', () => {})\n",
  })
  const from = place.sh('rev-parse', 'HEAD')
  rmSync(join(place.top, 'test/a.test.ts'))
  place.write({ 'test/b.test.ts': "import x from 'x'\ntest.skip('one', () => {})\n", 'src/c.ts': 'export {}\n' })
  const found = await changes(place, from)
  assert.ok(Array.isArray(found))
  assert.deepEqual(weakenedChecks({ changes: found, commands: [], gateFiles: [] }), [
    'deleted the test file test/a.test.ts',
    '1 test newly skipped in test/b.test.ts (test.skip, line 2)',
    '1 test fewer in test/b.test.ts (gone: "two")',
  ])
})

test("what git refuses comes back in git's words", async () => {
  const place = await committed()
  assert.match(JSON.stringify(await changes(place, 'f'.repeat(40))), /^\{"error":"fatal: bad object f+"\}$/)
})
