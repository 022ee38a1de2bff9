import assert from 'node:assert/strict'
import { renameSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { busyUser, commitAll, committed, KEY, pictureOf, type TestRepository } from '../../../../test/support/repository.ts'

const everyCommit = { isOthers: () => false }

/** The user's content in any commit of any branch. */
function usersIn({ sh }: TestRepository, contents: string[]): string[] {
  const objects = sh('rev-list', '--objects', '--branches', 'HEAD')
    .split('\n')
    .map((line) => line.split(' ')[0])
  return contents.filter((id) => objects.includes(id))
}

async function begun(place: TestRepository) {
  const users = (await place.git.snapshot()).uncommitted
  await place.git.save(KEY)
  const from = place.sh('rev-parse', 'HEAD')
  const saved = place.sh('ls-tree', '-r', place.git.refOf(KEY)).split('\n')
  const known = place.sh('ls-tree', '-r', 'HEAD')
  const contents = saved.map((line) => line.split(/\s/)[2] ?? '').filter((id) => !known.includes(id))
  const after = async () => {
    const out = await place.git.takeOut(KEY, users, { from, ...everyCommit })
    await place.git.bringBack(KEY, users, { hasStaged: true, out })
    return out
  }
  return { users, from, contents, after, before: pictureOf(place) }
}

const story = (place: TestRepository): void => place.write({ 'story.txt': 'story\n' })

const takes: Record<string, (place: TestRepository) => void> = {
  'git add -A': (place) => {
    story(place)
    commitAll(place, 'story')
  },
  'two commits, of which the second takes the files out again': (place) => {
    story(place)
    commitAll(place, 'story')
    place.sh('rm', '-q', '--cached', 'untracked.txt')
    place.sh('checkout', '-q', 'HEAD~', '--', 'unstaged.txt')
    place.sh('commit', '-q', '-m', 'out')
  },
  'a branch that is merged': (place) => {
    place.sh('switch', '-q', '-c', 'side')
    story(place)
    commitAll(place, 'story')
    place.sh('switch', '-q', 'main')
    place.sh('merge', '-q', '--no-ff', '-m', 'merge', 'side')
    place.sh('branch', '-q', '-D', 'side')
  },
  'git stash, and a pop that is committed': (place) => {
    place.sh('stash', '-q', '--include-untracked')
    story(place)
    commitAll(place, 'story')
    place.sh('stash', 'pop', '-q')
    commitAll(place, 'all')
  },
  'git mv': (place) => {
    story(place)
    renameSync(join(place.top, 'untracked.txt'), join(place.top, 'moved.txt'))
    commitAll(place, 'story')
  },
}

for (const [how, take] of Object.entries(takes)) {
  test(`the user’s files are in no commit, and as they were, after ${how}`, async () => {
    const place = await busyUser()
    const { before, contents, after, from } = await begun(place)
    take(place)
    assert.notDeepEqual(usersIn(place, contents), [])
    await after()
    assert.deepEqual(usersIn(place, contents), [])
    place.sh('rm', '-q', '-f', 'story.txt')
    assert.deepEqual({ ...pictureOf(place), head: from }, before)
    assert.equal(place.sh('diff', '--name-only', from, 'HEAD'), 'story.txt')
  })
}

test('a commit with nothing else in it is gone, and an amended one is the one before', async () => {
  for (const how of [
    ['-m', 'all'],
    ['--amend', '--no-edit'],
  ]) {
    const place = await busyUser()
    const { from, after, before } = await begun(place)
    place.sh('add', '-A')
    place.sh('commit', '-q', ...how)
    await after()
    assert.deepEqual([place.sh('rev-parse', 'HEAD'), pictureOf(place)], [from, before])
  }
})

test('author, time and message stay, and a signature goes', async () => {
  const place = await committed({ 'a.txt': 'a\n' })
  place.write({ 'a.txt': 'mine\n' })
  const { after } = await begun(place)
  story(place)
  place.sh('add', '-A')
  place.sh('commit', '-q', '-m', 'feat: ümläut\n\nbody', '--author', 'Ägent <a@b>', '--date', '@1700000000 +0200')
  const format = '--format=%an %ae %ad %cd %B'
  const said = place.sh('log', '-1', format)
  await after()
  assert.equal(place.sh('log', '-1', format), said)
  assert.equal(place.sh('show', '--format=', '--name-only', 'HEAD'), 'story.txt')
})

test('commits of others stay as they are, with what they say about the user’s files', async () => {
  const place = await committed({ 'a.txt': 'a\n', 'b.txt': 'b\n' })
  place.write({ 'a.txt': 'mine\n', 'b.txt': 'mine\n' })
  const users = ['a.txt', 'b.txt']
  await place.git.save(KEY)
  const from = place.sh('rev-parse', 'HEAD')
  place.sh('commit', '-q', '-m', 'the user’s own', '--', 'a.txt')
  const own = place.sh('rev-parse', 'HEAD')
  story(place)
  commitAll(place, 'story')
  const out = await place.git.takeOut(KEY, users, { from, isOthers: (commit) => commit === own })
  assert.deepEqual(out.paths, ['b.txt'])
  assert.equal(place.sh('rev-parse', 'HEAD~'), own)
  assert.deepEqual(
    [place.sh('show', 'HEAD:a.txt'), place.sh('show', 'HEAD:b.txt'), place.sh('show', 'HEAD:story.txt')],
    ['mine', 'b', 'story'],
  )
})
