/** What a short command costs: CPU time above a Node program that does nothing. */
import { spawnSync } from 'node:child_process'
import { copyFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { writeHistory } from './history.ts'
import { processorMs } from './processor.ts'
import { pairedRow, type Row } from './rows.ts'
import { makeProject, type Scratch } from './scratch.ts'

export function startupRows(scratch: Scratch, samples: number): Row[] {
  const young = makeProject(scratch, 3, 'commits')
  const old = makeProject(scratch, 3, 'commits')
  const { log, status } = writeHistory(scratch.folder, 10_000)
  copyFileSync(log, join(old.dir, 'events.jsonl'))
  writeFileSync(join(old.dir, 'status.json'), status)
  const large = makeProject(scratch, 200, 'commits')
  const cases = [
    { what: 'processor time of ralph --help', args: ['--help'], cwd: young.root },
    { what: 'processor time of ralph status', args: ['status'], cwd: young.root },
    { what: 'the same after 10,000 iterations', args: ['status'], cwd: old.root },
  ]
  const rows = cases.map(({ what, args, cwd }) => {
    const rounds = Array.from({ length: samples }, () => ({
      floor: processorMs([process.execPath, scratch.empty], cwd, scratch.env),
      ralph: processorMs([process.execPath, scratch.program, ...args], cwd, scratch.env),
    }))
    return pairedRow(what, 'ms', rounds, 40)
  })
  return [...rows, lintRow(scratch, large.root, samples)]
}

/** From the start of the command to its end, as a person waits for it. */
function lintRow(scratch: Scratch, cwd: string, samples: number): Row {
  const timed = (args: string[]): number => {
    const before = performance.now()
    const { status, stderr } = spawnSync(process.execPath, args, { cwd, env: scratch.env, encoding: 'utf8' })
    if (status !== 0) throw new Error(`${args.join(' ')} failed: ${stderr}`)
    return performance.now() - before
  }
  const rounds = Array.from({ length: samples }, () => ({
    floor: timed([scratch.empty]),
    ralph: timed([scratch.program, 'lint']),
  }))
  return pairedRow('ralph lint of 200 stories', 'ms', rounds, 100)
}
