/** One walk: a scene is disturbed at one point, the user does what Ralph says, and the end is compared with the undisturbed one. */
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { sure } from '../../src/core/failure.ts'
import { inMemory, madeIn } from '../support/memory.ts'
import type { Ended, TestProject } from '../support/project.ts'
import { contradictions, differences, endOf, leftOvers, linesOf, logLines, processesIn } from './end.ts'
import type { How, Order } from './orders.ts'
import { type Command, type Scene, startUnder } from './scene.ts'

export type Walk = { scene: Scene; point: string; how: How }
/** How a scene goes when nothing disturbs it. */
export type Undisturbed = { scene: Scene; points: string[]; end: Record<string, unknown> }
export type Walked = { isHit: boolean; problems: string[]; printed: string }

/** Every point in order of first appearance, and the end. */
export async function undisturbed(scene: Scene): Promise<Undisturbed> {
  const project = madeIn(inMemory(), scene.make)
  try {
    const trace = join(dirname(project.root), 'trace')
    const play = playOf(scene, project, ({ name }) => ({ command: name, isUnordered: scene.isUnordered, trace }))
    for (const command of scene.commands) {
      const ended = await play(command)
      if (ended.code !== command.code)
        throw new Error(`undisturbed, "${command.args.join(' ')}" ended with ${ended.code}: ${ended.out}${ended.err}`)
    }
    const wrong = contradictions(scene, project)
    if (wrong.length > 0) throw new Error(`undisturbed, and yet: ${wrong.join('; ')}`)
    return { scene, points: [...new Set(linesOf(readFileSync(trace, 'utf8')))], end: endOf(scene, project) }
  } finally {
    project.remove()
  }
}

/** What can happen at a point. A kill after it is a kill before the next. */
export function walksOf({ scene, points }: Pick<Undisturbed, 'scene' | 'points'>): Walk[] {
  return points.flatMap((point) => {
    const [, deed = ''] = point.split(' | ')
    const hows: How[] = ['kill', 'fail']
    if (deed.startsWith('write ')) hows.push('torn')
    if (deed.startsWith('start ') && !deed.endsWith('mkfifo')) hows.push('during', 'tree')
    else if (scene.isUnordered) hows.push('tree') // others work meanwhile
    if (deed.startsWith('start git')) hows.push('unstarted')
    if (/^start git (add|commit|update-index|read-tree|checkout-index)( #|$)/.test(deed)) hows.push('torn')
    return hows.map((how) => ({ scene, point, how }))
  })
}

export async function walk({ scene, point, how }: Walk, { end }: Undisturbed): Promise<Walked> {
  const project = madeIn(inMemory(), scene.make)
  const printed: string[] = []
  const problems: string[] = []
  const at = point.slice(0, point.indexOf(', '))
  const disturbing = { command: at, isUnordered: scene.isUnordered, at: point, how, hit: join(dirname(project.root), 'hit') }
  let kept: string[] | null = null
  const play = playOf(scene, project, ({ name }) => (name === at && kept === null ? disturbing : null))
  const say = async (command: Command): Promise<Ended> =>
    play(command, ({ name, args }, ended) => {
      printed.push(`--- ${args.join(' ')}: ${ended.signal ?? ended.code}\n${ended.out}${ended.err}`)
      problems.push(...rude(ended, name === at && kept === null ? how : null))
      if (name === at) kept ??= logLines(project)
    })
  try {
    const isThrough = await goThrough(scene, project, say)
    return {
      isHit: existsSync(disturbing.hit),
      problems: [
        ...problems,
        ...(isThrough
          ? [...differences(endOf(scene, project), end), ...contradictions(scene, project)]
          : ['it never came to its end']),
        ...(startsWith(logLines(project), kept ?? []) ? [] : ['lines of the log are lost']),
        ...leftOvers(project, { point, how }).map((name) => `left behind: ${name}`),
      ],
      printed: printed.join('\n'),
    }
  } catch (error) {
    return { isHit: true, problems: [`the check itself failed: ${(error as Error).stack}`], printed: printed.join('\n') }
  } finally {
    project.remove()
  }
}

const mostTries = 8

/** Like a user: types one command after the other, removes a lock that Ralph names, and types again what did not work. False: it never does. */
async function goThrough({ commands }: Scene, project: TestProject, say: (command: Command) => Promise<Ended>): Promise<boolean> {
  const last = sure(commands.at(-1), 'commands of the scene')
  let at = 0
  for (let tries = 1; tries <= mostTries; tries++) {
    const command = sure(commands[at], 'command of the scene')
    const ended = await say(command)
    for (const [lock] of `${ended.out}${ended.err}`.matchAll(/[^\s']+\.lock\b/g))
      rmSync(resolve(project.root, lock), { force: true })
    // A run that was to stop on the way may reach the end after its kill.
    if (ended.code === last.code && command.args.join() === last.args.join()) return true
    if (ended.code === command.code || command.isDone?.(ended, project)) at += 1
    if (at === commands.length) return true
  }
  return false
}

type Typed = Ended & { isHung: boolean }
type Heard = (command: Command, ended: Typed) => void

/** Types a command, and while it is a live run what people ask of it. */
function playOf(scene: Scene, project: TestProject, orderOf: (command: Command) => Order | null) {
  const open = new Set(scene.requests)
  const typed = async (command: Command, heard: Heard): Promise<Typed> => {
    const order = orderOf(command)
    const { ended } = order === null ? project.start(...command.args) : startUnder(project, order, ...command.args)
    const result = await inTime(project, ended)
    heard(command, result)
    return result
  }
  return async (command: Command, heard: Heard = () => {}): Promise<Typed> => {
    if (scene.requests.length === 0 || command.args[0] !== 'run') return typed(command, heard)
    for (const name of marks(project, 'at-')) rmSync(join(dirname(project.root), name))
    let isOver = false
    const ended = typed(command, heard).finally(() => {
      isOver = true
    })
    while (!isOver) {
      const waiting = marks(project, 'at-')
      const due = [...open].filter((request) => request.isTime(project))
      for (const request of due) if ((await typed(request, heard)).code === 0 && !request.isRepeated) open.delete(request)
      if (due.every((request) => request.isRepeated || !open.has(request)))
        for (const name of waiting) writeFileSync(join(dirname(project.root), name.replace('at-', 'go-')), '')
      await pause(20)
    }
    return ended
  }
}

const marks = (project: TestProject, start: string): string[] =>
  readdirSync(dirname(project.root)).filter((name) => name.startsWith(start))

/** Far more than any of them takes, on a machine that has much else to do. */
const hangsAfterMs = 900_000

async function inTime(project: TestProject, ended: Promise<Ended>): Promise<Typed> {
  let isHung = false
  const alarm = setTimeout(() => {
    isHung = true
    for (const { pid } of processesIn(dirname(project.root))) process.kill(pid, 'SIGKILL')
  }, hangsAfterMs)
  const result = await ended
  clearTimeout(alarm)
  return { ...result, isHung }
}

/** An external fault must not look like a bug of Ralph. */
function rude({ code, signal, out, err, isHung }: Typed, how: How | null): string[] {
  const wasKilled = how !== null && ['kill', 'during', 'torn', 'tree'].includes(how)
  if (isHung) return ['it hangs']
  if (wasKilled && signal === 'SIGKILL') return []
  const text = out + err
  return [
    ...(signal === null ? [] : [`it died by ${signal}`]),
    ...(code === 70 ? ['exit code 70, a bug in Ralph'] : []),
    ...(/\n\s+at .+:\d+/.test(text) ? ['it shows a stack trace'] : []),
  ]
}

const startsWith = (lines: string[], first: string[]): boolean => first.every((line, index) => lines[index] === line)
