/** What a short command costs: CPU time above a Node program that does nothing. */
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
  const cases = [
    { what: 'processor time of ralph --help', args: ['--help'], cwd: young.root },
    { what: 'processor time of ralph status', args: ['status'], cwd: young.root },
    { what: 'the same after 10,000 iterations', args: ['status'], cwd: old.root },
  ]
  return cases.map(({ what, args, cwd }) => {
    const rounds = Array.from({ length: samples }, () => ({
      floor: processorMs([process.execPath, scratch.empty], cwd, scratch.env),
      ralph: processorMs([process.execPath, scratch.program, ...args], cwd, scratch.env),
    }))
    return pairedRow(what, 'ms', rounds, 40)
  })
}
