import assert from 'node:assert/strict'
import { test } from 'node:test'
import { committed, FAIL, newFolder, shIn } from './fixture.ts'

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
