import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { test } from 'node:test'
import { committed, env, newFolder } from '../../../../test/support/repository.ts'
import { objectsFrom, openObjects } from './read.ts'

/** An environment whose git does this first. */
function envWithGit(before: string): { env: NodeJS.ProcessEnv; folder: string } {
  const folder = newFolder()
  mkdirSync(folder)
  const real = execFileSync('sh', ['-c', 'command -v git'], { env, encoding: 'utf8' }).trim()
  writeFileSync(join(folder, 'git'), `#!/bin/sh\n${before.replaceAll('HERE', folder)}\nexec '${real}' "$@"\n`, { mode: 0o755 })
  return { env: { ...env, PATH: `${folder}:${env.PATH}` }, folder }
}

test('objects are read by id and by name, as they stand now, and one that is missing is null', async () => {
  const { git, sh } = await committed()
  const objects = openObjects(git.top, env)
  const first = sh('rev-parse', 'HEAD')
  assert.equal((await objects.read('HEAD'))?.id, first)
  sh('commit', '-q', '--allow-empty', '-m', 'second')
  sh('gc', '-q', '--prune=now')
  const [head, blob, none] = await Promise.all([objects.read('HEAD'), objects.read('HEAD:a.txt'), objects.read('nothing')])
  objects.close()
  assert.equal(head?.id, sh('rev-parse', 'HEAD'))
  assert.deepEqual([blob?.type, blob?.body.toString(), none], ['blob', 'a\n', null])
})

test('the process is started again when someone ended it', async () => {
  const { git, sh } = await committed()
  const { env: own, folder } = envWithGit('echo $$ >> HERE/pids')
  const objects = openObjects(git.top, own)
  await objects.read('HEAD^{tree}')
  const pids = () => readFileSync(join(folder, 'pids'), 'utf8').trim().split('\n')
  process.kill(Number(pids()[0]), 'SIGKILL')
  assert.equal((await objects.read('HEAD^{tree}'))?.id, sh('rev-parse', 'HEAD^{tree}'))
  assert.equal((await objects.read('HEAD^{tree}'))?.id, sh('rev-parse', 'HEAD^{tree}'))
  objects.close()
  assert.equal(pids().length, 2)
})

test('an id stands for what it was made of, packed or not, though somebody has put another in its place', async () => {
  const { git, sh, write } = await committed()
  const objects = openObjects(git.top, env)
  const before = sh('rev-parse', 'HEAD')
  write({ 'a.txt': 'other\n' })
  sh('commit', '-q', '-a', '-m', 'other')
  sh('replace', before, 'HEAD')
  const asIs = async () => (await objects.read(before))?.body.toString()
  const loose = await asIs()
  assert.doesNotMatch(loose!, /other/)
  sh('gc', '-q', '--prune=now')
  assert.equal(await asIs(), loose)
  objects.close()
})

test('a program that never closes its repository ends all the same', async () => {
  const { top } = await committed()
  const program = `import { openGit } from ${JSON.stringify(import.meta.resolve('../git.ts'))}
    const git = await openGit(${JSON.stringify(top)}); console.log((await git.snapshot()).branch)`
  const { status, stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
    env,
    encoding: 'utf8',
    timeout: 120_000,
  })
  assert.deepEqual({ status, stdout }, { status: 0, stdout: 'main\n' })
})

test('a worktree reads from the process of its repository, with a HEAD of its own', async () => {
  const { git, sh } = await committed()
  const path = newFolder()
  sh('worktree', 'add', '-q', '-b', 'work', path)
  const inside = (...args: string[]): string => execFileSync('git', args, { cwd: path, env, encoding: 'utf8' }).trim()
  inside('commit', '-q', '--allow-empty', '-m', 'work')
  const objects = openObjects(git.top, env)
  const own = objectsFrom(objects, basename(inside('rev-parse', '--absolute-git-dir')))
  const read = async (name: string) => [(await objects.read(name))?.id, (await own.read(name))?.id]
  assert.deepEqual(await read('HEAD'), [sh('rev-parse', 'HEAD'), inside('rev-parse', 'HEAD')])
  assert.deepEqual(await read('HEAD~1'), [undefined, sh('rev-parse', 'HEAD')])
  assert.deepEqual(await read('refs/heads/work'), [inside('rev-parse', 'HEAD'), inside('rev-parse', 'HEAD')])
  own.close()
  assert.equal((await own.read('HEAD:a.txt'))?.body.toString(), 'a\n')
  objects.close()
})
