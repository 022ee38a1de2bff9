/** What a scene ended with, and every way in which that can contradict itself. */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { asKnownNow } from '../../src/core/evolve/older-events.ts'
import type { EventOf, Event as LogEvent } from '../../src/core/types.ts'
import type { TestProject } from '../support/project.ts'
import type { How } from './orders.ts'
import type { Scene } from './scene.ts'

/** The feature's folder, or its archive. */
function folderOf(project: TestProject): string {
  const archived = project.has('.ralph/archive') ? readdirSync(project.path('.ralph/archive')) : []
  return project.has('.ralph/thing/prd.json') || archived.length === 0 ? '.ralph/thing' : `.ralph/archive/${archived[0]}`
}

const logsOf = (project: TestProject): string => {
  const folder = folderOf(project)
  return folder.startsWith('.ralph/archive/') ? folder.replace('archive', 'logs') : `${folder}/logs`
}

/** Whole lines of the log. */
export function logLines(project: TestProject): string[] {
  const log = `${folderOf(project)}/events.jsonl`
  return project.has(log) ? project.read(log).split('\n').slice(0, -1) : []
}

const eventsIn = (project: TestProject): LogEvent[] => logLines(project).map((line) => asKnownNow(JSON.parse(line)))

export const linesOf = (text: string): string[] => text.split('\n').filter((line) => line !== '')

const failureBranches = (project: TestProject): string[] =>
  linesOf(project.git('branch', '--format=%(refname:short)', '--list', 'wip/*'))

/** Everything the user would miss, without `.ralph/`: the branch and its content, the index, the status, every byte on disk. */
function pictureOf(project: TestProject): Record<string, unknown> {
  const withoutOurs = (text: string): string[] => linesOf(text).filter((line) => !/[\t ]\.ralph\//.test(line))
  const files = readdirSync(project.root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(project.root, join(entry.parentPath, entry.name)))
    .filter((name) => !/^\.(git|ralph)\//.test(name))
  return {
    branch: project.git('rev-parse', '--symbolic-full-name', 'HEAD'),
    content: withoutOurs(project.git('ls-tree', '-r', 'HEAD')),
    index: withoutOurs(project.git('ls-files', '--stage')),
    status: withoutOurs(project.git('status', '--porcelain', '--ignored')),
    files: files.sort().map((name) => [name, project.read(name)]),
  }
}

/** What the user has in the end, without what a lost iteration may legitimately change. */
export function endOf({ isUnordered, rescued }: Scene, project: TestProject): Record<string, unknown> {
  const [branch = ''] = failureBranches(project)
  const inOrder = (lines: string[]): string[] => (isUnordered ? [...new Set(lines)].sort() : lines)
  const { userStories } = JSON.parse(project.read(`${folderOf(project)}/prd.json`)) as ReturnType<TestProject['plan']>
  const ends = eventsIn(project).filter((event): event is EventOf<'run.ended'> => event.kind === 'run.ended')
  const show = (name: string): string => (branch === '' ? '' : project.git('show', `${branch}:${name}`))
  return {
    outcome: `${ends.at(-1)?.outcome}: ${ends.at(-1)?.because}`,
    folder: folderOf(project),
    passing: userStories.filter(({ passes }) => passes).map(({ id }) => id),
    failed: userStories.map((story) => (story['failed'] as { reason: string } | undefined)?.reason),
    picture: pictureOf(project),
    lessons: project.has(`${folderOf(project)}/learnings`)
      ? readdirSync(project.path(`${folderOf(project)}/learnings`)).length
      : 0,
    branches: failureBranches(project).length,
    worktrees: linesOf(project.git('worktree', 'list')).length,
    rescued: rescued.map(show),
    commits: inOrder(
      linesOf(project.git('log', '--no-merges', '--format=%s', '--reverse', 'HEAD')).filter(
        (subject) => !subject.startsWith('chore'),
      ),
    ),
  }
}

export function differences(found: Record<string, unknown>, expected: Record<string, unknown>): string[] {
  return Object.keys(expected)
    .filter((key) => JSON.stringify(found[key]) !== JSON.stringify(expected[key]))
    .map((key) => `${key}: ${JSON.stringify(found[key])} instead of ${JSON.stringify(expected[key])}`)
}

/** All ways in which log, repository, views and processes can contradict each other. */
export function contradictions({ isUnordered }: Scene, project: TestProject): string[] {
  const events = eventsIn(project)
  const folder = folderOf(project)
  const inOrder = (list: number[]): number[] => (isUnordered ? list.toSorted((a, b) => a - b) : list)
  const of = <K extends LogEvent['kind']>(kind: K) => events.filter((event): event is EventOf<K> => event.kind === kind)
  const numbers = of('iteration.started').map((event) => event.iteration)
  const rows = linesOf(project.read(`${logsOf(project)}/summary.csv`)).slice(1)
  const entries = project.read(`${folder}/progress.txt`).split('\n---\n').slice(1)
  const iterationsIn = entries.flatMap((entry) =>
    /^Story: N\/A\b/m.test(entry) ? [] : [Number(/^Iteration: (\d+)/.exec(entry)?.[1])],
  )
  const commits = [...of('iteration.ended'), ...of('iteration.settled')].flatMap((event) => event.commits)
  const history = linesOf(project.git('rev-list', '--all'))
  const passes = of('iteration.judged').flatMap((event) => event.passed)
  return [
    ...twice(numbers).map((number) => `iteration ${number} twice`),
    ...twice(of('iteration.settled').map((event) => event.iteration)).map((number) => `iteration ${number} settled twice`),
    ...twice(passes).map((id) => `${id} is done twice`),
    ...twice(of('story.failed').map((event) => event.story)).map((id) => `${id} failed twice`),
    ...differ(
      'rows of summary.csv',
      inOrder(rows.filter((row) => row.split(',')[1] !== 'review').map((row) => Number(row.split(',')[0]))),
      inOrder(numbers),
    ),
    ...differ('entries of progress.txt', inOrder(iterationsIn), inOrder(numbers)),
    ...commits.filter((commit) => !history.includes(commit)).map((commit) => `commit ${commit} is lost`),
    ...(isUnordered ? [] : twice(linesOf(project.git('log', '--format=%s', '--grep=^feat: ')))).map(
      (subject) => `committed twice: ${subject}`,
    ),
    ...processesIn(dirname(project.root)).map(({ command }) => `still runs: ${command}`),
  ]
}

const twice = <T>(list: T[]): T[] => list.filter((item, index) => list.indexOf(item) !== index)

const differ = (what: string, found: number[], expected: number[]): string[] =>
  found.join() === expected.join() ? [] : [`${what}: ${found.join()} instead of ${expected.join()}`]

/** Whatever still runs in the project's folder: agents, gates, git. */
export function processesIn(folder: string): { pid: number; command: string }[] {
  return readdirSync('/proc')
    .filter((entry) => Number(entry) > 0)
    .flatMap((pid) => {
      try {
        if (!readlinkSync(`/proc/${pid}/cwd`).startsWith(folder)) return []
        return [{ pid: Number(pid), command: readFileSync(`/proc/${pid}/cmdline`, 'latin1').replaceAll('\0', ' ').trim() }]
      } catch {
        return [] // gone meanwhile
      }
    })
}

/**
 * Files that were to be renamed, and locks that nobody holds. Files that could not be removed stay; what a kill leaves in the system's
 * temporary folder, or in the user's home, which other machines may share, is not Ralph's to remove.
 */
export function leftOvers(project: TestProject, { point, how }: { point: string; how: How }): string[] {
  if (how === 'fail' && point.includes('| rm ')) return []
  return readdirSync(dirname(project.root), { recursive: true })
    .map(String)
    .filter((name) => /\.tmp-\d+-\d+$|\.lock(\.takeover)?$|ralph-(index|rescue)/.test(name))
    .filter((name) => how === 'fail' || !name.startsWith('home/'))
}
