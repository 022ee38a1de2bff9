import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import {
  aside,
  busyUser,
  commitAll,
  committed,
  env,
  FAIL,
  filesOnDisk,
  KEY,
  names,
  pictureOf,
  shIn,
  show,
} from '../../../../test/support/repository.ts'

test('files that are as they were are not touched, not even their times', async () => {
  const place = await busyUser()
  await place.git.save(KEY)
  place.write({ 'other.txt': 'story\n' })
  commitAll(place, 'story takes all') // with what the user had uncommitted
  const times = () =>
    ['a.txt', 'staged.txt', 'both.txt', 'untracked.txt', 'secret.env'].map((f) => statSync(join(place.top, f)).ctimeMs)
  const before = times()
  await place.git.putAside(aside({ ownCommits: [place.sh('rev-parse', 'HEAD')] }))
  assert.deepEqual(times(), before)
  assert.deepEqual(place.sh('status', '--porcelain').split('\n').sort(), [
    ' D deleted.txt',
    ' M unstaged.txt',
    '?? untracked.txt',
    'A  added.txt',
    'M  staged.txt',
    'MM both.txt',
  ])
})

test('modes, links, and files that became folders come back', async () => {
  const place = await committed({ 'run.sh': '#!/bin/sh\n', file: 'f\n', 'folder/x': 'x\n', target: 't\n' })
  chmodSync(join(place.top, 'run.sh'), 0o755)
  symlinkSync('target', join(place.top, 'link'))
  commitAll(place, 'second')
  symlinkSync('nowhere', join(place.top, 'own-link'))
  place.write({ 'own.sh': 'own\n', 'own-file': 'own\n' })
  chmodSync(join(place.top, 'own.sh'), 0o755)
  const before = pictureOf(place)
  await place.git.save(KEY)
  chmodSync(join(place.top, 'run.sh'), 0o644)
  for (const path of ['file', 'folder', 'link', 'own-link', 'own-file', 'own.sh'])
    rmSync(join(place.top, path), { recursive: true })
  place.write({
    'file/inside': 'i\n',
    folder: 'now a file\n',
    link: 'a file\n',
    'own-link': 'a file\n',
    'own-file/x/y': 'y\n',
    'own.sh': 'z',
  })
  assert.deepEqual(await place.git.putAside(aside()), { branch: FAIL, how: 'reset' })
  assert.deepEqual(pictureOf(place), before)
  assert.deepEqual(
    ['file/inside', 'folder', 'link', 'own-link', 'own-file/x/y'].map((path) => show(place, path)),
    ['i', 'now a file', 'a file', 'a file', 'y'],
  )
  assert.match(place.sh('ls-tree', FAIL, 'run.sh'), /^100644/)
})

test('.ralph keeps its memory, and is committed afterwards as always', async () => {
  const place = await committed({ 'a.txt': 'a\n', '.ralph/login/prd.json': '1' })
  await place.git.save(KEY)
  place.write({ '.ralph/login/progress.txt': 'one\n', '.ralph/login/prd.json': '2' })
  await place.git.commitState('chore(ralph): state')
  place.write({ '.ralph/login/progress.txt': 'one\ntwo\n', 'a.txt': 'story\n' })
  assert.deepEqual(await place.git.putAside(aside()), { branch: FAIL, how: 'reset' })
  assert.equal(readFileSync(join(place.top, '.ralph/login/progress.txt'), 'utf8'), 'one\ntwo\n')
  assert.equal(place.sh('status', '--porcelain'), 'M  .ralph/login/prd.json\nAM .ralph/login/progress.txt')
  assert.equal('commit' in (await place.git.commitState('chore(ralph): S-1 failed'))!, true)
  assert.equal(place.sh('status', '--porcelain'), '')
  assert.equal(show(place, '.ralph/login/progress.txt', 'HEAD'), 'one\ntwo')
})

test('what the user ignored stays where it is and off the branch, even when the story adds it or changes what is ignored', async () => {
  const place = await busyUser()
  await place.git.save(KEY)
  place.write({ '.gitignore': 'untracked.txt\n', 'untracked.txt': 'hidden and changed\n' })
  place.sh('add', '-f', 'secret.env')
  const uncommitted = await place.git.putAside(aside())
  assert.deepEqual(uncommitted, { branch: FAIL, how: 'reset' })
  const files = filesOnDisk(place.top)
  assert.deepEqual([files['secret.env'], files['out/x'], files['untracked.txt']], ['KEY=1\n', 'x', 'mine\n'])
  assert.equal(
    names(place, FAIL).some((name) => name === 'secret.env' || name.startsWith('out/')),
    false,
  )
  assert.equal(show(place, 'untracked.txt'), 'hidden and changed')
  place.sh('add', '-f', 'secret.env')
  place.sh('commit', '-q', '-m', 'story', '--', 'secret.env')
  const second = await place.git.putAside(aside({ branch: `${FAIL}-2`, ownCommits: [place.sh('rev-parse', 'HEAD')] }))
  assert.deepEqual(second, { branch: `${FAIL}-2`, how: 'reset' })
  assert.equal(filesOnDisk(place.top)['secret.env'], 'KEY=1\n')
  assert.equal(place.sh('ls-files', 'secret.env'), '')
})

test('something ignored that lies where a file must come back is a problem, and nothing is moved', async () => {
  const place = await committed({ 'a.txt': 'a\n', '.gitignore': '*.log\n' })
  await place.git.save(KEY)
  rmSync(join(place.top, 'a.txt'))
  place.write({ 'a.txt/x.log': 'log\n', 'a.txt/y': 'y\n' })
  const before = pictureOf(place)
  assert.deepEqual(await place.git.putAside(aside()), {
    problem: 'a.txt/x.log is in the way of a file that must be restored.',
  })
  assert.deepEqual(pictureOf(place), before)
})

test('submodules and repositories inside are never touched', async () => {
  const inner = await committed({ 'lib.txt': 'lib\n' })
  const place = await committed()
  place.sh('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', inner.top, 'sub')
  commitAll(place, 'with a submodule')
  const sub = shIn(join(place.top, 'sub'))
  mkdirSync(join(place.top, 'nested'))
  shIn(join(place.top, 'nested'))('init', '-q')
  place.write({ 'sub/lib.txt': 'dirty\n', 'nested/n.txt': 'n\n' })
  const before = pictureOf(place)
  await place.git.save(KEY)
  sub('-c', 'user.name=x', '-c', 'user.email=x@y', 'commit', '-q', '-a', '-m', 'moved')
  place.write({ 'sub/lib.txt': 'dirty again\n', 'a.txt': 'story\n' })
  place.sh('add', 'sub', 'a.txt')
  place.sh('commit', '-q', '-m', 'story')
  const own = place.sh('rev-parse', 'HEAD')
  const inside = sub('rev-parse', 'HEAD')
  assert.deepEqual(await place.git.putAside(aside({ ownCommits: [own] })), { branch: FAIL, how: 'reset' })
  assert.deepEqual(pictureOf(place), { ...before, files: { ...before.files, 'sub/lib.txt': 'dirty again\n' } })
  assert.equal(sub('rev-parse', 'HEAD'), inside)
})

test('the bytes of the user come back as they were, whatever git makes of line ends', async () => {
  const place = await committed({ '.gitattributes': '* text=auto\n', 'a.txt': 'a\n' })
  place.write({ 'a.txt': 'mixed\r\nends\n', 'new.txt': 'crlf\r\n', 'same.txt': 'one\r\n' })
  const before = pictureOf(place)
  await place.git.save(KEY)
  place.write({ 'a.txt': 'mixed\nends\n', 'new.txt': 'other\n' })
  assert.deepEqual(await place.git.putAside(aside()), { branch: FAIL, how: 'reset' })
  assert.deepEqual(pictureOf(place), before)
})

test('an intent to add and a conflict in the index come back too', async () => {
  const place = await committed({ 'a.txt': 'a\n' })
  const blob = place.sh('rev-parse', 'HEAD:a.txt')
  place.write({ 'intended.txt': 'i\n', 'conflict.txt': '<<<\n' })
  place.sh('add', '-N', 'intended.txt')
  const lines = [1, 2, 3].map((stage) => `100644 ${blob} ${stage}\tconflict.txt\n`).join('')
  execFileSync('git', ['update-index', '--index-info'], { cwd: place.top, env, input: lines })
  const before = { picture: pictureOf(place), status: place.sh('status', '--porcelain') }
  await place.git.save(KEY)
  place.write({ 'conflict.txt': 'resolved\n' })
  commitAll(place, 'story')
  await place.git.putAside(aside({ ownCommits: [place.sh('rev-parse', 'HEAD')] }))
  assert.deepEqual({ picture: pictureOf(place), status: place.sh('status', '--porcelain') }, before)
})
