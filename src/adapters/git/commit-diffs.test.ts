import assert from 'node:assert/strict'
import { test } from 'node:test'
import { tempFolder } from '../../../test/support/folder.ts'
import { commitAll, committed, env } from '../../../test/support/repository.ts'
import { changedLinesBetween, commitDiffs } from './commit-diffs.ts'
import { gitIn } from './run.ts'

test('a diff has each file with its lines, whatever its name, and says which commits are gone', async () => {
  const place = await committed({ 'a.txt': 'one\ntwo\n', 'old.txt': 'old\n' })
  place.write({ 'a.txt': 'one\n2\n', 'a "folder"/ü\n.txt': 'new\n', picture: '\0\0' })
  place.sh('rm', '-q', 'old.txt')
  const commit = commitAll(place, 'feat')
  const gone = 'f'.repeat(40)
  assert.deepEqual(await commitDiffs(place.top, [commit, gone], env), {
    files: [
      {
        commit,
        path: 'a "folder"/ü\n.txt',
        added: 1,
        deleted: 0,
        isBinary: false,
        lines: ['@@ -0,0 +1 @@', '+new'],
        isCut: false,
      },
      {
        commit,
        path: 'a.txt',
        added: 1,
        deleted: 1,
        isBinary: false,
        lines: ['@@ -1,2 +1,2 @@', ' one', '-two', '+2'],
        isCut: false,
      },
      { commit, path: 'old.txt', added: 0, deleted: 1, isBinary: false, lines: ['@@ -1 +0,0 @@', '-old'], isCut: false },
      { commit, path: 'picture', added: 0, deleted: 0, isBinary: true, lines: [], isCut: false },
    ],
    missing: [gone],
    isCut: false,
  })
})

test('a huge file is named without its lines, and the others are shown', async () => {
  const place = await committed()
  place.write({ 'huge.txt': 'x\n'.repeat(20_001), 'long.txt': 'y\n'.repeat(3000), 'small.txt': 'z\n' })
  const { files } = await commitDiffs(place.top, [commitAll(place, 'much')], env)
  assert.deepEqual(
    files.map(({ path, added, lines, isCut }) => [path, added, lines.length, isCut]),
    [
      ['huge.txt', 20_001, 0, true],
      ['long.txt', 3000, 2000, true],
      ['small.txt', 1, 2, false],
    ],
  )
})

test('outside a repository there is nothing to show', async (t) => {
  assert.deepEqual(await commitDiffs(tempFolder(t), ['a'.repeat(40)], env), {
    files: [],
    missing: ['a'.repeat(40)],
    isCut: false,
  })
})

test('lines that differ between two commits are those of the second one; of removed lines those around them', async () => {
  const lines = Array.from({ length: 20 }, (_, at) => `line ${at + 1}`)
  const place = await committed({ 'a.txt': `${lines.join('\n')}\n`, 'gone.txt': 'x\n', 'same.txt': 'x\n' })
  const from = place.sh('rev-parse', 'HEAD').trim()
  place.write({
    'a.txt': `${lines.toSpliced(9, 1).toSpliced(2, 2, 'three', 'four', 'more').join('\n')}\n`,
    'b "ü".txt': '1\n2\n',
  })
  place.sh('rm', '-q', 'gone.txt')
  const to = commitAll(place, 'feat')
  const run = gitIn(place.top, env)
  assert.deepEqual(await changedLinesBetween(run, from, to), {
    'a.txt': [
      [3, 5],
      [10, 11],
    ],
    'b "ü".txt': [[1, 2]],
    'gone.txt': [[0, 1]],
  })
  assert.equal(await changedLinesBetween(run, 'f'.repeat(40), to), null)
})
