/** From the lock to the loop: what a killed run left is finished, everything is checked, and the run begins or is refused. */
import { randomBytes } from 'node:crypto'
import { existsSync, realpathSync } from 'node:fs'
import { join, relative } from 'node:path'
import { shutInHooks, tagGit } from '../../adapters/git/run.ts'
import { readPlan } from '../../adapters/plan/read.ts'
import { openLog } from '../../adapters/project/event-log.ts'
import { rememberProject } from '../../adapters/project/known-projects.ts'
import { eventLogPath, featureFolder, stateMdPath } from '../../adapters/project/layout.ts'
import { copyPathOf, matchLog } from '../../adapters/project/log/second-copy.ts'
import { evolve } from '../../core/evolve/evolve.ts'
import { adoptPlan } from '../../core/evolve/run.ts'
import type { State } from '../../core/state.ts'
import { instantOf } from '../../core/text/time.ts'
import type { Plan, Policy } from '../../core/types.ts'
import type { Io } from '../../io.ts'
import { archiveLastRun, finishArchives } from '../finish/archive.ts'
import { finishKilled } from '../finish/finish.ts'
import type { LastNotice } from '../finish/last-notice.ts'
import { bookOf, emptyBook } from '../history/folded-log.ts'
import { homeAfterKill } from '../iteration/own-branch.ts'
import { checkPlugins } from '../iteration/plugins.ts'
import { type Live, live } from '../live.ts'
import type { Screen } from '../outputs/screen.ts'
import { askForAnswers, askForFresh } from '../people/ask-before-run.ts'
import { appendFacts, factsBefore, recordFact } from '../people/facts-since-last-run.ts'
import { markedSince, restoreAfterKill, seenAtDeath } from '../preflight/after-kill.ts'
import { checkAgents, checkBudget, checkParallel, checkSession, enterBranch, type Opened } from '../preflight/begin.ts'
import { handWritten, refusal } from '../preflight/refusal.ts'
import { checkRepository, checkStillGit, mendDamage } from '../preflight/repository.ts'
import { isUnfinished, planAfterKill, reapTree } from '../preflight/resume.ts'
import { freshFacts, startFresh, triedStories } from '../preflight/start-fresh.ts'
import type { Project } from '../project.ts'
import type { World } from '../world.ts'

/** Settings are read before the log says that they are not the user's: they are read again. */
export class SettingsRestored extends Error {}

type Locked = {
  project: Project
  args: { resetCircuit?: boolean; fresh?: boolean; resume?: boolean; json?: boolean; archive?: boolean }
  io: Io
  opened: Opened
  policy: Policy
  screen: Screen
  openNow(run: string, opened: Opened): World
  /** The run, of whichever feature, that left its lock behind; empty: none. */
  killed: string
  note(run: string): void
  mayWrite(): void
  last: LastNotice
  beside: Live['beside']
}

export async function runUnderLock({
  project,
  args,
  io,
  opened,
  policy,
  screen,
  openNow,
  killed,
  note,
  mayWrite,
  last,
  beside,
}: Locked): Promise<number> {
  await finishArchives(project.root, io.env, false)
  const logWords = matchLog(project)
  if (logWords !== null) screen.say('warn', `! ${logWords}`)
  let { state, account } = bookOf(project)
  const mended = await mendDamage(opened.git, state, project, io)
  if (mended !== null) {
    opened = { ...opened, git: mended.git }
    state = recordFact(project, openNow(state.run, opened), state, mended.fact)
  }
  const changed = await checkStillGit(opened.git, state, project)
  if (changed !== null) state = recordFact(project, openNow(state.run, opened), state, changed)
  for (const text of opened.warnings) screen.say('warn', `! ${text}`)
  const runs = new Set([killed, isUnfinished(state) ? state.run : ''].filter((run) => run !== ''))
  for (const run of runs) await reapTree(openNow(run, opened), run)
  const seen = await seenAtDeath(project, state)
  const put = restoreAfterKill(project, state, seen)
  for (const fact of put) state = recordFact(project, openNow(state.run, opened), state, fact)
  if (put.length > 0) throw new SettingsRestored()
  const astray = isUnfinished(state) ? await homeAfterKill(openNow(state.run, opened), state) : null
  const isReadAgain = runs.size > 0 || logWords !== null // the log says which of several files is the plan
  const { facts: ofPlan, ...left } = isReadAgain ? await planAfterKill(project, state, screen, seen) : { facts: [] }
  opened = { ...opened, ...left }
  if (state.plan !== null && isOtherBranch(state, opened)) {
    const folder = archiveLastRun(project, instantOf(Date.now()), state.plan)
    screen.say('plain', `The plan's branch changed: the last run is in ${relative(project.root, folder)}`)
    ;({ state, account } = emptyBook())
  }
  const run = isUnfinished(state) ? state.run : newRun()
  note(run)
  tagGit(run)
  const checked = openNow(run, opened)
  await checkAgents(checked, opened.plan, state, policy.review)
  shutInHooks(checked.sandbox && hooksPlace(checked))
  checkBudget(checked, opened.plan, state, policy.review)
  await checkPlugins(checked)
  checkSession(checked, state)
  for (const text of await checkParallel(checked)) screen.say('warn', `! ${text}`)
  await checkRepository(opened.git, state, screen)
  rememberProject(project.home, project.root)
  const log = openLog(eventLogPath(project.dir), () => copyPathOf(project), mayWrite)
  try {
    if (logWords !== null)
      state = appendFacts(checked, log, state, [{ kind: 'noticed', what: 'log-restored', detail: logWords, tell: false }])
    await finishKilled(checked, { state, account })
    const before = factsBefore(checked, state, { isReset: args.resetCircuit === true })
    state = appendFacts(checked, log, state, [...ofPlan, ...before])
    const plan = opened.plan?.plan ?? null
    if (io.isAttended && state.blocked === undefined)
      state = appendFacts(checked, log, state, await askForAnswers(checked, adoptPlan(state, plan, 'given')))
    const refused = refusalNow(state, { plan, policy }, project, args.fresh === true)
    if (refused !== null) {
      io.err(`${refused.lines.join('\n')}\n`)
      last.refused(refused.exit, refused.lines)
      return refused.exit
    }
    const isFresh = args.fresh === true || (!args.resume && io.isAttended && (await wantsFresh(checked, state, plan)))
    const isMoved = await enterBranch(checked, plan?.branch ?? '')
    // Another branch may have another plan file.
    const there = isMoved ? { ...opened, plan: (await readPlan(project.dir, project.label)).plan } : opened
    const world = isMoved ? openNow(run, there) : checked
    if (isFresh) state = await startFresh(world, log, state)
    const inputs = isFresh ? { ...there, plan: world.plan.current() } : there
    last.hasBegun = true
    const [isMarkedSince, dirtyAtDeath] = [await markedSince(state, seen), seen?.dirty ?? null]
    const how = { isJson: args.json === true, isArchiving: args.archive !== false, astray, beside, isMarkedSince, dirtyAtDeath }
    return await live({ world, inputs, log, state, account, policy, io, ...how })
  } finally {
    log.close()
  }
}

/** A worktree of a story has its own. */
function hooksPlace({ git, root, feature, sandboxFor }: World): (top: string) => World['sandbox'] {
  const within = git === null ? '' : relative(git.top, realpathSync(root))
  return (top) => sandboxFor(join(top, within), featureFolder(join(top, within), feature))
}

/** As the run would begin; one that was killed goes on, and comes to its own end. */
function refusalNow(state: State, { plan, policy }: { plan: Plan | null; policy: Policy }, project: Project, isFresh: boolean) {
  const files = handWritten(project.dir, state)
  if (isUnfinished(state) && files.blocked === null && files.asked.length === 0) return null
  const at = instantOf(Date.now())
  const facts = isFresh ? freshFacts(triedStories(state, plan)) : []
  const fresh = facts.reduce<State>(
    (next, fact) => evolve(next, { at, run: state.run, ...fact }),
    adoptPlan(state, plan, 'given'),
  )
  return refusal(fresh, policy, { at, label: project.label, files })
}

/** A run that was killed goes on; one that ended may be begun again, if it left something to forget. */
async function wantsFresh(world: World, state: State, plan: Plan | null): Promise<boolean> {
  const tried = isUnfinished(state) ? [] : triedStories(state, plan)
  const isKept = existsSync(stateMdPath(world.dir)) || tried.some((story) => story.failed !== undefined)
  return tried.length > 0 && isKept && askForFresh(world, tried)
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
