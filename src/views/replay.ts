/** `ralph replay`: what would differ with other settings, where the run would have stopped, and what that saves or loses. */
import { outcomeTitle } from '../core/decide/outcome.ts'
import { knownCost } from '../core/figures/totals.ts'
import type { Replay } from '../core/replay/replay.ts'
import type { State } from '../core/state.ts'
import { msBetween, sayDuration } from '../core/text/time.ts'
import type { Decision, Outcome, StoryId } from '../core/types.ts'
import { localDateTime } from './local-time.ts'
import { costWords, plural } from './status/status.ts'

export type ReplayData = {
  version: 1
  run: string
  /** As given: "defaults.max_iterations=3". */
  set: string[]
  same: boolean
  /** The decisions differ after this iteration. */
  split: { afterIteration: number; recorded: string | null; replayed: string | null } | null
  end: { kind: 'ended' | 'open' | 'cut'; outcome: Outcome | null; because: string }
  recorded: Came
  replayed: Came
  /** The recorded run's figures minus the replayed run's, known costs only. Negative: the replay took more. */
  difference: { iterations: number; calls: number; costUsd: number | null; durationMs: number }
  /** Stories that passed in only one of the two, with their iteration there. */
  lost: Passed[]
  gained: Passed[]
  assumed: number[]
}
type Passed = { story: StoryId; iteration: number }
type Came = {
  outcome: Outcome | null
  because: string
  iterations: number
  calls: number
  costUsd: number | null
  durationMs: number
  passed: Passed[]
}

export function replayData(run: string, set: string[], { since, recorded, replayed, split, end, assumed }: Replay): ReplayData {
  const [then, now] = [cameTo(recorded, since), cameTo(replayed, since)]
  const without = (these: Passed[], those: Passed[]) => these.filter(({ story }) => those.every((other) => other.story !== story))
  const because = end.kind === 'open' ? saidOf(end.asks) : now.because
  return {
    version: 1,
    run,
    set,
    same: split === undefined,
    split:
      split === undefined
        ? null
        : {
            afterIteration: split.iteration,
            recorded: split.recorded && saidOf(split.recorded),
            replayed: split.replayed && saidOf(split.replayed),
          },
    end: { kind: end.kind, outcome: now.outcome, because },
    recorded: then,
    replayed: now,
    difference: {
      iterations: then.iterations - now.iterations,
      calls: then.calls - now.calls,
      costUsd: then.costUsd === null || now.costUsd === null ? null : cents(then.costUsd - now.costUsd),
      durationMs: then.durationMs - now.durationMs,
    },
    lost: without(then.passed, now.passed),
    gained: without(now.passed, then.passed),
    assumed,
  }
}

export function replayLines(data: ReplayData): string[] {
  const { run, set, recorded, replayed, end } = data
  const head = `Run ${run}, replayed with ${set.length === 0 ? 'its own settings' : set.join(', ')}`
  const then = `Recorded:  ${cameWords(recorded)}`
  if (data.same) {
    const what = set.length === 0 ? 'It makes the same decisions' : 'These settings would change nothing'
    return [head, then, `Replayed:  the same. ${what}.`]
  }
  const now =
    end.kind === 'open' ? `continues after ${plural(replayed.iterations, 'iteration')}: ${end.because}` : cameWords(replayed)
  return [
    head,
    then,
    `Replayed:  ${now}`,
    ...splitLines(data),
    ...(end.kind === 'open' ? beyondLines(data) : differenceLines(data)),
    ...(data.assumed.length === 0
      ? []
      : [`Assumed:   with another prompt, ${iterationsNamed(data.assumed)} would have had the same result`]),
  ]
}

function splitLines({ split }: ReplayData): string[] {
  if (split === null) return []
  const when = split.afterIteration === 0 ? 'before the first iteration' : `after iteration ${split.afterIteration}`
  return [
    `Differs:   ${when}: ${split.replayed ?? 'no decision'}`,
    `           Recorded: ${split.recorded ?? 'no decision there'}`,
  ]
}

/** The end is unknown: what the record has from here on is not a saving. */
function beyondLines(data: ReplayData): string[] {
  const passed = data.lost.map(({ story, iteration }) => `${story} passed in iteration ${iteration}`)
  const more = [...amounts(data.difference), ...passed]
  return [
    'Beyond:    unknown: the log does not have this result',
    ...(more.length === 0 ? [] : [`           After that point, the recorded run had: ${more.join(', ')}`]),
  ]
}

function differenceLines({ difference, lost, gained }: ReplayData): string[] {
  const saved = amounts(difference)
  const { iterations, calls, costUsd, durationMs } = difference
  const more = amounts({
    iterations: -iterations,
    calls: -calls,
    costUsd: costUsd === null ? null : -costUsd,
    durationMs: -durationMs,
  })
  return [
    `Saved:     ${saved.length === 0 ? 'nothing' : saved.join(', ')}`,
    ...(more.length === 0 ? [] : [`More:      ${more.join(', ')}`]),
    `Lost:      ${lost.length === 0 ? 'nothing' : lost.map(({ story, iteration }) => `${story}, which passed in iteration ${iteration}`).join('; ')}`,
    ...(gained.length === 0
      ? []
      : [`Gained:    ${gained.map(({ story, iteration }) => `${story}, which passes in iteration ${iteration}`).join('; ')}`]),
  ]
}

const iterationsNamed = (numbers: number[]): string =>
  `${numbers.length === 1 ? 'iteration' : 'iterations'} ${numbers.join(', ')}`

/** Sums of cents leave rounding errors. */
const cents = (usd: number): number => Math.round(usd * 1e6) / 1e6

/** Only positive amounts. */
const amounts = ({ iterations, calls, costUsd, durationMs }: ReplayData['difference']): string[] => [
  ...(iterations > 0 ? [plural(iterations, 'iteration')] : []),
  ...(calls > 0 && iterations <= 0 ? [plural(calls, 'call')] : []),
  ...(costUsd !== null && costUsd >= 0.005 ? [costWords(costUsd)] : []),
  ...(durationMs >= 50 ? [sayDuration(durationMs)] : []),
]

const cameWords = ({ outcome, because, iterations, costUsd, durationMs, passed }: Came): string => {
  const took = `${plural(iterations, 'iteration')}, ${costWords(costUsd)}, ${sayDuration(durationMs)}, ${plural(passed.length, 'story', 'stories')} passed`
  return outcome === null ? `no end (${took})` : `${outcomeTitle(outcome)} (${took}): ${because}`
}

function cameTo(state: State, since: number): Came {
  const { outcome, totals, runStartedAt, at, stories } = state
  return {
    outcome: outcome?.outcome ?? null,
    because: outcome?.because ?? '',
    iterations: totals.iterations,
    calls: totals.calls,
    costUsd: knownCost(totals),
    durationMs: Math.max(0, msBetween(runStartedAt, at)), // the clock may have been set back
    passed: Object.entries(stories).flatMap(([story, { receipt }]) =>
      receipt === undefined || receipt.given || receipt.iteration <= since ? [] : [{ story, iteration: receipt.iteration }],
    ),
  }
}

const saidOf = (decision: Decision): string => `${deed(decision)} (${decision.because})`

/** What a decision does, in a few words. */
function deed(decision: Decision): string {
  switch (decision.kind) {
    case 'call.requested':
      return `${decision.agent} is called as ${decision.role}`
    case 'iteration.started':
      return `iteration ${decision.iteration} starts${decision.story === null ? '' : ` on ${decision.story}, attempt ${decision.attempt}`}${decision.shift === '' ? '' : ', with a strategy shift'}`
    case 'iteration.stopping':
      return 'running work is stopped'
    case 'gates.started':
      return `gates run: ${decision.gates.map(({ name, command }) => `${name} (${command})`).join(', ')}`
    case 'iteration.judged':
      return `iteration ${decision.iteration} gets the verdict ${decision.verdict}${decision.passed.length > 0 ? `, ${decision.passed.join(', ')} passes` : ''}`
    case 'review.started':
      return `${decision.agent} reviews ${decision.story ?? 'all changes'} (${decision.review})`
    case 'examination.started':
      return `the changed tests of iteration ${decision.iteration} are tried on the old code`
    case 'mutants.started':
      return `small bugs (mutants) are tried in the work of iteration ${decision.iteration}`
    case 'landing.started':
      return `the work on ${decision.story} lands`
    case 'story.failed':
      return `${decision.story} fails, and its work moves to a branch`
    case 'story.shelved':
      return `${decision.story} waits, and its work moves to a branch`
    case 'story.slow':
      return `${decision.story} is slow`
    case 'learning.started':
      return `${decision.agent} learns from ${decision.story}`
    case 'gathering.started':
      return 'lessons are gathered'
    case 'skill.started':
      return `the skill ${decision.category} is written`
    case 'lesson.retired':
      return `the lesson ${decision.lesson} is retired`
    case 'skill.retired':
      return `the skill ${decision.skill} is retired`
    case 'breaker.changed':
      return `the breaker changes from ${decision.from} to ${decision.to}`
    case 'wait.started':
      return `the run waits until ${localDateTime(decision.until).join(' ')}`
    case 'budget.warned':
      return `the ${decision.which} budget is nearly spent`
    case 'limit.asked':
      return 'the user at the terminal is asked about the usage limit'
    case 'hook.started':
      return `hook ${decision.hook} runs`
    case 'worktree.requested':
      return `the worktree of ${decision.story} is made ahead`
    case 'branch.asked':
      return 'git checks whether all work is on the branch'
    case 'run.paused':
      return 'the run pauses'
    case 'run.ended':
      return `the run ends ${outcomeTitle(decision.outcome)}`
  }
}
