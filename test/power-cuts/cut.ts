/** Plays a scene, cuts its power at some moments, and looks what a user finds after each cut and after the next run. */
import { spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { lockPath } from '../../src/adapters/project/find.ts'
import type { Event } from '../../src/core/types.ts'
import { makeProject, ralphProgram, type TestProject } from '../support/project.ts'
import { type Disk, makeDisk } from './disk.ts'
import { type Scene, scenes } from './scenes.ts'

/** What had been said to the world when the power went. */
type Said = { name: string; events: Event[]; printed: string; called: string[] }
export type Found = { cut: string; problems: string[]; printed: string }

/** null: this machine cannot mount file systems. `moments`: after how many milliseconds each, within one run. */
export async function cutPower(mode: string, moments: number[]): Promise<Found[] | null> {
  const disk = makeDisk(96)
  if (disk === null) return null
  const notes = mkdtempSync(join(tmpdir(), 'ralph-power-notes-'))
  const calls = join(notes, 'calls')
  try {
    const scene = scenes[mode]?.(calls)
    if (scene === undefined) throw new Error(`no scene is called ${mode}`)
    const project = makeProject({ ...scene.sketch, at: join(disk.folder, 'project') })
    project.write('a.txt', 'staged\n')
    project.git('add', 'a.txt')
    project.write('notes.txt', 'mine\n')
    disk.settle()
    const cuts = await play(disk, { project, scene, calls, moments })
    const found: Found[] = []
    for (const said of cuts) {
      disk.plugIn(said.name)
      writeFileSync(calls, `${said.called.join('\n')}\n`)
      found.push(await look(project, scene, { said, calls }))
    }
    return found
  } finally {
    disk.remove()
    rmSync(notes, { recursive: true })
  }
}

type Playing = { project: TestProject; scene: Scene; calls: string; moments: number[] }

async function play(disk: Disk, { project, scene, calls, moments }: Playing): Promise<Said[]> {
  const { ended, output } = project.start(...scene.args)
  const over = ended.then(() => true)
  const started = performance.now()
  const cuts: Said[] = []
  for (const [number, moment] of moments.toSorted((a, b) => a - b).entries()) {
    const isOver = await Promise.race([over, pause(Math.max(0, started + moment - performance.now())).then(() => false)])
    const name = `cut-${number + 1}`
    cuts.push(disk.cut(name, () => ({ name, events: eventsIn(project), printed: output(), called: linesOf(calls) })))
    if (isOver) break
  }
  await ended
  return cuts
}

/** In the feature's folder, or in its archive. */
function eventsIn(project: TestProject): Event[] {
  const archives = existsSync(project.path('.ralph/archive')) ? readdirSync(project.path('.ralph/archive')) : []
  const folders = ['.ralph/thing', ...archives.map((name) => `.ralph/archive/${name}`)]
  const log = folders.map((folder) => project.path(`${folder}/events.jsonl`)).find((path) => existsSync(path))
  if (log === undefined) return []
  const lines = linesOf(log)
  return lines.flatMap((line, at) => {
    try {
      return [JSON.parse(line) as Event]
    } catch (error) {
      if (at === lines.length - 1) return [] // a torn last line was not said
      throw error
    }
  })
}

const linesOf = (path: string): string[] => (existsSync(path) ? readFileSync(path, 'utf8').split('\n').filter(Boolean) : [])

async function look(project: TestProject, scene: Scene, { said, calls }: { said: Said; calls: string }): Promise<Found> {
  const problems: string[] = []
  const must = (holds: boolean, words: string): void => {
    if (!holds) problems.push(words)
  }
  const git = (...args: string[]): boolean => tried(() => project.git(...args)) !== null
  const told = [...said.printed.matchAll(/✓ (?:done: )?(S-\d+) passed/g)].map((match) => match[1] as string)

  const kept = tried(() => eventsIn(project)) ?? []
  const wanted = said.events.map((event) => JSON.stringify(event))
  must(
    kept.every((event, at) => JSON.stringify(event) === wanted[at]),
    'the log is another one than before the cut',
  )
  const startsOf = (events: Event[]): number => events.filter(({ kind }) => kind === 'iteration.started').length
  must(startsOf(kept) >= said.called.length, `${said.called.length} agents were started, and the log knows of ${startsOf(kept)}`)
  must(git('rev-list', '--objects', '--quiet', 'HEAD'), 'HEAD cannot be read')
  const passed = kept.flatMap((event) => (event.kind === 'iteration.judged' ? event.passed : []))
  for (const id of told) must(passed.includes(id), `${id} was said to pass, and the log does not know it`)

  const runs: string[] = []
  const isArchived = !existsSync(project.path('.ralph/thing/prd.json'))
  // Whoever has not read the end types it again, also where the archive is already there.
  if (!isArchived || !said.printed.includes('Ralph Loop Summary')) runs.push(...typedAgain(project, scene.args))
  for (const id of scene.passes)
    must(tried(() => project.git('show', `HEAD:${id}.txt`)) === 'done', `the work of ${id} is not on the branch`)
  const again = linesOf(calls).slice(said.called.length)
  for (const id of told) must(!again.includes(id), `${id} was done again, though it was said to pass`)
  must(project.read('notes.txt') === 'mine\n' && project.read('a.txt') === 'staged\n', "the user's files are others")
  const staged = project.git('diff', '--cached', '--name-only', '--', '.')
  must(staged === 'a.txt', `what the user had staged is another: ${staged}`)
  must(git('fsck', '--connectivity-only', '--no-dangling'), 'git fsck finds damage')
  return { cut: `${said.name} after ${wanted.length} events`, problems, printed: [said.printed, ...runs].join('\n--- then\n') }
}

/** Until no lock is named any more that a git had when the power went. */
function typedAgain(project: TestProject, args: string[]): string[] {
  const printed = [startedAgain(project, args)]
  for (let locks = locksIn(printed); locks.length > 0 && printed.length < 5; locks = locksIn(printed)) {
    for (const lock of locks) rmSync(lock, { force: true })
    printed.push(startedAgain(project, args))
  }
  return printed
}

const locksIn = (printed: string[]): string[] => [...(printed.at(-1) ?? '').matchAll(/\/[^\s']+\.lock\b/g)].map(([lock]) => lock)

/** As on the same machine after its next start, which has another id and took some minutes: sooner, a run watches the lock for signs of life. */
function startedAgain({ root, env }: TestProject, args: string[]): string {
  const lock = lockPath(root)
  const minutesAgo = new Date(Date.now() - 180_000)
  if (existsSync(lock)) utimesSync(lock, minutesAgo, minutesAgo)
  const id = join(env['TMPDIR'] ?? '', 'boot-id')
  writeFileSync(id, `${randomUUID()}\n`)
  const inner = ['-m', 'sh', '-c', 'mount --bind "$0" /proc/sys/kernel/random/boot_id && exec "$@"', id]
  const ralph = [process.execPath, ralphProgram, ...args]
  const { status, stdout, stderr } = spawnSync('unshare', [...inner, ...ralph], { cwd: root, env, encoding: 'utf8' })
  return `${stdout}${stderr}exit ${status}`
}

function tried<T>(act: () => T): T | null {
  try {
    return act()
  } catch {
    return null
  }
}
