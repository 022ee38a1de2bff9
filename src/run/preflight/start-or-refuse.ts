/** From the lock to the loop: finishes what a killed run left, checks everything, and starts or refuses the run. */
import { randomBytes } from 'node:crypto'
import { existsSync, realpathSync } from 'node:fs'
import { join, relative } from 'node:path'
import { shutInHooks, tagGit } from '../../adapters/git/run.ts'
import { readPlan } from '../../adapters/plan/find-plan.ts'
import { keepPlan } from '../../adapters/plan/live-plan.ts'
import { openLog } from '../../adapters/project/event-log.ts'
import { rememberProject } from '../../adapters/project/known-projects.ts'
import { eventLogPath, featureFolder, stateMdPath } from '../../adapters/project/layout.ts'
import { copyPathOf, matchLog } from '../../adapters/project/log/second-copy.ts'
import type { Sandbox } from '../../adapters/sandbox/wrapped.ts'
import { evolve } from '../../core/evolve/evolve.ts'
import { adoptPlan } from '../../core/evolve/run.ts'
import { exitCode } from '../../core/exit-codes.ts'
import type { State } from '../../core/state.ts'
import { instantOf } from '../../core/text/time.ts'
import type { Plan, Policy, Story } from '../../core/types.ts'
import type { Io } from '../../io.ts'
import { archiveLastRun, finishArchives } from '../finish/archive.ts'
import { finishKilled } from '../finish/finish.ts'
import type { LastNotice } from '../finish/last-notice.ts'
import { clearDeadLocks, restoreAfterPowerCut } from '../history/after-power-cut.ts'
import { bookOf, emptyBook } from '../history/folded-log.ts'
import { checkPlugins } from '../iteration/plugins.ts'
import { type Live, runToTheEnd } from '../live.ts'
import { noticed } from '../noticed.ts'
import type { SandboxFor, Setup, Work } from '../parts.ts'
import { askForAnswers, askForFresh } from '../people/ask-before-run.ts'
import { appendFacts, factsBefore, recordFact } from '../people/facts-since-last-run.ts'
import { movedSince, mustHavePlan, mustNotBeDeleted } from '../people/find-branch.ts'
import { writeRequests } from '../people/write-requests.ts'
import {
  checkAgents,
  checkBudget,
  checkParallel,
  checkSession,
  enterBranch,
  type Opened,
  ownConfig,
  sandboxesOf,
  withoutGit,
} from './begin.ts'
import { checkDirty, includeDirty } from './dirty-tree.ts'
import { markedSince, restoreAfterKill, seenAtDeath, unknownBefore } from './edits-before-kill.ts'
import { homeAfterKill } from './home-after-kill.ts'
import { isUnfinished, planAfterKill, reapTree } from './left-by-kill.ts'
import { worstOfPlan } from './lint-plan.ts'
import { cheaperModels, estimateFor, isWorthIt, spentEnvelope } from './money.ts'
import { handWritten, refusal } from './refusal.ts'
import { checkRepository, checkStillGit, repairDamage } from './repository.ts'
import { freshFacts, startFresh, triedStories } from './start-fresh.ts'

/** Settings are read before the log says that they are not the user's: then they are read again. */
export class SettingsRestored extends Error {}

type Locked = {
  setup: Setup
  args: { resetCircuit?: boolean; fresh?: boolean; resume?: boolean; json?: boolean; archive?: boolean }
  io: Io
  opened: Opened
  policy: Policy
  /** The run, of any feature, that left its lock behind; empty: none. */
  killed: string
  note(run: string): void
  mayWrite(): void
  last: LastNotice
  beside: Live['beside']
}

export async function runUnderLock({ opened, ...locked }: Locked): Promise<number> {
  const { setup, args, io, policy, killed, note, mayWrite, last, beside } = locked
  const { screen } = setup
  await finishArchives(setup.root, io.env, false)
  const logWords = matchLog(setup)
  if (logWords !== null) screen.say('warn', `! ${logWords}`)
  let { state, account } = bookOf(setup)
  for (const path of clearDeadLocks(setup, state))
    screen.say('warn', `! removed ${path}: git was writing when the machine went down`)
  const repaired = await repairDamage(opened.git, state, setup, io)
  if (repaired !== null) {
    opened = { ...opened, git: repaired.git, warnings: opened.warnings.filter((text) => text !== withoutGit) }
    state = recordFact(setup, state, repaired.fact)
  }
  const emptied = await restoreAfterPowerCut(opened.git, state, { home: setup.home, env: io.env })
  if (emptied !== null) state = recordFact(setup, state, emptied)
  const changed = await checkStillGit(opened.git, state, setup)
  if (changed !== null) state = recordFact(setup, state, changed)
  const runs = new Set([killed, isUnfinished(state) ? state.run : ''].filter((run) => run !== ''))
  for (const run of runs) await reapTree(setup, sandboxesOf(setup, run)(setup.root, setup.dir), run)
  const seen = await seenAtDeath(setup, state)
  const put = restoreAfterKill(setup, state, seen)
  for (const fact of put) state = recordFact(setup, state, fact)
  if (put.some(({ what }) => what !== unknownBefore)) throw new SettingsRestored()
  const homecoming = isUnfinished(state) ? await homeAfterKill(setup, opened.git, state) : { astray: null }
  await mustHavePlan(setup, opened.git, state, opened.plan !== null)
  for (const text of opened.warnings) screen.say('warn', `! ${text}`)
  const isReadAgain = runs.size > 0 || logWords !== null // the log says which of several files is the plan
  const { facts: ofPlan, ...left } = isReadAgain ? await planAfterKill(setup, state, screen, seen) : { facts: [] }
  opened = { ...opened, ...left }
  for (const text of await worstOfPlan(setup, opened.plan, { state, policy })) screen.say('warn', `! ${text}`)
  if (state.plan !== null && isOtherBranch(state, opened)) {
    const folder = archiveLastRun(setup, instantOf(Date.now()), state.plan)
    screen.say('plain', `The plan's branch changed: the last run is in ${relative(setup.root, folder)}`)
    ;({ state, account } = emptyBook())
  }
  const run = isUnfinished(state) ? state.run : newRun()
  note(run)
  tagGit(run)
  const named = { ...setup, run, git: opened.git }
  const sandboxFor = sandboxesOf(setup, run)
  const sandbox = sandboxFor(setup.root, setup.dir)
  const versions = await checkAgents(setup, sandbox, opened.plan, policy.review)
  for (const text of versions) screen.say('warn', `! ${text}`)
  const cheaper = cheaperModels(setup, policy)
  if (cheaper !== null) screen.say('dim', cheaper)
  shutInHooks(sandbox && hooksPlace(named, sandboxFor))
  checkBudget(setup, opened.plan, policy.review)
  await checkPlugins(named)
  checkSession(setup, state)
  for (const text of await checkParallel(named, opened.plan)) screen.say('warn', `! ${text}`)
  await checkRepository(opened.git, state, screen)
  if (!isUnfinished(state)) await checkDirty(named, state)
  rememberProject(setup.home, setup.main ?? setup.root)
  const log = openLog(eventLogPath(setup.dir), () => copyPathOf(setup), mayWrite)
  let syncing = Promise.resolve()
  try {
    if (logWords !== null) state = appendFacts(named, log, state, [noticed('log-restored', logWords)])
    await finishKilled(setup, { state, account })
    const told = versions.map((text) => noticed('agent-version', text))
    const before = factsBefore(setup, state, { isReset: args.resetCircuit === true })
    state = appendFacts(named, log, state, [...ofPlan, ...told, ...before])
    const plan = opened.plan?.plan ?? null
    if (io.isAttended && state.blocked === undefined)
      state = appendFacts(named, log, state, await askForAnswers(setup, adoptPlan(state, plan, 'given')))
    const refused = refusalNow(state, { plan, policy }, setup, args.fresh === true)
    if (refused !== null) {
      io.err(`${refused.lines.join('\n')}\n`)
      last.refused(refused.exit, refused.lines)
      return refused.exit
    }
    const estimate = isUnfinished(state) ? null : await estimateFor(setup, { state, account }, { plan, policy })
    if (!(await isWorthIt(setup, estimate, io.isAttended))) {
      io.err('Not started. Raise budget.ask_above_usd, or run fewer stories: ralph run --story <id>\n')
      return exitCode('interrupted')
    }
    const isFresh = args.fresh === true || (!args.resume && io.isAttended && (await wantsFresh(setup, state, plan)))
    const branch = branchFor(setup, state, plan)
    if (setup.settings['branch.auto_create'] && !isFresh) await mustNotBeDeleted(opened.git, branch, state)
    const isMoved = await enterBranch(named, branch, (fact) => {
      state = appendFacts(named, log, state, [fact])
    })
    const since = branch === '' ? await movedSince(opened.git, state) : []
    if (!isUnfinished(state)) await includeDirty(named, state)
    // Another branch may have another plan file.
    const there = isMoved ? { ...opened, plan: (await readPlan(setup.dir, setup.label)).plan } : opened
    const keeper = keepPlan(setup.dir, there.plan)
    await writeRequests(keeper, state)
    if (isFresh) state = await startFresh({ ...named, plan: keeper }, log, state)
    last.hasBegun = true
    const [isMarkedSince, dirtyAtDeath] = [await markedSince(state, seen), seen?.dirty ?? null]
    const how = {
      isJson: args.json === true,
      // A feature with a pull request is not over: its reviewers may want something.
      isArchiving: args.archive !== false && setup.main === undefined && setup.settings['git.pr'] === 'off',
      ...homecoming,
      beside,
      since,
      isMarkedSince,
      dirtyAtDeath,
      estimate,
    }
    const begun = { run, git: opened.git, plan: keeper, configFiles: ownConfig(setup), sandboxFor }
    if (setup.settings['tracker.sync']) syncing = beginSync(setup, keeper.current()?.plan.stories ?? [], io)
    return await runToTheEnd({ setup, begun, log, state, account, policy, io, ...how })
  } finally {
    await syncing
    log.close()
  }
}

/** Beside the run. It asks services with the user's keys, so it has the environment of this command. */
async function beginSync({ root, feature, screen }: Setup, stories: Story[], { env }: Io): Promise<void> {
  const { syncAtStart } = await import('../finish/sync-issues.ts')
  await syncAtStart(stories, { root, feature, env, warn: (text) => screen.say('warn', `! ${text}`) })
}

/** A worktree of the feature keeps its branch, also if the plan names none. */
const branchFor = ({ main }: Setup, { home }: State, plan: Plan | null): string =>
  plan?.branch || (main === undefined ? '' : (home?.branch ?? ''))

/** A story's worktree has its own. */
function hooksPlace(
  { git, root, feature }: Pick<Work, 'git' | 'root' | 'feature'>,
  sandboxFor: SandboxFor,
): (top: string) => Sandbox | null {
  const within = git === null ? '' : relative(git.top, realpathSync(root))
  return (top) => sandboxFor(join(top, within), featureFolder(join(top, within), feature))
}

/** As the run would start; a killed one continues, and reaches its own end. */
function refusalNow(state: State, { plan, policy }: { plan: Plan | null; policy: Policy }, setup: Setup, isFresh: boolean) {
  const files = handWritten(setup.dir, state)
  if (isUnfinished(state) && files.blocked === null && files.asked.length === 0) return null
  const at = instantOf(Date.now())
  const facts = isFresh ? freshFacts(triedStories(state, plan)) : []
  const fresh = facts.reduce<State>(
    (next, fact) => evolve(next, { at, run: state.run, ...fact }),
    adoptPlan(state, plan, 'given'),
  )
  return refusal(fresh, policy, { at, label: setup.label, files, spent: spentEnvelope(setup, policy.agent, at) })
}

/** A killed run continues; an ended one may be started fresh, if it left something to forget. */
async function wantsFresh(setup: Setup, state: State, plan: Plan | null): Promise<boolean> {
  const tried = isUnfinished(state) ? [] : triedStories(state, plan)
  const isKept = existsSync(stateMdPath(setup.dir)) || tried.some((story) => story.failed !== undefined)
  return tried.length > 0 && isKept && askForFresh(setup, tried)
}

const isOtherBranch = (state: State, opened: Opened): boolean =>
  state.plan !== null &&
  state.plan.branch !== '' &&
  opened.plan !== null &&
  opened.plan.plan.branch !== '' &&
  opened.plan.plan.branch !== state.plan.branch

function newRun(): string {
  const time = instantOf(Date.now()).replaceAll(/[-:]/g, '').replace('T', '-').slice(0, 15)
  return `${time}-${randomBytes(2).toString('hex')}`
}
