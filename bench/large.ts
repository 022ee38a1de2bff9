/** The gap between two agents beside one `git status`: in a small repository, in large ones, and with a plan of many stories. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { timesOf } from './gap.ts'
import { median } from './numbers.ts'
import { pairedRow, type Row } from './rows.ts'
import { type Behaviour, makeProject, type Project, type Scratch } from './scratch.ts'

type Size = { rounds: number; iterations: number }

const kinds: { behaviour: Behaviour; words: string; inSmall: number; inFiles: number; inPlan: number }[] = [
  { behaviour: 'commits', words: 'in a long story', inSmall: 10, inFiles: 15, inPlan: 40 },
  { behaviour: 'commits and flips', words: 'a story passing each time', inSmall: 15, inFiles: 30, inPlan: 60 },
]
const mostToStart = 100

export async function largeRows(scratch: Scratch, size: Size): Promise<Row[]> {
  const rows: Row[] = []
  for (const files of [200, 20_000, 100_000])
    for (const { behaviour, words, inSmall, inFiles } of kinds) {
      const project = makeProject(scratch, size.iterations * size.rounds + 1, behaviour)
      if (files > 200) withFiles(scratch, project, files)
      const pairs = []
      for (let round = 0; round < size.rounds; round++)
        pairs.push({ floor: statusMs(scratch, project), ...(await ralphTimes(scratch, project, size.iterations)) })
      const where = `with ${files.toLocaleString('en')} files`
      const gaps = pairs.map(({ floor, gapMs }) => ({ floor, ralph: gapMs }))
      rows.push(pairedRow(`gap ${where}, ${words}`, 'ms', gaps, files > 200 ? inFiles : inSmall))
      const starts = pairs.map(({ floor, startMs }) => ({ floor, ralph: startMs }))
      if (behaviour === 'commits') rows.push(pairedRow(`start to the first agent ${where}`, 'ms', starts, mostToStart))
    }
  for (const { behaviour, words, inPlan } of kinds) {
    const pairs = []
    for (let round = 0; round < size.rounds; round++) {
      const project = makeProject(scratch, 2000, behaviour)
      const floor = statusMs(scratch, project)
      pairs.push({ floor, ralph: (await ralphTimes(scratch, project, size.iterations)).gapMs })
    }
    rows.push(pairedRow(`gap with a plan of 2,000 stories, ${words}`, 'ms', pairs, inPlan))
  }
  return rows
}

const ralphTimes = (scratch: Scratch, project: Project, count: number) =>
  timesOf(scratch, project, [process.execPath, scratch.program, 'run', '--no-archive', '-n', String(count)], count)

/** Small files, a hundred to a folder. */
export function withFiles(scratch: Scratch, project: Project, files: number): Project {
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
