/** One iteration: the prompt, the agent, and then what it did to the repository and the plan. */
import { existsSync, rmSync, statSync } from 'node:fs'
import { join, relative } from 'node:path'
import { callAgent } from '../adapters/call.ts'
import { noteLimit } from '../adapters/calls.ts'
import { readIfThere, replaceFile } from '../adapters/files.ts'
import { readReport, reportVariable } from '../adapters/report-file.ts'
import { readSince, readTail } from '../adapters/tail.ts'
import { unknownResetMs } from '../core/decide.ts'
import { type PromptPart, promptParts, promptText } from '../core/prompt.ts'
import { errorHash, looksLikeError, readAnswer } from '../core/reading.ts'
import { resetTime } from '../core/reset-time.ts'
import type { State } from '../core/state.ts'
import { countingStories, storyNamed } from '../core/stories.ts'
import { later } from '../core/time.ts'
import type { Throttled } from '../core/transcript.ts'
import type { Ended, EventOf, Exit, Reading, Report, Signal } from '../core/types.ts'
import { gatesFor } from '../core/verdict.ts'
import type { Agent } from '../ports.ts'
import { hasOwnEntry } from '../views/progress.ts'
import { masked } from './masked.ts'
import { measure } from './measure.ts'
import { markerOf, withPlugins } from './plugins.ts'
import { type Watching, watchCall, withPrice } from './watching.ts'
import { runTag, type World } from './world.ts'

type Started = Omit<EventOf<'iteration.started'>, 'at' | 'run'>
type Call = Awaited<ReturnType<typeof callAgent>>

export async function runIteration(
  world: World,
  started: Started,
  state: State,
  report: (report: Report) => void,
  stop: AbortSignal,
): Promise<Ended> {
  const agent = world.agentFor(state, started.story)
  const prompt = promptText(partsFor(world, started, state))
  const minutes = world.settings['defaults.timeout_minutes'] * world.settings['defaults.timeout_multiplier']
  const progressPath = join(world.dir, 'progress.txt')
  const progressSize = sizeOf(progressPath)
  rmSync(reportPath(world, started.iteration), { force: true })
  const marker = markerOf(world)
  const watching = watchCall(world, state, agent, stop, report)
  const call = await callAgent({
    agent,
    task: {
      prompt,
      cwd: world.root,
      model: world.modelFor(state, started.story),
      env: agentEnv(world, started),
      ...(started.resume ? { resume: started.resume } : {}),
      ...(agent.takesStatusTool ? { statusTool: world.statusTool } : {}),
      ...costLeft(state),
    },
    tag: runTag(world, started.iteration),
    logPath: logPath(world, started.iteration),
    timeoutMs: minutes * 60_000,
    graceMs: world.settings['process.grace_seconds'] * 1000,
    keep: world.settings['process.keep'],
    mask: world.mask,
    stop: watching.stop,
    onHeard: watching.heard,
    onEntry: (entry, transcript) => {
      watching.entry(entry, transcript)
      world.screen.entry(entry, transcript)
    },
    onSoft: () =>
      report({
        kind: 'noticed',
        what: 'timeout-near',
        detail: `iteration ${started.iteration} has used 80 % of its time`,
        tell: false,
      }),
  }).finally(watching.close)
  restoreConfig(world, started.iteration, report)
  const limit = call.transcript.throttled && withReset(call.transcript.throttled, world)
  // One call to a limited account is enough to learn it, for every run of this user.
  if (limit?.by === 'usage-limit') noteLimit(world.home, agent.name, limit.until ?? later(world.now(), unknownResetMs))
  const reading = readCall(world, started, call, agent.tellsWordsApart, report)
  const wroteProgress = hasOwnEntry(readSince(progressPath, progressSize), started.iteration, started.story)
  const { notices, ...measured } = await measure(world, started.iteration, state, started.story)
  for (const notice of notices) report({ kind: 'noticed', tell: true, ...notice })
  const said = ofThisIteration(whatItSaid(call, reading, world), agent, started, state)
  const ended = { ...measured, ...said, ...endedByWatch(watching, call, said), wroteProgress, iteration: started.iteration }
  const seen = { transcript: call.transcript, story: started.story, marker, logPath: logPath(world, started.iteration) }
  return withPlugins(world, ended, seen, report, stop)
}

export function partsFor(world: World, started: Started, state: State): PromptPart[] {
  const file = world.plan.current()
  const id = started.story
  const story = storyNamed(state.plan, id)
  const text = id === null ? undefined : file?.texts[id]
  const counting = state.plan === null ? [] : countingStories(state.plan, state.policy)
  const agent = world.agentFor(state, id)
  const relativePath = (name: string): string => relative(world.root, join(world.dir, name))
  const flipped = { flips: id === null ? [] : [id] } as Ended
  return promptParts({
    feature: world.feature,
    iteration: started.iteration,
    mode: started.mode,
    story: story && text ? { id: story.id, title: story.title, ...text, attempt: started.attempt } : null,
    done: counting.filter((candidate) => candidate.passes),
    open: counting.filter((candidate) => !candidate.passes && !candidate.failed),
    paths: {
      plan: file === null ? null : relativePath(file.file),
      specs: existsSync(join(world.dir, 'specs')) ? `${relativePath('specs')}/` : null,
      progress: relativePath('progress.txt'),
    },
    expandsPaths: agent.expandsPaths === true,
    hasStatusTool: agent.takesStatusTool === true,
    gates: gatesFor(state, flipped),
    refusals: id === null ? [] : (state.stories[id]?.refusals ?? []),
    red: state.check.phase === 'red' ? state.check.results.filter((result) => !result.passed) : [],
    isShift: started.shift,
    tell: state.tell.map((note) => note.text),
    answer: state.answer?.text === undefined ? null : { question: state.answer.question, text: state.answer.text },
    progressTail: readTail(join(world.dir, 'progress.txt'), world.settings['prompt.progress_lines']),
    instructions: world.instructions(),
    promise: world.settings['completion.promise'],
    code: agent.tellsWordsApart ? null : started.code,
  }).map((part) => ({ ...part, text: world.mask.text(part.text) }))
}

export const logPath = (world: World, iteration: number): string => join(world.dir, 'logs', `iteration-${padded(iteration)}.log`)

const reportPath = (world: World, iteration: number): string => join(world.dir, 'logs', `report-${padded(iteration)}.json`)

function agentEnv(world: World, started: Started): Record<string, string> {
  const file = world.plan.current()
  return {
    ...world.env,
    RALPH_ITERATION: String(started.iteration),
    RALPH_STORY: started.story ?? '',
    RALPH_ATTEMPT: String(started.attempt),
    RALPH_FEATURE_DIR: world.dir,
    RALPH_PLAN: file === null ? '' : join(world.dir, file.file),
    [reportVariable]: reportPath(world, started.iteration),
  }
}

/** Settings are read at the start of the run: an agent that loosens its own gates changes nothing. */
function restoreConfig(world: World, iteration: number, report: (report: Report) => void): void {
  for (const { path, text } of world.configFiles) {
    const now = readIfThere(path)
    if (now === text) continue
    const copy = join(world.dir, 'logs', `config-${padded(iteration)}.rejected`)
    if (now !== null) replaceFile(copy, now)
    replaceFile(path, text)
    const what = now === null ? 'was removed' : `was changed (the copy is in ${relative(world.root, copy)})`
    report({
      kind: 'noticed',
      what: 'config-restored',
      detail: `${relative(world.root, path)} ${what} during iteration ${iteration}, and was put back`,
      tell: true,
    })
  }
}

function readCall(
  world: World,
  started: Started,
  call: Call,
  tellsWordsApart: boolean,
  report: (report: Report) => void,
): Reading {
  const reported = readReport(reportPath(world, started.iteration))
  if (typeof reported === 'string') report({ kind: 'noticed', what: 'report-unreadable', detail: reported, tell: false })
  return readAnswer(call.transcript.finalMessage, {
    promise: world.settings['completion.promise'],
    keywords: world.settings['completion.keywords'],
    ...(tellsWordsApart ? {} : { code: started.code }),
    ...(reported === null || typeof reported === 'string' ? {} : { report: reported }),
  })
}

function costLeft({ policy, totals }: State): { maxCostUsd?: number } {
  return policy.budget.costUsd === null ? {} : { maxCostUsd: Math.max(0.0001, policy.budget.costUsd - totals.costUsd) }
}

/** Where the agent tells the cost of its whole session, what earlier iterations of it cost is taken off. */
function ofThisIteration<S extends Pick<Ended, 'usage'>>(
  said: S,
  agent: Agent,
  started: Started,
  state: State,
): S & Pick<Ended, 'sessionCostUsd'> {
  const { costUsd } = said.usage
  if (costUsd === null) return said
  const session = started.story === null ? undefined : state.stories[started.story]?.session
  const before = agent.resumes === 'total' && started.resume === session?.id ? (session?.costUsd ?? 0) : 0
  return { ...said, sessionCostUsd: costUsd, usage: { ...said.usage, costUsd: Math.max(0, costUsd - before) } }
}

/** Claude holds to what is left of a cost budget by itself, and says so in its result. */
function ownBudgetEnd({ transcript }: Call): ReturnType<Watching['ended']> {
  const isOver = transcript.isError && transcript.errors.some((error) => /\bmax_budget_usd\b|maximum budget/i.test(error))
  return isOver ? { exit: 'over-budget', because: `the agent stopped at ${transcript.usage.costUsd ?? 'its'} USD` } : null
}

/** An iteration that the live watch ended has its reason as its error. */
function endedByWatch(watching: Watching, call: Call, { signals }: { signals: Signal[] }): Partial<Ended> {
  const end = watching.ended() ?? ownBudgetEnd(call)
  if (end === null) return {}
  return { exit: end.exit, signals: [...signals, { kind: 'error', hash: errorHash(end.because), message: end.because }] }
}

function whatItSaid(
  call: Call,
  reading: Reading,
  world: World,
): Omit<Ended, 'iteration' | 'repo' | 'commits' | 'trees' | 'files' | 'uncommitted' | 'plan' | 'flips' | 'repairs'> {
  const { end, transcript } = call
  const exit = exitOf(call)
  const maskText = (text: string): string => world.mask.text(text)
  const error = exit === 'failed' && !transcript.throttled ? errorOf(call) : null
  const signals: Signal[] = [
    ...reading.signals,
    ...(transcript.throttled ? [withReset(transcript.throttled, world)] : []),
    ...(error === null ? [] : [{ kind: 'error' as const, hash: errorHash(error), message: maskText(error).slice(0, 500) }]),
    ...[...new Set(transcript.denied)].map((tool) => ({ kind: 'permission-denied' as const, tool })),
  ]
  return {
    exit,
    exitCode: end.code,
    reading: maskedReading(reading, maskText),
    signals: masked(signals, world.mask),
    usage: withPrice(transcript.usage, transcript.model, world),
    durationMs: end.durationMs,
    outputChars: transcript.outputChars,
    summary: maskText(transcript.finalMessage.trim().slice(0, 300)),
    ...(transcript.session === '' ? {} : { session: transcript.session }),
  }
}

/** The provider's own word on when it will listen again, where its message says so. */
function withReset(throttled: Throttled, world: World): Throttled {
  const until = throttled.until ?? resetTime(throttled.message, world.now(), new Intl.DateTimeFormat().resolvedOptions().timeZone)
  return { ...throttled, message: throttled.message.slice(0, 500), ...(until === undefined ? {} : { until }) }
}

/** What the agent itself told as its error; else the last line it printed that is one; else how it ended. */
function errorOf({ end, transcript }: Call): string {
  const told = transcript.errors.at(-1) ?? end.error
  if (told !== undefined) return told
  const printed = transcript.finalMessage.split('\n').slice(-50).findLast(looksLikeError)?.trim()
  return printed || transcript.lastNoise || (end.code === null ? `ended by ${end.signal}` : '')
}

const maskedReading = (reading: Reading, maskText: (text: string) => string): Reading => ({
  ...reading,
  evidence: reading.evidence.map(maskText),
  signals: [],
})

/** An agent's exit code is evidence, never a verdict: its own word that it ended comes first. */
function exitOf({ end, transcript }: Call): Exit {
  if (end.how === 'timeout' || end.how === 'stopped') return end.how
  if (end.how === 'missing') return 'failed'
  if (transcript.isStructuredEnd) return transcript.isError ? 'failed' : 'ok'
  return end.code === 0 && transcript.errors.length === 0 ? 'ok' : 'failed' // some exit with 0 whatever happened
}

const padded = (iteration: number): string => String(iteration).padStart(3, '0')

const sizeOf = (path: string): number => (existsSync(path) ? statSync(path).size : 0)
