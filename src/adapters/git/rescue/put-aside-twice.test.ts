import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  aside,
  commitAll,
  committed,
  FAIL,
  filesOnDisk,
  KEY,
  show,
  type TestRepository,
} from '../../../../test/support/repository.ts'

function commits(place: TestRepository, name: string, text: string): string {
  place.write({ [name]: text })
  place.sh('add', name)
  place.sh('commit', '-q', '-m', name, '--', name)
  return place.sh('rev-parse', 'HEAD')
}

test('R-ESC-2 our own commit after the branch was back, and then a kill: the same call finds that all is done', async () => {
  const place = await committed()
  await place.git.save(KEY)
  const own = commits(place, 'story.txt', 'story\n')
  place.write({ 'left.txt': 'left\n' })
  const wanted = { branch: FAIL, how: 'reset' }
  assert.deepEqual(await place.git.putAside(aside({ ownCommits: [own] })), wanted)
  place.write({ '.ralph/login/prd.json': '{}\n' })
  await place.git.commitState('chore(ralph): S-1 failed')
  const head = place.sh('rev-parse', 'HEAD')
  assert.deepEqual(await place.git.putAside(aside({ ownCommits: [own] })), wanted)
  assert.deepEqual([place.sh('rev-parse', 'HEAD'), place.sh('status', '--porcelain')], [head, ''])
  commits(place, 'a.txt', 'by somebody else\n')
  const { problem } = (await place.git.putAside(aside({ ownCommits: [own] }))) as { problem: string }
  assert.match(problem, /^main was moved to [0-9a-f]{40} after wip\S+ was created\. Nothing else was moved\.$/)
})

test('R-ESC-2 commits of the story that are older than the saved state go too: alone they are taken off, else reverted', async () => {
  for (const isOthers of [false, true]) {
    const place = await committed()
    const start = place.sh('rev-parse', 'HEAD')
    const first = commits(place, 'one.txt', '1\n')
    if (isOthers) commits(place, 'users.txt', 'committed\n')
    place.write({ 'notes.txt': "the user's\n" })
    await place.git.save(KEY)
    const second = commits(place, 'two.txt', '2\n')
    const gone = 'f'.repeat(40) // rewritten by somebody meanwhile
    const result = await place.git.putAside(aside({ ownCommits: [gone, first, second] }))
    assert.deepEqual(result, { branch: FAIL, how: isOthers ? 'reverted' : 'reset' })
    assert.deepEqual(filesOnDisk(place.top), {
      'a.txt': 'a\n',
      'notes.txt': "the user's\n",
      ...(isOthers ? { 'users.txt': 'committed\n' } : {}),
    })
    assert.equal(place.sh('status', '--porcelain'), '?? notes.txt')
    assert.equal(place.sh('rev-parse', 'HEAD') === start, !isOthers)
    assert.deepEqual([show(place, 'one.txt'), show(place, 'two.txt')], ['1', '2'])
  }
})

test('a file of the story that the user went on with between two runs stays with the user', async () => {
  const place = await committed()
  const own = commits(place, 'one.txt', '1\n')
  place.write({ 'one.txt': '1\nand the user\n' })
  await place.git.save(KEY)
  place.write({ 'two.txt': '2\n' })
  assert.deepEqual(await place.git.putAside(aside({ ownCommits: [own] })), { branch: FAIL, how: 'reset' })
  assert.deepEqual(filesOnDisk(place.top), { 'a.txt': 'a\n', 'one.txt': '1\nand the user\n' })
})

test('a saved state can be kept under another name; where there is none, there is none under the other', async () => {
  const place = await committed()
  await place.git.keepAs('nothing', 'other')
  assert.equal(await place.git.isSaved('other'), false)
  await place.git.save('one')
  await place.git.keepAs('one', KEY)
  await place.git.forget('one')
  place.write({ 'a.txt': 'story\n' })
  commitAll(place, 'story')
  assert.deepEqual(await place.git.putAside(aside({ ownCommits: [place.sh('rev-parse', 'HEAD')] })), {
    branch: FAIL,
    how: 'reset',
  })
  assert.deepEqual(filesOnDisk(place.top), { 'a.txt': 'a\n' })
})
