import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { type TestContext, test } from 'node:test'
import { until } from '../../../test/support/processes.ts'
import { interrupt } from './interrupt.ts'
import { workOf } from './process-table.ts'

/** A program that says when it can be interrupted. */
async function started(
  t: TestContext,
  onInterrupt: string,
): Promise<{ child: ChildProcess; pid: number; exit: Promise<unknown> }> {
  const text = `process.on('SIGINT', () => { ${onInterrupt} }); setInterval(() => {}, 60_000); console.log('ready')`
  const child = spawn(process.execPath, ['-e', text], { stdio: ['ignore', 'pipe', 'inherit'] })
  t.after(() => child.kill('SIGKILL'))
  const exit = once(child, 'exit')
  await once(child.stdout, 'data')
  return { child, pid: child.pid ?? 0, exit }
}

const quiet = 20

test('an agent that works on its report is waited for, however long a busy machine takes', async (t) => {
  const { child, pid, exit } = await started(t, 'for (;;);')
  let isOver = false
  const over = interrupt(pid, { exit, quiet }).then(() => (isOver = true))
  const ticks = (): number => workOf(pid)?.ticks ?? 0
  const several = ticks() + 10 // each is half of the time in which it may rest
  await until('it has worked for longer than it may rest', () => ticks() > several || isOver)
  assert.equal(isOver, false)
  child.kill('SIGKILL') // its report is over
  await over
})

test('an agent that does nothing about it is not waited for', async (t) => {
  const { child, pid, exit } = await started(t, '')
  await interrupt(pid, { exit, quiet })
  assert.deepEqual([child.exitCode, child.signalCode], [null, null])
})

test('an agent that has reported its end is not waited for', async (t) => {
  const { child, pid, exit } = await started(t, 'for (;;);')
  await interrupt(pid, { exit, finished: AbortSignal.abort(), quiet })
  assert.deepEqual([child.exitCode, child.signalCode], [null, null])
})
