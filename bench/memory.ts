/** The peak memory of the main process: after many iterations, and while an agent prints without end. */
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import type { Row } from './rows.ts'
import { makeProject, type Scratch } from './scratch.ts'

export async function memoryRows(scratch: Scratch, size: { iterations: number; printedMb: number }): Promise<Row[]> {
  const long = makeProject(scratch, 1, 'commits')
  const printing = makeProject(scratch, 1, 'prints', size.printedMb * 1024 * 1024)
  const run = [scratch.program, 'run', '--no-archive', '-n']
  const floor = await peakMb(scratch, long.root, ['-e', 'setTimeout(() => {}, 500)'])
  const ralph = await peakMb(scratch, long.root, [...run, String(size.iterations)])
  const printed = await peakMb(scratch, printing.root, [...run, '1'])
  return [
    {
      what: `peak memory after ${size.iterations} iterations`,
      unit: 'MB',
      floor,
      ralph,
      over: ralph - floor,
      judged: ralph,
      noise: 0,
      goal: 90,
    },
    {
      what: `peak memory while an agent prints ${size.printedMb} MiB (over the row above)`,
      unit: 'MB',
      floor: ralph,
      ralph: printed,
      over: printed - ralph,
      noise: 0,
      goal: 20,
    },
  ]
}

/** The kernel's high-water mark, which only rises: the last look before the end has it. */
async function peakMb(scratch: Scratch, cwd: string, args: string[]): Promise<number> {
  const child = spawn(process.execPath, args, { cwd, env: scratch.env, stdio: ['ignore', 'ignore', 'inherit'] })
  let isOver = false
  child.on('exit', () => {
    isOver = true
  })
  let peakKb = 0
  while (!isOver) {
    peakKb = Math.max(peakKb, highWaterKb(child.pid!))
    await pause(10)
  }
  return peakKb / 1024
}

/** 0: it has ended. */
function highWaterKb(pid: number): number {
  try {
    return Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0)
  } catch {
    return 0
  }
}
