/** The gap between two agents where there is much to look at: many files, beside one `git status` of them, and a plan of many stories. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { medianGap } from './gap.ts'
import { median } from './numbers.ts'
import { pairedRow, type Row } from './rows.ts'
import { type Behaviour, makeProject, type Project, type Scratch } from './scratch.ts'

type Size = { rounds: number; iterations: number }

const kinds: { behaviour: Behaviour; words: string; inFiles: number; inPlan: number }[] = [
  { behaviour: 'commits', words: 'in a long story', inFiles: 15, inPlan: 40 },
  { behaviour: 'commits and flips', words: 'a story passing each time', inFiles: 30, inPlan: 60 },
]

export async function largeRows(scratch: Scratch, size: Size): Promise<Row[]> {
  const rows: Row[] = []
  for (const files of [20_000, 100_000])
    for (const { behaviour, words, inFiles } of kinds) {
      const project = withFiles(scratch, makeProject(scratch, size.iterations * size.rounds + 1, behaviour), files)
      const pairs = []
      for (let round = 0; round < size.rounds; round++)
        pairs.push({ floor: statusMs(scratch, project), ralph: await ralphMs(scratch, project, size.iterations) })
      rows.push(pairedRow(`gap with ${files.toLocaleString('en')} files, ${words}`, 'ms', pairs, inFiles))
    }
  for (const { behaviour, words, inPlan } of kinds) {
    const pairs = []
    for (let round = 0; round < size.rounds; round++) {
      const project = makeProject(scratch, 2000, behaviour)
      pairs.push({ floor: statusMs(scratch, project), ralph: await ralphMs(scratch, project, size.iterations) })
    }
    rows.push(pairedRow(`gap with a plan of 2,000 stories, ${words}`, 'ms', pairs, inPlan))
  }
  return rows
}

const ralphMs = (scratch: Scratch, project: Project, count: number): Promise<number> =>
  medianGap(scratch, project, process.execPath, [scratch.program, 'run', '--no-archive', '-n', String(count)], count)

/** Small files, a hundred to a folder. */
function withFiles(scratch: Scratch, project: Project, files: number): Project {
  for (let n = 0; n < files; n++) {
    const folder = join(project.root, 'lib', String(Math.floor(n / 10_000)), String(Math.floor(n / 100) % 100))
    if (n % 100 === 0) mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, `file-${n}.txt`), `The ${n}th file.\n`)
  }
  for (const args of [
    ['add', '-A'],
    ['-c', 'maintenance.auto=false', 'commit', '-q', '-m', 'many files'],
    ['gc', '-q'],
  ])
    git(scratch, project, args)
  return project
}

function statusMs(scratch: Scratch, project: Project): number {
  const taken = Array.from({ length: 5 }, () => {
    const before = performance.now()
    git(scratch, project, ['status', '--porcelain'])
    return performance.now() - before
  })
  return median(taken)
}

function git(scratch: Scratch, { root }: Project, args: string[]): void {
  const { status, stderr } = spawnSync('git', args, { cwd: root, env: scratch.env, encoding: 'utf8' })
  if (status !== 0) throw new Error(`git ${args.join(' ')} failed: ${stderr}`)
}
