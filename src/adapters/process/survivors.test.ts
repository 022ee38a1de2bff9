import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { isOfRun, ofCall, ofRun, withMark } from './process-mark.ts'
import { endSurvivors, findTagged, isAlive, markIn, processStart, taggedInPs } from './survivors.ts'

const ending = { graceMs: 200, keep: [] }
const sleepProgram = realpathSync('/bin/sleep')
const is = ofCall
const tagOf = (name: string) => `survivors-${process.pid}-${name}:1`

async function tagged(tag: string, program = 'sleep', args = ['300']): Promise<ChildProcess> {
  const child = spawn(program, args, { env: { PATH: process.env['PATH'], RALPH_RUN: tag }, detached: true, stdio: 'ignore' })
  await once(child, 'spawn')
  return child
}

test('processes are found by their tag, with their name', async () => {
  const tag = tagOf('found')
  const child = await tagged(tag)
  assert.deepEqual(findTagged(is(tag)), [{ pid: child.pid, name: 'sleep', tag }])
  child.kill('SIGKILL')
  await once(child, 'exit')
  assert.deepEqual(findTagged(is(tag)), [])
})

test('a variable that only ends in the same name is no tag', async () => {
  const tag = tagOf('lookalike')
  const child = spawn('sleep', ['300'], {
    env: { PATH: process.env['PATH'], X: `RALPH_RUN=${tag}`, OLD_RALPH_RUN: tag },
    stdio: 'ignore',
  })
  await once(child, 'spawn')
  assert.deepEqual(findTagged(is(tag)), [])
  child.kill('SIGKILL')
})

test('a tag behind a very large environment is found', async () => {
  const tag = tagOf('large')
  const child = spawn('sleep', ['300'], {
    env: { PATH: process.env['PATH'], A: 'x'.repeat(100_000), RALPH_RUN: tag },
    stdio: 'ignore',
  })
  await once(child, 'spawn')
  assert.deepEqual(
    findTagged(is(tag)).map(({ pid }) => pid),
    [child.pid],
  )
  child.kill('SIGKILL')
})

test('R-ITER-1: survivors of one run are ended, those of another are not', async () => {
  const [ours, another] = [tagOf('ours'), tagOf('another')]
  const children = [await tagged(ours), await tagged(ours), await tagged(another)]
  assert.equal(await endSurvivors(is(ours), ending), 2)
  assert.deepEqual(
    children.map(({ pid }) => isAlive(pid!)),
    [false, false, true],
  )
  assert.equal(await endSurvivors(is(another), ending), 1)
})

test('nothing to end is nothing ended', async () => {
  assert.equal(await endSurvivors(is(tagOf('none')), ending), 0)
})

test('R-ITER-1: gpg-agent and the names in keep are left alone', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'ralph-survivors-'))
  const tag = tagOf('kept')
  const children: ChildProcess[] = []
  for (const name of ['gpg-agent', 'build-daemon-with-a-long-name', 'anything-else']) {
    copyFileSync(sleepProgram, join(folder, name))
    children.push(await tagged(tag, join(folder, name)))
  }
  assert.equal(await endSurvivors(is(tag), { graceMs: 200, keep: ['build-daemon-with-a-long-name'] }), 1)
  assert.deepEqual(
    children.map(({ pid }) => isAlive(pid!)),
    [true, true, false],
  )
  for (const child of children) child.kill('SIGKILL')
  rmSync(folder, { recursive: true })
})

test('a pid is alive only with the start it had', async () => {
  const child = await tagged(tagOf('start'))
  const start = processStart(child.pid!)
  assert.match(start ?? '', /\S/)
  assert.deepEqual([isAlive(child.pid!), isAlive(child.pid!, start!), isAlive(child.pid!, 'another')], [true, true, false])
  child.kill('SIGKILL')
  await once(child, 'exit')
  assert.deepEqual([processStart(child.pid!), isAlive(child.pid!), isAlive(child.pid!, start!)], [null, false, false])
})

test('where there is only ps, the tag is found behind the command', () => {
  const text =
    '    1 /sbin/launchd\n  812 /usr/bin/node agent.js -p PATH=/bin RALPH_RUN=r1:2 HOME=/h\n  900 sleep 5 RALPH_RUN=r2:1\n'
  assert.deepEqual(
    taggedInPs(text, (tag) => tag.startsWith('r1:')),
    [{ pid: 812, name: 'node', tag: 'r1:2' }],
  )
})

/** A process that has cut all ties to the one that was started with the mark. */
async function daemon(tag: string): Promise<number> {
  const script = "env -i setsid -f sh -c 'echo $$; exec /bin/sleep 300'"
  const { command, args } = withMark({ command: 'sh', args: ['-c', script] }, tag, '/', { PATH: '/usr/bin:/bin' })
  const child = spawn(command, args, { env: { PATH: process.env['PATH'], RALPH_RUN: tag }, detached: true })
  const exit = once(child, 'exit')
  const [said] = await once(child.stdout, 'data')
  await exit
  child.stdout.destroy()
  return Number(said)
}

test('a daemon that cleared its environment and left its session is found by its mark, and only by that of its call or run', async () => {
  const tag = tagOf('daemon')
  const pid = await daemon(tag)
  const run = tag.split(':')[0]!
  assert.deepEqual([isOfRun(markIn(pid)!, run), isOfRun(markIn(pid)!, `${run}x`)], [true, false])
  assert.equal(await endSurvivors(ofCall(`${run}:2`), ending), 0)
  assert.equal(await endSurvivors(ofRun(`${run}x`), ending), 0)
  assert.equal(isAlive(pid), true)
  assert.equal(await endSurvivors(ofCall(tag), ending), 1)
  const next = await daemon(tag)
  assert.equal(await endSurvivors(ofRun(run), ending), 1)
  assert.deepEqual([isAlive(pid), isAlive(next)], [false, false])
})

test('a program that is not there is started without a mark, so that the system says what is wrong', () => {
  const missing = { command: 'no-such-program', args: ['x'] }
  assert.deepEqual(withMark(missing, 'r:1', '/', { PATH: '/usr/bin:/bin' }), missing)
})
