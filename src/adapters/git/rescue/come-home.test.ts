import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { commitIn, committed, type TestRepository } from '../../../../test/support/repository.ts'

/** A branch `work` with one commit per story, as a run leaves it; gives the commits. */
async function begun(): Promise<TestRepository & { first: string; second: string }> {
  const place = await committed({ 'a.txt': 'a\n', '.ralph/f/prd.json': '0\n' })
  place.sh('switch', '-q', '-c', 'work')
  const first = commitIn(place, 'one.txt', '1\n')
  place.write({ '.ralph/f/prd.json': '1\n' })
  const second = commitIn(place, 'two.txt', '2\n')
  return { ...place, first, second }
}

const key = 'f/left'
const come = ({ git }: TestRepository, from: string, branch: string | null = 'work') => git.comeHome(branch, from, key)
const where = ({ sh }: TestRepository) => [
  sh('rev-parse', '--abbrev-ref', 'HEAD'),
  sh('rev-parse', 'HEAD'),
  sh('status', '--porcelain'),
]
const has = ({ top }: TestRepository, name: string): boolean => existsSync(join(top, name))
const contains = ({ sh }: TestRepository, branch: string, commit: string): boolean =>
  sh('branch', '--contains', commit, '--format=%(refname:short)').split('\n').includes(branch)

test('whoever stays on the branch and goes on from where it was is at home', async () => {
  const place = await begun()
  assert.deepEqual(await come(place, place.second), { did: [], astray: null })
  const third = commitIn(place, 'three.txt', '3\n')
  place.write({ 'lying.txt': 'x\n' })
  assert.deepEqual(await come(place, place.second), { did: [], astray: null })
  assert.deepEqual(where(place), ['work', third, '?? lying.txt'])
})

test('commits on a branch of the agent, or on a detached HEAD, come onto the branch; files stay as they are', async () => {
  for (const leave of [
    ['switch', '-q', '-c', 'elsewhere'],
    ['checkout', '-q', '--detach'],
  ]) {
    const place = await begun()
    place.sh(...leave)
    const third = commitIn(place, 'three.txt', '3\n')
    place.write({ 'a.txt': 'changed\n', 'lying.txt': 'x\n' })
    const { did, astray } = await come(place, place.second)
    assert.match(did.join(), /left the repository on (elsewhere|a detached HEAD) instead of work\. HEAD is on work again, with/)
    assert.deepEqual([astray, where(place)], [null, ['work', third, ' M a.txt\n?? lying.txt']])
  }
})

test('an older branch or commit that was checked out is left again, also with another plan file on it', async () => {
  const place = await begun()
  place.sh('switch', '-q', 'main')
  place.write({ '.ralph/f/prd.json': 'flipped on main\n' })
  const { did, astray } = await come(place, place.second)
  assert.match(did.join(), /on main instead of work/)
  assert.deepEqual([astray, where(place)], [null, ['work', place.second, ' M .ralph/f/prd.json']])
  place.sh('checkout', '-q', '.')
  place.sh('checkout', '-q', place.first)
  assert.equal((await come(place, place.second)).astray, null)
  assert.deepEqual(where(place), ['work', place.second, ''])
  assert.equal(readFileSync(join(place.top, '.ralph/f/prd.json'), 'utf8'), '1\n')
})

test('commits that the branch cannot simply go on to stay where they are, and are named; without a branch they are kept', async () => {
  const place = await begun()
  place.sh('switch', '-q', '-c', 'mine', 'main')
  const own = commitIn(place, 'other.txt', 'x\n')
  const { astray } = await come(place, place.second)
  assert.equal(astray, `its commits are not on work, but on mine (${own.slice(0, 10)}). To take them: git merge mine`)
  assert.deepEqual(where(place), ['work', place.second, ''])

  place.sh('checkout', '-q', '--detach', 'main')
  const loose = commitIn(place, 'loose.txt', 'x\n')
  const { astray: kept } = await come(place, place.second)
  assert.ok(kept?.includes(`in ${place.git.refOf(key)} (${loose.slice(0, 10)})`), kept ?? '')
  assert.equal(place.sh('rev-parse', place.git.refOf(key)), loose)
  assert.deepEqual(where(place), ['work', place.second, ''])
})

test('a branch that was rewound is back, however git was asked to: hard, mixed, soft', async () => {
  for (const how of ['--hard', '--mixed', '--soft']) {
    const place = await begun()
    place.write({ 'lying.txt': 'x\n' })
    place.sh('reset', '-q', how, 'main')
    place.write({ '.ralph/f/prd.json': 'flipped\n' })
    const { did, astray } = await come(place, place.second)
    assert.match(did.join(), /^took commits off work: .* They were restored\.$/)
    assert.deepEqual([astray, where(place)], [null, ['work', place.second, ' M .ralph/f/prd.json\n?? lying.txt']], how)
    assert.ok(has(place, 'one.txt') && has(place, 'two.txt'), how)
  }
})

test('new commits on a rewound or amended branch are merged with what was there', async () => {
  const place = await begun()
  place.sh('reset', '-q', '--hard', 'main')
  const third = commitIn(place, 'three.txt', '3\n')
  const { did, astray } = await come(place, place.second)
  assert.match(did.join(), /merged with the new commits/)
  assert.equal(astray, null)
  assert.deepEqual(
    [third, place.first, place.second].map((commit) => contains(place, 'work', commit)),
    [true, true, true],
  )
  assert.ok(['one.txt', 'two.txt', 'three.txt'].every((name) => has(place, name)))

  const before = place.sh('rev-parse', 'HEAD')
  place.write({ 'more.txt': 'm\n' })
  place.sh('add', '-A')
  place.sh('commit', '-q', '--amend', '--no-edit')
  assert.equal((await come(place, before)).astray, null)
  assert.ok(contains(place, 'work', before) && has(place, 'more.txt'))
  assert.equal(place.sh('status', '--porcelain'), '')
})

test('new commits that conflict with what was taken off are kept, and the branch is what it was', async () => {
  const place = await begun()
  place.sh('reset', '-q', '--hard', 'main')
  const other = commitIn(place, 'one.txt', 'another\n')
  const { astray } = await come(place, place.second)
  assert.match(astray ?? '', /conflict with them: CONFLICT .* in one\.txt\. They are kept in refs\/ralph\//)
  assert.equal(place.sh('rev-parse', place.git.refOf(key)), other)
  assert.deepEqual(where(place), ['work', place.second, ''])
})

test('what was changed on top of the rewound state and not committed is kept, and the file comes back as it was', async () => {
  const place = await begun()
  place.sh('reset', '-q', '--hard', 'main')
  place.write({ 'one.txt': 'built on sand\n', 'fine.txt': 'x\n' })
  const { astray } = await come(place, place.second)
  assert.equal(astray, `uncommitted changes to one.txt conflicted. They are kept in ${place.git.refOf(key)}`)
  assert.equal(place.sh('show', `${place.git.refOf(key)}:one.txt`), 'built on sand')
  assert.deepEqual(where(place), ['work', place.second, '?? fine.txt'])
})

test('a branch that was deleted, or moved from elsewhere, is back', async () => {
  const place = await begun()
  place.sh('switch', '-q', 'main')
  place.sh('branch', '-q', '-D', 'work')
  await come(place, place.second)
  assert.deepEqual(where(place), ['work', place.second, ''])
  place.sh('switch', '-q', 'main')
  place.sh('branch', '-q', '-f', 'work', place.first)
  await come(place, place.second)
  assert.deepEqual(where(place), ['work', place.second, ''])
  place.sh('switch', '-q', '--orphan', 'nothing')
  await come(place, place.second)
  assert.equal(where(place)[1], place.second)
})

test('the first commit of all, amended, is work that follows it: the histories have no commit in common', async () => {
  const place = await committed({ 'a.txt': 'a\n', 'b.txt': 'b\n' })
  const first = place.sh('rev-parse', 'HEAD')
  place.write({ 'a.txt': 'changed\n', 'new.txt': 'n\n' })
  place.sh('rm', '-q', 'b.txt')
  place.sh('add', '-A')
  place.sh('commit', '-q', '--amend', '--no-edit')
  const amended = place.sh('rev-parse', 'HEAD')
  const { did, astray } = await come(place, first, 'main')
  assert.match(did.join(), /^took commits off main: .*They were restored and merged with the new commits\.$/)
  assert.deepEqual([astray, place.sh('status', '--porcelain')], [null, ''])
  assert.equal(place.sh('log', '-1', '--format=%P'), `${first} ${amended}`)
  assert.equal(place.sh('diff', '--name-status', first, 'HEAD'), 'M\ta.txt\nD\tb.txt\nA\tnew.txt')
})

test('another beginning without the files of the history that it replaces is not taken for work', async () => {
  const place = await begun()
  place.sh('checkout', '-q', '--orphan', 'fresh')
  place.sh('rm', '-q', '--cached', 'one.txt')
  place.sh('commit', '-qm', 'fresh')
  place.sh('branch', '-f', 'work', 'fresh')
  place.sh('checkout', '-q', '-f', 'work')
  const { astray } = await come(place, place.second)
  assert.match(astray ?? '', /the histories have no commit in common/)
  assert.equal(where(place)[1], place.second)
})

test('a run that works on a detached HEAD goes back to it', async () => {
  const place = await begun()
  place.sh('checkout', '-q', '--detach')
  assert.deepEqual(await come(place, place.second, null), { did: [], astray: null })
  place.sh('switch', '-q', 'main')
  const { did } = await come(place, place.second, null)
  assert.match(did.join(), /on main instead of a detached HEAD/)
  assert.deepEqual(where(place), ['HEAD', place.second, ''])
  assert.notEqual(place.sh('rev-parse', 'main'), place.second)
})

test('a rebase that was left open is not touched, and is named', async () => {
  const place = await begun()
  const third = commitIn(place, 'three.txt', '3\n')
  place.sh('-c', 'sequence.editor=sed -i 1s/^pick/edit/', 'rebase', '-q', '-i', 'main')
  assert.match((await come(place, third)).astray ?? '', /^a rebase is open/)
  assert.notEqual(where(place)[0], 'work')
})

test('a repository that has nothing of the run any more is not gone on with', async () => {
  const place = await begun()
  await assert.rejects(come(place, '1'.repeat(40)), /1111111111, the commit .* is no longer in the repository/)
})

test('missing is what neither is in the history nor changed anything that is not there: a rebase loses nothing, a reset does', async () => {
  const place = await begun()
  assert.deepEqual(await place.git.missing([place.first, place.second]), [])
  place.sh('switch', '-q', 'main')
  commitIn(place, 'm.txt', 'm\n')
  place.sh('switch', '-q', 'work')
  place.sh('rebase', '-q', 'main')
  assert.deepEqual(await place.git.missing([place.first, place.second]), [])
  place.sh('reset', '-q', '--hard', 'HEAD~1')
  assert.deepEqual(await place.git.missing([place.first, place.second]), [place.second])
  assert.deepEqual(await place.git.missing(['2'.repeat(40)]), ['2'.repeat(40)])
})

test('what is kept under a key stays, also when something else is kept there', async () => {
  const place = await begun()
  await place.git.keep(key, place.first)
  await place.git.keep(key, place.second)
  assert.equal(place.sh('rev-parse', place.git.refOf(key)), place.second)
  place.sh('switch', '-q', 'main')
  await place.git.keep(key, commitIn(place, 'm.txt', 'm\n'))
  assert.equal(place.sh('merge-base', place.git.refOf(key), place.second), place.second)
})
