/** One long run with an agent that takes no time, and its measurements on the way: memory, gap, files, state, `status`. */
import { spawn } from 'node:child_process'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { availableParallelism, loadavg } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { foldLog } from '../src/adapters/project/event-log.ts'
import { evolve } from '../src/core/evolve/evolve.ts'
import { initialState } from '../src/core/evolve/initial.ts'
import type { State } from '../src/core/state.ts'
import { median } from './numbers.ts'
import { processorMs } from './processor.ts'
import type { Scratch } from './scratch.ts'
import { type Held, openMemory } from './soak-memory.ts'
import { makeSoakProject, type SoakProject } from './soak-project.ts'

export type Sample = {
  iteration: number
  /** The median over the iterations of the window that ends here. */
  gapMs: number
  /** The minimum over the last iterations, because between two collections a program may hold half as much again. And the maximum so far. */
  rssMb: number
  peakMb: number
  /**
   * Of it: V8's space for new objects; and what the program really holds, its heap and buffers after a collection. That collection is forced
   * at each mark and may return memory, so resident memory is not quite that of an undisturbed run.
   */
  youngMb: number
  heldMb: number
  /** CPU time of one iteration: Ralph, the agent and every git. */
  cpuMs: number
  /** Load average per core: above 1, the gap says more about the machine than about Ralph. */
  load: number
  files: number
  megabytes: number
  /** Git's loose objects, and packs. */
  loose: number
  packs: number
  /** CPU time of `ralph status`, and of a Node program that does nothing. */
  statusMs: number
  emptyMs: number
  /** The folded state as JSON, without the set of seen contents; and that set. */
  stateKb: number
  stories: number
  seen: number
  /** The cost of folding one event here. */
  foldUs: number
}
export type Soaked = {
  samples: Sample[]
  code: number | null
  outcome: string
  because: string
  events: number
  refused: number
  passed: number
}

/** Figures are taken over this many iterations before each mark: now and then git packs for a few seconds, which must not dominate. */
const window = 500

export async function soak(scratch: Scratch, iterations: number, marks: number[], keptLogs: number): Promise<Soaked> {
  const project = makeSoakProject(scratch, iterations, keptLogs)
  const watched = await watchedRun(scratch, project, iterations, marks)
  const log = join(project.dir, 'events.jsonl')
  const folded = foldedAt(log, marks)
  const gaps = gapsOf(project)
  const between = (from: number, to: number): Watched['seen'] =>
    watched.seen.filter(({ iteration }) => iteration >= from && iteration <= to)
  const samples = marks.map((iteration, index): Sample => {
    const from = Math.max(1, iteration - window)
    const seen = between(from, iteration)
    const [first, last] = [seen[0]!, seen.at(-1)!]
    return {
      iteration,
      gapMs: median(gaps.slice(from, iteration)),
      rssMb: Math.min(...between(iteration - window, iteration).map(({ mb }) => mb)),
      peakMb: Math.max(...between(0, iteration).map(({ mb }) => mb)),
      cpuMs: (last.cpuMs - first.cpuMs) / (last.iteration - first.iteration),
      ...watched.looks[index]!,
      ...watched.held[index]!,
      ...folded.at[index]!,
    }
  })
  const { state } = folded
  return {
    samples,
    code: watched.code,
    outcome: state.outcome?.outcome ?? 'none',
    because: state.outcome?.because ?? 'it never ended',
    events: folded.events,
    refused: folded.refused,
    passed: (state.plan?.stories ?? []).filter(({ passes }) => passes).length,
  }
}

type Look = Pick<Sample, 'load' | 'files' | 'megabytes' | 'loose' | 'packs' | 'statusMs' | 'emptyMs'>
type Watched = { code: number | null; looks: Look[]; held: Held[]; seen: { iteration: number; mb: number; cpuMs: number }[] }

async function watchedRun(scratch: Scratch, project: SoakProject, iterations: number, marks: number[]): Promise<Watched> {
  const memory = openMemory(scratch.folder)
  const args = [...memory.args, scratch.program, 'run', '--quiet', '--no-archive', '-n', String(iterations)]
  const child = spawn(process.execPath, args, { cwd: project.root, env: scratch.env, stdio: ['ignore', 'ignore', 'inherit'] })
  let code: number | null | undefined
  child.on('error', (error) => {
    throw error
  })
  child.on('exit', (exitCode) => {
    code = exitCode
  })
  const looks: Look[] = []
  const held: Held[] = []
  const seen: Watched['seen'] = []
  while (code === undefined) {
    await pause(lookMs)
    const iteration = iterationNow(project)
    const mb = residentMb(child.pid!)
    if (mb > 0 && iteration > 0) seen.push({ iteration, mb, cpuMs: processorMsOf(child.pid!) })
    const next = marks[held.length]
    // The last one is asked a little before it ends: nobody would answer after that.
    if (next !== undefined && iteration >= Math.min(next, iterations - beforeEnd)) held.push(await memory.heldBy(child.pid!))
    const due = marks[looks.length]
    if (due === undefined || iteration < due || due === iterations) continue
    looks.push(looked(scratch, project))
    process.stderr.write(`iteration ${iteration}: ${mb.toFixed(0)} MB\n`)
  }
  while (looks.length < marks.length) looks.push(looked(scratch, project))
  return { code, looks, held, seen }
}

const lookMs = 250
const beforeEnd = 20

/** How far the run is. */
function iterationNow({ dir }: SoakProject): number {
  try {
    return Number(/"iteration": (\d+)/.exec(readFileSync(join(dir, 'status.json'), 'utf8'))?.[1] ?? 0)
  } catch {
    return 0 // does not exist yet
  }
}

/** 0: it has ended. */
function residentMb(pid: number): number {
  try {
    return Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024
  } catch {
    return 0
  }
}

/** Its own and that of all ended children. The kernel counts in hundredths of a second. */
function processorMsOf(pid: number): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /, '')
      .split(' ')
    return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks) * 10, 0)
  } catch {
    return 0
  }
}

function looked(scratch: Scratch, { root }: SoakProject): Look {
  const rounds = [1, 2, 3, 4, 5]
  const status = rounds.map(() => processorMs([process.execPath, scratch.program, 'status'], root, scratch.env))
  const empty = rounds.map(() => processorMs([process.execPath, scratch.empty], root, scratch.env))
  const own = filesIn(join(root, '.ralph'))
  const objects = filesIn(join(root, '.git', 'objects')).map(({ path }) => path)
  return {
    load: loadavg()[0]! / availableParallelism(),
    files: own.length,
    megabytes: own.reduce((sum, { bytes }) => sum + bytes, 0) / 1e6,
    loose: objects.filter((path) => /\/objects\/[0-9a-f]{2}\//.test(path)).length,
    packs: objects.filter((path) => path.includes('/pack/')).length,
    statusMs: median(status),
    emptyMs: median(empty),
  }
}

/** Files that vanish meanwhile do not count. */
function filesIn(folder: string): { path: string; bytes: number }[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true }).flatMap((entry) => {
    const path = join(entry.parentPath, entry.name)
    const bytes = entry.isFile() ? statSync(path, { throwIfNoEntry: false })?.size : undefined
    return bytes === undefined ? [] : [{ path, bytes }]
  })
}

/** From the end that one agent notes to the start that the next notes; the first after iteration 1. */
function gapsOf({ times }: SoakProject): number[] {
  const atMs = readFileSync(times, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => Number(line.split(' ')[1]!.replace(',', '.')) * 1000)
  return atMs.flatMap((at, index) => (index > 0 && index % 2 === 0 ? [at - atMs[index - 1]!] : []))
}

type Folded = { at: Pick<Sample, 'stateKb' | 'stories' | 'seen' | 'foldUs'>[]; state: State; events: number; refused: number }

/** The fold of the whole log, measured where each mark's iteration was settled. */
function foldedAt(log: string, marks: number[]): Folded {
  const at: Folded['at'] = []
  const taken: number[] = []
  let refused = 0
  const { value: state } = foldLog(log, initialState as State, (before, event) => {
    const began = performance.now()
    const next = evolve(before, event)
    taken.push(performance.now() - began)
    if (event.kind === 'iteration.judged' && event.refused.length > 0) refused += 1
    if (event.kind === 'iteration.settled' && event.iteration === marks[at.length]) {
      const { seen, ...rest } = next
      const stateKb = JSON.stringify(rest).length / 1000
      at.push({
        stateKb,
        stories: Object.keys(next.stories).length,
        seen: seen.size,
        foldUs: median(taken.slice(-2 * window)) * 1000,
      })
    }
    return next
  })
  return { at, state, events: taken.length, refused }
}
