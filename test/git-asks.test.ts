/** A git that asks for a passphrase, or a hook that never ends, holds no run up: it is named, ended with all it started, and the attempt has failed. */
import assert from 'node:assert/strict'
import { chmodSync, rmSync } from 'node:fs'
import { type TestContext, test } from 'node:test'
import { isAlive } from '../src/adapters/process/survivors.ts'
import { until, untilFile } from './support/processes.ts'
import { type ProjectSketch, projectFor, type TestProject } from './support/project.ts'

/** Work that is left for Ralph to commit. */
const leavesWork: ProjectSketch['script'] = {
  otherwise: [{ write: { path: '$RALPH_STORY.txt', text: 'there\n' } }, { flip: '$RALPH_STORY' }, { say: 'There.' }],
}

const projectWith = (t: TestContext, sketch: ProjectSketch = {}): TestProject => projectFor(t, { script: leavesWork, ...sketch })

/** A program that leaves its pid behind and never ends by itself. */
function hangs(project: TestProject, name: string): string {
  project.write(`.git/${name}`, `#!/bin/sh\necho $$ >> '${project.path('.git/pids')}'\nwhile :; do sleep 1000; done\n`)
  chmodSync(project.path(`.git/${name}`), 0o755)
  return project.path(`.git/${name}`)
}

/** How many of them were started, and which still live. */
function hanging(project: TestProject): { started: number; alive: number[] } {
  const pids = project.has('.git/pids') ? project.read('.git/pids').trim().split('\n').map(Number) : []
  return { started: pids.length, alive: pids.filter((pid) => isAlive(pid)) }
}

const problems = (project: TestProject): (string | undefined)[] =>
  project.events().flatMap((event) => (event.kind === 'iteration.settled' ? [event.problem] : []))

/** The story is open, its attempt counts as failed, and its work lies where the agent left it. */
async function assertUncommitted(project: TestProject): Promise<string> {
  const { code, out, err } = await project.run('run', '--no-archive', '-n', '1')
  assert.equal(code, 1, out + err)
  assert.deepEqual([project.passing(), project.git('status', '--porcelain')], [[], '?? S-1.txt'])
  assert.match(project.read('.ralph/thing/logs/summary.csv'), /,S-1,failed,/)
  return out
}

test('a signature that waits for a passphrase is ended and named, and what Ralph keeps for itself is committed unsigned [R-ITER-6]', async (t) => {
  const project = projectWith(t)
  hangs(project, 'gpg')
  for (const [name, value] of Object.entries({ 'commit.gpgSign': 'true', 'gpg.program': '.git/gpg', 'user.signingKey': 'K' }))
    project.git('config', name, value)
  project.env['RALPH_GIT_SECONDS'] = '2'
  const out = await assertUncommitted(project)
  const named =
    'git commit waited for "/bin/sh .git/gpg --status-fd=2 -bsau K" ' +
    'for 1 s and was stopped: signing may ask for a passphrase or a touch, and nobody is there to answer. ' +
    'Unlock the key before the run, or turn signing off in this repository: git config commit.gpgsign false'
  assert.deepEqual(problems(project), [named])
  assert.ok(out.includes(`not passed: git could not commit the work: ${named}`), out)
  assert.deepEqual(hanging(project), { started: 1, alive: [] })
  assert.equal(project.git('log', '--format=%s', '-1'), 'chore(ralph): thing incomplete')
})

test('a hook that never ends is ended and named after ten times the usual limit', async (t) => {
  const project = projectWith(t)
  hangs(project, 'hooks/pre-commit')
  project.env['RALPH_GIT_SECONDS'] = '1'
  await assertUncommitted(project)
  assert.deepEqual(problems(project), [
    'git commit waited for "/bin/sh .git/hooks/pre-commit" for 10 s ' +
      `and was stopped. Try it by hand in ${project.root}, or set RALPH_GIT_SECONDS to a longer time.`,
  ])
  assert.deepEqual(hanging(project), { started: 1, alive: [] })
})

test('a second Ctrl+C ends a hook that hangs along with Ralph [R-INT-1]', async (t) => {
  const project = projectWith(t)
  hangs(project, 'hooks/pre-commit')
  const { child, ended } = project.start('run', '--no-archive')
  await untilFile(project, '.git/pids')
  await until('its end', () => {
    child.kill('SIGINT') // within half a second they count as one: until it is over
    return child.exitCode !== null
  })
  assert.equal((await ended).code, 130)
  assert.deepEqual(hanging(project), { started: 1, alive: [] })
  assert.equal(project.has('.git/index.lock'), false)
})

test('a hook that hangs when Ralph is killed is ended by the next run, and cannot commit behind its back [R-ITER-4]', async (t) => {
  const project = projectWith(t)
  const hook = hangs(project, 'hooks/pre-commit')
  const { child, ended } = project.start('run', '--no-archive')
  await untilFile(project, '.git/pids')
  child.kill('SIGKILL')
  await ended
  assert.equal(hanging(project).alive.length, 1)
  rmSync(hook)
  const { code, out, err } = await project.run('run', '--no-archive')
  assert.equal(code, 0, out + err)
  assert.deepEqual(hanging(project), { started: 1, alive: [] })
  assert.deepEqual(
    [
      project.git('status', '--porcelain'),
      project
        .git('log', '--format=%s')
        .split('\n')
        .filter((line) => line.startsWith('feat')),
    ],
    ['', ['feat: S-1 - Story S-1']],
  )
})
