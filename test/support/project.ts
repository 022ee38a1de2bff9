/** A small real project in a temporary folder, with the built program run in it: the basis of acceptance tests. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { appendFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import { stringify } from 'yaml'
import { asKnownNow } from '../../src/core/evolve/older-events.ts'
import type { Event } from '../../src/core/types.ts'
import { compiled } from './memory.ts'

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..')
export const ralphProgram = join(root, 'bin', 'ralph.js')

export type StorySketch = { id: string; title?: string; priority?: number; passes?: boolean; [field: string]: unknown }
/** One iteration of the scripted agent: a list of steps. */
export type Steps = Record<string, unknown>[]
export type ProjectSketch = {
  /** Stories of prd.json; null: no plan. */
  stories?: StorySketch[] | null
  /** The whole text of another plan file instead, by its name. */
  plan?: { file: string; text: string }
  /** What the scripted agent does: by story and attempt, by iteration, otherwise. */
  script?: {
    stories?: Record<string, Steps[]>
    iterations?: Steps[]
    otherwise?: Steps
    /** As a reviewer of a story, or of all changes ("final"). */
    reviews?: Record<string, Steps[]>
    lessons?: Record<string, Steps[]>
  }
  /** .ralph/config.yaml, besides the agent. */
  config?: Record<string, unknown>
  branch?: string
  feature?: string
  /** The folder to create, instead of a temporary one. */
  at?: string
  isGit?: boolean
  files?: Record<string, string>
}
export type Ended = { code: number | null; signal: NodeJS.Signals | null; out: string; err: string }

export type TestProject = {
  root: string
  home: string
  feature: string
  /** The feature's folder. */
  dir: string
  env: Record<string, string>
  path(name: string): string
  read(name: string): string
  write(name: string, text: string): void
  has(name: string): boolean
  plan(): { userStories: StorySketch[] } & Record<string, unknown>
  passing(): string[]
  events(): Event[]
  kinds(): string[]
  git(...args: string[]): string
  run(...args: string[]): Promise<Ended>
  /** A run that continues while the test does something; `ended` says how it ended. */
  start(...args: string[]): { child: ChildProcess; ended: Promise<Ended>; output(): string }
  remove(): void
}

export function makeProject(sketch: ProjectSketch = {}): TestProject {
  const feature = sketch.feature ?? 'thing'
  const folder = sketch.at ?? join(mkdtempSync(join(tmpdir(), 'ralph-acceptance-')), 'project')
  const base = dirname(folder)
  const home = join(base, 'home')
  const dir = join(folder, '.ralph', feature)
  mkdirSync(dir, { recursive: true })
  mkdirSync(home, { recursive: true })
  const write = (name: string, text: string): void => {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
  for (const [name, text] of Object.entries({ 'README.md': '# A project\n', ...sketch.files })) write(name, text)
  const script = sketch.script ?? {
    otherwise: [
      { write: { path: '$RALPH_STORY.txt', text: 'done\n' } },
      { commit: 'feat: $RALPH_STORY' },
      { flip: '$RALPH_STORY' },
      { say: 'It is there.' },
    ],
  }
  write('.ralph/agent.json', JSON.stringify(script, null, 2)) // JSON is YAML, and loads faster
  write('.ralph/config.yaml', stringify({ agent: { name: 'scripted', script: '.ralph/agent.json' }, ...sketch.config }))
  write(
    '.ralph/.gitignore',
    [
      '*/events.jsonl',
      '*/status.json',
      '*/inbox/',
      '*/logs/',
      'logs/',
      '*/blocked.txt',
      '*/decide.txt',
      '*/state.md',
      'lock',
      'archive/*/events.jsonl',
      'archive/*/status.json',
      '.*.tmp-*',
      '',
    ].join('\n'),
  )
  if (sketch.plan) write(`.ralph/${feature}/${sketch.plan.file}`, sketch.plan.text)
  else if (sketch.stories !== null)
    write(`.ralph/${feature}/prd.json`, prd(feature, sketch.branch ?? '', sketch.stories ?? [{ id: 'S-1' }]))
  if (sketch.stories === null && !sketch.plan) write(`.ralph/${feature}/prompt.md`, 'Do the work.\n')
  // Without this machine's environment: neither settings nor keys.
  const env: Record<string, string> = {
    PATH: process.env['PATH'] ?? '/usr/bin:/bin',
    HOME: home,
    LANG: 'C.UTF-8',
    TERM: 'dumb',
    TMPDIR: base,
    GIT_CONFIG_NOSYSTEM: '1',
    ...compiled,
  }
  const git = (...args: string[]): string => {
    const { status, stdout, stderr } = spawnSync('git', args, { cwd: folder, env, encoding: 'utf8' })
    if (status !== 0) throw new Error(`git ${args.join(' ')}: ${stderr}`)
    return stdout.trimEnd()
  }
  if (sketch.isGit !== false) {
    git('init', '-q', '-b', 'main')
    appendFileSync(join(folder, '.git', 'config'), '[user]\n\tname = Tester\n\temail = tester@localhost\n')
    git('add', '-A')
    git('-c', 'maintenance.auto=false', 'commit', '-q', '-m', 'start')
  }
  const running = new Set<ChildProcess>()
  const start: TestProject['start'] = (...args) => {
    const child = spawn(process.execPath, [ralphProgram, ...args], { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] })
    running.add(child)
    child.on('close', () => running.delete(child))
    let out = ''
    let err = ''
    child.stdout.on('data', (chunk) => (out += chunk))
    child.stderr.on('data', (chunk) => (err += chunk))
    const ended = new Promise<Ended>((resolve) => child.on('close', (code, signal) => resolve({ code, signal, out, err })))
    return { child, ended, output: () => out + err }
  }
  const path = (name: string): string => join(folder, name)
  const plan = (): ReturnType<TestProject['plan']> => JSON.parse(readFileSync(join(dir, 'prd.json'), 'utf8'))
  const events = (): Event[] =>
    readFileSync(join(dir, 'events.jsonl'), 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => asKnownNow(JSON.parse(line)))
  return {
    root: folder,
    home,
    feature,
    dir,
    env,
    path,
    read: (name) => readFileSync(path(name), 'utf8'),
    write,
    has: (name) => existsSync(path(name)),
    plan,
    passing: () =>
      plan()
        .userStories.filter((story) => story.passes)
        .map((story) => story.id),
    events,
    kinds: () => events().map((event) => event.kind),
    git,
    run: (...args) => start(...args).ended,
    start,
    // What a failed test left running is told to end, and ends its own agents; nothing waits for it.
    remove: () => {
      for (const child of running) child.kill('SIGTERM')
      rmSync(base, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

/** It goes when its test is over. */
export function projectFor(t: TestContext, sketch: ProjectSketch = {}): TestProject {
  return goneAfter(t, makeProject(sketch))
}

/** What is told to end is ended soon. */
export const quickProjectFor = (t: TestContext, sketch: ProjectSketch = {}): TestProject =>
  projectFor(t, { ...sketch, config: { process: { grace_seconds: 0.2 }, ...sketch.config } })

/** What agents that wait for the file `go` wait for. */
export const go = (project: TestProject): void => project.write('../go', '')

export function goneAfter<P extends { remove(): void }>(t: TestContext, made: P): P {
  t.after(made.remove)
  return made
}

export function prd(feature: string, branch: string, stories: StorySketch[]): string {
  const full = stories.map((story, index) => ({
    title: `Story ${story.id}`,
    description: `What ${story.id} is about`,
    acceptanceCriteria: [`${story.id} works`],
    priority: index + 1,
    passes: false,
    notes: '',
    ...story,
  }))
  return `${JSON.stringify({ feature, branchName: branch, description: 'A feature', createdAt: '2026-01-09T12:00:00Z', userStories: full }, null, 2)}\n`
}
