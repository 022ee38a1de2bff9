import assert from 'node:assert/strict'
import { test } from 'node:test'
import { tempFolder } from '../../../test/support/folder.ts'
import { commitAll, committed, env, repository } from '../../../test/support/repository.ts'
import { commitStats } from './commit-stats.ts'

test('each commit has its subject and the lines that it added and took away, in the order asked for', async () => {
  const place = await committed({ 'a.txt': 'one\ntwo\n', 'old.txt': 'old\n' })
  place.write({ 'a.txt': 'one\n2\nthree\n', 'a folder/ü\n.txt': 'new\n', picture: '\0\0' })
  place.sh('rm', '-q', 'old.txt')
  const first = commitAll(place, 'feat: S-1 - more')
  place.write({ 'a.txt': '' })
  const second = commitAll(place, 'fix: S-1')
  assert.deepEqual(await commitStats(place.top, [second, first], env), [
    { id: second, subject: 'fix: S-1', files: [{ path: 'a.txt', added: 0, deleted: 3 }] },
    {
      id: first,
      subject: 'feat: S-1 - more',
      files: [
        { path: 'a folder/ü\n.txt', added: 1, deleted: 0 },
        { path: 'a.txt', added: 2, deleted: 1 },
        { path: 'old.txt', added: 0, deleted: 1 },
        { path: 'picture', added: null, deleted: null },
      ],
    },
  ])
})

test('a merge shows what it brought to its branch', async () => {
  const place = await committed()
  place.sh('switch', '-q', '-c', 'side')
  place.write({ 'b.txt': 'b\n' })
  commitAll(place, 'side')
  place.sh('switch', '-q', 'main')
  place.sh('merge', '-q', '--no-ff', '-m', 'merge side', 'side')
  const merge = place.sh('rev-parse', 'HEAD')
  const files = [{ path: 'b.txt', added: 1, deleted: 0 }]
  assert.deepEqual(await commitStats(place.top, [merge], env), [{ id: merge, subject: 'merge side', files }])
})

test('what is gone, no commit or no repository is left out', async (t) => {
  const place = await committed()
  const head = place.sh('rev-parse', 'HEAD')
  const stats = await commitStats(place.top, ['--all', 'main', 'f'.repeat(40), head], env)
  assert.deepEqual(
    stats.map(({ id }) => id),
    [head],
  )
  const empty = await repository()
  assert.deepEqual(await commitStats(empty.top, [head], env), [])
  const folder = tempFolder(t)
  assert.deepEqual(await commitStats(folder, [head], env), [])
})
