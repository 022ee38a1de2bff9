/** The time between one agent's end and the next one's start, and from the start of it all to the first agent: ralph beside a bare `for` loop. */
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { median } from './numbers.ts'
import { pairedRow, type Row } from './rows.ts'
import { makeProject, type Project, type Scratch } from './scratch.ts'

export async function gapRows(scratch: Scratch, size: { rounds: number; iterations: number }): Promise<Row[]> {
  const long: Pair[] = []
  const passing: Pair[] = []
  for (let round = 0; round < size.rounds; round++) {
    long.push(await pair(scratch, size.iterations, 'commits', 1))
    passing.push(await pair(scratch, size.iterations, 'commits and flips', size.iterations))
  }
  const gaps = (pairs: Pair[]) => pairs.map(({ floor, ralph }) => ({ floor: median(floor.gapsMs), ralph: median(ralph.gapsMs) }))
  const starts = [...long, ...passing].map(({ floor, ralph }) => ({ floor: floor.startMs, ralph: ralph.startMs }))
  return [
    pairedRow('gap between two agents, in a long story', 'ms', gaps(long), 15),
    pairedRow('gap between two agents, a story passing each time', 'ms', gaps(passing), null),
    pairedRow('start to the first agent', 'ms', starts, null),
  ]
}

type Timing = { startMs: number; gapsMs: number[] }
type Pair = { floor: Timing; ralph: Timing }

async function pair(scratch: Scratch, count: number, behaviour: 'commits' | 'commits and flips', stories: number): Promise<Pair> {
  const loop = `for i in $(seq ${count}); do ./agent.sh < .ralph/bench/prd.json > /dev/null 2>&1; done`
  const floor = await timed(scratch, makeProject(scratch, stories, behaviour), 'sh', ['-c', loop], count)
  const args = [scratch.program, 'run', '--no-archive', '-n', String(count)]
  const ralph = await timed(scratch, makeProject(scratch, stories, behaviour), process.execPath, args, count)
  return { floor, ralph }
}

async function timed(scratch: Scratch, project: Project, command: string, args: string[], count: number): Promise<Timing> {
  const before = performance.timeOrigin + performance.now()
  const child = spawn(command, args, { cwd: project.root, env: scratch.env, stdio: ['ignore', 'ignore', 'inherit'] })
  const ended = Promise.withResolvers<void>()
  child.on('error', ended.reject)
  child.on('exit', () => ended.resolve())
  await ended.promise
  const stamps = readFileSync(project.times, 'utf8').trimEnd().split('\n')
  if (stamps.length !== 2 * count) throw new Error(`${count} iterations were asked for, and the agent noted ${stamps.length / 2}`)
  const atMs = stamps.map((stamp) => Number(BigInt(stamp.split(' ')[1]!) / 1000n) / 1000)
  const gapsMs = atMs.flatMap((at, index) => (index > 0 && index % 2 === 0 ? [at - atMs[index - 1]!] : []))
  return { startMs: atMs[0]! - before, gapsMs }
}
