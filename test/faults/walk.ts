/** One walk: the sequence is disturbed at one point, the user does what Ralph says, and the end is compared with the undisturbed one. */
import { readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import type { EventOf, Event as LogEvent } from '../../src/core/types.ts'
import { inMemory, madeIn } from '../support/memory.ts'
import type { Ended, TestProject } from '../support/project.ts'
import type { How } from './orders.ts'
import { makeScenario, under } from './scenario.ts'

export type Walk = { point: string; how: How }

/** What the user types, and the exit code without a disturbance. */
const commands = [
  { name: 'run', args: ['run'], code: 3 },
  { name: 'answer', args: ['answer', 'red, please'], code: 0 },
  { name: 'again', args: ['run'], code: 1 },
]

export type Undisturbed = { points: string[]; end: Record<string, unknown> }

/** Every point in order of first appearance, and the end. */
export async function undisturbed(): Promise<Undisturbed> {
  const project = madeIn(inMemory(), makeScenario)
  try {
    const trace = join(dirname(project.root), 'trace')
    for (const { name, args, code } of commands) {
      const ended = await under(project, { command: name, trace }, ...args)
      if (ended.code !== code)
        throw new Error(`undisturbed, "${args.join(' ')}" ended with ${ended.code}: ${ended.out}${ended.err}`)
    }
    const wrong = contradictions(project)
    if (wrong.length > 0) throw new Error(`undisturbed, and yet: ${wrong.join('; ')}`)
    return { points: [...new Set(linesOf(readFileSync(trace, 'utf8')))], end: endOf(project) }
  } finally {
    project.remove()
  }
}

/** What can happen at a point. A kill after it is a kill before the next. */
export function walksOf(points: string[]): Walk[] {
  return points.flatMap((point) => {
    const [, deed = ''] = point.split(' | ')
    const hows: How[] = ['kill', 'fail']
    if (deed.startsWith('write ')) hows.push('torn')
    if (deed.startsWith('start ') && !deed.endsWith('mkfifo')) hows.push('during')
    if (deed.startsWith('start git')) hows.push('unstarted')
    if (/^start git (add|commit|update-index|read-tree|checkout-index)( #|$)/.test(deed)) hows.push('torn')
    return hows.map((how) => ({ point, how }))
  })
}

export type Walked = { isHit: boolean; problems: string[]; printed: string }

export async function walk({ point, how }: Walk, { end }: Undisturbed): Promise<Walked> {
  const project = madeIn(inMemory(), makeScenario)
  const printed: string[] = []
  const say = (what: string, ended: Ended): Ended => {
    printed.push(`--- ${what}: ${ended.signal ?? ended.code}\n${ended.out}${ended.err}`)
    return ended
  }
  try {
    const at = Math.max(
      0,
      commands.findIndex(({ name }) => point.startsWith(`${name}, `)),
    )
    for (const { args } of commands.slice(0, at)) say(args.join(' '), await project.run(...args))
    const order = { command: commands[at]!.name, at: point, how, hit: join(dirname(project.root), 'hit') }
    const hurt = say(`${commands[at]!.args.join(' ')}, disturbed`, await under(project, order, ...commands[at]!.args))
    const isHit = readdirSync(dirname(project.root)).includes('hit')
    const kept = logLines(project)
    const last = await goOn(project, commands[at]!.name === 'answer', say)
    const problems = [
      ...rude(hurt, how),
      ...(last.code === 1 ? rude(last, 'fail') : [`the end has exit code ${last.code}`]),
      ...(startsWith(logLines(project), kept) ? [] : ['lines of the log are lost']),
      ...(last.code === 1 ? [...differences(endOf(project), end), ...contradictions(project)] : []),
      ...leftOvers(project, { point, how }).map((name) => `left behind: ${name}`),
    ]
    return { isHit, problems, printed: printed.join('\n') }
  } catch (error) {
    return { isHit: true, problems: [`the check itself failed: ${(error as Error).stack}`], printed: printed.join('\n') }
  } finally {
    project.remove()
  }
}

const mostTries = 6

/** Like a user: answer questions, remove a lock that Ralph names, run again. */
async function goOn(project: TestProject, isAnswering: boolean, say: (what: string, ended: Ended) => Ended): Promise<Ended> {
  if (isAnswering) say('answer', await project.run('answer', 'red, please'))
  for (let tries = 1; ; tries++) {
    const lock = join(project.root, '.git', 'index.lock')
    const ended = say('run', await project.run('run'))
    if (ended.code === 1 || tries === mostTries) return ended
    if (ended.code === 3) say('answer', await project.run('answer', 'red, please'))
    if (`${ended.out}${ended.err}`.includes('index.lock')) rmSync(lock, { force: true })
  }
}

/** An external fault must not look like a bug of Ralph. */
function rude({ code, signal, out, err }: Ended, how: How): string[] {
  const wasKilled = how === 'kill' || how === 'during' || how === 'torn'
  if (wasKilled && signal === 'SIGKILL') return []
  const text = out + err
  return [
    ...(signal === null ? [] : [`it died by ${signal}`]),
    ...(code === 70 ? ['exit code 70, a bug in Ralph'] : []),
    ...(/\n\s+at .+:\d+/.test(text) ? ['it shows a stack trace'] : []),
  ]
}

const logLines = (project: TestProject): string[] =>
  project.has('.ralph/thing/events.jsonl') ? project.read('.ralph/thing/events.jsonl').split('\n').slice(0, -1) : []

const startsWith = (lines: string[], first: string[]): boolean => first.every((line, index) => lines[index] === line)

const linesOf = (text: string): string[] => text.split('\n').filter((line) => line !== '')

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
function endOf(project: TestProject): Record<string, unknown> {
  const [branch = ''] = failureBranches(project)
  const ends = project.events().filter((event): event is EventOf<'run.ended'> => event.kind === 'run.ended')
  const show = (name: string): string => (branch === '' ? '' : project.git('show', `${branch}:${name}`))
  return {
    outcome: `${ends.at(-1)?.outcome}: ${ends.at(-1)?.because}`,
    passing: project.passing(),
    failed: project.plan().userStories.map((story) => (story['failed'] as { reason: string } | undefined)?.reason),
    picture: pictureOf(project),
    branches: failureBranches(project).length,
    rescued: branch === '' ? [] : [show('S-1.bad'), show('more.txt')],
    commits: linesOf(project.git('log', '--format=%s', '--reverse', 'main')).filter((subject) => !subject.startsWith('chore')),
  }
}

function differences(found: Record<string, unknown>, expected: Record<string, unknown>): string[] {
  return Object.keys(expected)
    .filter((key) => JSON.stringify(found[key]) !== JSON.stringify(expected[key]))
    .map((key) => `${key}: ${JSON.stringify(found[key])} instead of ${JSON.stringify(expected[key])}`)
}

/** All ways in which log, repository, views and processes can contradict each other. */
function contradictions(project: TestProject): string[] {
  const events = project.events()
  const of = <K extends LogEvent['kind']>(kind: K) => events.filter((event): event is EventOf<K> => event.kind === kind)
  const numbers = of('iteration.started').map((event) => event.iteration)
  const rows = linesOf(project.read('.ralph/thing/logs/summary.csv')).slice(1)
  const entries = project.read('.ralph/thing/progress.txt').split('\n---\n').slice(1)
  const iterationsIn = entries.flatMap((entry) =>
    /^Story: N\/A$/m.test(entry) ? [] : [Number(/^Iteration: (\d+)/.exec(entry)?.[1])],
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
      rows.map((row) => Number(row.split(',')[0])),
      numbers,
    ),
    ...differ('entries of progress.txt', iterationsIn, numbers),
    ...commits.filter((commit) => !history.includes(commit)).map((commit) => `commit ${commit} is lost`),
    ...twice(linesOf(project.git('log', '--format=%s', '--grep=^feat: S-'))).map((subject) => `committed twice: ${subject}`),
    ...processesIn(dirname(project.root)).map((command) => `still runs: ${command}`),
  ]
}

const twice = <T>(list: T[]): T[] => list.filter((item, index) => list.indexOf(item) !== index)

const differ = (what: string, found: number[], expected: number[]): string[] =>
  found.join() === expected.join() ? [] : [`${what}: ${found.join()} instead of ${expected.join()}`]

/** Whatever still runs in the project's folder: agents, gates, git. */
function processesIn(folder: string): string[] {
  return readdirSync('/proc')
    .filter((entry) => Number(entry) > 0)
    .flatMap((pid) => {
      try {
        if (!readlinkSync(`/proc/${pid}/cwd`).startsWith(folder)) return []
        return [readFileSync(`/proc/${pid}/cmdline`, 'latin1').replaceAll('\0', ' ').trim()]
      } catch {
        return [] // gone meanwhile
      }
    })
}

/**
 * Files that were to be renamed, and locks that nobody holds. Files that could not be removed stay; what a kill leaves in the system's
 * temporary folder, or in the user's home, which other machines may share, is not Ralph's to remove.
 */
function leftOvers(project: TestProject, { point, how }: Walk): string[] {
  if (how === 'fail' && point.includes('| rm ')) return []
  return readdirSync(dirname(project.root), { recursive: true })
    .map(String)
    .filter((name) => /\.tmp-\d+-\d+$|\.lock(\.takeover)?$|ralph-(index|rescue)/.test(name))
    .filter((name) => how === 'fail' || !name.startsWith('home/'))
}
