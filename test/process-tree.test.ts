/** Nothing of an agent outlives its iteration, however the iteration ends, and nothing holds it up. */

import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import type { EventOf, Event as LogEvent } from '../src/core/types.ts'
import { finishes } from './support/loop.ts'
import { runOf, survivors, until, withoutWaits } from './support/processes.ts'
import { makeProject, type ProjectSketch, type Steps, type TestProject } from './support/project.ts'

/** One child in the agent's group, one in a session of its own, one that shrugs off SIGTERM; and the agent itself hangs and shrugs it off too. */
const unruly: Steps = [
  { child: { command: 'touch "$TMPDIR/plain"; exec sleep 1000' } },
  { child: { command: 'touch "$TMPDIR/apart"; exec setsid sleep 1001', detached: true } },
  { child: { command: 'trap "" TERM; touch "$TMPDIR/deaf"; sleep 1002; sleep 1003' } },
  { hang: true, ignore: 'SIGTERM' },
]
const quickly = { process: { grace_seconds: 0.2 } }

const beside = (project: TestProject, name: string): string => join(project.root, '..', name)
const untilAllUp = (project: TestProject): Promise<boolean> =>
  until('the children', () => ['plain', 'apart', 'deaf'].every((name) => existsSync(beside(project, name))))
const eventOf = <K extends LogEvent['kind']>(project: TestProject, kind: K): EventOf<K> =>
  project.events().find((event): event is EventOf<K> => event.kind === kind)!

async function withProject(sketch: ProjectSketch, body: (project: TestProject) => Promise<void>): Promise<void> {
  const project = makeProject(sketch)
  try {
    await body(project)
  } finally {
    const left = project.has('.ralph/thing/events.jsonl') ? survivors(runOf(project)) : []
    for (const { pid } of left) process.kill(pid, 'SIGKILL') // a test that failed leaves nothing behind either
    project.remove()
  }
}

test('a timeout ends the whole tree, and is a failed iteration [R-ITER-1, R-ITER-2, T30]', () =>
  withProject({ script: { otherwise: unruly }, config: quickly }, async (project) => {
    const { ended } = withoutWaits(project, '../late').start('run', '-t', '1h', '-n', '1')
    await untilAllUp(project)
    project.write('../late', '')
    const { code, out } = await ended
    assert.equal(code, 1, out)
    assert.equal(eventOf(project, 'iteration.ended').exit, 'timeout')
    assert.equal(eventOf(project, 'iteration.judged').verdict, 'failed')
    assert.match(out, /timed out after/)
    assert.deepEqual(survivors(runOf(project)), [])
  }))

for (const [signal, exit] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
  ['SIGHUP', 129],
] as const) {
  test(`${signal} ends the whole tree, records the iteration as interrupted, and exits ${exit} [R-ITER-1, R-INT-1, X01]`, () =>
    withProject({ script: { otherwise: unruly }, config: quickly }, async (project) => {
      const plan = project.read('.ralph/thing/prd.json')
      const { child, ended } = project.start('run')
      await untilAllUp(project)
      child.kill(signal)
      const { code, out, err } = await ended
      assert.equal(code, exit, out + err)
      assert.deepEqual(survivors(runOf(project)), [])
      assert.equal(eventOf(project, 'iteration.ended').exit, 'stopped')
      assert.equal(eventOf(project, 'iteration.judged').verdict, 'interrupted')
      assert.equal(eventOf(project, 'run.ended').outcome, 'interrupted')
      assert.match(out, new RegExp(`Ralph Loop Summary[^]*Exit: +INTERRUPTED \\(code ${exit}\\)`))
      assert.equal(JSON.parse((await project.run('status', '--json')).out).outcome, 'interrupted')
      assert.match(project.read('.ralph/thing/logs/summary.csv'), /^1,implement,.*,S-1,interrupted,/m)
      assert.equal(project.read('.ralph/thing/prd.json'), plan)
      assert.equal(project.git('status', '--porcelain'), '')
    }))
}

test('Ctrl+C again after half a second ends everything at once [R-INT-1]', () =>
  withProject({ script: { otherwise: unruly }, config: { process: { grace_seconds: 600 } } }, async (project) => {
    const { child, ended } = project.start('run')
    await untilAllUp(project)
    child.kill('SIGINT')
    await until('the first Ctrl+C', () => project.kinds().includes('iteration.stopping'))
    await pause(600) // what comes sooner is the same key
    child.kill('SIGINT')
    assert.equal((await ended).code, 130)
    assert.deepEqual(survivors(runOf(project)), [])
    assert.match((await project.run('status')).out, /killed; run again to resume/)
  }))

test('the tree that a killed Ralph left is ended before the next run makes its first call [R-ITER-4, T32]', () =>
  withProject(
    {
      script: {
        iterations: [
          unruly,
          [
            // The second agent looks for processes of the first iteration.
            {
              run: `for p in /proc/[0-9]*; do tr '\\0' '\\n' < $p/environ | grep -qx "RALPH_RUN=\${RALPH_RUN%:*}:1" && cat $p/cmdline; done > "$TMPDIR/alive" 2>/dev/null; true`,
            },
            ...finishes,
          ],
        ],
      },
      config: quickly,
    },
    async (project) => {
      const first = project.start('run')
      await untilAllUp(project)
      first.child.kill('SIGKILL')
      await first.ended
      // The witness ends the agent's group meanwhile; the child in a session of its own is left to the next run.
      await until('the child in a session of its own', () =>
        survivors(runOf(project)).some(({ command }) => command === 'sleep 1001'),
      )
      const { code, out } = await project.run('run', '--no-archive')
      assert.equal(code, 0, out)
      assert.equal(readFileSync(beside(project, 'alive'), 'utf8'), '')
      assert.deepEqual(survivors(runOf(project)), [])
      assert.equal(eventOf(project, 'iteration.judged').verdict, 'lost')
      assert.match(project.read('.ralph/thing/logs/summary.csv'), /^1,implement,.*,S-1,lost,/m)
    },
  ))

test('what a killed run of another feature left is ended too [R-ITER-4]', () =>
  withProject({ script: { stories: { 'S-1': [unruly], 'O-1': [finishes] } }, config: quickly }, async (project) => {
    project.write(
      '.ralph/other/prd.json',
      project.read('.ralph/thing/prd.json').replaceAll('S-1', 'O-1').replace('thing', 'other'),
    )
    const first = project.start('run', '-f', 'thing')
    await untilAllUp(project)
    first.child.kill('SIGKILL')
    await first.ended
    const { code, out } = await project.run('run', '-f', 'other', '--no-archive')
    assert.equal(code, 0, out)
    assert.deepEqual(survivors(runOf(project)), [])
  }))

/** Asked to end, it flips every story first. */
const lateFlip = `const fs = require('node:fs')
process.on('SIGTERM', () => {
  const plan = process.env.HOME + '/../project/.ralph/thing/prd.json'
  fs.writeFileSync(plan, fs.readFileSync(plan, 'utf8').replaceAll('"passes": false', '"passes": true'))
  fs.writeFileSync(process.env.HOME + '/../flipped', '')
  process.exit()
})
setInterval(() => {}, 60_000)
fs.writeFileSync(process.env.HOME + '/../up', '')
`

test('a flip that a leftover of the killed run makes in its last moment is no pass: gates first [R-PLAN-7]', () =>
  withProject(
    {
      files: { 'late.cjs': lateFlip },
      config: { gates: { tests: 'test -f S-1.txt' } },
      script: { iterations: [[{ child: { command: 'exec node late.cjs', detached: true } }, { hang: true }], finishes] },
    },
    async (project) => {
      const first = project.start('run')
      await until('the leftover', () => existsSync(beside(project, 'up')))
      first.child.kill('SIGKILL')
      await first.ended
      const { code, out } = await project.run('run', '--no-archive')
      assert.equal(code, 0, out)
      assert.ok(existsSync(beside(project, 'flipped')))
      assert.deepEqual(eventOf(project, 'iteration.judged').refused, ['S-1'])
      const { receipts } = JSON.parse(project.read('.ralph/thing/report.json'))
      assert.deepEqual([receipts['S-1'].iteration, receipts['S-1'].given, receipts['S-1'].proven], [2, false, true])
    },
  ))

test('a flip that a leftover gate makes after its iteration has ended is set back, and told [R-PLAN-7]', () =>
  withProject(
    {
      files: { 'late.cjs': lateFlip },
      config: { gates: { tests: 'test -e "$HOME/../up" || exec node late.cjs; test -f S-1.txt' } },
      script: { iterations: [[{ write: { path: 'half.txt', text: 'half\n' } }, { commit: 'feat: half' }], finishes] },
    },
    async (project) => {
      const first = project.start('run')
      await until('the gate', () => existsSync(beside(project, 'up')))
      first.child.kill('SIGKILL')
      await first.ended
      const { code, out } = await project.run('run', '--no-archive')
      assert.equal(code, 0, out)
      assert.ok(existsSync(beside(project, 'flipped')))
      assert.equal(eventOf(project, 'noticed').what, 'plan-restored')
      assert.deepEqual(eventOf(project, 'iteration.judged').passed, [])
      const { receipts } = JSON.parse(project.read('.ralph/thing/report.json'))
      assert.deepEqual([receipts['S-1'].iteration, receipts['S-1'].given, receipts['S-1'].proven], [2, false, true])
    },
  ))

const result = JSON.stringify({ type: 'result', subtype: 'success', is_error: false, result: 'There.', total_cost_usd: 0.01 })

test('an agent that hangs after its result with its output open is ended, and its result is kept [R-ITER-1, X04]', () =>
  withProject({ script: { otherwise: [...finishes, { print: result }, { hang: true }] }, config: quickly }, async (project) => {
    const { code, out } = await project.run('run', '--no-archive')
    assert.equal(code, 0, out)
    assert.equal(eventOf(project, 'iteration.ended').exit, 'ok')
    assert.deepEqual(project.passing(), ['S-1'])
    assert.deepEqual(survivors(runOf(project)), [])
  }))

test('a background child that keeps the pipe open holds nothing up, and is ended [R-ITER-1, T27]', () =>
  withProject({ script: { otherwise: [...unruly.slice(0, 3), ...finishes] }, config: quickly }, async (project) => {
    const { code, out } = await project.run('run', '--no-archive')
    assert.equal(code, 0, out)
    assert.equal(eventOf(project, 'iteration.ended').exit, 'ok')
    assert.deepEqual(survivors(runOf(project)), [])
  }))

test('a program named in process.keep is left alone [R-ITER-1]', () =>
  withProject(
    {
      script: {
        otherwise: [
          { run: 'ln -s "$(command -v sleep)" "$TMPDIR/keepme"' },
          { child: { command: 'exec "$TMPDIR/keepme" 1004', detached: true } },
          { child: { command: 'exec sleep 1005', detached: true } },
          ...finishes,
        ],
      },
      config: { process: { grace_seconds: 0.2, keep: ['keepme'] } },
    },
    async (project) => {
      const { code, out } = await project.run('run', '--no-archive')
      const left = survivors(runOf(project))
      for (const { pid } of left) process.kill(pid)
      assert.equal(code, 0, out)
      assert.deepEqual(
        left.map(({ command }) => command),
        [`${beside(project, 'keepme').replace('/project/..', '')} 1004`],
      )
    },
  ))

test('the agent gets its prompt and then the end of its input [R-ITER-1, X12, T33]', () =>
  withProject(
    {
      files: { 'agent.sh': 'cat > "$TMPDIR/prompt"\nif read -r line; then echo open; else echo closed; fi > "$TMPDIR/stdin"\n' },
      config: { agent: { name: 'mine', command: ['sh', 'agent.sh'], format: 'text' } },
    },
    async (project) => {
      assert.equal((await project.run('run', '-n', '1')).code, 1)
      assert.match(readFileSync(beside(project, 'prompt'), 'utf8'), /S-1/)
      assert.equal(readFileSync(beside(project, 'stdin'), 'utf8'), 'closed\n')
    },
  ))

test('marks of being inside an agent are not passed on, everything else is [R-ITER-1, X13]', () =>
  withProject({ script: { otherwise: [{ run: 'env > "$TMPDIR/env"' }, ...finishes] } }, async (project) => {
    const passed = { CLAUDE_CODE_MAX_OUTPUT_TOKENS: '5', CLAUDE_CODE_OAUTH_TOKEN: 'not-a-real-token', PLAIN: 'yes' }
    Object.assign(project.env, { CLAUDECODE: '1', CLAUDE_CODE_ENTRYPOINT: 'cli', ...passed })
    assert.equal((await project.run('run', '--no-archive')).code, 0)
    const env = new Map(
      readFileSync(beside(project, 'env'), 'utf8')
        .split('\n')
        .map((line) => line.split('=') as [string, string]),
    )
    assert.deepEqual(Object.fromEntries(Object.keys(passed).map((name) => [name, env.get(name)])), passed)
    assert.deepEqual([env.has('CLAUDECODE'), env.has('CLAUDE_CODE_ENTRYPOINT')], [false, false])
    assert.equal(env.get('RALPH_RUN'), `${runOf(project)}:1`)
  }))
