/** One iteration: the prompt, the agent, and what it did to the repository and the plan. */

import { existsSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { appendLines } from '../../adapters/files/files.ts'
import { readSince } from '../../adapters/files/tail.ts'
import { hooksIn } from '../../adapters/git/project-hooks.ts'
import { commonDirOf } from '../../adapters/git/worktree-folders.ts'
import { callAgent } from '../../adapters/process/agent-call.ts'
import { readReport } from '../../adapters/project/agent-report-file.ts'
import { progressPath } from '../../adapters/project/layout.ts'
import { earlierWork } from '../../core/decide/parallel/candidates.ts'
import { concernsNobody } from '../../core/decide/parallel/parallel.ts'
import { withPrice } from '../../core/figures/price.ts'
import { dueFor } from '../../core/plan/questions.ts'
import type { Finding } from '../../core/proof/finding.ts'
import { errorHash, errorShown, errorsSaid, readAnswer, summaryOf } from '../../core/reading/reading.ts'
import type { Throttled } from '../../core/reading/transcript.ts'
import type { State } from '../../core/state.ts'
import { isWritten, noteWrite, noWrites } from '../../core/tamper/written-files.ts'
import type { Reading } from '../../core/types/results.ts'
import type { Ended, Reporter, Signal } from '../../core/types.ts'
import type { Agent } from '../../ports.ts'
import { hasOwnEntry } from '../../views/files/progress.ts'
import { noteMark } from '../../views/log-lines.ts'
import { bringShelf } from '../failure/bring-back-shelved.ts'
import { saveBeginning } from '../failure/put-aside.ts'
import { keptSession } from '../learning/session-lines.ts'
import { noticed } from '../noticed.ts'
import { masked } from '../outputs/masked.ts'
import type { Deed, Told } from '../parts.ts'
import { writeAmendments } from '../people/write-amendments.ts'
import { restoreTexts } from '../preflight/users-settings.ts'
import { changedChecks } from '../proof/changed-checks.ts'
import { weakenedSince } from '../proof/find-weakened-checks.ts'
import type { World } from '../world.ts'
import { attributed, movedBeginning, savedBeginning } from './beginning-ref.ts'
import { type CallResult, doorsOf, errorOf, exitOf, logPath, throttledIn, traceOfCall, unreadableOf } from './call-result.ts'
import type { IterationStarted } from './gather-prompt.ts'
import { type CommitsOfAgent, dropTrace, type GitTrace, isTraced, pastHooks, readTrace, startTrace } from './git-trace.ts'
import { stopsPath } from './live-guard.ts'
import { type EarlyLook, measure } from './measure.ts'
import { comeHome, commitsElsewhere, mustBeHome, mustBeUnmoved } from './own-branch.ts'
import { markerOf, withPlugins } from './plugins.ts'
import { restoreSettings } from './restore-ralph-files.ts'
import { reportPath, taskFor } from './task.ts'
import { bringBackUsers, findUsers, hasStaged, keepUsers, noteUsers, takeOutUsers } from './users-files.ts'
import { type Watching, watchCall } from './watch-call.ts'

export async function runIteration(world: World, started: IterationStarted, deed: Deed): Promise<Ended> {
  const { state: given, stop } = deed
  const notes: string[] = []
  const report: Reporter = (fact) => {
    if (fact.kind === 'noticed') notes.push(fact.detail)
    deed.report(fact)
  }
  await mustBeHome(world)
  // In a worktree, whoever prepared it has done so.
  const due = world.place === undefined ? dueFor(given, started.story) : []
  for (const fact of await writeAmendments(world.plan, due)) report(fact)
  const from = (await world.git?.head()) ?? null
  const dirty = started.saves === true ? await saveBeginning(world, started.story, given, report) : null
  const state = world.place === undefined ? await findUsers(world, { ...started, dirty }, { state: given, report }) : given
  if (world.place === undefined) await keepUsers(world, { state, report })
  const note = earlierWork(state, started.story, started.candidate) ?? (await bringShelf(world, started.story, state))
  const { agent, task, learned } = await taskFor(world, started, withNote(state, note))
  const notesPath = progressPath(world.dir)
  const progressSize = sizeOf(notesPath)
  for (const path of [reportPath(world, started.iteration), stopsPath(world.dir, started.iteration)])
    rmSync(path, { force: true })
  const marker = markerOf(world)
  startTrace(world, from)
  const saved = await savedBeginning(world, started.story)
  const watching = watchCall(world, { iteration: started.iteration, agent, model: task.model }, { state, report, stop })
  const session = keptSession(world.sessions, started.iteration)
  const limitMs = timeLimit(world, started, state)
  world.screen.limited(limitMs)
  const writes = noWrites()
  const call = await callAgent({
    agent,
    task: { ...task, env: { ...task.env, ...traceOfCall(world, started.call) } },
    ...doorsOf(world, started.iteration),
    timeoutMs: limitMs,
    stop: watching.stop,
    onHeard: watching.heard,
    isUsageWatched: watching.isUsageWatched,
    onEntry: (entry, transcript) => {
      session.take(entry)
      noteWrite(writes, entry)
      watching.entry(entry, transcript)
      world.screen.entry(entry, transcript)
    },
    onSoft: () => report(noticed('timeout-near', `iteration ${started.iteration} has used 80 % of its time`)),
  }).finally(watching.close)
  // First what leads to the repository: then its refs are those that count.
  const early = earlyLook(world, state)
  const undone = await restoreSettings(world, started.iteration, report, early)
  const against = [...(await movedBeginning(world, saved)), ...undone]
  const written = world.place === undefined ? undefined : world.plan.written()
  const come = () => comeHome(world, started.iteration, from)
  const trace = readTrace(world)
  await mustBeUnmoved(world, trace)
  dropTrace(world)
  const out = world.place === undefined ? await takeOutUsers(world, state.users, { from, trace }) : undefined
  // First, because it may bring another plan file, and other versions of the user's files.
  const home = world.place === undefined ? await come() : null
  restoreTexts(world, started.iteration, report) // the commits that came back may have them
  const hands = { isAgents: (path: string) => isWritten(writes, path), hasStaged: hasStaged(trace), ...(out && { out }) }
  const questions = world.place === undefined ? await bringBackUsers(world, started.iteration, { state, report }, hands) : []
  if (world.place === undefined) noteUsers(world, state)
  const heard = async () => {
    const [throttled, reading] = [
      throttledIn(world, call, agent),
      readCall(world, started, { call, agent, prompt: `${task.system ?? ''}${task.prompt}` }, { state, report }),
    ]
    const wroteProgress = hasOwnEntry(readSince(notesPath, progressSize), started.iteration, started.story)
    const said = ofThisIteration(whatItSaid({ call, agent, model: task.model }, throttled, reading, world), agent, started, state)
    watching.spent(said.usage)
    return { ...said, ...endedByWatch(watching, call, said, started), wroteProgress }
  }
  const look = async () => {
    const { notices, untraced, ...measured } = await measure(
      world,
      started,
      { home: home ?? (await come()), written, seen: early.seen(), begun: { head: from, trace } },
      { state, report },
    )
    for (const notice of notices) report(notice)
    const isTold = notices.some(({ what }) => what === 'work-astray') // it names the branch
    for (const notice of isTold ? [] : await commitsElsewhere(world, started.iteration, trace)) report(notice)
    const seenBy = {
      commands: call.transcript.commands,
      undone: [...attributed(against, state), ...bypassed(world, trace, { made: measured.commits, untraced })],
    }
    const work = { ...measured, story: started.story }
    return { ...measured, ...(await weakenedSince(world, work, seenBy, state)), ...(await changedChecks(world, work, state)) }
  }
  const [done, said] = await looked(world, heard, look, () => report({ kind: 'agent.returned', iteration: started.iteration }))
  const ended = {
    ...done,
    ...said,
    signals: [...said.signals, ...questions],
    ...(learned.lessons.length === 0 ? {} : { lessons: learned.lessons }),
    ...(learned.skills.length === 0 ? {} : { skills: learned.skills }),
    iteration: started.iteration,
  }
  const about = { transcript: call.transcript, story: started.story, marker, logPath: logPath(world, started.iteration) }
  const whole = await withPlugins(world, ended, about, { state, report, stop })
  // After the output of agent and plugins: nobody else writes to the log now.
  appendLines(about.logPath, world.mask.text(notes.map((note) => `${noteMark}${note}\n`).join('')))
  return whole
}

/** git looks while the rest is checked. Not where files of the user may be brought back: that changes what it sees. */
function earlyLook({ git, place }: Pick<World, 'git' | 'place'>, { users }: State) {
  let seen: EarlyLook | undefined
  return {
    seen: () => seen,
    begin() {
      if (git === null || place !== undefined || users.length > 0) return
      seen = git.snapshotWithIgnored()
      seen.catch(() => {}) // whoever takes it is told
    },
    drop() {
      seen = undefined
    },
  }
}

/** Hooks that check, and that its commits have not run. */
function bypassed(world: World, trace: GitTrace | null, commits: Omit<CommitsOfAgent, 'madeAt'>): Finding[] {
  const { git, own } = world
  if (git === null || !isTraced(world)) return []
  const hooks = own.hooks?.runIn(git.top) ?? hooksIn(join(commonDirOf(git.dir), 'hooks'))
  return pastHooks(trace, hooks, { ...commits, madeAt: git.madeAt })
}

/**
 * What it said and did. If a story waits for the worker, that starts first, if the agent's words allow it; and work is looked at piece by piece: six
 * at once would keep the agents that start meanwhile waiting, and the first would be ready to land as late as the last.
 */
async function looked<S extends Pick<Ended, 'exit' | 'signals'>, L>(
  { place, settings, worktrees }: Pick<World, 'place' | 'settings' | 'worktrees'>,
  heard: () => Promise<S>,
  look: () => Promise<L>,
  free: () => void,
): Promise<[L, S]> {
  if (place === undefined) return Promise.all([look(), heard()]) // git looks while we read
  const said = await heard()
  if (concernsNobody(said) && settings['plugins'].length === 0) free()
  return [await worktrees.looks(look), said]
}

/** Its own, or leftovers of its story. */
function timeLimit({ settings }: Pick<World, 'settings'>, { story }: IterationStarted, { policy, stories }: State): number {
  const ownMs = settings['defaults.timeout_minutes'] * settings['defaults.timeout_multiplier'] * 60_000
  if (story === null || policy.storyMs.hard === 0) return ownMs
  return Math.min(ownMs, Math.max(1000, policy.storyMs.hard - (stories[story]?.spentMs ?? 0)))
}

function readCall(
  world: Pick<World, 'dir' | 'settings'>,
  started: IterationStarted,
  { call, agent, prompt }: { call: CallResult; agent: Agent; prompt: string },
  { state: { plan }, report }: Told,
): Reading {
  const reported = readReport(reportPath(world, started.iteration))
  if (typeof reported === 'string') report(noticed('report-unreadable', reported))
  return readAnswer(call.transcript.finalMessage, {
    promise: world.settings['completion.promise'],
    keywords: world.settings['completion.keywords'],
    prompt,
    isUnchecked: plan === null,
    ...(agent.tellsWordsApart ? {} : { code: started.code }),
    ...(reported === null || typeof reported === 'string' ? {} : { report: reported }),
  })
}

/** If the agent reports the cost of its whole session, the cost of earlier iterations is subtracted. */
function ofThisIteration<S extends Pick<Ended, 'usage'>>(
  said: S,
  agent: Agent,
  started: IterationStarted,
  state: State,
): S & Pick<Ended, 'sessionCostUsd'> {
  const { costUsd } = said.usage
  if (costUsd === null) return said
  const session = started.story === null ? undefined : state.stories[started.story]?.session
  const before = agent.resumes === 'total' && started.resume === session?.id ? (session?.costUsd ?? 0) : 0
  return { ...said, sessionCostUsd: costUsd, usage: { ...said.usage, costUsd: Math.max(0, costUsd - before) } }
}

/** Claude enforces the rest of a cost budget itself, and says so in its result. */
export function ownBudgetEnd({ transcript }: CallResult): ReturnType<Watching['ended']> {
  const isOver = transcript.isError && transcript.errors.some((error) => /\bmax_budget_usd\b|maximum budget/i.test(error))
  return isOver ? { exit: 'over-budget', because: `the agent stopped at ${transcript.usage.costUsd ?? 'its'} USD` } : null
}

/** The error of an iteration that the live watch ended is that reason. */
function endedByWatch(
  watching: Watching,
  call: CallResult,
  { signals }: { signals: Signal[] },
  { maxUsd }: IterationStarted,
): Partial<Ended> {
  const own = watching.ended() === null ? ownBudgetEnd(call) : null
  const end = watching.ended() ?? own
  if (end === null) return {}
  const share = own === null || maxUsd === undefined ? {} : { shareSpent: true as const }
  return {
    exit: end.exit,
    ...share,
    signals: [...signals, { kind: 'error', hash: errorHash(end.because), message: end.because }],
  }
}

function whatItSaid(
  { call, agent, model }: { call: CallResult; agent: Agent; model: string },
  throttled: Throttled | undefined,
  reading: Reading,
  world: Pick<World, 'mask' | 'settings'>,
): Omit<Ended, 'iteration' | 'repo' | 'commits' | 'trees' | 'files' | 'uncommitted' | 'plan' | 'flips' | 'repairs'> {
  const { end, transcript } = call
  const exit = exitOf(call)
  const maskText = (text: string): string => world.mask.text(text)
  const unreadable = throttled ? undefined : unreadableOf(call, agent)
  const error = exit === 'failed' && !throttled && !unreadable ? errorOf(call) : null
  const signals: Signal[] = [
    ...reading.signals,
    ...(throttled ? [throttled] : []),
    ...(unreadable ? [unreadable] : []),
    ...(error === null ? [] : [{ kind: 'error' as const, hash: errorHash(error), message: maskText(error).slice(0, 500) }]),
    ...(exit === 'ok' && !throttled ? errorsLeft(call, reading, maskText) : []),
    ...[...new Set(transcript.denied)].map((tool) => ({ kind: 'permission-denied' as const, tool })),
  ]
  return {
    exit,
    exitCode: end.code,
    reading: maskedReading(reading, maskText),
    signals: masked(signals, world.mask),
    usage: withPrice(transcript.usage, transcript.model, { settings: world.settings, asked: model }),
    durationMs: end.durationMs,
    outputChars: transcript.outputChars,
    summary: maskText(summaryOf(transcript.finalMessage).slice(0, 300)),
    ...(transcript.finalMessage.trim() === '' ? {} : { saidHash: errorHash(transcript.finalMessage.trim()) }),
    ...(transcript.session === '' ? {} : { session: transcript.session }),
    ...(transcript.model || model ? { model: transcript.model || model } : {}),
    ...(transcript.isStructuredEnd && agent.tested !== undefined ? { tools: transcript.tools } : {}),
  }
}

/** Errors that an agent mentions, or saw last, although it ended well: a loop without progress ends well each time. */
function errorsLeft({ transcript }: CallResult, { status, evidence }: Reading, maskText: (text: string) => string): Signal[] {
  const stuck = status === 'stuck' ? (/^keyword (.+?) \(stuck\):/.exec(evidence[0] ?? '')?.[1] ?? '') : ''
  const found = [
    ...errorsSaid(transcript.finalMessage, stuck).map((error) => ({ ...error, in: 'words' as const })),
    ...errorShown(transcript.lastFailure).map((error) => ({ ...error, in: 'tool' as const })),
  ]
  return found.map((error) => ({ kind: 'error', ...error, message: maskText(error.message).slice(0, 500) }))
}

const maskedReading = (reading: Reading, maskText: (text: string) => string): Reading => ({
  ...reading,
  evidence: reading.evidence.map(maskText),
  signals: [],
})

export const sizeOf = (path: string): number => (existsSync(path) ? statSync(path).size : 0)

const withNote = (state: State, text: string | null): State =>
  text === null ? state : { ...state, tell: [...state.tell, { text, since: state.iteration }] }
