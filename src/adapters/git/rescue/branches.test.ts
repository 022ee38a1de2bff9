import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { aside, commitAll, committed, FAIL, KEY, names, newFolder, placeAt, shIn } from '../../../../test/support/repository.ts'

test('branches are listed by how they begin, moved, and pushed; what git refuses is told', async () => {
  const place = await committed()
  const { git, sh } = place
  const remote = newFolder()
  shIn(place.top)('init', '-q', '--bare', remote)
  sh('branch', FAIL)
  sh('branch', 'wip/other')
  assert.deepEqual(await git.listBranches('wip/ralph-fail-'), [FAIL])
  assert.match((await git.push(FAIL))!.error, /'origin' does not appear to be a git repository/)
  sh('remote', 'add', 'backup', remote)
  sh('config', 'branch.main.remote', 'backup')
  assert.equal(await git.push(FAIL), null)
  assert.equal(shIn(remote)('for-each-ref', '--format=%(refname)'), `refs/heads/${FAIL}`)
  assert.equal(await git.moveBranch(FAIL, `archive/${FAIL}`), null)
  assert.deepEqual(await git.listBranches(''), [`archive/${FAIL}`, 'main', 'wip/other'])
  assert.match((await git.moveBranch(FAIL, 'main'))!.error, /exists|No branch named|no branch named/)
})

test("a branch is moved although another git has the configuration locked, and git's exit code says that it failed", async () => {
  const { top, git, sh } = await committed()
  sh('branch', 'one')
  writeFileSync(join(top, '.git', 'config.lock'), '')
  assert.equal(await git.moveBranch('one', 'two'), null)
  assert.deepEqual(await git.listBranches(''), ['main', 'two'])
  assert.match((await git.moveBranch('one', 'three'))!.error, /no branch named/i)
})

test('commits that a worktree has begun on are reverted, not taken out of the history: they would come back with its work', async () => {
  const place = await committed()
  await place.git.save(KEY)
  place.write({ 'story.txt': 'story\n' })
  const own = commitAll(place, 'of the story')
  const path = newFolder()
  assert.equal(await place.git.addWorktree(path, 'beside', 'HEAD'), null)
  const work = await placeAt(path)
  work.write({ 'beside.txt': 'beside\n' })
  const head = commitAll(work, 'beside')
  assert.deepEqual(await place.git.putAside(aside({ ownCommits: [own], isForked: true })), { branch: FAIL, how: 'reverted' })
  const joined = await place.git.joined(place.sh('rev-parse', 'HEAD'), head, { own: 'ours', message: 'both\n' })
  assert.ok(joined !== null && 'commit' in joined)
  assert.deepEqual(names(place, joined.commit), ['a.txt', 'beside.txt'])
})

test('work whose commits were reverted comes back whole: git alone would hold that it is there already', async () => {
  const place = await committed()
  await place.git.save(KEY)
  place.write({ 'story.txt': 'story\n' })
  const own = commitAll(place, 'of the story')
  place.write({ 'others.txt': 'others\n' })
  commitAll(place, 'of somebody else')
  place.write({ 'half.txt': 'half\n' })
  assert.deepEqual(await place.git.putAside(aside({ ownCommits: [own] })), { branch: FAIL, how: 'reverted' })
  const [revertedAt, shelf] = [place.sh('rev-parse', 'HEAD'), place.sh('rev-parse', FAIL)]
  place.write({ 'later.txt': 'later\n' })
  const tip = commitAll(place, 'of a later story')
  const joined = await place.git.joined(tip, shelf, { own: 'ours', message: 'back\n', fork: revertedAt, isGrafted: true })
  assert.ok(joined !== null && 'commit' in joined)
  const files = names(place, joined.commit)
  assert.deepEqual(
    ['half.txt', 'later.txt', 'others.txt', 'story.txt'].filter((name) => !files.includes(name)),
    [],
  )
  assert.equal(await place.git.advance(joined.commit), null)
  assert.equal(await place.git.forkOf(joined.commit, shelf), shelf)
})
