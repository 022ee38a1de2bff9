import assert from 'node:assert/strict'
import { rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { commitAll, committed, env, type TestRepository } from '../../../test/support/repository.ts'
import { type ChangesSince, changesBetween, filesAt } from './changes.ts'
import { openObjects } from './objects/read.ts'

const objectsOf = ({ top }: TestRepository) => openObjects(top, env)
async function changes(place: TestRepository, since: ChangesSince) {
  const objects = objectsOf(place)
  try {
    return await changesBetween(objects, place.top, since)
  } finally {
    objects.close()
  }
}

test('committed and uncommitted changes come with their content, without .ralph/, and without asking index or attributes', async () => {
  const place = await committed({ 'a.ts': 'one\n', 'gone.ts': 'was here\n', 'b.ts': 'b\n', 'same.ts': 'x\n' })
  const from = place.sh('rev-parse', 'HEAD')
  place.write({
    'a.ts': 'two\n',
    '.ralph/login/prd.json': '{}\n',
    'sub/.ralph/x': 'x\n',
    '.gitattributes': '* -diff\n',
    'ü "x".ts': 'new\n',
  })
  rmSync(join(place.top, 'gone.ts'))
  commitAll(place, 'second')
  place.write({ 'b.ts': 'b2\n', 'loose.ts': 'loose\n', 'README.md': 'x\n' })
  symlinkSync('a.ts', join(place.top, 'link.ts'))
  place.sh('update-index', '--skip-worktree', 'b.ts')
  const uncommitted = ['b.ts', 'loose.ts', 'link.ts', 'README.md', 'nested/', 'missing.ts', 'same.ts']
  assert.deepEqual(await changes(place, { from, uncommitted }), [
    { path: '.gitattributes', kind: 'added', before: '', after: '* -diff\n' },
    { path: 'a.ts', kind: 'modified', before: 'one\n', after: 'two\n' },
    { path: 'b.ts', kind: 'modified', before: 'b\n', after: 'b2\n' },
    { path: 'gone.ts', kind: 'deleted', before: 'was here\n', after: '' },
    { path: 'link.ts', kind: 'added', before: '', after: 'a.ts', link: 'a.ts' },
    { path: 'loose.ts', kind: 'added', before: '', after: 'loose\n' },
    { path: 'ü "x".ts', kind: 'added', before: '', after: 'new\n' },
  ])
})

test('what was uncommitted when the story began is compared with what it was then', async () => {
  const place = await committed({ 'a.test.ts': 'committed\n', 'b.ts': 'b\n' })
  const from = place.sh('rev-parse', 'HEAD')
  place.write({ 'a.test.ts': 'of the user\n' })
  commitAll(place, 'saved')
  const at = place.sh('rev-parse', 'HEAD')
  place.sh('reset', '-q', '--soft', from)
  const since: ChangesSince = { from, uncommitted: [], saved: { at, files: ['a.test.ts'] } }
  assert.deepEqual(await changes(place, since), [])
  place.write({ 'a.test.ts': 'of the agent\n' })
  assert.deepEqual(await changes(place, since), [
    { path: 'a.test.ts', kind: 'modified', before: 'of the user\n', after: 'of the agent\n' },
  ])
})

test('a file that is too large is named without content', async () => {
  const place = await committed({ 'a.test.ts': 'x\n' })
  const from = place.sh('rev-parse', 'HEAD')
  place.write({ 'a.test.ts': 'x'.repeat(1_100_000), 'b.ts': 'y\n' })
  commitAll(place, 'large')
  assert.deepEqual(await changes(place, { from, uncommitted: [] }), [
    { path: 'a.test.ts', kind: 'modified', before: '', after: '', isUnread: true },
    { path: 'b.ts', kind: 'added', before: '', after: 'y\n' },
  ])
})

test('a beginning that is not there any more has no changes', async () => {
  const place = await committed({ 'a.ts': 'x\n' })
  assert.deepEqual(await changes(place, { from: 'f'.repeat(40), uncommitted: [] }), [])
})

test('committed files that are wanted come with their content, from any folder', async () => {
  const place = await committed({ 'a.test.ts': 'a\n', 'b.ts': 'b\n', 'deep/er/c.test.ts': 'c\n' })
  const objects = objectsOf(place)
  assert.deepEqual(await filesAt(objects, 'HEAD', (path) => path.endsWith('.test.ts')), [
    { path: 'a.test.ts', text: 'a\n' },
    { path: 'deep/er/c.test.ts', text: 'c\n' },
  ])
  objects.close()
})
