/** What a recorded run asked of the world, which report answered it, and whether another request is the same. */
import { decide } from '../decide/decide.ts'
import { isHeldOut } from '../decide/gates.ts'
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
    const key = questionOf(event) ?? ''
    if (isDecision(event) && key !== '') {
      const ask: ReplayAsk = { index, asked: event, answer: null, repo: state.repo }
      asks.push(ask)
      open.set(key, ask)
    }
    state = evolve(state, event)
    if (isDecision(event)) continue
    const ask = open.get(key)
    if (ask !== undefined) ask.answer = index
    open.delete(key)
    const next = recorded[index + 1]
    if ((next === undefined || !isDecision(next)) && decide(state).length === 0) quiet.add(index)
  }
  return { asks, quiet, last: state }
}

/** What a decision asks of the world, and a report answers, as a key that both have; null: nothing. */
export function questionOf(event: Event): string | null {
  switch (event.kind) {
    case 'call.requested':
    case 'call.granted':
    case 'call.refused':
      return `call ${event.call}`
    case 'iteration.started':
    case 'iteration.ended':
      return `iteration ${event.iteration}`
    case 'gates.started':
    case 'gates.ended':
      return `gates ${event.iteration}`
    case 'iteration.judged':
    case 'iteration.settled':
      return `settled ${event.iteration}`
    case 'review.started':
    case 'review.ended':
      return `review ${event.iteration} ${event.review} ${event.story} ${event.agent}`
    case 'examination.started':
    case 'examination.ended':
      return `examination ${event.iteration}`
    case 'mutants.started':
    case 'mutants.ended':
      return `mutants ${event.iteration}`
    case 'landing.started':
    case 'landing.ended':
      return `landing ${event.iteration}`
    case 'story.failed':
    case 'story.shelved':
    case 'story.put-aside':
      return `aside ${event.story}`
    case 'learning.started':
    case 'learning.ended':
      return `learning ${event.story}`
    case 'gathering.started':
    case 'gathering.ended':
      return 'gathering'
    case 'skill.started':
    case 'skill.ended':
      return `skill ${event.category}`
    case 'skill.retired':
      return `skill ${event.skill}`
    case 'wait.started':
    case 'wait.ended':
      return 'wait'
    case 'limit.asked':
    case 'limit.answered':
      return 'limit'
    case 'branch.asked':
    case 'branch.answered':
      return 'branch'
    case 'worktree.requested':
    case 'worktree.ready':
      return `worktree ${event.story}`
    case 'hook.started':
    case 'hook.ended':
      return `hook ${event.hook} ${event.iteration} ${event.story}`
    case 'agent.returned':
    case 'branch.created':
    case 'pull-request.started':
    case 'pull-request.ended':
    case 'pull-request.reviewed':
    case 'pull-request.answered':
    case 'breaker.changed':
    case 'breaker.reset':
    case 'budget.warned':
    case 'criterion.amended':
    case 'finding.dismissed':
    case 'iteration.stopping':
    case 'lesson.retired':
    case 'noticed':
    case 'pause.requested':
    case 'plan.changed':
    case 'question.answered':
    case 'resume.requested':
    case 'run.ended':
    case 'run.paused':
    case 'run.resumed':
    case 'run.started':
    case 'said':
    case 'stop.requested':
    case 'story.retried':
    case 'story.skipped':
    case 'story.slow':
    case 'unblocked':
    case 'users.found':
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
      return (
        asked.kind === now.kind &&
        asked.again === now.again &&
        numbered(asked.iteration) === now.iteration &&
        hasAll(asked.gates, now.gates) &&
        (now.heldOut !== true || asked.heldOut === true)
      )
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
    case 'landing.started':
      return asked.kind === now.kind && asked.again === now.again && asked.iteration === now.iteration
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
        isHeldOut(result)
          ? now.heldOut === true
          : now.gates.some(({ name, story }) => name === result.name && story === result.story),
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
