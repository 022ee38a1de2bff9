/** The world of a run over a small real repository, without its loop: what unit tests of src/run are made of. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { aPolicy, eventOf, runStarted } from '../../sim/builders.ts'
import { keepPlan } from '../../src/adapters/plan/live-plan.ts'
import { parsePlan } from '../../src/adapters/plan/parse-plan.ts'
import { featureFolder, featureLabel } from '../../src/adapters/project/layout.ts'
import { type Settings, table } from '../../src/config/table.ts'
import { evolve } from '../../src/core/evolve/evolve.ts'
import { initialState } from '../../src/core/evolve/initial.ts'
import type { State } from '../../src/core/state.ts'
import type { Event, Policy, Report } from '../../src/core/types.ts'
import { keepOwn } from '../../src/run/iteration/restore-ralph-files.ts'
import { openScreen, type Screen } from '../../src/run/outputs/screen.ts'
import type { Deed, Setup } from '../../src/run/parts.ts'
import { keepDecideFile } from '../../src/run/people/decide-file.ts'
import { openSetup, ownConfig, sandboxesOf } from '../../src/run/preflight/begin.ts'
import { openWorld, type World } from '../../src/run/world.ts'
import { plainLook } from '../../src/views/terminal/look.ts'
import { prd, type StorySketch } from './project.ts'
import { commitAll, env, newFolder, repository, type TestRepository } from './repository.ts'

type Sketch = {
  /** Committed before the run begins, beside the plan. */
  files?: Record<string, string>
  /** null: no plan. */
  stories?: StorySketch[] | null
  settings?: Partial<Settings>
  policy?: Partial<Policy>
  isGit?: boolean
}

export type TestWorld = {
  world: World
  place: TestRepository
  /** What was reported so far, and the details of what was noticed, by kind. */
  reports: Report[]
  noticed(what: string): string[]
  /** As the log would have it; to be changed by what happens. */
  state(): State
  happens(...facts: Parameters<typeof eventOf>[0][]): State
  deed(): Deed
  plan(): { userStories: StorySketch[] }
}

export const settingsWith = (more: Partial<Settings> = {}): Settings =>
  ({ ...Object.fromEntries(Object.entries(table).map(([key, setting]) => [key, setting.default])), ...more }) as Settings

export const quietScreen = (write: (text: string) => void = () => {}, mode: 'quiet' | 'normal' = 'quiet'): Screen =>
  openScreen({ mode, look: () => plainLook, write, now: () => '2026-01-05T08:00:00.000Z', shortened: (text) => text })

/** A setup whose agent, unless the settings say otherwise, is a shell that never runs. */
export function aSetup(root: string, settings: Partial<Settings> = {}, screen = quietScreen()): Setup {
  const home = join(root, '..', `home-of-${root.split('/').at(-1)}`)
  const project = { root, home, feature: 'thing', dir: featureFolder(root, 'thing'), label: featureLabel('thing') }
  const loaded = {
    settings: settingsWith({ agent: { name: 'mine', command: ['sh'] }, ...settings }),
    sources: Object.fromEntries(Object.keys(table).map((key) => [key, 'default'])) as never,
    files: [],
    warnings: [],
  }
  const io = { cwd: root, env, out: () => {}, err: () => {}, raw: () => {}, isTerminal: false, isAttended: false }
  return openSetup(project, loaded, { io, screen })
}

let worlds = 0

export async function aWorld({ files = {}, stories, settings, policy, isGit = true }: Sketch = {}): Promise<TestWorld> {
  const place = isGit ? await repository() : await folderAlone()
  const setup = aSetup(place.top, settings)
  const planText = stories === null ? null : prd('thing', '', stories ?? [{ id: 'S-1' }, { id: 'S-2' }])
  place.write({ '.gitignore': '.ralph/*/logs/\n.ralph/.gitignore\n', ...files })
  mkdirSync(setup.dir, { recursive: true })
  if (planText !== null) writeFileSync(join(setup.dir, 'prd.json'), planText)
  if (isGit) commitAll(place, 'start')
  const git = isGit ? place.git : null
  const planFile = planText === null ? null : { ...(await parsePlan('prd.json', planText)), file: 'prd.json' }
  const plan = keepPlan(setup.dir, planFile)
  const reports: Report[] = []
  const report = (fact: Report): void => void reports.push(fact)
  const own = await keepOwn({ ...setup, git, plan }, keepDecideFile(setup, report), {
    unwatched: undefined,
    programs: { on: '', found: [] },
  })
  const { head, tree, dirt } = git === null ? { head: null, tree: '', dirt: '' } : await git.snapshot()
  // A name of its own: a gate ends whatever has the mark of its run, on the whole machine.
  const run = `r${process.pid}-${++worlds}`
  const eventHere = (fact: Parameters<typeof eventOf>[0]): Event => eventOf(fact, undefined, run)
  let state = evolve(initialState, eventHere(runStarted(planFile?.plan ?? null, aPolicy(policy), { head, tree, dirt })))
  const world = openWorld(setup, {
    run,
    git,
    plan,
    configFiles: ownConfig(setup),
    sandboxFor: sandboxesOf(setup, run),
    branch: isGit ? 'main' : null,
    own,
    state: () => state,
  })
  mkdirSync(world.logs, { recursive: true })
  plan.remember()
  return {
    world,
    place,
    reports,
    noticed: (what) => reports.flatMap((fact) => (fact.kind === 'noticed' && fact.what === what ? [fact.detail] : [])),
    state: () => state,
    happens(...facts) {
      state = facts.reduce((next, fact) => evolve(next, eventHere(fact)), state)
      return state
    },
    deed: () => ({ state, report, stop: new AbortController().signal }),
    plan: () => JSON.parse(plan.written() ?? '{}'),
  }
}

/** Not a repository: what asks git in it fails. */
async function folderAlone(): Promise<TestRepository> {
  const top = newFolder()
  mkdirSync(top)
  const fail = (): never => {
    throw new Error('there is no repository here')
  }
  const write = (files: Record<string, string>): void => {
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(top, name)), { recursive: true })
      writeFileSync(join(top, name), text)
    }
  }
  return { top, git: null as never, sh: fail, write }
}
