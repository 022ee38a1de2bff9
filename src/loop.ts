/** The whole loop: take a fact, write it, ask the core, write its decisions, carry them out. */
import { decide } from './core/decide/decide.ts'
import { isUnderWay } from './core/decide/under-way.ts'
import { evolve } from './core/evolve/evolve.ts'
import { EXIT, Failure } from './core/failure.ts'
import type { State } from './core/state.ts'
import { asWritten } from './core/text/plain.ts'
import type { Decision, Event, Instant, Report, Reporter, RunId } from './core/types.ts'

export type LoopDoors = {
  run: RunId
  now(): Instant
  /** Durable when it returns. */
  append(events: Event[]): void
  /** Carries a decision out; its result arrives as a report. Never throws because of the world. */
  perform(decision: Decision, state: State): void
  /** The views: told of every event, after its decisions have been started. */
  show(events: Event[], state: State): void
}

export type Loop = {
  report: Reporter
  state(): State
  ended: Promise<State>
  /** After a bug: nothing more is written or started. */
  halt(): void
}

/** More rounds than this without a fact from outside means that the core reacts to itself. */
const maxRounds = 50

export function startLoop(initial: State, doors: LoopDoors): Loop {
  let state = initial
  let isBusy = false
  const waiting: Report[] = []
  const { promise, resolve, reject } = Promise.withResolvers<State>()

  const record = (facts: (Report | Decision)[]): Event[] => {
    const events = facts.map((fact): Event => ({ at: doors.now(), run: doors.run, ...fact }))
    for (const event of events) state = evolve(state, event)
    return events
  }

  // The initial state may still have the end of the previous run.
  const isOver = (): boolean => state.outcome !== undefined && state.run === doors.run

  const settle = (): void => {
    for (let round = 0; waiting.length > 0 && !isOver(); round++) {
      let events = record(waiting.splice(0).map(asWritten))
      for (;;) {
        const decisions = decide(state)
        events = [...events, ...record(decisions)]
        if (events.length > 0) doors.append(events) // written before it is carried out
        for (const decision of decisions) doors.perform(decision, state)
        if (events.length > 0) doors.show(events, state)
        if (decisions.length === 0) break
        if (++round > maxRounds)
          throw new Error(`the core decides without end: ${decisions.map((decision) => decision.kind).join(', ')}`)
        events = []
      }
    }
    if (state.run === doors.run && !isOver() && !isUnderWay(state))
      throw new Failure(
        EXIT.fault,
        'This run would wait forever: nothing is under way, and nothing is decided. That is a bug in Ralph; nothing is lost. Run again to resume, and report it with the last lines of events.jsonl.',
      )
  }

  const report: Reporter = (fact) => {
    waiting.push(fact)
    if (isBusy || isOver()) return
    isBusy = true
    try {
      settle()
    } catch (error) {
      reject(error)
      return // stays busy: after a bug nothing more is written
    }
    isBusy = false
    if (isOver()) resolve(state)
  }

  const halt = (): void => {
    isBusy = true
  }

  return { report, state: () => state, ended: promise, halt }
}
