/** Twenty stories, each passing in one iteration: the bare loop, ralph and every rival take turns, with the same agent. */
import { spawn, spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { readIfThere } from '../src/adapters/files/files.ts'
import { EXIT, Failure } from '../src/core/failure.ts'
import { arena, type Contender } from './contenders.ts'
import { median, spread } from './numbers.ts'
import { processorMs } from './processor.ts'
import type { Row } from './rows.ts'
import { noted, type Scratch } from './scratch.ts'

/** Each number is a median over the rounds. */
export async function loopRows(scratch: Scratch, contenders: Contender[], rounds: number, stories = 20): Promise<Row[]> {
  const measured = new Map<string, Loop[]>(contenders.map(({ name }) => [name, []]))
  for (let round = 0; round < rounds; round++)
    for (const contender of contenders) measured.get(contender.name)!.push(oneLoop(scratch, contender, stories))
  const peaks = new Map<string, number>()
  for (const contender of contenders) peaks.set(contender.name, await peakMb(scratch, contender, stories))
  const helps = new Map<string, number[]>()
  for (const { name, help } of contenders) {
    const command = name === 'floor' ? `'${process.execPath}' '${scratch.empty}'` : help
    if (command === null) continue
    const one = (): number => processorMs(['bash', '-c', command], scratch.folder, scratch.env)
    helps.set(name, Array.from({ length: rounds }, one))
  }
  const row = (what: string, unit: Row['unit'], of: (loop: Loop) => number): Row =>
    rowOf(what, unit, new Map([...measured].map(([name, loops]) => [name, loops.map(of)])))
  const cpu = row(`processor time for ${stories} stories, the agent's own included`, 'ms', ({ cpuMs }) => cpuMs)
  return [
    row('start to the first agent', 'ms', ({ startMs }) => startMs),
    row('gap between two agents, a story passing each time', 'ms', ({ gapMs }) => gapMs),
    { ...cpu, judged: cpu.ralph, goal: 800 },
    rowOf(
      `peak memory of all its processes in ${stories} stories, without the agent`,
      'MB',
      new Map([...peaks].map(([name, mb]) => [name, [mb]])),
    ),
    rowOf('processor time of --help', 'ms', helps),
  ]
}

type Loop = { startMs: number; gapMs: number; cpuMs: number }

function rowOf(what: string, unit: Row['unit'], values: Map<string, number[]>): Row {
  const { floor, ralph, ...rivals } = Object.fromEntries(values)
  const differences = ralph!.map((value, round) => value - floor![round]!)
  return {
    what,
    unit,
    floor: median(floor!),
    ralph: median(ralph!),
    over: median(differences),
    noise: spread(differences),
    goal: null,
    rivals: Object.fromEntries(Object.entries(rivals).map(([name, all]) => [name, median(all)])),
  }
}

/** In its own project, on a clock that the agent reads too. */
function oneLoop(scratch: Scratch, { name, command }: Contender, stories: number): Loop {
  const { project, env } = arena(scratch, stories)
  const before = performance.timeOrigin + performance.now()
  const script = 'TIMEFORMAT="%3U %3S"; { time bash -c "$1" > /dev/null 2> "$2" < /dev/null; } 2>&1'
  const said = join(scratch.folder, 'said')
  const { stdout, status } = spawnSync('bash', ['-c', script, 'bash', command(project, stories), said], {
    cwd: project.root,
    env,
    encoding: 'utf8',
  })
  const [user, system] = stdout.trim().split('\n').at(-1)!.split(' ').map(Number)
  const atMs = noted(project)
  if (atMs.length !== 2 * stories)
    throw new Failure(EXIT.data, notMeasured(name, stories, Math.ceil(atMs.length / 2), status, readIfThere(said) ?? ''))
  const gapsMs = atMs.flatMap((at, index) => (index > 0 && index % 2 === 0 ? [at - atMs[index - 1]!] : []))
  return { startMs: atMs[0]! - before, gapMs: median(gapsMs), cpuMs: (user! + system!) * 1000 }
}

function notMeasured(name: string, stories: number, calls: number, status: number | null, words: string): string {
  const called = calls === 0 ? 'never called the agent' : `called the agent ${calls} times`
  const last = words.trim().split('\n').at(-1) ?? ''
  const ended = `It ended with exit code ${status}${last === '' ? '' : `: ${last.slice(0, 200)}`}.`
  return `${name} ${called}, and ${stories} calls were wanted. ${ended} See "Against another program" in docs/benchmarks.md.`
}

/** In a separate pass: inspecting every process would disturb the timing. */
async function peakMb(scratch: Scratch, { command }: Contender, stories: number): Promise<number> {
  const { project, env } = arena(scratch, stories)
  const child = spawn('bash', ['-c', `exec 0< /dev/null; ${command(project, stories)}`], {
    cwd: project.root,
    env,
    stdio: 'ignore',
  })
  let isOver = false
  child.on('exit', () => {
    isOver = true
  })
  let peak = 0
  while (!isOver) {
    peak = Math.max(peak, treeMb(child.pid!))
    await pause(15)
  }
  return peak
}

/** Memory of the tree below a process, without the agent and its children. */
function treeMb(root: number): number {
  const children = Map.groupBy(processes(), ({ parent }) => parent)
  const below = (pid: number): number => {
    const isAgent = /agents-\w+\/(claude|agent)\b|\/agent\.sh\b/.test(readProc(pid, 'cmdline'))
    if (isAgent && pid !== root) return 0
    const kb = Number(/^VmRSS:\s+(\d+)/m.exec(readProc(pid, 'status'))?.[1] ?? 0)
    return kb + (children.get(pid) ?? []).reduce((sum, child) => sum + below(child.pid), 0)
  }
  return below(root) / 1024
}

function processes(): { pid: number; parent: number }[] {
  return readdirSync('/proc').flatMap((name) => {
    const parent = /^\d+$/.test(name) ? /\) \S (\d+)/.exec(readProc(Number(name), 'stat'))?.[1] : undefined
    return parent === undefined ? [] : [{ pid: Number(name), parent: Number(parent) }]
  })
}

/** Empty: it has ended. */
function readProc(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8')
  } catch {
    return ''
  }
}
