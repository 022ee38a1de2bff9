import assert from 'node:assert/strict'
import { chmodSync, mkdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { busyUser, commitAll, committed, KEY, pictureOf, type TestRepository } from '../../../../test/support/repository.ts'

const nothing = { back: [], overwritten: [], changed: [], patch: '' }
const dirtyIn = async ({ git }: TestRepository): Promise<string[]> => (await git.snapshot()).uncommitted
const discards: Record<string, (place: TestRepository) => void> = {
  'git checkout .': ({ sh }) => sh('checkout', '-q', '.'),
  'git reset --hard': ({ sh }) => sh('reset', '-q', '--hard'),
  'git reset --hard, git clean': ({ sh }) => sh('reset', '-q', '--hard') + sh('clean', '-qfd'),
  'git stash -u': ({ sh }) => sh('stash', '-q', '--include-untracked'),
  'git stash': ({ sh }) => sh('stash', '-q'),
}

for (const [what, discard] of Object.entries(discards)) {
  test(`what ${what} throws away of the user’s comes back byte for byte, with what was staged`, async () => {
    const place = await busyUser()
    const [before, users] = [pictureOf(place), await dirtyIn(place)]
    await place.git.save(KEY)
    discard(place)
    assert.notDeepEqual(pictureOf(place), before)
    const { overwritten, changed } = await place.git.bringBack(KEY, users, { hasStaged: true })
    assert.deepEqual({ overwritten, changed }, { overwritten: [], changed: [] })
    assert.deepEqual(pictureOf(place), before)
  })
}

test('a file that git would make readable for everybody comes back with the permissions that it had', async () => {
  const place = await committed({ 'a.txt': 'a\n' })
  const wanted = { 'a.txt': 0o640, 'key.pem': 0o600, 'only-read.txt': 0o444, 'run.sh': 0o700 }
  for (const [path, permissions] of Object.entries(wanted)) {
    place.write({ [path]: 'mine\n' })
    chmodSync(join(place.top, path), permissions)
  }
  await place.git.save(KEY)
  place.sh('reset', '-q', '--hard')
  place.sh('clean', '-qfd')
  await place.git.bringBack(KEY, Object.keys(wanted))
  const now = Object.keys(wanted).map((path) => [path, statSync(join(place.top, path)).mode & 0o777])
  assert.deepEqual(Object.fromEntries(now), wanted)
})

test('thrown away with commits on top, it comes back on those, and they stay', async () => {
  const place = await committed({ 'a.txt': 'a\n' })
  place.write({ 'a.txt': 'mine\r\n', 'notes.txt': 'mine' })
  await place.git.save(KEY)
  place.sh('reset', '-q', '--hard')
  place.sh('clean', '-qfd')
  place.write({ 'story.txt': 'story\n' })
  const head = commitAll(place, 'story')
  assert.deepEqual(await place.git.bringBack(KEY, ['a.txt', 'notes.txt']), {
    ...nothing,
    back: ['a.txt', 'notes.txt'],
  })
  const { files, head: now } = pictureOf(place)
  assert.deepEqual([files, now], [{ 'a.txt': 'mine\r\n', 'notes.txt': 'mine', 'story.txt': 'story\n' }, head])
})

test('what the agent wrote is kept as a patch, and the user’s version comes back; what somebody else wrote stays', async () => {
  const place = await committed({ 'edited.txt': 'old\n', 'over.txt': 'old\n' })
  const files = ['edited.txt', 'over.txt']
  place.write(Object.fromEntries(files.map((file) => [file, 'mine\n'])))
  await place.git.save(KEY)
  place.write({ 'over.txt': 'mine\nstory\n', 'edited.txt': 'mine, and more\n' })
  const { patch, ...brought } = await place.git.bringBack(KEY, files, { isAgents: (path) => path === 'over.txt' })
  assert.deepEqual(brought, { back: [], overwritten: ['over.txt'], changed: ['edited.txt'] })
  assert.deepEqual(pictureOf(place).files, { 'edited.txt': 'mine, and more\n', 'over.txt': 'mine\n' })
  place.write({ 'story.patch': patch })
  place.sh('apply', 'story.patch')
  assert.equal(pictureOf(place).files['over.txt'], 'mine\nstory\n')
  assert.equal(place.sh('show', `${place.git.refOf(KEY)}.before-restore:over.txt`), 'mine\nstory')
})

test('where something else lies in its place, or it is only looked for, nothing is moved', async () => {
  const place = await committed()
  place.write({ notes: 'mine\n' })
  await place.git.save(KEY)
  rmSync(join(place.top, 'notes'))
  assert.deepEqual(await place.git.bringBack(KEY, ['notes'], { isLooking: true }), { ...nothing, changed: ['notes'] })
  mkdirSync(join(place.top, 'notes'))
  place.write({ 'notes/one.txt': 'story\n' })
  assert.deepEqual(await place.git.bringBack(KEY, ['notes']), { ...nothing, changed: ['notes'] })
  assert.deepEqual(pictureOf(place).files, { 'a.txt': 'a\n', 'notes/one.txt': 'story\n' })
})

test('what the user stages meanwhile stays staged, unless a git of the agent may have done it', async () => {
  const place = await committed({ 'a.txt': 'a\n' })
  place.write({ 'a.txt': 'mine\n' })
  await place.git.save(KEY)
  place.sh('add', 'a.txt')
  assert.deepEqual(await place.git.bringBack(KEY, ['a.txt']), nothing)
  assert.equal(place.sh('status', '--porcelain'), 'M  a.txt')
  assert.deepEqual(await place.git.bringBack(KEY, ['a.txt'], { hasStaged: true }), { ...nothing, back: ['a.txt'] })
  assert.equal(place.sh('status', '--porcelain').trim(), 'M a.txt')
})
