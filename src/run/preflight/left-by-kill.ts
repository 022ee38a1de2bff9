/** After a kill: ends what still runs, checks what was left, and reports to the loop what was lost. */

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { readIfThere, replaceFile } from '../../adapters/files/files.ts'
import { behindLink } from '../../adapters/files/kept-links.ts'
import { planIn, readPlan } from '../../adapters/plan/find-plan.ts'
import { putAway, snapshotPath } from '../../adapters/plan/live-plan.ts'
import type { PlanFile } from '../../adapters/plan/parse-plan.ts'
import { ofRun } from '../../adapters/process/process-mark.ts'
import { endSurvivors } from '../../adapters/process/survivors.ts'
import type { Testimony } from '../../adapters/process/witness.ts'
import { openClaims } from '../../core/decide/hand-marked.ts'
import { hasEnded, isClaimCheck } from '../../core/evolve/flights.ts'
import { noUsage } from '../../core/figures/price.ts'
import { isAnybodyAtWork } from '../../core/plan/questions.ts'
import type { Flight, State } from '../../core/state.ts'
import type { Plan, Policy, Report, StoryId } from '../../core/types.ts'
import { logPath, nothingLeft, nothingPrinted } from '../iteration/call-result.ts'
import { dropTrace, readTrace, type Traced } from '../iteration/git-trace.ts'
import { type AgentBegan, measure } from '../iteration/measure.ts'
import { comeHome } from '../iteration/own-branch.ts'
import { bringBackUsers, findUsers, hasStaged } from '../iteration/users-files.ts'
import { noticed, toldNext } from '../noticed.ts'
import type { Screen } from '../outputs/screen.ts'
import { sizeOfWork, withOwnFlips } from '../parallel/iteration.ts'
import type { Told, Work } from '../parts.ts'
import { runCheck } from '../people/check-accepted.ts'
import type { Project } from '../project.ts'
import { changedChecks } from '../proof/changed-checks.ts'
import { weakenedSince } from '../proof/find-weakened-checks.ts'
import type { Apart, World } from '../world.ts'
import { changedStories, undoLostEdits } from './edits-before-kill.ts'
import type { HomeAfterKill } from './home-after-kill.ts'

/** A run that started and has no end yet was killed. */
export const isUnfinished = (state: State): boolean => state.run !== '' && state.outcome === undefined

export async function reapTree({ settings }: Pick<Work, 'settings'>, sandbox: Work['sandbox'], run: string): Promise<void> {
  await endSurvivors(ofRun(run), {
    graceMs: settings['process.grace_seconds'] * 1000,
    keep: settings['process.keep'],
  })
  await sandbox?.endLeft(run)
}

/**
 * Read once nobody is left who could write to it. If it vanished with the killed run, it is restored as that run last knew it; if it was created
 * while an agent of a run without a plan was running, it does not count.
 */
export async function planAfterKill(
  project: Project,
  state: State,
  screen: Screen,
  seen: Testimony | null,
): Promise<{ plan: PlanFile | null; facts: Report[] }> {
  const facts: Report[] = []
  const { dir, label } = project
  if (isUnfinished(state) && state.plan !== null && !isPlanThere(dir, state, state.plan.file)) {
    const snapshot = readIfThere(snapshotPath(dir, state.plan.file))
    if (snapshot !== null) replaceFile(join(dir, state.plan.file), snapshot)
  }
  if (isUnfinished(state) && state.plan === null && isAnybodyAtWork(state)) {
    const { file, others } = planIn(dir)
    for (const name of file === undefined ? [] : [file, ...others]) {
      const detail = madeSinceKill(name, putAway(dir, name, state.iteration))
      screen.say('warn', `! ${detail}`)
      facts.push(toldNext('plan-removed', detail))
    }
  }
  for (const fact of await undoLostEdits(project, state, seen)) {
    screen.say('warn', `! ${fact.detail}`)
    facts.push(fact)
  }
  return { plan: (await readPlan(dir, label)).plan, facts }
}

/** A link that the user did not have when the run began does not count. */
function isPlanThere(dir: string, { links = [] }: State, file: string): boolean {
  const path = join(dir, file)
  return existsSync(path) && (behindLink(path) === path || links.some((link) => path.endsWith(`/${link}`)))
}

const madeSinceKill = (name: string, copy: string): string =>
  `${name} was created while an agent of a run without a plan was working, or after Ralph was killed; it was moved to ${copy}. If it is yours, move it back after this run`

/** Flips in the plan file that no gate has confirmed: by the lost iteration, or by somebody unknown. */
export function leftFlips(plan: PlanFile | null, state: State): { byFlight: Map<number, StoryId[]>; strays: StoryId[] } {
  const unproven = (plan?.plan.stories ?? [])
    .filter((story) => story.passes && state.stories[story.id]?.receipt === undefined)
    .map((story) => story.id)
  const byFlight = new Map<number, StoryId[]>()
  const claimed = new Set<StoryId>()
  for (const flight of state.flights) {
    // Parallel work is flipped in its worktree: nobody may write this plan.
    if (flight.worker !== undefined) continue
    const own = unproven.filter((id) =>
      hasEnded(flight) ? flight.ended.flips.includes(id) : flight.story === null || flight.story === id,
    )
    byFlight.set(flight.iteration, own)
    for (const id of own) claimed.add(id)
  }
  return { byFlight, strays: unproven.filter((id) => !claimed.has(id)) }
}

/** The killed run's agent may have written to plan and settings, and so may the user since: nobody can tell, so it is reported. */
export function changedSinceKill({ plan: known, policy: before }: State, plan: Plan | null, policy: Policy): Report[] {
  const ids = changedStories(known, plan)
  const what = [
    ...(ids.length > 0 ? [`the plan (${ids.join(', ')})`] : []),
    ...(JSON.stringify(before.gates) === JSON.stringify(policy.gates) ? [] : ['the gates']),
  ]
  if (what.length === 0) return []
  const detail = `${what.join(' and ')} changed since Ralph was killed during an iteration. If that was not you, stop and check (git diff)`
  return [noticed('changed-since-kill', detail)]
}

export async function lostIteration(
  world: World,
  flight: Flight,
  { flips, astray, dirtyAtDeath, out }: { flips: StoryId[]; dirtyAtDeath: string[] | null } & HomeAfterKill,
  { state: given, report }: Told,
): Promise<Report> {
  const { iteration } = flight
  if (isClaimCheck(flight)) return endWithoutAgent(world, iteration, { state: given, report })
  // Its worktree is gone with its content: on another machine there was none.
  if (flight.worker !== undefined && world.place === undefined)
    return { kind: 'iteration.ended', ...lostWith(iteration), ...nothingLeft(given.repo) }
  const before = world.place === undefined ? {} : { before: world.place.before }
  if (flight.mode === 'check' && flight.story !== null) {
    const ended = await runCheck(world, { iteration, story: flight.story }, { state: given, report })
    return { kind: 'iteration.ended', ...ended, ...before }
  }
  const home = await comeHome(world, iteration, (world.place?.before ?? given.repo).head)
  const hasBegun = existsSync(logPath(world, iteration))
  const begun = isApart(world) ? undefined : await begunBefore(world, hasBegun, given)
  // Its agent wrote nothing, or was seen to have ended: what came after that is the user's.
  const known = new Set(hasBegun ? dirtyAtDeath : [])
  const isTold = world.place === undefined && (!hasBegun || dirtyAtDeath !== null)
  const since = isTold ? ((await world.git?.uncommitted()) ?? []).filter((path) => !known.has(path)) : []
  const state =
    since.length > 0 ? await findUsers(world, { iteration, story: flight.story, dirty: since }, { state: given, report }) : given
  const hands = { hasStaged: hasStaged(begun?.trace ?? null), ...(out && { out }) }
  if (world.place === undefined && hasBegun) await bringBackUsers(world, iteration, { state, report }, hands)
  const here = { ...home, astray: home.astray ?? (world.place === undefined ? astray : null) }
  const {
    notices: _notices,
    untraced: _untraced,
    ...measured
  } = await measure(world, flight, { home: here, begun }, { state, report })
  dropTrace(world)
  const all = { ...measured, flips: [...new Set([...flips, ...measured.flips])], signals: [] }
  const left = isApart(world) ? await withOwnFlips(world, all) : all
  const size = flight.candidate !== undefined && isApart(world) ? await sizeOfWork(world, left) : {}
  // Its leftovers are checked like any other: a kill must not let weakened checks pass.
  const seenBy = { commands: [], undone: [] }
  const work = { ...left, story: flight.story }
  const checks = { ...(await weakenedSince(world, work, seenBy, state)), ...(await changedChecks(world, work, state)) }
  return {
    kind: 'iteration.ended',
    ...left,
    ...size,
    ...checks,
    ...lostWith(iteration),
    ...before,
  }
}

/** If no agent had started, every commit is the user's. */
async function begunBefore(world: Traced, hasBegun: boolean, { repo }: State): Promise<AgentBegan> {
  if (!hasBegun) return { head: (await world.git?.head()) ?? null, trace: null }
  const trace = readTrace(world)
  return { head: trace?.head ?? repo.head, trace }
}

const isApart = (world: World): world is Apart => world.place !== undefined && world.git !== null

/** No agent ran: gates and reviewers check what the user marked as done. What they left uncommitted stays theirs. */
export async function endWithoutAgent(
  world: World,
  iteration: number,
  { state: given, report }: Told,
): Promise<Extract<Report, { kind: 'iteration.ended' }>> {
  const state = await findUsers(world, { iteration, story: null }, { state: given, report })
  const {
    notices: _notices,
    untraced: _untraced,
    ...measured
  } = await measure(world, { iteration, story: null }, { home: { did: [], astray: null } }, { state, report })
  return { kind: 'iteration.ended', ...measured, ...lostWith(iteration), usage: noUsage, flips: openClaims(state) }
}

const lostWith = (iteration: number) => ({ ...nothingPrinted, iteration, exit: 'lost' as const, signals: [] })
