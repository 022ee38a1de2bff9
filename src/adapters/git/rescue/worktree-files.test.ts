import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { committed, env, newFolder } from '../../../../test/support/repository.ts'
import { keepGit, keepLinked } from './hooks-and-config.ts'
import { isLinkedTo } from './worktree-files.ts'

async function worktree() {
  const { git, sh } = await committed()
  const top = newFolder()
  sh('worktree', 'add', '-q', '--detach', top)
  const common = join(git.top, '.git')
  const [, dir = ''] = /^gitdir: (.*)\n$/.exec(readFileSync(join(top, '.git'), 'utf8')) ?? []
  return { top, dir, common, sh }
}

test('a worktree leads to its own repository again, whatever was done to the files that say so', async () => {
  const { top, dir, common } = await worktree()
  const kept = keepLinked({ top, dir }, env)
  assert.equal(isLinkedTo(common, top), true)
  writeFileSync(join(dir, 'commondir'), '/elsewhere\n')
  writeFileSync(join(dir, 'config.worktree'), '[core]\n\tworktree = /elsewhere\n')
  rmSync(join(top, '.git'))
  mkdirSync(join(top, '.git'))
  assert.equal(isLinkedTo(common, top), false)
  const undone = (await kept.restore()).map(({ what, name, was }) => [
    what,
    name.replace(top, '').replace(/[^/]+\/c/, '…/c'),
    was,
  ])
  assert.deepEqual(undone, [
    ['git-files', '/.git', 'changed'],
    ['git-files', '.git/worktrees/…/commondir', 'changed'],
    ['git-config', '.git/worktrees/…/config.worktree', 'changed (core.worktree)'],
  ])
  assert.equal(isLinkedTo(common, top), true)
  assert.deepEqual(await kept.restore(), [])
})

test('a worktree that was removed stays removed', async () => {
  const { top, dir } = await worktree()
  const kept = keepLinked({ top, dir }, env)
  rmSync(top, { recursive: true })
  rmSync(dir, { recursive: true })
  assert.deepEqual(await kept.restore(), [])
})

test('history ends only where it is not there: a cut before commits that have parents is undone, a deeper one stays', async () => {
  const { git, sh } = await committed()
  sh('commit', '-q', '--allow-empty', '-m', 'second')
  const dir = join(git.top, '.git')
  const shallow = join(dir, 'shallow')
  const kept = keepGit({ top: git.top, dir }, env)
  writeFileSync(shallow, `${sh('rev-parse', 'HEAD')}\n`)
  assert.deepEqual(
    (await kept.restore()).map(({ name, was }) => [name, was]),
    [['.git/shallow', 'added']],
  )
  assert.equal(sh('rev-list', '--count', 'HEAD'), '2')
  writeFileSync(shallow, `${sh('rev-list', '--max-parents=0', 'HEAD')}\n`)
  assert.deepEqual(await kept.restore(), [])
})
