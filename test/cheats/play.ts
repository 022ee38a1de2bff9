/** Plays a case as a whole run of the built program, and says what came of it. */
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { readIfThere } from '../../src/adapters/files/files.ts'
import { evolve } from '../../src/core/evolve/evolve.ts'
import { endedFlight } from '../../src/core/evolve/flights.ts'
import { initialState } from '../../src/core/evolve/initial.ts'
import { type Finding, undeclared } from '../../src/core/proof/finding.ts'
import { refusing } from '../../src/core/proof/findings-of.ts'
import { eventsOf } from '../support/loop.ts'
import { inMemory } from '../support/memory.ts'
import { makeProject, type TestProject } from '../support/project.ts'
import { turnsOf, writeAgent } from './agent.ts'
import type { Act, Case, Step } from './case.ts'

export type Played = {
  result: 'refused' | 'reserved' | 'passed'
  /** Why it was refused, or its reservations. */
  words: string[]
  /** The rules of what was found, and the gates that were red. */
  by: string[]
  grades: string[]
  /** What the held-out check says of the work as the agent left it, and of what is on the branch after the run. */
  isRight: boolean
  isRightOnBranch: boolean
  /** What is wrong with the case itself. */
  mistakes: string[]
}

/** `validates`: also looks whether the gate is green in the folder of the work: a cheat that does not reach even that is not worth a case. */
export async function play(played: Case, step: Step, work: Act, { validates = false } = {}): Promise<Played> {
  const project = projectOf(played, step, work)
  const base = dirname(project.root)
  try {
    for (const commands of [played.project.setUp, played.setUp, played.user]) await must(project, commands ?? '')
    const limit = step === 'flip' || step === 'parallel' ? '1' : '2'
    const parallel = step === 'parallel' ? ['--parallel', '2'] : []
    const run = () => project.run('run', '--no-archive', '-n', limit, ...parallel)
    const first = await run()
    const ended = step === 'killed' && first.signal === 'SIGKILL' ? await run() : first
    const mistakes = mistakesIn(join(base, 'agent'))
    if (validates && !played.isOnlyInRun && !(await isGreen(played, project, base)))
      mistakes.push('the gate is red in the folder of the work')
    const onBranch = async (): Promise<boolean> => isRightIn(played, base, await cloneOf(project.root, base, 'branch'))
    const isRight = await (played.truthOf === 'branch' ? onBranch() : isRightWork(played, base))
    const isPassed = ended.code === 0 && project.passing().length === project.plan().userStories.length
    const { reservations, grades } = proofsIn(project)
    const refusals = isPassed ? [] : [...evidenceIn(project), ...redGatesIn(project)]
    return {
      result: !isPassed ? 'refused' : reservations.length > 0 ? 'reserved' : 'passed',
      words: isPassed ? reservations : refusals.length > 0 ? refusals : [lastLines(ended.out + ended.err)],
      by: [...new Set((isPassed ? reservations : refusals).map(ruleIn))],
      grades,
      isRight,
      isRightOnBranch: isPassed && !isRight && played.truthOf !== 'branch' && (await onBranch()),
      mistakes,
    }
  } finally {
    project.remove()
  }
}

function projectOf(played: Case, step: Step, work: Act): TestProject {
  const base = mkdtempSync(join(inMemory(), 'ralph-cheats-'))
  const { project: kind } = played
  const agent = join(base, 'agent')
  mkdirSync(agent)
  const program = writeAgent(agent, turnsOf(played, step, work))
  const checks = played.checks ?? kind.checks
  const project = makeProject({
    at: join(base, 'project'),
    files: { ...kind.files, ...played.files },
    plan: { file: 'prd.json', text: planOf(played, step) },
    config: {
      agent: { name: 'cheat', command: ['sh', program], format: 'stream-json' },
      gates: { tests: played.gate ?? kind.gate },
      ...(checks === undefined ? {} : { quality_checks: checks }),
      defaults: { max_attempts: 1 },
      review: { enabled: false },
      learn: { enabled: false },
      process: { grace_seconds: 0.2 },
      ...played.config,
    },
  })
  // With a folder of the user's own programs, as many people have it.
  project.env['PATH'] = `${project.home}/bin:${systemPath}`
  return project
}

const systemPath = `${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`

function planOf({ project, story }: Case, step: Step): string {
  const { criteria, ...rest } = { ...project.story, ...story }
  const asked = { ...rest, description: rest.title, acceptanceCriteria: criteria }
  const first = { id: 'S-1', title: 'Say how prices are rounded', description: '', acceptanceCriteria: ['README.md says it'] }
  const stories = step === 'dependency' ? [first, { id: 'S-2', ...asked, dependsOn: ['S-1'] }] : [{ id: 'S-1', ...asked }]
  const userStories = stories.map((each, index) => ({ ...each, priority: index + 1, passes: false, notes: '' }))
  const plan = { feature: 'thing', branchName: '', description: 'A shop', createdAt: '2026-01-09T12:00:00Z', userStories }
  return `${JSON.stringify(plan, null, 2)}\n`
}

async function must({ root, env }: TestProject, commands: string): Promise<void> {
  if (commands === '') return
  const { code, out } = await ran('sh', ['-ec', commands], root, env)
  if (code !== 0) throw new Error(`set-up failed: ${out}`)
}

/** What the agent could not do. A turn that was never due, because an earlier one was refused, is none. */
function mistakesIn(agent: string): string[] {
  const failed = readdirSync(agent).filter((name) => name.startsWith('failed-'))
  const printed = failed.map((name) => `turn failed: ${readIfThere(join(agent, name.replace('failed', 'printed')))}`)
  return existsSync(join(agent, 'done-1')) || printed.length > 0 ? printed : ['the agent did nothing']
}

/** The held-out check, in a copy of what the agent left. */
async function isRightWork(played: Case, base: string): Promise<boolean> {
  const left = join(base, 'agent', 'left')
  if (!existsSync(left)) return false
  if (played.truthOf === undefined || played.truthOf === 'tree') return isRightIn(played, base, left)
  if (played.truthOf === 'next') {
    const commits = 'git add -A; git -c user.name=x -c user.email=x@localhost commit -qm x'
    await ran('sh', ['-c', commits], left, cleanEnv(join(base, 'home')))
  }
  return isRightIn(played, base, await cloneOf(left, base, 'clone'))
}

/** With nothing of the agent's around it: neither the home nor the project's own folder. */
async function isRightIn({ project, heldOut }: Case, base: string, folder: string): Promise<boolean> {
  const { program, text } = { ...project.heldOut, ...(heldOut === undefined ? {} : { text: heldOut }) }
  const [home, away] = [join(base, 'home'), join(base, 'home-away')]
  renameSync(home, away)
  mkdirSync(home)
  const before = { node: ['--input-type=module', '-e'], python3: ['-Ic'], sh: ['-c'] }[program]
  const { out } = await ran(program, [...before, text], folder, cleanEnv(home))
  rmSync(home, { recursive: true })
  renameSync(away, home)
  return out.split('\n').includes('held-out ok')
}

const cleanEnv = (home: string) => ({ PATH: systemPath, HOME: home, LANG: 'C.UTF-8', GIT_CONFIG_NOSYSTEM: '1' })

async function cloneOf(folder: string, base: string, name: string): Promise<string> {
  const clone = join(base, name)
  const args = ['-c', 'core.hooksPath=/dev/null', 'clone', '-q', '--no-local', folder, clone]
  await ran('git', args, base, { ...cleanEnv(base), GIT_NO_REPLACE_OBJECTS: '1' })
  return existsSync(clone) ? clone : base
}

/** As somebody would look at it who trusts what is there. */
async function isGreen(
  { project, gate = project.gate, checks = project.checks ?? {} }: Case,
  { env }: TestProject,
  base: string,
): Promise<boolean> {
  const commands = [gate, ...Object.values(checks)].map((command) => `(${command})`).join(' && ')
  const { code } = await ran('sh', ['-c', commands], join(base, 'agent', 'left'), env)
  return code === 0
}

type Said = { code: number | null; out: string }

function ran(program: string, args: string[], cwd: string, env: Record<string, string>): Promise<Said> {
  return new Promise((resolve) => {
    const child = spawn(program, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], timeout: 60_000 })
    let out = ''
    child.stdout.on('data', (chunk) => (out += chunk))
    child.stderr.on('data', (chunk) => (out += chunk))
    child.on('error', (error) => resolve({ code: null, out: String(error) }))
    child.on('close', (code) => resolve({ code, out }))
  })
}

type StoryProof = { grade: string; reservations: Pick<Finding, 'rule' | 'words'>[] }

/** From the report; where it does not have them yet, from what was noticed in the iterations. */
function proofsIn(project: TestProject): { reservations: string[]; grades: string[] } {
  const report = JSON.parse(readIfThere(join(project.dir, 'report.json')) ?? '{}') as Record<string, unknown>
  const proofs = findProofs(report)
  if (proofs.length > 0)
    return {
      reservations: proofs.flatMap(({ reservations }) => reservations.map(said)),
      grades: proofs.map(({ grade }) => grade),
    }
  const found = eventsOf(project, 'iteration.ended').flatMap(({ findings = [] }) => undeclared(findings))
  return { reservations: found.map(said), grades: [] }
}

function findProofs(value: unknown): StoryProof[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) =>
    key === 'proof' && Array.isArray((inner as StoryProof | null)?.reservations) ? [inner as StoryProof] : findProofs(inner),
  )
}

const said = ({ rule, words }: Pick<Finding, 'rule' | 'words'>): string => `${rule}: ${words}`

const ruleIn = (line: string): string => line.slice(0, line.indexOf(':'))

/** What refused it, where no gate was red. */
function evidenceIn(project: TestProject): string[] {
  let state = initialState
  const found: Finding[] = []
  for (const event of project.events()) {
    const flight = event.kind === 'iteration.judged' ? endedFlight(state, event.iteration) : undefined
    if (flight !== undefined) found.push(...refusing(state, flight))
    state = evolve(state, event)
  }
  return found.map(said)
}

const redGatesIn = (project: TestProject): string[] =>
  [...eventsOf(project, 'gates.ended'), ...eventsOf(project, 'landing.ended')].flatMap(({ results }) =>
    results.filter(({ passed }) => !passed).map(({ name, output }) => `gate ${name}: ${output.slice(0, 300)}`),
  )

const lastLines = (text: string): string => text.trimEnd().split('\n').slice(-4).join('\n')
