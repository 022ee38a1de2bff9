/** What a short command costs: processor time over a Node program that does nothing. */
import { spawnSync } from 'node:child_process'
import { copyFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { writeHistory } from './history.ts'
import { pairedRow, type Row } from './rows.ts'
import { makeProject, type Scratch } from './scratch.ts'

export function startupRows(scratch: Scratch, samples: number): Row[] {
  const young = makeProject(scratch, 3, 'commits')
  const old = makeProject(scratch, 3, 'commits')
  const { log, status } = writeHistory(scratch.folder, 10_000)
  copyFileSync(log, join(old.dir, 'events.jsonl'))
  writeFileSync(join(old.dir, 'status.json'), status)
  const cases = [
    { what: 'processor time of ralph --help', args: ['--help'], cwd: young.root },
    { what: 'processor time of ralph status', args: ['status'], cwd: young.root },
    { what: 'the same after 10,000 iterations', args: ['status'], cwd: old.root },
  ]
  return cases.map(({ what, args, cwd }) => {
    const rounds = Array.from({ length: samples }, () => ({
      floor: processorMs(scratch, [scratch.empty], cwd),
      ralph: processorMs(scratch, [scratch.program, ...args], cwd),
    }))
    return pairedRow(what, 'ms', rounds, 40)
  })
}

/** User and system time of a Node program with all its children, as the kernel counts it for the shell that waits for it. */
function processorMs(scratch: Scratch, args: string[], cwd: string): number {
  const script = 'TIMEFORMAT="%3U %3S"; { time "$@" > /dev/null 2>&3; } 3>&2'
  const { stderr, status } = spawnSync('bash', ['-c', script, 'bash', process.execPath, ...args], {
    cwd,
    env: scratch.env,
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`${args.join(' ')} failed: ${stderr}`)
  const [user, system] = stderr.trim().split('\n').at(-1)!.split(' ').map(Number)
  return (user! + system!) * 1000
}
