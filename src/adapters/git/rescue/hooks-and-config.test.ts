import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { tempFolder } from '../../../../test/support/folder.ts'
import { keepGit } from './hooks-and-config.ts'

function repository(t: { after(undo: () => void): void }) {
  const root = tempFolder(t)
  const env = { PATH: process.env['PATH'] ?? '', HOME: root, GIT_CONFIG_NOSYSTEM: '1' }
  const git = (...args: string[]): string => spawnSync('git', args, { cwd: root, env, encoding: 'utf8' }).stdout.trim()
  git('init', '-q')
  git('config', 'core.hooksPath', '.husky/_')
  git('config', 'include.path', '../one')
  git('config', '--add', 'include.path', '../two')
  const hooks = join(root, '.git', 'hooks')
  writeFileSync(join(hooks, 'pre-commit'), '#!/bin/sh\nnpm test\n', { mode: 0o755 })
  return { root, env, git, hooks, kept: keepGit({ top: root, dir: join(root, '.git') }, env) }
}

test('hooks that were planted, edited, made idle or removed are as they were', async (t) => {
  const { hooks, kept } = repository(t)
  assert.deepEqual(await kept.restore(), [])
  writeFileSync(join(hooks, 'post-commit'), '#!/bin/sh\nflip\n', { mode: 0o755 })
  symlinkSync('/bin/true', join(hooks, 'pre-push'))
  writeFileSync(join(hooks, 'pre-commit'), '#!/bin/sh\n')
  const undone = await kept.restore()
  assert.deepEqual(
    undone.map(({ name, was, content }) => [name, was, String(content)]),
    [
      ['.git/hooks/pre-commit', 'changed', '#!/bin/sh\n'],
      ['.git/hooks/post-commit', 'added', '#!/bin/sh\nflip\n'],
      ['.git/hooks/pre-push', 'added', '→ /bin/true\n'],
    ],
  )
  chmodSync(join(hooks, 'pre-commit'), 0o644)
  assert.deepEqual((await kept.restore()).length, 1)
  rmSync(hooks, { recursive: true })
  assert.deepEqual(
    (await kept.restore()).map(({ was }) => was),
    ['removed'],
  )
  rmSync(hooks, { recursive: true })
  writeFileSync(hooks, 'a file')
  assert.deepEqual(
    (await kept.restore()).map(({ was }) => was),
    ['replaced', 'removed'],
  )
  assert.deepEqual(readdirSync(hooks), ['pre-commit'])
  assert.equal(readFileSync(join(hooks, 'pre-commit'), 'utf8'), '#!/bin/sh\nnpm test\n')
  assert.equal(statSync(join(hooks, 'pre-commit')).mode & 0o777, 0o755)
  assert.deepEqual(await kept.restore(), [])
})

test('settings that run programs or change what git reads go back, those of branches, remotes and authors stay', async (t) => {
  const { git, kept, root } = repository(t)
  const before = git('config', '--local', '--list')
  git('config', 'user.name', 'Somebody')
  git('config', 'branch.main.remote', 'origin')
  git('config', 'remote.origin.url', '/elsewhere')
  assert.deepEqual(await kept.restore(), [])
  git('config', 'core.hooksPath', '/tmp/evil')
  git('config', '--unset-all', 'include.path')
  git('config', 'alias.status', '!flip')
  git('config', 'filter.x.clean', 'flip')
  git('config', 'remote.origin.receivepack', 'flip')
  git('config', 'core.worktree', '/tmp')
  const [undone, ...others] = await kept.restore()
  assert.deepEqual(others, [])
  assert.equal(
    undone?.was,
    'changed (core.hookspath, include.path, core.worktree, remote.origin.receivepack, alias.status, filter.x.clean)',
  )
  assert.deepEqual(
    git('config', '--local', '--list').split('\n').sort(),
    [...before.split('\n'), 'user.name=Somebody', 'branch.main.remote=origin', 'remote.origin.url=/elsewhere'].sort(),
  )
  assert.deepEqual(await kept.restore(), [])
  git('config', '--global', 'alias.mine', 'log')
  git('config', '--global', 'core.hooksPath', '/tmp/evil')
  assert.deepEqual(
    (await kept.restore()).map(({ name, was }) => [name, was]),
    [[join(root, '.gitconfig'), 'changed (core.hookspath)']],
  )
  assert.equal(git('config', '--global', '--list'), 'alias.mine=log')
  const text = readFileSync(join(root, '.git', 'config'), 'utf8')
  for (const broken of ['[core\n', null]) {
    if (broken === null) rmSync(join(root, '.git', 'config'))
    else writeFileSync(join(root, '.git', 'config'), broken)
    assert.equal((await kept.restore()).length, 1)
    assert.equal(readFileSync(join(root, '.git', 'config'), 'utf8'), text)
  }
})

test('what the user’s configuration includes and names goes back too: a filter needs no other file', async (t) => {
  const root = tempFolder(t)
  const [home, top] = [join(root, 'home'), join(root, 'project')]
  for (const folder of [home, top]) mkdirSync(folder)
  const env = { PATH: process.env['PATH'] ?? '', HOME: home, GIT_CONFIG_NOSYSTEM: '1' }
  const git = (...args: string[]): string => spawnSync('git', args, { cwd: top, env, encoding: 'utf8' }).stdout.trim()
  git('init', '-q')
  git('config', 'include.path', '../.gitconfig')
  writeFileSync(
    join(home, '.gitconfig'),
    '[include]\n\tpath = .gitconfig-work\n[includeIf "gitdir:~/x/"]\n\tpath = ~/other\n[core]\n\tattributesFile = ~/.attributes\n',
  )
  const files = { '.gitconfig-work': '[pull]\n\trebase = true\n[include]\n\tpath = deeper\n', '.attributes': '*.png -text\n' }
  for (const [name, text] of Object.entries(files)) writeFileSync(join(home, name), text)
  writeFileSync(join(top, '.gitconfig'), '[alias]\n\tst = status\n')
  const kept = keepGit({ top, dir: join(top, '.git') }, env)
  assert.deepEqual(await kept.restore(), [])
  for (const name of ['.gitconfig-work', 'deeper', 'other'])
    git('config', '--file', join(home, name), 'filter.x.smudge', 'cat /tmp/x')
  git('config', '--global', 'core.autocrlf', 'true')
  git('config', '--global', 'alias.lg', 'log')
  writeFileSync(join(home, '.attributes'), '* filter=x\n')
  writeFileSync(join(top, '.gitconfig'), '[alias]\n\tci = commit\n')
  assert.deepEqual((await kept.restore()).map(({ what, name, was }) => [what, name.replace(home, '~'), was]).sort(), [
    ['git-config', '~/.gitconfig', 'changed (core.autocrlf)'],
    ['git-config', '~/.gitconfig-work', 'changed (filter.x.smudge)'],
    ['git-config', '~/deeper', 'changed (filter.x.smudge)'],
    ['git-config', '~/other', 'changed (filter.x.smudge)'],
    ['git-files', '~/.attributes', 'changed'],
  ])
  assert.equal(git('config', 'filter.x.smudge'), '')
  assert.equal(git('config', 'alias.lg'), 'log')
  assert.equal(readFileSync(join(top, '.gitconfig'), 'utf8'), '[alias]\n\tci = commit\n')
})
