/** The launcher: any Node may start it; the program runs on one that can, with the same arguments, signals and exit code. */

import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { isAlive } from '../src/adapters/process/survivors.ts'
import { tempFolder } from './support/folder.ts'
import { eventsOf } from './support/loop.ts'
import { runOf, survivors, until, untilEvent } from './support/processes.ts'
import { type Ended, projectFor, ralphProgram, type TestProject } from './support/project.ts'

/** A Node that says it is 20: every machine has one, whatever is installed. */
const pretend = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.20.2' } })`
const oldNode = ['--import', `data:text/javascript,${encodeURIComponent(pretend)}`]

type Started = { child: ChildProcess; ended: Promise<Ended> }

function launch(cwd: string, env: Record<string, string>, args: string[], options: { detached?: boolean } = {}): Started {
  const child = spawn(process.execPath, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], ...options })
  let out = ''
  let err = ''
  child.stdout.on('data', (chunk) => (out += chunk))
  child.stderr.on('data', (chunk) => (err += chunk))
  return { child, ended: new Promise((resolve) => child.on('close', (code, signal) => resolve({ code, signal, out, err }))) }
}

const launched = (made: TestProject, ...args: string[]): Promise<Ended> =>
  launch(made.root, made.env, [...oldNode, ralphProgram, ...args]).ended

const hangingProject = (t: TestContext): TestProject =>
  projectFor(t, { script: { otherwise: [{ hang: true }] }, config: { process: { grace_seconds: 0.2 } } })

/** The launcher alone, as it lies in a clone that nobody has set up. */
function bareClone(t: TestContext): string {
  const folder = tempFolder(t)
  mkdirSync(join(folder, 'bin'))
  cpSync(ralphProgram, join(folder, 'bin', 'ralph.js'))
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}\n')
  return folder
}

test('an old Node hands over to the newer one beside it, and passes output and exit codes on', async (t) => {
  const made = projectFor(t)
  const status = await launched(made, 'status')
  assert.deepEqual([status.code, status.err, status.out], [0, '', (await made.run('status')).out])
  const wrong = await launched(made, 'status', '-f', 'nope')
  assert.deepEqual([wrong.code, wrong.out], [64, ''])
  assert.match(wrong.err, /^ralph: No feature "nope"/)
  const node = await launched(made, 'doctor')
  assert.match(node.out, new RegExp(`^✓ Node +${process.versions.node.replaceAll('.', '\\.')}$`, 'm'))
})

for (const [signal, code] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
  ['SIGHUP', 129],
] as const)
  test(`${signal} to the launcher, or to it and the program at once, stops the run once with ${code} [R-INT-1]`, async (t) => {
    for (const isToBoth of [false, true]) {
      const made = hangingProject(t)
      const { child, ended } = launch(made.root, made.env, [...oldNode, ralphProgram, 'run'], { detached: true })
      await untilEvent(made, 'iteration.started')
      process.kill(isToBoth ? -child.pid! : child.pid!, signal)
      const { code: exit, out } = await ended
      assert.deepEqual([exit, eventsOf(made, 'stop.requested').map(({ by }) => by)], [code, [signal]], out)
      assert.match(out, /^Exit: +INTERRUPTED/m)
      assert.deepEqual(survivors(runOf(made)), [])
    }
  })

test('a launcher that is killed takes the program and its agent along', async (t) => {
  const made = hangingProject(t)
  const { child } = launch(made.root, made.env, [...oldNode, ralphProgram, 'run'])
  await untilEvent(made, 'iteration.started')
  const { pid } = eventsOf(made, 'run.started')[0]!
  assert.notEqual(pid, child.pid)
  child.kill('SIGKILL')
  await until('the program is gone', () => !isAlive(pid))
  assert.deepEqual(
    eventsOf(made, 'run.ended').map(({ outcome }) => outcome),
    ['interrupted'],
  )
  assert.deepEqual(survivors(runOf(made)), [])
})

test('without a newer Node beside it the launcher says in one line what is needed, and exits with 69', async (t) => {
  const folder = bareClone(t)
  const { code, out, err } = await launch(folder, { PATH: '' }, [...oldNode, join(folder, 'bin', 'ralph.js'), 'status']).ended
  assert.deepEqual([code, out], [69, ''])
  assert.match(err, /^ralph needs Node 22\.12 or newer and this is v\d+\.\d+\.\d+: install one .*"npm ci".*\n$/)
})

test('a clone that is not built says so in one line', async (t) => {
  const folder = bareClone(t)
  const { code, out, err } = await launch(folder, { PATH: '' }, [join(folder, 'bin', 'ralph.js'), 'status']).ended
  assert.deepEqual([code, out, err], [69, '', 'ralph is not built here: run "npm run build" in the clone.\n'])
})
