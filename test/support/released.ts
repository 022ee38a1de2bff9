/** Projects as released versions left them, restored into a current repository; and what every later version must still know about them. */
import { cpSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Status } from '../../src/views/status/status.ts'
import { makeProject, type TestProject } from './project.ts'

const folder = join(dirname(fileURLToPath(import.meta.url)), '..', 'fixtures', 'released')

export const releases = (): string[] => readdirSync(folder).filter((name) => /^\d+\.\d+\.\d+$/.test(name))

export type Facts = Pick<Status, 'state' | 'outcome' | 'feature' | 'run' | 'iteration' | 'used' | 'questions' | 'calls'> & {
  cost: Omit<Status['cost'], 'uncounted'>
  stories: Omit<Status['stories']['list'][number], 'proof'>[]
  events: number
}

/** Facts, not words: words may change between versions. */
export async function factsOf(project: TestProject): Promise<Facts> {
  const status = JSON.parse((await project.run('status', '--json')).out) as Status
  const { state, outcome, feature, run, iteration, used, questions, calls, cost, stories } = status
  const { uncounted: _since, ...known } = cost // calls that told no tokens are counted since then
  return {
    state,
    outcome,
    feature,
    run,
    iteration,
    used,
    questions,
    calls,
    cost: known,
    stories: stories.list.map(({ proof: _since, ...story }) => story), // it has grades since then
    events: project.events().length,
  }
}

export const recordedFacts = (version: string): Facts =>
  JSON.parse(readFileSync(join(folder, version, 'facts.json'), 'utf8')) as Facts

export function releasedProject(version: string): TestProject {
  const project = makeProject({ feature: 'shop', stories: null })
  rmSync(project.path('.ralph'), { recursive: true })
  cpSync(join(folder, version, 'ralph'), project.path('.ralph'), { recursive: true })
  cpSync(join(folder, version, 'home'), join(project.home, '.ralph'), { recursive: true })
  renameSync(project.path('.ralph/gitignore'), project.path('.ralph/.gitignore'))
  project.git('add', '-A')
  project.git('commit', '-q', '-m', 'as it was left')
  return project
}
