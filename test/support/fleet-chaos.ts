/** Trouble for a fleet: kills workers, suspends them past their leases, restarts the database, makes the remote refuse; and checks the result. */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Event } from '../../src/core/types.ts'
import { makeFleet, type TestFleet, type WorkerProcess } from './fleet.ts'
import type { Postgres } from './postgres.ts'
import type { StorySketch } from './project.ts'

export type Chaos = {
  features: number
  workers: number
  slots: number
  leaseSeconds: number
  calls: { most: number; seconds: number }
  /** What happens, in this order, one after the other while there is work. */
  troubles: Trouble[]
  everyMs: number
  /** The first feature is not done before all trouble is over. */
  isHeld?: true
  /** Gives up, and says what was left. */
  seconds: number
}
export type Trouble = 'kill' | 'sleep' | 'restart' | 'refuse'
export type ChaosResult = {
  seconds: number
  done: Record<Trouble, number>
  /** What was broken, in words; empty: everything is fine. */
  broken: string[]
  /** From the death of a worker until another one had its feature. */
  recoveryMs: number[]
  /** From an event's own time until the database had it. */
  mirrorMs: number[]
  events: number
  turns: number
  calls: number
}

/** Whoever works on a feature holds a lock that dies with its process: two at a time leave a trace. */
const work = [
  { run: 'flock -n "$TMPDIR/$(echo $RALPH_STORY | cut -d- -f1).busy" sleep 0.2 || echo "$RALPH_STORY" >> "$TMPDIR/overlaps"' },
  { write: { path: '$RALPH_STORY.txt', text: 'done\n' } },
  { commit: 'feat: $RALPH_STORY' },
  { flip: '$RALPH_STORY' },
  { say: 'It is there.' },
]

const held = [{ run: 'while [ ! -e $TMPDIR/calm ]; do sleep 0.1; done' }, ...work]

export async function chaos(plan: Chaos, shared?: Postgres): Promise<ChaosResult> {
  const names = Array.from({ length: plan.features }, (_, index) => `f${index + 1}`)
  const storiesOf = (index: number): StorySketch[] =>
    (index % 3 === 0 ? ['1', '2'] : ['1']).map((number) => ({ id: `F${index + 1}-${number}` }))
  const fleet = await makeFleet(
    {
      features: Object.fromEntries(names.map((name, index) => [name, storiesOf(index)])),
      script: { otherwise: work, ...(plan.isHeld && { stories: { 'F1-1': [held] } }) },
      init: ['--lease', `${plan.leaseSeconds}s`, '--calls', `${plan.calls.most}/${plan.calls.seconds}s`],
    },
    shared,
  )
  try {
    return await lived(fleet, plan, names)
  } finally {
    await fleet.remove()
  }
}

async function lived(fleet: TestFleet, plan: Chaos, names: string[]): Promise<ChaosResult> {
  const began = performance.now()
  const hook = join(fleet.remote, 'hooks', 'pre-receive')
  const refusing = join(fleet.remote, 'refusing')
  writeFileSync(hook, `#!/bin/sh\nif [ -e "${refusing}" ]; then echo "the remote is out of order" >&2; exit 1; fi\n`, {
    mode: 0o755,
  })
  const submitted = await fleet.ralph('fleet', 'submit', ...names, '--repo', fleet.remote)
  if (submitted.code !== 0) throw new Error(submitted.err)
  const workers: WorkerProcess[] = []
  const broken: string[] = []
  let isEnding = false
  const hire = (): void => {
    const worker = fleet.worker('--slots', String(plan.slots))
    workers.push(worker)
    worker.ended.then(({ code, err }) => {
      if (!isEnding && workers.includes(worker))
        broken.push(`a worker ended by itself with ${code}: ${err.trim().slice(0, 1000)}`)
    })
  }
  for (let count = 0; count < plan.workers; count++) hire()
  const done: ChaosResult['done'] = { kill: 0, sleep: 0, restart: 0, refuse: 0 }
  const recoveryMs: number[] = []
  const watching: Promise<void>[] = []
  let chosen = 0
  const left = async (): Promise<number> => {
    const [row] = await (await fleet.open()).query<{ left: number }>(
      `select count(*)::int as left from ralph.features where state in ('queued', 'running')`,
    )
    return row!.left
  }
  const isOver = async (): Promise<boolean> => (await left().catch(() => 1)) === 0
  const timeIsUp = (): boolean => performance.now() - began > plan.seconds * 1000
  for (let next = 0; !(await isOver()) && !timeIsUp(); ) {
    const trouble = plan.troubles[next]
    if (trouble === undefined) writeFileSync(join(fleet.base, 'calm'), '')
    else if (await makeTrouble(trouble)) {
      next += 1
      done[trouble] += 1
    }
    await pause(plan.everyMs)
  }
  rmSync(refusing, { force: true })
  await Promise.all(watching)
  isEnding = true
  for (const { child } of workers) child.kill('SIGTERM')
  await Promise.all(workers.map(({ ended }) => ended))
  const found = await verdict(fleet, plan, names)
  return { ...found, broken: [...broken, ...found.broken], done, recoveryMs, seconds: (performance.now() - began) / 1000 }

  /** False: nobody to do it to. */
  async function makeTrouble(trouble: Trouble): Promise<boolean> {
    const busy = await someone()
    switch (trouble) {
      case 'kill':
        if (busy === null) return false
        workers.splice(workers.indexOf(busy.worker), 1)
        busy.worker.child.kill('SIGKILL')
        for (const { key, turn } of busy.held) watching.push(recovered(key, turn, performance.now()))
        hire()
        return true
      case 'sleep':
        if (busy === null) return false
        busy.worker.child.kill('SIGSTOP')
        for (const { key, turn } of busy.held) watching.push(recovered(key, turn, performance.now()))
        watching.push(pause(plan.leaseSeconds * 1000 + 2500).then(() => void busy.worker.child.kill('SIGCONT')))
        return true
      case 'restart':
        await fleet.postgres.stop()
        await fleet.postgres.start()
        return true
      case 'refuse':
        writeFileSync(refusing, '')
        watching.push(pause(4000).then(() => rmSync(refusing, { force: true })))
        return true
    }
  }

  /** A worker with a running feature: another one each time. */
  async function someone(): Promise<{ worker: WorkerProcess; held: { key: string; turn: number }[] } | null> {
    const rows = await (await fleet.open()).query<{ key: string; turn: number; worker: string }>(
      `select key, turn, worker from ralph.features where state = 'running' and lease_until > clock_timestamp()`,
    )
    const all = workers.map((worker) => ({
      worker,
      held: rows.filter((row) => row.worker.split('-').at(-2) === String(worker.child.pid)),
    }))
    const busy = all.filter(({ held }) => held.length > 0)
    chosen += 1
    return busy[chosen % busy.length] ?? null
  }

  async function recovered(key: string, turn: number, since: number): Promise<void> {
    const isNext = async (): Promise<boolean> => {
      const [row] = await (await fleet.open()).query<{ turn: number; state: string }>(
        'select turn, state from ralph.features where key = $1',
        [key],
      )
      return row!.turn > turn || !['running', 'queued'].includes(row!.state)
    }
    while (!(await isNext().catch(() => false)) && !timeIsUp()) await pause(100)
    recoveryMs.push(performance.now() - since)
  }
}

async function verdict(
  fleet: TestFleet,
  plan: Chaos,
  names: string[],
): Promise<Pick<ChaosResult, 'broken' | 'mirrorMs' | 'events' | 'turns' | 'calls'>> {
  const broken: string[] = []
  const sql = await fleet.open()
  let events = 0
  let turns = 0
  for (const name of names) {
    const row = await fleet.feature(name)
    turns += row.turn
    if (row.state !== 'completed') broken.push(`${name} is ${row.state} (turn ${row.turn}): ${row.reason}`)
    const log = await fleet.events(name)
    events += log.length
    broken.push(...brokenIn(fleet, name, log))
  }
  const overlaps = join(fleet.base, 'overlaps')
  if (existsSync(overlaps)) broken.push(`two agents at once: ${readFileSync(overlaps, 'utf8').trim().split('\n').join(', ')}`)
  const calls = await sql.query<{ at: number }>('select extract(epoch from at)::float8 as at from ralph.calls order by at')
  const isOver = calls.some(({ at }, index) => (calls[index + plan.calls.most]?.at ?? Infinity) - at < plan.calls.seconds)
  if (isOver) broken.push(`more than ${plan.calls.most} calls in ${plan.calls.seconds} s`)
  const late = await sql.query<{ ms: number }>(
    `select extract(epoch from e.at - (e.line::json->>'at')::timestamptz)::float8 * 1000 as ms from ralph.events e`,
  )
  return { broken, events, turns, calls: calls.length, mirrorMs: late.map(({ ms }) => ms) }
}

/** For one feature: completed once, each story done once, and every commit of a finished iteration on its branch. */
function brokenIn(fleet: TestFleet, name: string, log: Event[]): string[] {
  const broken: string[] = []
  const ends = log.filter((event) => event.kind === 'run.ended' && event.outcome === 'complete')
  if (ends.length !== 1) broken.push(`${name} was completed ${ends.length} times`)
  let subjects: string[]
  try {
    subjects = fleet.git('log', '--format=%H %s', `feature/${name}`).split('\n')
  } catch {
    return [...broken, `${name} has no branch`]
  }
  const onBranch = new Set(subjects.map((line) => line.slice(0, line.indexOf(' '))))
  const done = subjects.map((line) => line.slice(line.indexOf(' ') + 1)).filter((subject) => subject.startsWith('feat: '))
  const twice = done.filter((subject, index) => done.indexOf(subject) !== index)
  if (twice.length > 0) broken.push(`${name} has ${twice.join(', ')} twice: ${log.map(({ kind }) => kind).join(' ')}`)
  for (const event of log) {
    if (event.kind !== 'iteration.settled') continue
    const missing = event.commits.filter((commit) => !onBranch.has(commit))
    if (missing.length > 0)
      broken.push(`${name}: iteration ${event.iteration} committed ${missing.join(', ')}, which its branch lacks`)
  }
  const settled = log.flatMap((event) => (event.kind === 'iteration.settled' ? [event.iteration] : []))
  if (new Set(settled).size !== settled.length) broken.push(`${name}: an iteration settled twice: ${settled.join(', ')}`)
  return broken
}
