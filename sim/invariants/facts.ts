/** What the log says, collected by plain code: the common ground of the invariants. */
import type { State } from '../../src/core/state.ts'
import type { Event, EventOf, GateResult, Instant, Policy, Signal, StoryId, Verdict } from '../../src/core/types.ts'
import { aPolicy } from '../builders.ts'

/** One idea of what must hold. It sees each event before it is added to the facts, with the core's state before and after. */
export type Rules = { see(event: Event, before: State, now: State): void; newLife?(): void }

export type Facts = {
  run: { isOver: boolean; startedAt: Instant; used: number; baseline: GateResult[] | null; isResumed: boolean }
  policy: Policy
  /** Of this process: a request to stop or pause it, a wait that it is in. */
  life: { isStopping: boolean; isStoppingNow: boolean; isPausing: boolean; isWaiting: boolean }
  /** Iterations whose agent is at work, whose reviewer is, that are not judged yet, and not settled yet. */
  working: Set<number>
  reviewing: Set<number>
  unjudged: Set<number>
  unsettled: Set<number>
  lastIteration: number
  /** A failed story whose work is being put aside. */
  failing: StoryId | null
  started(iteration: number): EventOf<'iteration.started'>
  /** The story that was named to it, or the one that it picked and flipped. */
  workedOn(iteration: number): StoryId | null
  ended(iteration: number): EventOf<'iteration.ended'>
  /** The last word of each gate: after the landing, if there was one. */
  gates(iteration: number): GateResult[]
  /** How its landing came out. */
  landed(iteration: number): EventOf<'landing.ended'> | undefined
  /** Time in its gates, also of words that were overtaken. */
  gatesMs(iteration: number): number
  reviews(iteration: number): EventOf<'review.ended'>[]
  /** The agent's, and what reviewers called a person for. */
  signals(iteration: number): Signal[]
  /** Gates and reviewers that are a reason to refuse, in order, with what they say. */
  reds(iteration: number): Red[]
  isRed(result: GateResult): boolean
  take(event: Event): void
  newLife(): void
}

export type Red = { name: string; story?: StoryId | null; output: string }

export const isCounted = (verdict: Verdict): boolean => !['lost', 'throttled', 'interrupted'].includes(verdict)
export const isAttempt = (verdict: Verdict): boolean => ['done', 'worked', 'failed'].includes(verdict)

export function factsOf(): Facts {
  const starts = new Map<number, EventOf<'iteration.started'>>()
  const ends = new Map<number, EventOf<'iteration.ended'>>()
  const gates = new Map<number, GateResult[]>()
  const reviews = new Map<number, EventOf<'review.ended'>[]>()
  const landings = new Map<number, EventOf<'landing.ended'>>()

  const facts: Facts = {
    run: { isOver: true, startedAt: '', used: 0, baseline: null, isResumed: false },
    policy: aPolicy(),
    life: { isStopping: false, isStoppingNow: false, isPausing: false, isWaiting: false },
    working: new Set(),
    reviewing: new Set(),
    unjudged: new Set(),
    unsettled: new Set(),
    lastIteration: 0,
    failing: null,
    started: (iteration) => starts.get(iteration)!,
    workedOn(iteration) {
      const flips = ends.get(iteration)?.flips ?? []
      return starts.get(iteration)!.story ?? (flips.length === 1 ? flips[0]! : null)
    },
    ended: (iteration) => ends.get(iteration)!,
    gates(iteration) {
      const after = landings.get(iteration)?.results ?? []
      const isOvertaken = (result: GateResult): boolean =>
        after.some(({ name, story }) => name === result.name && story === result.story)
      return [...(gates.get(iteration) ?? []).filter((result) => !isOvertaken(result)), ...after]
    },
    landed: (iteration) => landings.get(iteration),
    gatesMs: (iteration) =>
      [...(gates.get(iteration) ?? []), ...(landings.get(iteration)?.results ?? [])].reduce(
        (sum, { durationMs }) => sum + durationMs,
        0,
      ),
    reviews: (iteration) => reviews.get(iteration) ?? [],
    signals: (iteration) => [
      ...ends.get(iteration)!.signals,
      ...facts.reviews(iteration).flatMap(({ calls, result }): Signal[] => {
        if (calls === undefined || result === undefined) return []
        return calls.for === 'blocked'
          ? [{ kind: 'blocked', reason: calls.text, evidence: '' }]
          : [{ kind: 'question', text: calls.text, evidence: '' }]
      }),
    ],
    reds(iteration) {
      const { astray } = ends.get(iteration) ?? {}
      const weakened = facts.policy.tamper === 'refuse' ? (ends.get(iteration)?.weakened ?? []) : []
      return [
        ...facts.gates(iteration).filter(facts.isRed),
        ...reviewReds(facts.reviews(iteration)),
        ...(weakened.length === 0 ? [] : [{ name: 'tamper', output: weakened.join() }]),
        ...(astray === undefined ? [] : [{ name: 'branch', output: astray }]),
      ]
    },
    isRed: (result) => !result.passed && result.soft !== true && !isTolerated(facts, result),
    take(event) {
      switch (event.kind) {
        case 'run.started':
          facts.policy = event.policy
          facts.run = { isOver: false, startedAt: event.at, used: 0, baseline: null, isResumed: false }
          break
        case 'run.resumed':
          facts.policy = event.policy
          facts.run.isResumed = true
          break
        case 'run.ended':
          facts.run.isOver = true
          break
        case 'iteration.started':
          starts.set(event.iteration, event)
          facts.lastIteration = event.iteration
          facts.working.add(event.iteration)
          facts.unjudged.add(event.iteration)
          facts.unsettled.add(event.iteration)
          break
        case 'agent.returned':
          // Where spending is limited, an agent counts until it is known what it spent.
          if (facts.policy.budget.costUsd === null && facts.policy.budget.tokens === null) facts.working.delete(event.iteration)
          break
        case 'iteration.ended':
          ends.set(event.iteration, event)
          facts.working.delete(event.iteration)
          break
        case 'review.started':
          if (event.iteration !== 'whole') facts.reviewing.add(event.iteration)
          break
        case 'landing.ended':
          landings.set(event.iteration, event)
          break
        case 'gates.ended':
          if (event.iteration !== 'whole') gates.set(event.iteration, event.results)
          else if (event.results.every(({ ended }) => ended !== 'stopped')) facts.run.baseline ??= event.results
          break
        case 'review.ended':
          if (event.iteration === 'whole') break
          reviews.set(event.iteration, [...facts.reviews(event.iteration), event])
          facts.reviewing.delete(event.iteration)
          break
        case 'iteration.judged':
          if (isCounted(event.verdict)) facts.run.used++
          facts.unjudged.delete(event.iteration)
          break
        case 'iteration.settled':
          facts.unsettled.delete(event.iteration)
          break
        case 'story.failed':
        case 'story.shelved':
          facts.failing = event.story
          break
        case 'story.put-aside':
          facts.failing = null
          break
        case 'stop.requested':
          facts.life.isStopping = true
          facts.life.isStoppingNow ||= event.now
          break
        case 'pause.requested':
          facts.life.isPausing = true
          break
        case 'resume.requested':
          facts.life.isPausing = false
          break
        case 'wait.started':
          facts.life.isWaiting = true
          break
        case 'wait.ended':
          facts.life.isWaiting = false
          break
      }
    },
    newLife() {
      facts.reviewing.clear()
      facts.life = { isStopping: false, isStoppingNow: false, isPausing: false, isWaiting: false }
    },
  }
  return facts
}

/** Red before the run in the very same way, where that is allowed. */
const isTolerated = ({ policy, run }: Facts, { name, story, exitCode, output }: GateResult): boolean =>
  policy.baseline === 'tolerate' &&
  story === undefined &&
  run.baseline?.some((was) => was.name === name && !was.passed && was.exitCode === exitCode && was.output === output) === true

/** A reviewer for quality warns; an answer that could not be read twice is a refusal. */
function reviewReds(reviews: EventOf<'review.ended'>[]): Red[] {
  const hard = reviews.filter(({ review }) => review !== 'quality')
  return hard.flatMap(({ review, story, result, problem }, at): Red[] => {
    if (result !== undefined) return result.passed ? [] : [{ name: review, story, output: result.output }]
    const isSecond = hard.slice(0, at).some((other) => other.problem !== undefined && other.story === story)
    return problem !== undefined && isSecond ? [{ name: review, story, output: `unread: ${problem}` }] : []
  })
}
