/** Asks an agent for a plan, or about one: read-only calls in a checkout of its own, each repeated once if the answer cannot be used. */

import { join, relative } from 'node:path'
import { replaceFile } from '../../adapters/files/files.ts'
import { hashFiles } from '../../adapters/files/tree-hash.ts'
import { openGit } from '../../adapters/git/git.ts'
import { callAgent } from '../../adapters/process/agent-call.ts'
import { ensureIgnored } from '../../adapters/project/gitignore.ts'
import { featureFolder, featureLabel, projectLogsFolder } from '../../adapters/project/layout.ts'
import { askForCall } from '../../adapters/project/rate-limit.ts'
import { openSpending } from '../../adapters/project/spending.ts'
import { flagSettings } from '../../config/flags.ts'
import { initialState } from '../../core/evolve/initial.ts'
import { exitCode } from '../../core/exit-codes.ts'
import { EXIT, Failure } from '../../core/failure.ts'
import { withPrice } from '../../core/figures/price.ts'
import type { FormReading } from '../../core/import/form.ts'
import { capital } from '../../core/text/escape.ts'
import { sayDuration } from '../../core/text/time.ts'
import { type CallResult, errorOf, exitOf, throttledIn } from '../../run/iteration/call-result.ts'
import { fromProject } from '../../run/iteration/guard-judge.ts'
import { openWorkLine } from '../../run/outputs/work-line.ts'
import type { SandboxFor, Setup, Work } from '../../run/parts.ts'
import { checkAgents, openSetup, sandboxesOf } from '../../run/preflight/begin.ts'
import { spentEnvelope } from '../../run/preflight/money.ts'
import { settingsOf } from '../../run/project.ts'
import { localTime } from '../../views/local-time.ts'
import { type Desk, screenOf } from './look-over.ts'
import { placeForLooking } from './look-place.ts'

/** The tag of all processes of these calls. */
export const importRun = `import-${Date.now().toString(36)}-${process.pid}`

/** What an agent is asked for, and how its answer is read. */
export type Ask<T> = {
  /** "stories", for people. */
  what: string
  schema: { name: string; schema: object }
  /** `problem`: why the last answer could not be used. */
  prompt(about: { problem: string | undefined; hasSchema: boolean; promise: string }): string
  read(text: string): FormReading<T> | Promise<FormReading<T>>
}

export type Planner = {
  feature: string
  /** null: it was stopped. */
  ask<T>(ask: Ask<T>): Promise<T | null>
}

export async function openPlanner(desk: Desk, agent: string | undefined): Promise<Planner> {
  const world = await openDoors(desk, agent)
  const spent: SpentOnPlanning = { calls: 0, costUsd: 0, tokens: 0 }
  return {
    feature: world.feature,
    async ask(ask) {
      let problem: string | undefined
      for (const isLast of [false, true]) {
        const call = await called(world, desk, spent, { ...ask, problem })
        const exit = exitOf(call)
        if (exit === 'stopped') return null
        if (exit === 'timeout')
          throw unusable(`timed out after ${sayDuration(call.end.durationMs)} (defaults.timeout_minutes).`, world, desk, ask)
        const reading = await ask.read(call.transcript.finalMessage)
        if (reading.ok) return reading.value
        problem = exit === 'failed' ? `it failed: ${errorOf(call).slice(0, 300)}` : reading.problem
        if (isLast) throw unusable(problem, world, desk, ask)
        desk.io.err(`! Cannot use the answer of ${world.agents.agentFor(initialState, null).name}: ${problem} Asking again.\n`)
      }
      throw new Error('a loop of two has a last one')
    },
  }
}

type SpentOnPlanning = { calls: number; costUsd: number; tokens: number }
type ImportWorld = Setup & Pick<Work, 'run' | 'sandbox'> & { sandboxFor: SandboxFor }

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
  const sandboxFor = sandboxesOf(setup, importRun)
  const sandbox = sandboxFor(root, setup.dir)
  await checkAgents(setup, sandbox, null, { final: [] })
  return { ...setup, run: importRun, sandbox, sandboxFor }
}

type PlanningCall = Pick<Ask<unknown>, 'what' | 'schema' | 'prompt'> & { problem: string | undefined }

async function called(world: ImportWorld, desk: Desk, spent: SpentOnPlanning, ask: PlanningCall): Promise<CallResult> {
  const { settings, root } = world
  const agent = world.agents.agentFor(initialState, null)
  const model = world.agents.modelFor(initialState, null)
  grant(world, desk, agent.name, spent)
  ensureIgnored(root)
  const schema = { ...ask.schema, path: join(projectLogsFolder(root), `${ask.schema.name}.schema.json`) }
  replaceFile(schema.path, `${JSON.stringify(schema.schema, null, 2)}\n`)
  const hasSchema = agent.answersInSchema === true
  const prompt = ask.prompt({ problem: ask.problem, hasSchema, promise: settings['completion.promise'] })
  desk.io.err(`Asking ${agent.name} for ${ask.what}. Ctrl+C to stop.\n`)
  spent.calls += 1
  const tree = await treeOf(world)
  const spending = openSpending(world.home, agent.name, world.now)
  const place = await placeForLooking(world, desk.io)
  const timeoutMs = settings['defaults.timeout_minutes'] * settings['defaults.timeout_multiplier'] * 60_000
  const line = openWorkLine(agent.name, timeoutMs, desk.io)
  const role = { RALPH_ROLE: 'implementer', RALPH_ITERATION: String(spent.calls), RALPH_STORY: '', RALPH_MODEL: model }
  const result = await callAgent({
    agent: fromProject(agent, world),
    task: { prompt: world.mask.text(prompt), cwd: place.cwd, model, env: { ...place.env, ...role }, isReadOnly: true, schema },
    tag: `${world.run}:${spent.calls}`,
    logPath: logOf(world),
    timeoutMs,
    graceMs: settings['process.grace_seconds'] * 1000,
    keep: settings['process.keep'],
    mask: world.mask,
    sandbox: place.sandbox,
    stop: desk.stop,
    onEntry: (entry, { model: answering, tool }) => {
      line.doing(tool)
      if (entry.kind !== 'usage') return
      const soFar = withPrice(entry.usage, answering, world)
      spending.soFar(soFar)
      if (soFar.costUsd !== null) line.spent(soFar.costUsd)
    },
  }).finally(() => {
    line.end()
    return place.remove()
  })
  if ((await treeOf(world)) !== tree)
    desk.io.err(
      `! ${agent.name} changed files, although it was only asked to read. Check them before you continue (git status).\n`,
    )
  const usage = withPrice(result.transcript.usage, result.transcript.model, world)
  const { costUsd, inputTokens, outputTokens } = usage
  spending.ended(usage)
  spent.costUsd += costUsd ?? 0
  spent.tokens += inputTokens + outputTokens
  refuseThrottled(world, desk, result, agent)
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

function grant(world: ImportWorld, { verb }: Desk, agent: string, spent: SpentOnPlanning): void {
  const { 'budget.cost_usd': mostUsd, 'budget.tokens': mostTokens } = world.settings
  const calls = spent.calls === 1 ? '1 call' : `${spent.calls} calls`
  const isOverCost = mostUsd !== null && spent.costUsd >= mostUsd
  if (isOverCost || (mostTokens !== null && spent.tokens >= mostTokens)) {
    const which = isOverCost ? `budget.cost_usd: ${mostUsd}` : `budget.tokens: ${mostTokens}`
    throw new Failure(exitCode('budget'), `Budget spent after ${calls} (${which}). Raise it, then ${verb} again.`)
  }
  const spentLines = spentEnvelope(world, agent, world.now())
  if (spentLines !== null) throw new Failure(exitCode('budget'), spentLines.join(' '))
  const limitPerHour = world.settings['defaults.rate_limit_per_hour']
  const answer = askForCall(world.home, { limitPerHour, agent, now: world.now })
  if (answer.granted) return
  const why =
    answer.by === 'rate'
      ? `Hourly call limit reached (${limitPerHour}; defaults.rate_limit_per_hour).`
      : `Usage limit of ${agent} reached.`
  throw new Failure(exitCode('limited'), `${why} ${capital(verb)} again after ${localTime(answer.until, world.now())}.`)
}

function refuseThrottled(world: ImportWorld, { verb }: Desk, call: CallResult, agent: Parameters<typeof throttledIn>[2]): void {
  const throttled = throttledIn(world, call, agent)
  if (throttled === undefined) return
  if (throttled.by === 'login')
    throw new Failure(EXIT.login, `${agent.name} rejects the login or key: ${throttled.message} Log in, then ${verb} again.`)
  const when = throttled.until === undefined ? 'later' : `after ${localTime(throttled.until, world.now())}`
  throw new Failure(exitCode('limited'), `${agent.name} is not available: ${throttled.message} ${capital(verb)} again ${when}.`)
}

const unusable = (problem: string, world: ImportWorld, { file, io }: Desk, { what }: { what: string }): Failure =>
  new Failure(
    EXIT.data,
    `Could not create ${what} from ${file}: ${problem} The agent's output is in ${relative(io.cwd, logOf(world))}.`,
  )
