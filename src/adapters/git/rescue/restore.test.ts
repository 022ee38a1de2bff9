import assert from 'node:assert/strict'
import { existsSync, readFileSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { busyUser, commitAll, committed, KEY, pictureOf, show } from '../../../../test/support/repository.ts'

test('saving changes neither index nor HEAD nor any file', async () => {
  const place = await busyUser()
  const index = () => readFileSync(join(place.top, '.git/index'))
  const before = { picture: pictureOf(place), index: index(), branches: place.sh('branch', '--all') }
  assert.equal(await place.git.isSaved(KEY), false)
  await place.git.save(KEY)
  assert.equal(await place.git.isSaved(KEY), true)
  const after = { index: index(), picture: pictureOf(place), branches: place.sh('branch', '--all') }
  assert.deepEqual(after, before)
  assert.equal(existsSync(join(place.top, '.git/ralph-rescue-index')), false)
})

test('a saved state that somebody else wrote is none', async () => {
  const place = await committed({ 'a.txt': 'a\n' })
  await place.git.save(KEY)
  const ref = place.git.refOf(KEY)
  const stored = place.sh('log', '-1', '--format=%B', ref).trimEnd().split('\n').at(-1)!
  const wrong = [
    { head: 1 },
    { branch: [] },
    { work: {} },
    { work: [['a.txt', { mode: 1 }]] },
    { index: [['a.txt', 'x']] },
    { leftAlone: 'x' },
  ]
  const shapes = ['null', '[]', '"x"', '{}', '{', ...wrong.map((fields) => JSON.stringify({ ...JSON.parse(stored), ...fields }))]
  for (const shape of shapes) {
    place.sh('update-ref', ref, place.sh('commit-tree', '-m', shape, 'HEAD^{tree}'))
    await assert.rejects(place.git.restore(KEY), { message: `no saved state for ${KEY}` })
  }
  place.sh('update-ref', ref, place.sh('commit-tree', '-m', stored, 'HEAD^{tree}'))
  assert.equal(await place.git.restore(KEY), false)
})

test('R-GATE-1 what a reviewer changed is put back, and kept beside', async () => {
  const place = await busyUser()
  const before = pictureOf(place)
  await place.git.save(KEY)
  assert.equal(await place.git.restore(KEY), false)
  place.write({ 'a.txt': 'reviewer\n', 'new.txt': 'new\n', 'unstaged.txt': 'changed\n' })
  place.sh('add', 'a.txt', 'unstaged.txt')
  place.sh('commit', '-q', '-m', 'reviewer', '--', 'a.txt')
  const tip = place.sh('rev-parse', 'HEAD')
  place.sh('switch', '-q', '-c', 'reviewers')
  renameSync(join(place.top, 'added.txt'), join(place.top, 'renamed.txt'))
  assert.equal(await place.git.restore(KEY), true)
  assert.deepEqual(pictureOf(place), before)
  assert.equal(await place.git.restore(KEY), false)
  const kept = place
    .sh('for-each-ref', '--format=%(refname)', 'refs/ralph/')
    .split('\n')
    .filter((ref) => ref.endsWith('.before-restore'))
  assert.equal(kept.length, 1)
  assert.deepEqual(
    ['a.txt', 'new.txt', 'unstaged.txt', 'renamed.txt'].map((path) => show(place, path, kept[0]!)),
    ['reviewer', 'new', 'changed', 'added'],
  )
  assert.equal(place.sh('rev-parse', `${kept[0]}^`), tip)
})

test('a merge that a reviewer left open is given up, and a detached HEAD is left and found', async () => {
  const place = await committed({ 'a.txt': 'a\n' })
  place.sh('switch', '-q', '-c', 'side')
  place.write({ 'a.txt': 'side\n' })
  commitAll(place, 'side')
  place.sh('switch', '-q', 'main')
  place.write({ 'a.txt': 'main\n' })
  commitAll(place, 'main')
  for (const where of [['main'], ['--detach', 'main']]) {
    place.sh('switch', '-q', ...where)
    const before = pictureOf(place)
    await place.git.save(KEY)
    assert.throws(() => place.sh('merge', 'side'))
    assert.equal(await place.git.restore(KEY), true)
    assert.deepEqual([pictureOf(place), place.git.inProgress(), place.sh('status', '--porcelain')], [before, null, ''])
  }
  place.sh('switch', '-q', '--detach', 'side')
  assert.equal(await place.git.restore(KEY), true)
  assert.deepEqual([place.sh('rev-parse', 'HEAD'), place.sh('status', '--porcelain')], [place.sh('rev-parse', 'main'), ''])
})

test('the diff for a reviewer has commits, changes and new files, and not what the user had uncommitted', async () => {
  const place = await busyUser()
  await place.git.save(KEY)
  place.write({ 'a.txt': 'story\n', '.ralph/x': 'x' })
  place.sh('commit', '-q', '-m', 'story', '--', 'a.txt')
  place.write({ 'new.txt': 'new\n', 'unstaged.txt': 'unstaged and more\n' })
  const { text, files, isCut } = await place.git.diffSince(KEY, 100_000)
  assert.deepEqual({ files, isCut }, { files: ['a.txt', 'new.txt', 'unstaged.txt'], isCut: false })
  assert.deepEqual(
    text.split('\n').filter((line) => /^[+-][^+-]/.test(line)),
    ['-a', '+story', '+new', '-old', '+unstaged and more'],
  )
  const short = await place.git.diffSince(KEY, 30)
  const size = Buffer.byteLength(text)
  assert.equal(short.isCut, true)
  assert.equal(short.text, `diff --git a/a.txt b/a.txt\n\n[... ${size - 27} of ${size} bytes of the diff are not shown ...]\n`)
})

test('keys of any text are told apart, by letter case too, and are forgotten one by one', async () => {
  const { git } = await committed()
  const keys = [
    '',
    '/',
    '..',
    'a.lock',
    'x y~^:?*[\\',
    'S-1',
    's-1',
    'ümläut 🙂',
    'a'.repeat(400),
    `${'a'.repeat(400)}b`,
    '-n',
    '@{',
  ]
  for (const key of keys) await git.save(key)
  for (const [index, key] of keys.entries()) {
    assert.deepEqual(
      await Promise.all(keys.map(git.isSaved)),
      keys.map((_, at) => at >= index),
    )
    await git.forget(key)
    await git.forget(key)
  }
})

test('two states that are saved at the same time, as with several workers, do not take the index from each other', async () => {
  const place = await busyUser()
  await Promise.all(Array.from({ length: 6 }, (_, n) => place.git.save(`${KEY}-${n}`)))
  assert.deepEqual(await Promise.all(Array.from({ length: 6 }, (_, n) => place.git.isSaved(`${KEY}-${n}`))), Array(6).fill(true))
})
