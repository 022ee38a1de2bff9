import assert from 'node:assert/strict'
import { chmodSync, copyFileSync, realpathSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { tempFolder } from '../../../test/support/folder.ts'
import { childEnv } from './child-env.ts'
import { ofCall } from './process-mark.ts'
import { findTagged, isAlive } from './survivors.ts'
import { runTree, type TreeEnd, type TreeOptions } from './tree.ts'

const folder = tempFolder()
const fixture = (name: string) => fileURLToPath(new URL(`../../../test/fixtures/${name}`, import.meta.url))
const never = new AbortController().signal

let count = 0
async function run(command: string, args: string[], more: Partial<TreeOptions> = {}) {
  const printed = { out: '', err: '' }
  const tag = `process-${process.pid}-${++count}:1`
  const end = await runTree({
    command,
    args,
    cwd: folder,
    env: { PATH: process.env['PATH'] ?? '', HOME: folder, LANG: 'C.UTF-8' },
    stdin: '',
    tag,
    timeoutMs: 60_000,
    graceMs: 60_000,
    keep: [],
    stop: never,
    ...more,
    onOutput(chunk, stream) {
      printed[stream] += chunk.toString('latin1')
      more.onOutput?.(chunk, stream)
    },
  })
  return { end: withoutDuration(end), ...printed, left: findTagged(ofCall(tag)) }
}
const withoutDuration = ({ durationMs, ...end }: TreeEnd) => {
  assert.ok(durationMs >= 0)
  return end
}
const sh = (script: string, more: Partial<TreeOptions> = {}) => run('sh', ['-c', script], more)
const exited = { how: 'exited', code: 0, signal: null, killed: 0 }
const nothingLeft = { left: [] }

test('an exit code and both outputs come back', async () => {
  assert.deepEqual(await sh('echo out; echo err >&2; exit 3'), {
    end: { ...exited, code: 3 },
    out: 'out\n',
    err: 'err\n',
    ...nothingLeft,
  })
})

test('a program ended by a signal has no code', async () => {
  assert.deepEqual((await sh('kill -9 $$')).end, { ...exited, code: null, signal: 'SIGKILL' })
})

test('X12: stdin is closed once the prompt is in', async () => {
  assert.deepEqual(await run('cat', [], { stdin: 'the prompt' }), { end: exited, out: 'the prompt', err: '', ...nothingLeft })
})

test('standard input is a named pipe for a program that takes a socket for no input', async () => {
  const looks = 'test -p /dev/stdin && echo pipe; cat'
  assert.equal((await run('sh', ['-c', looks], { stdin: 'the prompt', isStdinPipe: true })).out, 'pipe\nthe prompt')
  assert.equal((await run('sh', ['-c', looks], { stdin: 'the prompt' })).out, 'the prompt')
  const stdin = 'x'.repeat(3_000_000)
  assert.equal((await run('wc', ['-c'], { stdin, isStdinPipe: true })).out.trim(), '3000000')
  assert.deepEqual((await run('true', [], { stdin, isStdinPipe: true })).end, exited)
})

test('R-PROMPT-3: a prompt of 3 MB reaches a program that reads it, and does not disturb one that does not', async () => {
  const stdin = 'x'.repeat(3_000_000)
  assert.equal((await run('wc', ['-c'], { stdin })).out.trim(), '3000000')
  assert.deepEqual((await run('true', [], { stdin })).end, exited)
})

test('the tag is in the environment, in a session of its own', async () => {
  const { out } = await sh('echo $RALPH_RUN; test "$(cut -d" " -f6 /proc/$$/stat)" = $$ && echo leader')
  assert.equal(out, `process-${process.pid}-${count}:1\nleader\n`)
})

test('a program that is missing, may not run, or has no folder to run in says why', async () => {
  writeFileSync(join(folder, 'not-executable'), '')
  chmodSync(join(folder, 'not-executable'), 0o600)
  const missing = { how: 'missing', code: null, signal: null, killed: 0 }
  assert.deepEqual((await run('no-such-program', [])).end, { ...missing, error: 'no-such-program: no such program' })
  assert.deepEqual((await run(join(folder, 'not-executable'), [])).end, {
    ...missing,
    error: `${join(folder, 'not-executable')}: not allowed to run it`,
  })
  assert.deepEqual((await run('true', [], { cwd: join(folder, 'gone') })).end, {
    ...missing,
    error: `the folder ${folder}/gone is missing`,
  })
  assert.equal((await run('true', ['x'.repeat(3_000_000)])).end.how, 'missing')
})

test('R-ITER-2: a timeout ends the tree and says so, with a word before', async () => {
  let soft = 0
  const { end, left } = await sh('sleep 300 & sleep 300', { timeoutMs: 2000, onSoft: () => soft++ })
  assert.deepEqual({ end, left, soft }, { end: { how: 'timeout', code: null, signal: 'SIGTERM', killed: 2 }, left: [], soft: 1 })
})

test('an endless time limit does not end at once', async () => {
  assert.deepEqual((await sh('true', { timeoutMs: Number.POSITIVE_INFINITY })).end, exited)
})

test('X01: a stop ends the tree, and what is stopped before its start never starts', async () => {
  const stop = new AbortController()
  const { end, left } = await sh('sleep 300 & echo ready; wait', { stop: stop.signal, onOutput: () => stop.abort() })
  assert.deepEqual({ end, left }, { end: { how: 'stopped', code: null, signal: 'SIGTERM', killed: 1 }, left: [] })
  assert.deepEqual(await sh('echo ready', { stop: stop.signal }), {
    end: { how: 'stopped', code: null, signal: null, killed: 0 },
    out: '',
    err: '',
    left: [],
  })
})

test('T30: what ignores SIGTERM gets SIGKILL', async () => {
  const stop = new AbortController()
  const more = { stop: stop.signal, graceMs: 100, onOutput: () => stop.abort() }
  const { end, left } = await run('sh', [fixture('ignores-sigterm.sh')], more)
  assert.deepEqual([end.how, end.signal, left], ['stopped', 'SIGKILL', []])
})

test('what is printed on SIGTERM is still taken', async () => {
  const stop = new AbortController()
  const script = 'trap "echo last words; exit 7" TERM; echo ready; while :; do sleep 0.02; done'
  const { end, out } = await sh(script, { stop: stop.signal, onOutput: () => stop.abort() })
  assert.deepEqual([end.how, end.code, out], ['stopped', 7, 'ready\nlast words\n'])
})

test('R-ITER-1: a grandchild that left the group and was adopted by init is found by its tag and ended', async () => {
  const { end, out, left } = await run(process.execPath, [fixture('leaves-its-group.mjs')])
  assert.deepEqual({ end, left, isAlive: isAlive(Number(out)) }, { end: { ...exited, killed: 1 }, left: [], isAlive: false })
})

test('a chain of children that fork, leave and end while they are looked for is ended to the last', async () => {
  const ends = []
  for (let round = 0; round < 10; round++)
    ends.push((await sh('setsid sh -c "(setsid sleep 300 &) & exit" >/dev/null 2>&1 &')).left)
  assert.deepEqual(ends, Array(10).fill([]))
})

test('a child without any environment is ended with its group', async () => {
  const { end, out } = await sh('env -i sleep 300 >/dev/null 2>&1 & echo $!')
  assert.deepEqual({ end, isAlive: isAlive(Number(out)) }, { end: { ...exited, killed: 1 }, isAlive: false })
})

test('T27: a child that keeps the output open holds nothing up, and is ended', async () => {
  const { end, out } = await run('sh', [fixture('holds-stdout-open.sh')])
  assert.deepEqual({ end, isAlive: isAlive(Number.parseInt(out, 10)) }, { end: { ...exited, killed: 1 }, isAlive: false })
})

test('R-ITER-1: gpg-agent in the group stays, the rest of the group goes', async () => {
  copyFileSync(realpathSync('/bin/sleep'), join(folder, 'gpg-agent'))
  // It has its name only once the shell's child has become it.
  const becomes = 'until [ "$(cat /proc/$!/comm)" = gpg-agent ]; do :; done'
  const { end, out } = await sh(`./gpg-agent 300 & echo $!; ${becomes}; sleep 300 & echo $!`)
  const pids = out.trim().split('\n').map(Number)
  const alive = pids.map((pid) => isAlive(pid))
  process.kill(pids[0]!, 'SIGKILL')
  assert.deepEqual({ end, alive }, { end: { ...exited, killed: 1 }, alive: [true, false] })
})

test('X04: what has said its end may linger, then is ended, and counts as exited', async () => {
  const finished = new AbortController()
  const { end, left } = await sh('echo end; sleep 300', {
    finished: finished.signal,
    lingerMs: 20,
    onOutput: () => finished.abort(),
  })
  assert.deepEqual({ end, left }, { end: { how: 'exited', code: null, signal: 'SIGTERM', killed: 1 }, left: [] })
})

test('what has said its end cannot time out any more', async () => {
  const finished = new AbortController()
  finished.abort()
  assert.deepEqual((await sh('sleep 0.1', { finished: finished.signal, timeoutMs: 20 })).end, exited)
})

test('merged output is in the order it was written, also through /dev/stderr', async () => {
  const { end, out, err } = await sh('echo 1; echo 2 >&2; echo 3 >/dev/stderr; echo 4 >/dev/stdout', { isMerged: true })
  assert.deepEqual({ end, out, err }, { end: exited, out: '1\n2\n3\n4\n', err: '' })
})

test('all of a large merged output is taken', async () => {
  let bytes = 0
  await sh('head -c 5000000 /dev/zero', { isMerged: true, onOutput: (chunk) => (bytes += chunk.length) })
  assert.equal(bytes, 5_000_000)
})

test('a fault of the one who takes the output ends the tree and is thrown on', async () => {
  let pid = 0
  const onOutput = (chunk: Buffer) => {
    pid = Number(chunk.toString())
    throw new Error('ours')
  }
  await assert.rejects(sh('echo $$; exec sleep 300', { onOutput }), { message: 'ours' })
  assert.equal(isAlive(pid), false)
})

test('X13: marks of being inside an agent are not passed on, tokens and settings are', () => {
  const env = {
    CLAUDECODE: '1',
    CLAUDE_CODE_ENTRYPOINT: 'cli',
    CLAUDE_CODE_OAUTH_TOKEN: 't',
    NODE_CHANNEL_FD: '3',
    PATH: '/bin',
    GONE: undefined,
  }
  assert.deepEqual(childEnv(env), { CLAUDE_CODE_OAUTH_TOKEN: 't', PATH: '/bin' })
})
