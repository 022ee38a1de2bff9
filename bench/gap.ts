/** The time between the end of one agent and the start of the next, in one long story: ralph compared to a bare `for` loop. */
import { spawn } from 'node:child_process'
import { median } from './numbers.ts'
import { pairedRow, type Row } from './rows.ts'
import { makeProject, noted, type Project, type Scratch } from './scratch.ts'

export async function gapRow(scratch: Scratch, size: { rounds: number; iterations: number }): Promise<Row> {
  const pairs: { floor: number; ralph: number }[] = []
  for (let round = 0; round < size.rounds; round++) pairs.push(await pair(scratch, size.iterations))
  return pairedRow('gap between two agents, in a long story', 'ms', pairs, 15)
}

async function pair(scratch: Scratch, count: number): Promise<{ floor: number; ralph: number }> {
  const loop = `for i in $(seq ${count}); do ./agent.sh < .ralph/bench/prd.json > /dev/null 2>&1; done`
  const floor = await timesOf(scratch, makeProject(scratch, 1, 'commits'), ['sh', '-c', loop], count)
  const run = [process.execPath, scratch.program, 'run', '--no-archive', '-n', String(count)]
  const ralph = await timesOf(scratch, makeProject(scratch, 1, 'commits'), run, count)
  return { floor: floor.gapMs, ralph: ralph.gapMs }
}

/** The median gap, and the time to the first agent, of the last runs of the agent in this project. */
export async function timesOf(
  scratch: Scratch,
  project: Project,
  [command = '', ...args]: string[],
  count: number,
): Promise<{ gapMs: number; startMs: number }> {
  const before = performance.timeOrigin + performance.now()
  const child = spawn(command, args, { cwd: project.root, env: scratch.env, stdio: ['ignore', 'ignore', 'inherit'] })
  const ended = Promise.withResolvers<void>()
  child.on('error', ended.reject)
  child.on('exit', () => ended.resolve())
  await ended.promise
  const atMs = noted(project).slice(-2 * count)
  if (atMs.length !== 2 * count) throw new Error(`${count} iterations were asked for, and the agent noted ${atMs.length / 2}`)
  const gapsMs = atMs.flatMap((at, index) => (index > 0 && index % 2 === 0 ? [at - atMs[index - 1]!] : []))
  return { gapMs: median(gapsMs), startMs: atMs[0]! - before }
}
