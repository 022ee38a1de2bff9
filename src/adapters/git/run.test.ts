import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { env, newFolder } from '../../../test/support/repository.ts'
import { isAlive } from '../process/survivors.ts'
import { gitIn, tagGit } from './run.ts'

/** A folder with a program called git that is this script, and an environment that finds it. */
function withGit(script: string): { folder: string; env: NodeJS.ProcessEnv } {
  const folder = newFolder()
  mkdirSync(folder)
  writeFileSync(join(folder, 'git'), `#!/bin/sh\n${script}\n`, { mode: 0o755 })
  return { folder, env: { ...env, PATH: `${folder}:${env.PATH}` } }
}

test('git has no input to wait for, no terminal, nobody to ask, and takes no lock to read', async () => {
  const names = 'GIT_TERMINAL_PROMPT GIT_ASKPASS SSH_ASKPASS SSH_ASKPASS_REQUIRE GIT_EDITOR GPG_TTY GIT_OPTIONAL_LOCKS LC_ALL'
  const shown = names.split(' ').map((name) => `\${${name}-unset}`)
  const { folder, env: own } = withGit(`cat; (: < /dev/tty) 2> /dev/null && echo terminal; echo ${shown.join(' ')}; exit 0`)
  const run = gitIn(folder, { ...own, GPG_TTY: '/dev/pts/7', GIT_ASKPASS: '/usr/bin/asks', GIT_EDITOR: 'vi' })
  const said = async (kind: 'read' | 'write' | 'hooks') => (await run(['x'], { kind })).out.toString()
  assert.deepEqual(
    [await said('read'), await said('write'), await said('hooks')],
    ['0 false false force : unset 0 C\n', '0 false false force : unset unset C\n', '0 false false force : unset unset unset\n'],
  )
})

test('a git that waits for ever is ended with all it started, those that left its group too, and says so', async () => {
  const { folder, env: own } = withGit('setsid sleep 1000 & echo $! > pid; echo here >&2; while :; do sleep 1000; done')
  const { code, words } = await gitIn(folder, { ...own, RALPH_GIT_SECONDS: '0.3' })(['-c', 'a=b', 'status'])
  assert.deepEqual(
    [code, words.replace(/"sleep 1000"/, 'SLEEP')],
    [
      -1,
      `here\ngit status waited for SLEEP for 0.3 s and was stopped. Try it by hand in ${folder}, or set RALPH_GIT_SECONDS to a longer time.`,
    ],
  )
  assert.equal(isAlive(Number(readFileSync(join(folder, 'pid'), 'utf8'))), false)
})

test('a git that waits for no one else says that too', async () => {
  const { folder, env: own } = withGit('exec sleep 1000')
  const { words } = await gitIn(folder, { ...own, RALPH_GIT_SECONDS: '0.3' })(['status'])
  assert.equal(words, `git status timed out after 0.3 s. Try it by hand in ${folder}, or set RALPH_GIT_SECONDS to a longer time.`)
})

test('what asks for a login is not given the time of a hook', async () => {
  const { folder, env: own } = withGit('./ssh host; exit 0')
  writeFileSync(join(folder, 'ssh'), '#!/bin/sh\nsleep 1000\n', { mode: 0o755 })
  const { words } = await gitIn(folder, { ...own, RALPH_GIT_SECONDS: '0.4' })(['push'], { kind: 'hooks' })
  assert.equal(
    words,
    'git push waited for "/bin/sh ./ssh host" for 0.2 s and was stopped: it may ask for a password or a passphrase, and nobody is ' +
      'there to answer. Add it to ssh-agent or a credential helper before the run.',
  )
})

test('from the moment that the run is known, every git carries its tag', async () => {
  const { folder, env: own } = withGit('echo "$RALPH_RUN"; exit 0')
  const run = gitIn(folder, { ...own, RALPH_RUN: 'outer:1' })
  const tag = async () => (await run(['x'])).out.toString()
  const before = await tag()
  tagGit('r1')
  assert.deepEqual([before, await tag()], ['outer:1\n', 'r1:git\n'])
})

test('a git that found no room, or was killed, is asked once more; one that refuses for another reason, or runs hooks, is not', async () => {
  const once = (how: string) => withGit(`test -f asked && { echo done; exit 0; }; : > asked; ${how}`)
  const said = async (how: string, kind: 'read' | 'write' | 'hooks') => {
    const { folder, env: own } = once(how)
    const { code, out, words } = await gitIn(folder, own)(['-c', 'a=b', 'add'], { kind })
    return code === 0 ? out.toString() : words
  }
  const full = 'echo "fatal: unable to write: No space left on device" >&2; exit 128'
  assert.deepEqual(
    [
      await said(full, 'read'),
      await said(full, 'write'),
      await said(full, 'hooks'),
      await said('kill -9 $$', 'write'),
      await said('kill -9 $$', 'hooks'),
      await said('echo "fatal: not that" >&2; exit 128', 'write'),
    ],
    ['done\n', 'done\n', 'fatal: unable to write: No space left on device', 'done\n', 'git add was killed', 'fatal: not that'],
  )
})

test('a git that is put before the known one later does not run in its place', async () => {
  const { folder, env: own } = withGit('echo own')
  const early = newFolder()
  mkdirSync(early)
  const run = gitIn(folder, { ...own, PATH: `${early}:${own['PATH']}` })
  const said = async () => (await run(['x'])).out.toString()
  assert.equal(await said(), 'own\n')
  writeFileSync(join(early, 'git'), '#!/bin/sh\necho planted\n', { mode: 0o755 })
  assert.equal(await said(), 'own\n')
})
