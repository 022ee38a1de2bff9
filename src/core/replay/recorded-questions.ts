/** What a recorded run asked of the world, which report answered it, and whether another request is the same. */
import { decide } from '../decide/decide.ts'
import { evolve } from '../evolve/evolve.ts'
import type { State } from '../state.ts'
import type { Event, Gate, Repo, Scope } from '../types.ts'

export type DecisionEvent = Extract<Event, { because: string }>
export type ReportEvent = Exclude<Event, { because: string }>

/** `answer`: the index of the report that answered it; null: the process was killed before. `repo`: the repository at that time. */
export type ReplayAsk = { index: number; asked: DecisionEvent; answer: number | null; repo: Repo }

export type Questions = {
  asks: ReplayAsk[]
  /** Indexes of reports after which the core decided nothing. Reports that arrived together are not asked about one by one. */
  quiet: Set<number>
  last: State
}

export const isDecision = (event: Event): event is DecisionEvent => 'because' in event

export function questionsIn(before: State, recorded: Event[]): Questions {
  const asks: ReplayAsk[] = []
  const quiet = new Set<number>()
  const open = new Map<string, ReplayAsk>()
  let state = before
  for (const [index, event] of recorded.entries()) {
    if (isDecision(event)) {
      const key = questionOf(event)
      if (key !== null) {
        const ask: ReplayAsk = { index, asked: event, answer: null, repo: state.repo }
        asks.push(ask)
        open.set(key, ask)
      }
    }
    state = evolve(state, event)
    if (isDecision(event)) continue
    const key = answerOf(event) ?? ''
    const ask = open.get(key)
    if (ask !== undefined) ask.answer = index
    open.delete(key)
    const next = recorded[index + 1]
    if ((next === undefined || !isDecision(next)) && decide(state).length === 0) quiet.add(index)
  }
  return { asks, quiet, last: state }
}

/** What a decision asks of the world, as a key that its answer has too; null: nothing. */
export function questionOf(decision: DecisionEvent): string | null {
  switch (decision.kind) {
    case 'call.requested':
      return `call ${decision.call}`
    case 'iteration.started':
      return `iteration ${decision.iteration}`
    case 'gates.started':
      return `gates ${decision.iteration}`
    case 'iteration.judged':
      return `settled ${decision.iteration}`
    case 'review.started':
      return `review ${decision.iteration} ${decision.review} ${decision.story} ${decision.agent}`
    case 'landing.started':
      return `landing ${decision.iteration}`
    case 'story.failed':
    case 'story.shelved':
      return `aside ${decision.story}`
    case 'learning.started':
      return `learning ${decision.story}`
    case 'gathering.started':
      return 'gathering'
    case 'skill.started':
      return `skill ${decision.category}`
    case 'skill.retired':
      return `skill ${decision.skill}`
    case 'wait.started':
      return 'wait'
    case 'limit.asked':
      return 'limit'
    case 'branch.asked':
      return 'branch'
    case 'iteration.stopping':
    case 'story.slow':
    case 'lesson.retired':
    case 'breaker.changed':
    case 'budget.warned':
    case 'run.paused':
    case 'run.ended':
      return null
  }
}

/** What a report answers; null: it came unasked. */
export function answerOf(report: ReportEvent): string | null {
  switch (report.kind) {
    case 'call.granted':
    case 'call.refused':
      return `call ${report.call}`
    case 'iteration.ended':
      return `iteration ${report.iteration}`
    case 'gates.ended':
      return `gates ${report.iteration}`
    case 'iteration.settled':
      return `settled ${report.iteration}`
    case 'review.ended':
      return `review ${report.iteration} ${report.review} ${report.story} ${report.agent}`
    case 'landing.ended':
      return `landing ${report.iteration}`
    case 'story.put-aside':
      return `aside ${report.story}`
    case 'learning.ended':
      return `learning ${report.story}`
    case 'gathering.ended':
      return 'gathering'
    case 'skill.ended':
      return `skill ${report.category}`
    case 'wait.ended':
      return 'wait'
    case 'limit.answered':
      return 'limit'
    case 'branch.answered':
      return 'branch'
    case 'agent.returned':
    case 'users.found':
    case 'run.started':
    case 'run.resumed':
    case 'plan.changed':
    case 'breaker.reset':
    case 'said':
    case 'unblocked':
    case 'question.answered':
    case 'pause.requested':
    case 'resume.requested':
    case 'stop.requested':
    case 'story.retried':
    case 'story.skipped':
    case 'noticed':
      return null
  }
}

/**
 * Whether a recorded request is the current one. Calls, and iterations after a story that was given up earlier, then have other numbers; an
 * iteration under another number is the same only if the repository is.
 */
export function isSameQuestion(
  { asked, repo }: ReplayAsk,
  now: DecisionEvent,
  state: State,
  numbered: (iteration: Scope) => Scope | undefined,
): boolean {
  switch (now.kind) {
    case 'call.requested':
      return asked.kind === now.kind && asked.role === now.role && asked.agent === now.agent
    case 'iteration.started':
      if (asked.kind !== now.kind || asked.story !== now.story || asked.attempt !== now.attempt) return false
      return asked.iteration === now.iteration || (repo.tree === state.repo.tree && repo.dirt === state.repo.dirt)
    case 'gates.started':
      return asked.kind === now.kind && numbered(asked.iteration) === now.iteration && hasAll(asked.gates, now.gates)
    case 'iteration.judged':
      return asked.kind === now.kind && numbered(asked.iteration) === now.iteration
    case 'review.started':
      return (
        asked.kind === now.kind &&
        numbered(asked.iteration) === now.iteration &&
        asked.review === now.review &&
        asked.story === now.story &&
        asked.agent === now.agent
      )
    case 'learning.started':
      return asked.kind === now.kind && asked.story === now.story && asked.outcome === now.outcome
    case 'wait.started':
      return asked.kind === now.kind && asked.for === now.for
    default:
      return asked.kind === now.kind && questionOf(asked) === questionOf(now)
  }
}

/** The recorded answer with the current numbers, and with the results that were asked for. */
export function answeredTo(now: DecisionEvent, report: ReportEvent): ReportEvent {
  const number = numberIn(now)
  switch (report.kind) {
    case 'call.granted':
    case 'call.refused':
      return now.kind === 'call.requested' ? { ...report, call: now.call } : report
    case 'gates.ended': {
      if (now.kind !== 'gates.started') return report
      const results = report.results.filter((result) =>
        now.gates.some(({ name, story }) => name === result.name && story === result.story),
      )
      return { ...report, iteration: now.iteration, results }
    }
    case 'iteration.ended':
    case 'iteration.settled':
    case 'review.ended':
      return number === null ? report : { ...report, iteration: number }
    default:
      return report
  }
}

export const numberIn = (decision: DecisionEvent): number | null =>
  'iteration' in decision && decision.iteration !== 'whole' ? decision.iteration : null

/** What a kill makes the core request again, or no more; iterations, settling and putting aside are reported after it. */
export const endsWithTheProcess = ({ kind }: DecisionEvent): boolean =>
  kind !== 'iteration.started' && kind !== 'iteration.judged' && kind !== 'story.failed'

const hasAll = (recorded: Gate[], wanted: Gate[]): boolean =>
  wanted.every((gate) =>
    recorded.some((other) => other.name === gate.name && other.command === gate.command && other.story === gate.story),
  )
