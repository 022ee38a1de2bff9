/** Several stories at once compared to the ideal: the same agents in prepared folders, started by a plain counter. */
import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { withFiles } from './large.ts'
import { pairedRow, type Row } from './rows.ts'
import { makeProject, noted, type Project, type Scratch } from './scratch.ts'

type Load = {
  what: string
  seconds: number[]
  workers: number
  /** In ms of the whole command; or relative to the ideal, from the first agent's start, because the program's start has its own row. */
  goal: { ms: number } | { share: number } | null
  /** Besides the 200 of each project. */
  files?: number
}

const twelve = (seconds: number): number[] => Array.from({ length: 12 }, () => seconds)
const loads: Load[] = [
  { what: '12 stories of 10 s with 6 workers', seconds: twelve(10), workers: 6, goal: { share: 0.03 } },
  { what: '12 stories of 1 s with 6 workers', seconds: twelve(1), workers: 6, goal: { share: 0.2 } },
  {
    what: 'one story of 6 s and eleven of 1 s with 3 workers',
    seconds: [6, ...twelve(1).slice(1)],
    workers: 3,
    goal: { ms: 7500 },
  },
  { what: '8 stories of 1 s with 4 workers in 20,000 files', seconds: twelve(1).slice(4), workers: 4, goal: null, files: 20_000 },
]

export async function parallelRows(scratch: Scratch, rounds: number): Promise<Row[]> {
  const rows: Row[] = []
  for (const { what, seconds, workers, goal, files } of loads) {
    const taken: { floor: number; whole: number; fromFirst: number }[] = []
    for (let round = 0; round < rounds; round++)
      taken.push({
        floor: await idealMs(scratch, projectFor(scratch, seconds, files), { seconds, workers }),
        ...ralphMs(scratch, projectFor(scratch, seconds, files), workers),
      })
    const whole = pairedRow(
      what,
      'ms',
      taken.map((round) => ({ ...round, ralph: round.whole })),
      null,
    )
    if (goal === null) {
      rows.push(whole)
      continue
    }
    if ('ms' in goal) {
      rows.push({ ...whole, judged: whole.ralph, goal: goal.ms })
      continue
    }
    const fromFirst = taken.map((round) => ({ ...round, ralph: round.fromFirst }))
    rows.push(pairedRow(`${what}, from the first agent's start`, 'ms', fromFirst, Math.round(whole.floor! * goal.share)), {
      ...whole,
      what: `${what}, the whole command`,
    })
  }
  return rows
}

/** Its story takes as long as the number in RALPH_STORY says. */
function projectFor(scratch: Scratch, seconds: number[], files = 0): Project {
  const project = makeProject(scratch, seconds.length, 'commits')
  writeFileSync(
    project.agent,
    [
      '#!/bin/sh',
      `date +'start %s%N' >> '${project.times}'`,
      'cat > /dev/null',
      `set -- ${seconds.join(' ')}`,
      'shift $(($(echo "$RALPH_STORY" | tr -d S-) - 1)); sleep "$1"',
      'echo done > "src/$RALPH_STORY.txt"',
      'git add src; git commit -q -m "feat: $RALPH_STORY"',
      '[ -z "$RALPH_PLAN" ] || sed -i "/\\"id\\": \\"$RALPH_STORY\\"/,/\\"passes\\"/ s/\\"passes\\": false/\\"passes\\": true/" "$RALPH_PLAN"',
      'echo "It is there."',
      '',
    ].join('\n'),
  )
  must(scratch, project.root, 'git', 'commit', '-qam', 'the agent')
  return files === 0 ? project : withFiles(scratch, project, files)
}

function ralphMs(scratch: Scratch, project: Project, workers: number): { whole: number; fromFirst: number } {
  const before = performance.now()
  must(scratch, project.root, process.execPath, scratch.program, 'run', '--parallel', String(workers), '--quiet')
  const after = performance.now()
  return { whole: after - before, fromFirst: performance.timeOrigin + after - Math.min(...noted(project)) }
}

async function idealMs(
  scratch: Scratch,
  { root, agent }: Project,
  { seconds, workers }: Pick<Load, 'seconds' | 'workers'>,
): Promise<number> {
  const folders = seconds.map(() => mkdtempSync(join(scratch.folder, 'ideal-')))
  for (const folder of folders) must(scratch, root, 'git', 'clone', '-q', root, folder)
  for (const folder of folders) must(scratch, folder, 'git', 'config', 'user.email', 'bench@localhost')
  for (const folder of folders) must(scratch, folder, 'git', 'config', 'user.name', 'Bench')
  const left = seconds.map((_, index) => index)
  const before = performance.now()
  const worker = async (): Promise<void> => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) {
      const { promise, resolve } = Promise.withResolvers<void>()
      const env = { ...scratch.env, RALPH_STORY: `S-${next + 1}` }
      spawn(agent, { cwd: folders[next]!, env, stdio: 'ignore' }).on('exit', () => resolve())
      await promise
    }
  }
  await Promise.all(Array.from({ length: workers }, worker))
  return performance.now() - before
}

function must(scratch: Scratch, cwd: string, command: string, ...args: string[]): void {
  const { status, stderr, stdout } = spawnSync(command, args, { cwd, env: scratch.env, encoding: 'utf8' })
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} failed (${status}): ${stdout}${stderr}`)
}
