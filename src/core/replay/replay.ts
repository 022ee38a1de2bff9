/** Replays a recorded run with other settings: the world answers as it did, as long as the core makes the same requests. */
import { decide } from '../decide/decide.ts'
import { evolve } from '../evolve/evolve.ts'
import { initialState } from '../evolve/initial.ts'
import type { State } from '../state.ts'
import { later, msBetween } from '../text/time.ts'
import type { Event, Instant, Policy } from '../types.ts'
import {
  answeredTo,
  type DecisionEvent,
  endsWithTheProcess,
  isDecision,
  isSameQuestion,
  numberIn,
  questionOf,
  questionsIn,
  type ReplayAsk,
  type ReportEvent,
} from './recorded-questions.ts'

export type Replay = {
  /** The last iteration before the run. */
  since: number
  /** The end state of the run, recorded and replayed. */
  recorded: State
  replayed: State
  decisions: DecisionEvent[]
  /** The first decision that differs, and the iteration before it; null: nothing was decided there. */
  split?: { iteration: number; recorded: DecisionEvent | null; replayed: DecisionEvent | null }
  /** 'open': it requests something that was never recorded; 'cut': the record stops without an end. */
  end: { kind: 'ended' } | { kind: 'open'; asks: DecisionEvent } | { kind: 'cut' }
  /** Iterations with another prompt: that they have the same result is an assumption. */
  assumed: number[]
}

/** `before`: the state before the run; `recorded`: its events, from start to end. */
export function replay(before: State, recorded: Event[], change: (policy: Policy) => Policy): Replay {
  const { asks, quiet, last } = questionsIn(before, recorded)
  const { state, place, decisions, split } = playAlike(before, recorded, quiet, change)
  if (split === undefined) {
    const end: Replay['end'] = { kind: state.outcome === undefined ? 'cut' : 'ended' }
    return { since: before.iteration, recorded: last, replayed: state, decisions, end, assumed: [] }
  }
  const rest = playOn({ state, place }, recorded, asks, change)
  return { ...rest, since: before.iteration, recorded: last, decisions: [...decisions, ...rest.decisions], split }
}

/** One run of a feature's log, without later actions of people, and the state before it; null: not found. */
export function runIn(events: Iterable<Event>, run: string): { before: State; recorded: Event[] } | null {
  let before = initialState
  const recorded: Event[] = []
  for (const event of events) {
    if (recorded.at(-1)?.kind === 'run.ended' || (recorded.length > 0 && event.run !== run)) break
    if (recorded.length > 0 || (event.kind === 'run.started' && event.run === run)) recorded.push(event)
    else before = evolve(before, event)
  }
  return recorded.length === 0 ? null : { before, recorded }
}

type Alike = Pick<Replay, 'decisions' | 'split'> & { state: State /** the first event that is not replayed */; place: number }

/** As long as the core makes the same decisions, everything happens as recorded. */
function playAlike(before: State, recorded: Event[], quiet: Set<number>, change: (policy: Policy) => Policy): Alike {
  const decisions: DecisionEvent[] = []
  let state = before
  let place = 0
  for (let event = recorded[place]; event !== undefined; event = recorded[place]) {
    if (isDecision(event)) {
      const made = decided(state)
      const alike = countAlike(made, recorded.slice(place, place + made.length))
      if (alike === 0)
        return { state, place, decisions, split: { iteration: state.iteration, recorded: event, replayed: made[0] ?? null } }
      for (const decision of made.slice(0, alike)) {
        const taken = { ...decision, at: (recorded[place++] ?? event).at }
        state = evolve(state, taken)
        decisions.push(taken)
      }
    } else {
      state = evolve(state, withPolicy(event, change))
      const [made = null] = quiet.has(place++) ? decided(state) : []
      if (made !== null) return { state, place, decisions, split: { iteration: state.iteration, recorded: null, replayed: made } }
    }
  }
  return { state, place, decisions }
}

/** An open request: the recorded one that it matches, and when it was made now. */
type Pending = { ask: ReplayAsk; asked: DecisionEvent; at: Instant }

/** The place of its answer in the record; never: there is none. */
const answeredAt = (pending: Pending | undefined): number => pending?.ask.answer ?? Number.POSITIVE_INFINITY

/** From the first difference on, each request gets the answer of the same recorded request, after the same time. */
function playOn(
  { state: begun, place: from }: Pick<Alike, 'state' | 'place'>,
  recorded: Event[],
  asks: ReplayAsk[],
  change: (policy: Policy) => Policy,
): Pick<Replay, 'replayed' | 'decisions' | 'end' | 'assumed'> {
  const decisions: DecisionEvent[] = []
  const assumed: number[] = []
  const used = new Set(asks.filter(({ index }) => index < from))
  const numbers = new Map([...used].map(({ asked }) => [numberIn(asked), numberIn(asked)]))
  let pending = [...used]
    .filter(({ answer }) => (answer ?? -1) >= from)
    .map((ask): Pending => ({ ask, asked: ask.asked, at: ask.asked.at }))
  let state = begun
  let place = from
  let lagMs = 0

  /** False: the answer is unknown. */
  const isAsked = (asked: DecisionEvent): boolean => {
    const isFree = (ask: ReplayAsk): boolean => !used.has(ask) && (ask.answer ?? ask.index) >= place
    const ask = asks.find(
      (one) =>
        isFree(one) &&
        isSameQuestion(one, asked, state, (iteration) =>
          iteration === 'whole' ? iteration : (numbers.get(iteration) ?? undefined),
        ),
    )
    if (ask === undefined) return false
    used.add(ask)
    if (asked.kind === 'iteration.started' && ask.asked.kind === asked.kind) {
      numbers.set(ask.asked.iteration, asked.iteration)
      const { iteration, call, code, saves } = asked
      if (!isAlike({ ...ask.asked, iteration, call, code, saves }, asked)) assumed.push(iteration)
    }
    pending.push({ ask, asked, at: state.at })
    return true
  }

  /** Returns the request without a known answer, if any. */
  const settle = (): DecisionEvent | null => {
    for (let round = 0; round < mostRounds; round++) {
      const made = decided(state)
      if (made.length === 0) return null
      for (const decision of made) {
        if (questionOf(decision) !== null && !isAsked(decision)) return decision
        state = evolve(state, decision)
        decisions.push(decision)
      }
    }
    throw new Error(`the core decides without end: ${decisions.at(-1)?.kind}`)
  }

  /** An unasked report about an iteration gets its current number. */
  const renumbered = (report: ReportEvent): ReportEvent =>
    report.kind === 'agent.returned' ? { ...report, iteration: numbers.get(report.iteration) ?? 0 } : report

  const nextAnswer = (): Pending | undefined =>
    pending.reduce<Pending | undefined>((first, one) => (answeredAt(one) < answeredAt(first) ? one : first), undefined)

  for (let open = settle(); ; open = settle()) {
    if (open !== null) return { replayed: state, decisions, end: { kind: 'open', asks: open }, assumed }
    if (state.outcome !== undefined) return { replayed: state, decisions, end: { kind: 'ended' }, assumed }
    const answered = nextAnswer()
    let byItself = place
    for (let event = recorded[byItself]; event && !comesByItself(event); event = recorded[byItself]) byItself++
    const index = Math.min(answeredAt(answered), byItself)
    const report = recorded[index]
    if (report === undefined || isDecision(report)) return { replayed: state, decisions, end: { kind: 'cut' }, assumed }
    const isAnswer = answered?.ask.answer === index
    const due = isAnswer ? later(answered.at, msBetween(answered.ask.asked.at, report.at)) : later(report.at, -lagMs)
    const at = due > state.at ? due : state.at
    lagMs = msBetween(at, report.at)
    if (isAnswer) pending = pending.filter((one) => one !== answered)
    state = evolve(state, { ...withPolicy(isAnswer ? answeredTo(answered.asked, report) : renumbered(report), change), at })
    if (report.kind === 'run.resumed') {
      for (const { ask } of pending) if (endsWithTheProcess(ask.asked)) used.delete(ask)
      pending = pending.filter(({ asked }) => !endsWithTheProcess(asked))
    }
    place = Math.max(place, index + 1)
  }
}

/** More rounds than this without a fact from outside means that the core reacts to itself. */
const mostRounds = 50

const comesByItself = (event: Event): boolean => !isDecision(event) && questionOf(event) === null

const decided = (state: State): DecisionEvent[] =>
  decide(state).map((decision) => ({ at: state.at, run: state.run, ...decision }))

const withPolicy = (report: ReportEvent, change: (policy: Policy) => Policy): ReportEvent =>
  report.kind === 'run.started' || report.kind === 'run.resumed' ? { ...report, policy: change(report.policy) } : report

/** How many of them the record has; a kill may have cut it off. */
function countAlike(made: DecisionEvent[], recorded: Event[]): number {
  const differs = made.findIndex((decision, i) => recorded[i] === undefined || !isAlike(recorded[i], decision))
  if (differs === -1) return made.length
  const cut = recorded[differs]
  return cut === undefined || !isDecision(cut) ? differs : 0
}

/** Equal except for times, and for sentences, which may name a limit. */
function isAlike(one: Event, other: Event): boolean {
  const [facts, others] = [factsOf(one), factsOf(other)]
  const keys = new Set([...Object.keys(facts), ...Object.keys(others)])
  return [...keys].every((key) => JSON.stringify(facts[key]) === JSON.stringify(others[key]))
}

function factsOf(event: Event): Record<string, unknown> {
  const shift = event.kind === 'iteration.started' ? { shift: event.shift !== '' } : {}
  return { ...event, ...shift, at: '', run: '', because: '' }
}
