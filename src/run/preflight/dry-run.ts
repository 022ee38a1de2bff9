/** `ralph run --dry-run`: shows the decisions, the command line and the exact prompt of the next iteration, and changes nothing. */

import { hashFiles } from '../../adapters/files/tree-hash.ts'
import { keepPlan } from '../../adapters/plan/live-plan.ts'
import { foldLog } from '../../adapters/project/event-log.ts'
import { eventLogPath } from '../../adapters/project/layout.ts'
import { decide } from '../../core/decide/decide.ts'
import { evolve } from '../../core/evolve/evolve.ts'
import { initialState } from '../../core/evolve/initial.ts'
import type { State } from '../../core/state.ts'
import { inShell } from '../../core/text/escape.ts'
import type { Decision, Event, Policy, Report } from '../../core/types.ts'
import type { Io } from '../../io.ts'
import { estimateWords } from '../../views/report/costs.ts'
import { bookOf } from '../history/folded-log.ts'
import { checkPlugins } from '../iteration/plugins.ts'
import { taskFor } from '../iteration/task.ts'
import type { Setup } from '../parts.ts'
import { factsInFiles } from '../people/facts-since-last-run.ts'
import { checkAgents, checkBudget, checkParallel, checkSession, type Opened, sandboxesOf } from './begin.ts'
import { worstOfPlan } from './lint-plan.ts'
import { estimateFor, spentEnvelope } from './money.ts'
import { handWritten, refusal } from './refusal.ts'
import { checkNothingOpen, checkStillGit } from './repository.ts'

const run = 'dry-run'

export async function dryRun(
  setup: Setup,
  { opened, policy }: { opened: Opened; policy: Policy },
  io: Io,
  options: { isReset: boolean; isWhole: boolean },
): Promise<number> {
  const sandbox = sandboxesOf(setup, run)(setup.root, setup.dir)
  const plan = opened.plan?.plan ?? null
  const world = { ...setup, run, git: opened.git, plan: keepPlan(setup.dir, opened.plan), sandbox, lessons: { known: null } }
  const { value: logged } = foldLog(eventLogPath(world.dir), initialState, evolve)
  // What a person did since the last run would be taken over first.
  const before = factsInFiles(world, logged, options).reduce((state, fact) => evolve(state, stamped(world, fact)), logged)
  const refused = refusal(before, policy, {
    at: world.now(),
    label: world.label,
    files: handWritten(world.dir, before),
    spent: spentEnvelope(setup, policy.agent, world.now()),
  })
  if (refused !== null) {
    io.err(`${refused.lines.join('\n')}\n`)
    return refused.exit
  }
  for (const text of await worstOfPlan(setup, opened.plan, { state: before, policy })) setup.screen.say('warn', `! ${text}`)
  await checkStillGit(opened.git, before, world)
  await checkAgents(world, sandbox, opened.plan, policy.review)
  checkBudget(world, opened.plan, policy.review)
  await checkPlugins(world)
  checkSession(world, before)
  for (const text of await checkParallel(world, opened.plan)) setup.screen.say('warn', `! ${text}`)
  checkNothingOpen(opened.git, before)
  const snapshot = world.git === null ? hashFiles(world.root) : await world.git.snapshot()
  const repo = { head: snapshot.head, tree: snapshot.tree, dirt: snapshot.dirt }
  const first: Report = {
    kind: 'run.started',
    log: 1,
    feature: world.feature,
    plan,
    policy,
    repo,
    dirty: snapshot.uncommitted,
    pid: process.pid,
  }
  const { decisions, state } = decisionsUntilStart(before, first, world)
  const branch = plan?.branch ?? ''
  const estimate = await estimateFor(setup, bookOf(setup), { plan, policy })
  const estimated = estimate === null ? '' : `Estimate: ${estimateWords(estimate)}\n\n`
  io.out(`Dry run of ${world.label}: nothing is changed, and no agent is called.\n\n${estimated}Decisions:\n`)
  if (branch !== '' && snapshot.branch !== branch && world.settings['branch.auto_create'])
    io.out(`  branch: ${snapshot.branch ?? 'detached HEAD'} → ${branch}\n`)
  for (const decision of decisions) io.out(`  ${deedOf(decision)}: ${decision.because}\n`)
  const start = decisions.find((decision) => decision.kind === 'iteration.started')
  if (start === undefined) return 0
  const { agent, task, parts } = await taskFor(world, start, state)
  const { system = '', prompt } = task
  const launch = agent.launch(task)
  const kind = world.settings['sandbox.kind']
  const inside = kind === 'none' ? '' : `inside the sandbox ${kind}; `
  const words = [launch.command, ...launch.args]
  const shown = options.isWhole ? words.map(inShell) : words.map(shortened)
  const cut = options.isWhole || words.every(isShort) ? '' : '; long values are cut, ralph run --dry-run -v shows them'
  io.out(
    `\nCommand (${inside}the prompt goes to its standard input${system === '' ? '' : ', its stable part into a file'}${cut}):\n  ${shown.join(' ')}\n`,
  )
  io.out(
    `\nPrompt (${(system.length + prompt.length).toLocaleString('en')} characters):\n${parts.map((part) => `  ${part.name.padEnd(14)}${part.text.length.toLocaleString('en')}\n`).join('')}\n${system === '' ? '' : `${system}\n`}${prompt}`,
  )
  return 0
}

function deedOf(decision: Decision): string {
  if (decision.kind === 'gates.started') return 'run the gates'
  if (decision.kind === 'call.requested') return 'call the agent, if the hourly limit allows it'
  if (decision.kind === 'iteration.started')
    return `start iteration ${decision.iteration}${decision.story === null ? '' : ` on ${decision.story}`}`
  return decision.kind
}

/** Continues the log in memory, as if the call were granted and the gates passed, up to the start of the agent. */
function decisionsUntilStart(before: State, first: Report, setup: Setup): { decisions: Decision[]; state: State } {
  const taken: Decision[] = []
  const stamp = (fact: Report | Decision): Event => stamped(setup, fact)
  let state = evolve(before, stamp(first))
  for (let decisions = decide(state); decisions.length > 0; decisions = decide(state)) {
    for (const decision of decisions) {
      taken.push(decision)
      if (decision.kind === 'iteration.started') return { decisions: taken, state }
      state = evolve(state, stamp(decision))
      if (decision.kind === 'gates.started')
        state = evolve(state, stamp({ kind: 'gates.ended', iteration: decision.iteration, results: [] }))
      if (decision.kind === 'call.requested') state = evolve(state, stamp({ kind: 'call.granted', call: decision.call }))
    }
  }
  return { decisions: taken, state }
}

const stamped = ({ now }: Setup, fact: Report | Decision): Event => ({ at: now(), run, ...fact })

/** A list of a hundred rules hides the options beside it. */
const isShort = (word: string): boolean => word.length <= 600

const shortened = (word: string): string =>
  isShort(word) ? inShell(word) : `${inShell(`${word.slice(0, 100)}…`)} (${word.length.toLocaleString('en')} characters)`
