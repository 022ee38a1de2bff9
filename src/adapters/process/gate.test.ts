import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { tempFolder } from '../../../test/support/folder.ts'
import { masker } from '../mask/mask.ts'
import { type GateOptions, runGate } from './gate.ts'
import { ofCall } from './process-mark.ts'
import { findTagged } from './survivors.ts'

const folder = tempFolder()
const env = { PATH: process.env['PATH'] ?? '', HOME: folder, LANG: 'C.UTF-8', MY_SECRET: 'secret-value-1' }
const hashOf = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 16)

let count = 0
async function gate(command: string, more: Partial<GateOptions> = {}) {
  const logPath = join(folder, `${++count}.log`)
  const tag = `gates-${process.pid}-${count}:1`
  const options = {
    cwd: folder,
    env,
    tag,
    timeoutMs: 60_000,
    graceMs: 100,
    sandbox: null,
    keep: [],
    logPath,
    mask: masker(env),
    stop: new AbortController().signal,
  }
  const { durationMs, ...result } = await runGate({ name: 'tests', command }, { ...options, ...more })
  assert.ok(durationMs >= 0)
  const log = readFileSync(logPath, 'utf8').replace(/ in [\d.]+s /, ' in TIME ')
  return { result, log, left: findTagged(ofCall(tag)) }
}

test('a gate passes with exit 0, and the log tells its whole story', async () => {
  const output = 'one\ntwo\nthree\n'
  assert.deepEqual(await gate('echo one; echo two >&2; echo three >/dev/stderr'), {
    result: {
      name: 'tests',
      kind: 'command',
      command: 'echo one; echo two >&2; echo three >/dev/stderr',
      passed: true,
      exitCode: 0,
      ended: 'exited',
      output: 'one\ntwo\nthree',
      outputHash: hashOf(output),
    },
    log: `=== gate tests: echo one; echo two >&2; echo three >/dev/stderr\n${output}=== gate tests: passed in TIME (exit 0)\n`,
    left: [],
  })
})

test('a gate fails with any other code, a signal, or a program that is not there', async () => {
  const ends = await Promise.all([gate('exit 3'), gate('kill -9 $$'), gate('no-such-program 2>/dev/null')])
  assert.deepEqual(
    ends.map(({ result }) => [result.passed, result.exitCode, result.ended]),
    [
      [false, 3, 'exited'],
      [false, null, 'exited'],
      [false, 127, 'exited'],
    ],
  )
})

test('a gate that fails and names only what failed has no count, one that passes with the same words has [R-PROOF-4]', async () => {
  const ends = await Promise.all([0, 1].map((exit) => gate(`echo 'not ok 1 - login'; exit ${exit}`)))
  assert.deepEqual(
    ends.map(({ result }) => result.census),
    [{ passed: 0, failed: 1, skipped: 0 }, undefined],
  )
})

test('R-GATE-4: a gate that takes too long is ended with all it started', async () => {
  const { result, log, left } = await gate('echo begun; sleep 300 & sleep 300', { timeoutMs: 1000 })
  assert.deepEqual([result.passed, result.ended, result.output, left], [false, 'timeout', 'begun', []])
  assert.match(log, /\n=== gate tests: failed in TIME \(timed out\)\n$/)
})

test('R-LIM-7: a gate that runs past its soft limit is told of once, and goes on until it ends or meets the hard one', async () => {
  let soft = 0
  const onSoft = () => (soft += 1)
  const flag = join(folder, 'soft')
  const passed = await gate(`until test -e ${flag}; do sleep 0.01; done`, {
    softMs: 1,
    timeoutMs: Number.POSITIVE_INFINITY,
    onSoft: () => {
      onSoft()
      writeFileSync(flag, '')
    },
  })
  assert.deepEqual([soft, passed.result.passed, passed.result.ended], [1, true, 'exited'])
  const late = await gate('sleep 300', { softMs: 1, timeoutMs: 100, onSoft })
  assert.deepEqual([soft, late.result.passed, late.result.ended], [2, false, 'timeout'])
})

test('a gate that ends before its soft limit, or has none before the hard one, is not told of', async () => {
  const onSoft = () => assert.fail('there was no reason to tell')
  assert.equal((await gate('true', { softMs: 60_000, onSoft })).result.passed, true)
  assert.equal((await gate('sleep 300', { softMs: 50, timeoutMs: 50, onSoft })).result.ended, 'timeout')
  assert.equal((await gate('sleep 300', { timeoutMs: 50, onSoft })).result.ended, 'timeout')
})

test('a gate that is stopped says so', async () => {
  const { result } = await gate('sleep 300', { stop: AbortSignal.abort() })
  assert.deepEqual([result.passed, result.ended], [false, 'stopped'])
})

test('a gate without its folder says what is missing', async () => {
  const { result } = await gate('true', { cwd: join(folder, 'gone') })
  assert.deepEqual(
    [result.passed, result.ended, result.output],
    [false, 'missing', `the folder ${join(folder, 'gone')} is missing`],
  )
})

test('R-GATE-3: output is cut to its first 20 and last 80 lines, and each of them to 500 characters', async () => {
  const numbers = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => String(from + index))
  assert.equal((await gate('seq 1 100')).result.output, numbers(1, 100).join('\n'))
  const { result, log } = await gate('seq 1 1000')
  assert.equal(result.output, [...numbers(1, 20), '[... 900 lines truncated ...]', ...numbers(921, 1000)].join('\n'))
  assert.equal(log.split('\n').length, 1003)
  assert.equal(result.outputHash, hashOf(`${numbers(1, 1000).join('\n')}\n`))
  assert.equal((await gate('head -c 9000 /dev/zero | tr "\\0" x')).result.output, `${'x'.repeat(499)}…`)
})

test('R-FILE-3: credentials are masked in command, output and log', async () => {
  const { result, log } = await gate('echo secret-value-1')
  assert.deepEqual([result.command, result.output], ['echo [RALPH masked MY_SECRET]', '[RALPH masked MY_SECRET]'])
  assert.doesNotMatch(log, /secret-value/)
})

test('an unlisted command is in no list of processes, has no input, and ends with its own exit code', async () => {
  const lines: string[] = []
  const command = `tr '\\0' ' ' < /proc/$$/cmdline; echo; cat; echo "done"\nexit 7`
  const { result } = await gate(command, { isUnlisted: true, onLine: (line) => lines.push(line) })
  assert.deepEqual([result.exitCode, lines], [7, ['sh -c eval "$(cat)" < /dev/null ', 'done']])
})
