/** Lets the agent turn a document into stories: one read-only call, and a second one if the answer cannot be used. */
import { join, relative } from 'node:path'
import { replaceFile } from '../../adapters/files/files.ts'
import { hashFiles } from '../../adapters/files/tree-hash.ts'
import { openGit } from '../../adapters/git/git.ts'
import { planAfter } from '../../adapters/import/plan-text.ts'
import { callAgent } from '../../adapters/process/agent-call.ts'
import { ensureIgnored } from '../../adapters/project/gitignore.ts'
import { featureFolder, featureLabel, projectLogsFolder } from '../../adapters/project/layout.ts'
import { askForCall } from '../../adapters/project/rate-limit.ts'
import { flagSettings } from '../../config/flags.ts'
import { exitCode } from '../../core/decide/outcome.ts'
import { initialState } from '../../core/evolve/initial.ts'
import { EXIT, Failure } from '../../core/failure.ts'
import { readStories, storiesSchema } from '../../core/import/answer.ts'
import { importPrompt } from '../../core/import/prompt.ts'
import type { NewPlan } from '../../core/import/story.ts'
import { oneLine } from '../../core/import/values.ts'
import { sayDuration } from '../../core/text/time.ts'
import { type CallResult, errorOf, exitOf, throttledIn } from '../../run/iteration/call-result.ts'
import type { Setup, Work } from '../../run/parts.ts'
import { checkAgents, openSetup, sandboxesOf } from '../../run/preflight/begin.ts'
import { settingsOf } from '../../run/project.ts'
import { type Desk, type Maker, screenOf } from './look-over.ts'

/** The tag of all processes of these calls. */
export const importRun = `import-${Date.now().toString(36)}-${process.pid}`

type Document = { name: string; text: string }

export async function storyMaker(document: Document, desk: Desk, agent: string | undefined): Promise<Maker> {
  const world = await openDoors(desk, agent)
  let calls = 0
  const make = async (wish: string): Promise<NewPlan> => {
    let problem: string | undefined
    for (const isLast of [false, true]) {
      calls += 1
      const made = await asked(world, document, desk, { wish, problem, call: calls })
      if ('plan' in made) return made.plan
      if (isLast) throw unusable(made.problem, world, desk)
      problem = made.problem
      desk.io.err(`! Cannot use the answer of ${world.agents.agentFor(initialState, null).name}: ${problem} Asking again.\n`)
    }
    throw new Error('a loop of two has a last one')
  }
  return { plan: await make(''), again: make }
}

type ImportWorld = Setup & Pick<Work, 'run' | 'sandbox'>

async function openDoors({ io, first }: Desk, agent: string | undefined): Promise<ImportWorld> {
  const { root, home, feature } = first
  const loaded = await settingsOf(io, { root, home }, flagSettings({ agent }))
  const project = { root, home, feature, dir: featureFolder(root, feature), label: featureLabel(feature) }
  const setup = openSetup(project, loaded, { io, screen: screenOf({ io }) })
  try {
    setup.agents.agentFor(initialState, null)
  } catch (error) {
    // A wrong word on the command line is a usage error, whatever it would be in a file.
    throw error instanceof Failure && agent !== undefined ? new Failure(EXIT.usage, error.message) : error
  }
  const sandbox = sandboxesOf(setup, importRun)(root, setup.dir)
  await checkAgents(setup, sandbox, null, { final: [] })
  return { ...setup, run: importRun, sandbox }
}

type PlanningCall = { wish: string; problem: string | undefined; call: number }

async function asked(
  world: ImportWorld,
  document: Document,
  desk: Desk,
  ask: PlanningCall,
): Promise<{ plan: NewPlan } | { problem: string }> {
  const call = await called(world, document, desk, ask)
  const exit = exitOf(call)
  if (exit === 'stopped') return { plan: nothing } // whoever checks the result sees that it was stopped
  if (exit === 'timeout')
    throw unusable(`timed out after ${sayDuration(call.end.durationMs)} (defaults.timeout_minutes).`, world, desk)
  const reading = readStories(call.transcript.finalMessage)
  if (!reading.ok) return { problem: exit === 'failed' ? `it failed: ${errorOf(call).slice(0, 300)}` : reading.problem }
  const plan = { ...nothing, description: headlineOf(document.text), stories: reading.stories }
  try {
    await planAfter(desk.before, plan, desk.first.head)
    return { plan }
  } catch (error) {
    if (error instanceof Failure) return { problem: `${error.message}.` }
    throw error
  }
}

const nothing: NewPlan = { description: '', branchName: '', createdAt: '', more: {}, stories: [], remarks: [] }

/** Its title, or its first line. */
function headlineOf(text: string): string {
  const line = text.split('\n').find((candidate) => /\p{L}/u.test(candidate)) ?? ''
  return oneLine(line.replace(/^[#>*\s-]+/, '')).slice(0, 200)
}

async function called(
  world: ImportWorld,
  document: Document,
  desk: Desk,
  { wish, problem, call: number }: PlanningCall,
): Promise<CallResult> {
  const { settings, root } = world
  const agent = world.agents.agentFor(initialState, null)
  const model = world.agents.modelFor(initialState, null)
  grant(world, agent.name)
  ensureIgnored(root)
  const schema = { name: 'stories', path: join(projectLogsFolder(root), 'import.schema.json'), schema: storiesSchema }
  replaceFile(schema.path, `${JSON.stringify(schema.schema, null, 2)}\n`)
  const prompt = importPrompt({
    feature: world.feature,
    file: document.name,
    text: document.text,
    there: desk.before.stories,
    wish,
    problem,
    hasSchema: agent.answersInSchema === true,
    promise: settings['completion.promise'],
  })
  desk.io.err(`Asking ${agent.name} for stories. Ctrl+C to stop.\n`)
  const tree = await treeOf(world)
  const result = await callAgent({
    agent,
    task: {
      prompt: world.mask.text(prompt),
      cwd: root,
      model,
      env: { ...world.env, RALPH_ROLE: 'implementer', RALPH_ITERATION: String(number), RALPH_STORY: '', RALPH_MODEL: model },
      isReadOnly: true,
      schema,
    },
    tag: `${world.run}:${number}`,
    logPath: logOf(world),
    timeoutMs: settings['defaults.timeout_minutes'] * settings['defaults.timeout_multiplier'] * 60_000,
    graceMs: settings['process.grace_seconds'] * 1000,
    keep: settings['process.keep'],
    mask: world.mask,
    sandbox: world.sandbox,
    stop: desk.stop,
    onEntry: () => {},
  })
  if ((await treeOf(world)) !== tree)
    desk.io.err(
      `! ${agent.name} changed files, although it was only asked to read. Check them before you continue (git status).\n`,
    )
  refuseThrottled(world, result, agent)
  return result
}

const logOf = (world: ImportWorld): string => join(projectLogsFolder(world.root), `import-${world.feature}.log`)

/** A hash of the project's files, without `.ralph/`. */
async function treeOf(world: ImportWorld): Promise<string> {
  const git = await openGit(world.root, world.env)
  try {
    const { head, tree, dirt } = git === null ? hashFiles(world.root) : await git.snapshot()
    return JSON.stringify([head, tree, dirt])
  } finally {
    git?.close()
  }
}

function grant(world: ImportWorld, agent: string): void {
  const limitPerHour = world.settings['defaults.rate_limit_per_hour']
  const answer = askForCall(world.home, { limitPerHour, agent, now: world.now })
  if (answer.granted) return
  const why =
    answer.by === 'rate'
      ? `Hourly call limit reached (${limitPerHour}; defaults.rate_limit_per_hour).`
      : `Usage limit of ${agent} reached.`
  throw new Failure(exitCode('limited'), `${why} Import again after ${answer.until}.`)
}

function refuseThrottled(world: ImportWorld, call: CallResult, agent: Parameters<typeof throttledIn>[2]): void {
  const throttled = throttledIn(world, call, agent)
  if (throttled === undefined) return
  if (throttled.by === 'login')
    throw new Failure(EXIT.login, `${agent.name} rejects the login or key: ${throttled.message} Log in, then import again.`)
  const when = throttled.until === undefined ? 'later' : `after ${throttled.until}`
  throw new Failure(exitCode('limited'), `${agent.name} is not available: ${throttled.message} Import again ${when}.`)
}

const unusable = (problem: string, world: ImportWorld, { file, io }: Desk): Failure =>
  new Failure(
    EXIT.data,
    `Could not create stories from ${file}: ${problem} The agent's output is in ${relative(io.cwd, logOf(world))}.`,
  )
