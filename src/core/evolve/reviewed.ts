/** What follows from a reviewer's call: its answer joins the gates' results; an unreadable one is requested again once. */
import { isRed, unreadable } from '../decide/gates.ts'
import { withQuestion } from '../plan/questions.ts'
import { errorHash } from '../reading/reading.ts'
import { openFindings } from '../review/findings.ts'
import type { EndedFlight, State } from '../state.ts'
import type { ReviewEnded } from '../types/results.ts'
import type { EventOf, GateResult, Signal } from '../types.ts'
import { noFinal } from './initial.ts'
import { isTransient, limitsInARow, lostToProvider } from './judged.ts'
import { withEnded, withStoryState } from './with-change.ts'

export function reviewStarted(state: State, { iteration, maxUsd }: EventOf<'review.started'>): State {
  const next: State = { ...state, call: { ...state.call, phase: 'none' } }
  if (iteration === 'whole') return { ...next, final: { ...state.final, isReviewing: true, isStopping: false } }
  return withEnded(next, iteration, ({ maxUsd: _agents, ...flight }) => ({
    ...flight,
    phase: 'reviewing',
    ...(maxUsd === undefined ? {} : { maxUsd }),
  }))
}

export function reviewEnded(state: State, event: EventOf<'review.ended'>): State {
  const counted = afterProvider(state, event)
  if (event.iteration === 'whole') return wholeReviewed(counted, event)
  return withEnded(withReview(counted, event), event.iteration, (flight) => flipReviewed(flight, event))
}

/** A later review of the story goes on from what this one saw and found. */
function withReview(state: State, { story, result, seen }: ReviewEnded): State {
  if (story === null || result?.findings === undefined) return state
  return withStoryState(state, story, {
    review: { ...(seen === undefined ? {} : { seen }), open: openFindings(result.findings) },
  })
}

/** It may run while a reviewer does: the phase stays. */
export function examinationEnded(state: State, event: EventOf<'examination.ended'>): State {
  const { kind: _kind, at: _at, run: _run, iteration, ...examination } = event
  const totals = { ...state.totals, gateMs: state.totals.gateMs + event.durationMs }
  return withEnded({ ...state, totals }, iteration, (flight) => ({ ...flight, examination }))
}

export function mutantsEnded(state: State, event: EventOf<'mutants.ended'>): State {
  const { kind: _kind, at: _at, run: _run, iteration, ...mutation } = event
  const totals = { ...state.totals, gateMs: state.totals.gateMs + event.durationMs }
  return withEnded({ ...state, totals }, iteration, (flight) => ({ ...flight, phase: 'waiting', mutation }))
}

/** An unavailable provider is waited for, as after any call. */
function afterProvider(state: State, { throttled, exit, agent }: ReviewEnded): State {
  if (exit === 'stopped') return state
  const { inARow } = state
  return {
    ...state,
    ...lostToProvider(state, throttled, { agent, role: 'reviewer' }),
    inARow: {
      ...inARow,
      retries: isTransient(throttled) ? inARow.retries + 1 : 0,
      refusedLogins: throttled?.by === 'login' ? inARow.refusedLogins + 1 : 0,
      limits: limitsInARow(state, throttled, true),
    },
  }
}

function flipReviewed(flight: EndedFlight, event: EventOf<'review.ended'>): EndedFlight {
  const { review, story, problem, calls } = event
  const isSecond = flight.unread.some((answer) => answer.review === review && answer.story === story)
  const result = resultOf(event, isSecond)
  const next: EndedFlight = { ...flight, phase: 'waiting', reviewed: [...flight.reviewed, event] }
  if (result === undefined)
    return problem === undefined ? next : { ...next, unread: [...flight.unread, { review, story, problem }] }
  const signals = calls === undefined ? [] : [signalOf(calls, `the reviewer of ${story}`)]
  const ended = { ...flight.ended, signals: [...flight.ended.signals, ...signals] }
  return { ...next, reviews: [...flight.reviews, result], ended }
}

function wholeReviewed(state: State, event: ReviewEnded): State {
  const { agent, problem, calls } = event
  const { unread } = state.final
  const result = resultOf(event, unread.length > 0)
  if (result === undefined) {
    const again = problem === undefined ? unread : [...unread, { agent, problem }]
    return { ...state, final: { ...noFinal, unread: again } }
  }
  const next: State = {
    ...state,
    final: noFinal, // the next reviewer has not been asked yet
    finals: [...state.finals, result],
    ...(isRed(result) ? { check: { phase: 'red', results: [result] } } : {}),
  }
  if (calls === undefined) return next
  const text = `the final reviewer: ${calls.text}`
  if (calls.for === 'blocked') return { ...next, blocked: { reason: text, iteration: state.iteration } }
  return { ...next, questions: withQuestion(state.questions, { question: text, iteration: state.iteration, story: null }) }
}

/** undefined: no answer yet. A second unreadable answer fails the gate with that reason. */
function resultOf({ review, story, agent, result, problem, durationMs }: ReviewEnded, isSecond: boolean): GateResult | undefined {
  const soft = review === 'quality' ? { soft: true as const } : {}
  if (result !== undefined) return { ...result, ...soft }
  if (problem === undefined || !isSecond) return undefined
  const output = `${unreadable}, twice: ${problem}`
  return {
    name: review,
    kind: 'review',
    ...(story === null ? {} : { story }),
    ...soft,
    command: `review by ${agent}`,
    passed: false,
    exitCode: null,
    ended: 'exited',
    durationMs,
    output,
    outputHash: errorHash(output),
  }
}

const signalOf = (calls: NonNullable<ReviewEnded['calls']>, who: string): Signal =>
  calls.for === 'blocked'
    ? { kind: 'blocked', reason: `${who}: ${calls.text}`, evidence: calls.text }
    : { kind: 'question', text: `${who}: ${calls.text}`, evidence: calls.text }
