import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { repository, shIn, type TestRepository } from '../../../../test/support/repository.ts'

/** On `main`, with two commits, and a worktree of another branch with a commit of its own. */
async function twoPlaces(): Promise<TestRepository & { there: (...args: string[]) => string; theirs: string; ours: string }> {
  const place = await repository()
  const { top, sh, write } = place
  for (const name of ['one', 'two']) {
    write({ [name]: name })
    sh('add', '-A')
    sh('commit', '-qm', name)
  }
  sh('branch', 'other', 'HEAD~1')
  sh('worktree', 'add', '-q', '-b', 'story', `${top}-story`)
  const there = shIn(`${top}-story`)
  there('commit', '-q', '--allow-empty', '-m', 'empty')
  there('rm', '-q', 'one')
  there('commit', '-qm', 'theirs')
  await place.git.noteBranch('main', true)
  return { ...place, there, theirs: sh('rev-parse', 'story'), ours: sh('rev-parse', 'main') }
}

test('a branch that another worktree moves, back and forth or away, is back, with what it was moved to kept', async () => {
  const { git, sh, there, theirs, ours } = await twoPlaces()
  for (const moves of [
    () => there('update-ref', 'refs/heads/main', theirs),
    () => there('update-ref', 'refs/heads/main', `${ours}~1`),
    () => there('update-ref', 'refs/heads/main', `${theirs}~1`), // the same content
  ]) {
    moves()
    const [words] = await git.holdBranch('main', 'x/left-1', true)
    assert.match(
      words!,
      /^main was moved to \w+ from outside .* It is back at \w+\. The commit it was moved to is kept in refs\/ralph\//,
    )
    assert.deepEqual([sh('rev-parse', 'main'), sh('status', '--porcelain')], [ours, ''])
  }
  sh('merge-base', '--is-ancestor', theirs, git.refOf('x/left-1'))
  there('update-ref', '-d', 'refs/heads/main')
  assert.match((await git.holdBranch('main', 'x/left-1', true))[0]!, /^main was deleted from outside/)
  assert.deepEqual([sh('rev-parse', 'main'), await git.holdBranch('main', 'x/left-1', true)], [ours, []])
})

test('what is committed, merged, reset or amended where it is checked out stays, with and without a log of HEAD', async () => {
  for (const hasLog of [true, false]) {
    const { top, git, sh, write, theirs } = await twoPlaces()
    if (!hasLog) sh('config', 'core.logAllRefUpdates', 'false')
    for (const works of [
      () => {
        write({ mine: 'mine' })
        sh('add', '-A')
        write({ staged: 'too' })
        sh('commit', '-qm', 'mine')
        sh('add', 'staged')
      },
      () => sh('commit', '-q', '--amend', '-m', 'mine again'),
      () => sh('commit', '-q', '--allow-empty', '-m', 'nothing'),
      () => sh('merge', '-q', '--no-edit', theirs),
      () => sh('reset', '-q', '--hard', 'HEAD~1'),
    ]) {
      if (!hasLog) rmSync(join(top, '.git', 'logs'), { recursive: true, force: true })
      works()
      const tip = sh('rev-parse', 'main')
      assert.deepEqual([await git.holdBranch('main', 'x/left-1', true), sh('rev-parse', 'main')], [[], tip])
    }
  }
})

test('moved as if it was done where it is checked out, without its files: it is back where nobody but the user works there', async () => {
  const { git, sh, theirs, ours } = await twoPlaces()
  sh('update-ref', '-m', 'commit: theirs', 'refs/heads/main', theirs)
  assert.deepEqual(await git.holdBranch('main', 'x/left-1', false), [])
  await git.noteBranch('main', true)
  sh('reset', '-q', '--hard', ours)
  assert.deepEqual(await git.holdBranch('main', 'x/left-1', true), [])
  sh('update-ref', '-m', 'commit: theirs', 'refs/heads/main', theirs)
  assert.equal((await git.holdBranch('main', 'x/left-1', true)).length, 1)
  assert.deepEqual([sh('rev-parse', 'main'), sh('status', '--porcelain')], [ours, ''])
  sh('reset', '-q', '--soft', 'HEAD~1')
  assert.deepEqual(await git.holdBranch('main', 'x/left-1', true), [])
})

test('without a log of HEAD a branch moved from elsewhere is known by the index that stayed behind', async () => {
  const { top, git, sh, there, theirs, ours } = await twoPlaces()
  sh('config', 'core.logAllRefUpdates', 'false')
  rmSync(join(top, '.git', 'logs'), { recursive: true })
  there('update-ref', 'refs/heads/main', theirs)
  assert.equal((await git.holdBranch('main', 'x/left-1', true)).length, 1)
  assert.equal(sh('rev-parse', 'main'), ours)
})

test('a branch that is made to lead to another is one of its own again, and that other stays where it is', async () => {
  const { git, sh, ours } = await twoPlaces()
  sh('symbolic-ref', 'refs/heads/main', 'refs/heads/other')
  const [words, ...more] = await git.holdBranch('main', 'x/left-1', true)
  assert.match(
    words!,
    /^main was made to point to other, .* It is its own branch again, at \w+\. Check other \(git reflog other\)$/,
  )
  assert.deepEqual([more, sh('rev-parse', 'main'), sh('rev-parse', 'other')], [[], ours, sh('rev-parse', `${ours}~1`)])
  assert.equal(sh('status', '--porcelain'), '')
})

test('a branch that led to another one before stays so', async () => {
  const { git, sh } = await twoPlaces()
  sh('branch', 'trunk', 'main')
  sh('symbolic-ref', 'refs/heads/main', 'refs/heads/trunk')
  assert.equal(await git.noteBranch('main', true), true)
  sh('commit', '-q', '--allow-empty', '-m', 'on trunk')
  assert.deepEqual(
    [await git.holdBranch('main', 'x/left-1', true), sh('symbolic-ref', 'refs/heads/main')],
    [[], 'refs/heads/trunk'],
  )
})
