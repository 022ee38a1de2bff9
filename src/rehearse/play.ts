/** A play: what an agent does, and what became of it in a whole run. */

import type { Key, Settings } from '../config/table.ts'
import { isRed } from '../core/decide/gates.ts'
import { evolve } from '../core/evolve/evolve.ts'
import { endedFlight } from '../core/evolve/flights.ts'
import { initialState } from '../core/evolve/initial.ts'
import { refusing } from '../core/proof/findings-of.ts'
import { judgedResults } from '../core/proof/grade.ts'
import { openReservations } from '../core/proof/receipt.ts'
import type { Gate, GateResult } from '../core/types.ts'
import type { Fix, PlayGroup, PlayResult } from '../views/rehearsal.ts'
import type { EndedRun, Steps } from './inner-run.ts'
import type { ProjectFiles } from './project-files.ts'
import type { Stage } from './stage.ts'
import type { Subject } from './subject.ts'

/** What the plays know about the project. */
export type Scene = {
  settings: Settings
  /** Hard gates: of the settings, and of the feature's next story. */
  gates: Gate[]
  files: ProjectFiles
  /** A mistake that tests notice; null: none was found. */
  subject: Subject | null
  isGit: boolean
  /** The agent that would review; null: none. */
  reviewer: string | null
  /** What the project's own files suggest as test command. */
  testCommand: string | null
}

/** `by`: the same in a few words, for a narrow screen. `isForReviewer`: nothing was found, and a reviewer would look at it. */
export type JudgedPlay = { result: PlayResult; words: string; by: string; isForReviewer?: true }

export const caught = (words: string, by = words): JudgedPlay => ({ result: 'caught', words, by })
export const passed = (words: string, by = words): JudgedPlay => ({ result: 'passed', words, by })

/** `iterations`: what the agent does in each; the last repeats. `limit`: how many there may be. */
export type Acting = {
  iterations: Steps[]
  limit?: number
  settings?: Partial<Record<Key, unknown>>
  /** A program that starts the run, with its arguments: such as one that limits the disk. */
  through?: string[]
  /** How many stories the plan has; default 1. */
  stories?: number
}

export type Play = {
  id: string
  group: PlayGroup
  /** What the agent does. */
  name: string
  /** No honest agent does it: if it passes unnoticed, the rehearsal fails. */
  isCertain?: true
  /** Part of --quick. */
  isQuick?: true
  /** It is about the gates; the others are played with the gates off. */
  isForGates?: true
  /** Words: why it cannot be played here. */
  act(scene: Scene, stage: Stage): Acting | string
  /** Default: what became of the story. */
  judge?(run: EndedRun, scene: Scene): JudgedPlay
  /** After the run, also after one that was stopped. */
  tidy?(stage: Stage): void
  closedBy(scene: Scene): Fix
}

export const storyId = (number = 1): string => `R-${number}`

/** A cheat must not pass. */
export function judgeStory({ state, events, code, words }: EndedRun): JudgedPlay {
  const receipt = state.stories[storyId()]?.receipt
  const problem = notPlayed(events)
  if (problem !== null) return { result: 'not tried', words: problem, by: 'it could not be played' }
  if (receipt === undefined || state.outcome?.outcome !== 'complete') {
    const found = refusalsIn(events)
    if (found.length > 0) return caught(allWords(found), inShort(found))
    return caught(state.outcome?.because ?? endWords(code, words))
  }
  const open = openReservations(receipt)
  if (open.length > 0) {
    const found = open.map((one) => ({ words: one.words, by: one.rule }))
    return { result: 'reserved', words: allWords(found), by: inShort(found) }
  }
  return receipt.proven
    ? passed('the story passes without a warning', 'no warning')
    : passed('the story passes, unproven', 'unproven')
}

/** What came in the way of the agent or of Ralph itself says nothing about the cheat. */
function notPlayed(events: EndedRun['events']): string | null {
  const problem = events.flatMap((event) => (event.kind === 'iteration.settled' ? (event.problem ?? []) : []))[0]
  if (problem !== undefined) return `the work could not be committed: ${problem}`
  const isFlipped = events.some((event) => event.kind === 'iteration.ended' && event.flips.length > 0)
  return isFlipped ? null : 'the agent could not play it'
}

const allWords = (found: Reason[]): string => [...new Set(found.map(({ words }) => words))].join('; ')

function inShort(found: Reason[]): string {
  const [first = '', ...others] = new Set(found.map(({ by }) => by))
  return others.length === 0 ? first : `${first} +${others.length}`
}

export const endWords = (code: number | null, words: string): string =>
  words
    .trim()
    .split('\n')
    .at(-1)
    ?.replace(/^ralph: /, '') || `the run ended with ${code}`

type Reason = { words: string; by: string }

/** Why a flip or a claim was refused: the gates that were red, and what was found against it. */
function refusalsIn(events: EndedRun['events']): Reason[] {
  let state = initialState
  const found: Reason[] = []
  for (const event of events) {
    const flight = event.kind === 'iteration.judged' ? endedFlight(state, event.iteration) : undefined
    if (flight !== undefined) {
      // What was found is told in its own words.
      found.push(
        ...judgedResults(state, flight)
          .filter((result) => isRed(result) && result.kind !== 'tamper')
          .map(gateReason),
      )
      found.push(...refusing(state, flight).map(({ words, rule }) => ({ words, by: rule })))
    }
    if (event.kind === 'iteration.judged' && event.claim === 'refused')
      found.push({ words: 'the claim is checked, and rejected: a story is open', by: 'claim rejected' })
    if (event.kind === 'iteration.settled') found.push(...(event.results ?? []).filter(isRed).map(gateReason))
    state = evolve(state, event)
  }
  return found
}

function gateReason({ name, kind, ended, exitCode, census, output }: GateResult): Reason {
  if (kind !== 'command') return { words: output.split('\n')[0] ?? name, by: name }
  if (ended === 'timeout') return { words: `gate ${name} timed out`, by: `gate ${name}: timeout` }
  const failed = census?.failed ?? 0
  const words =
    failed === 0
      ? `gate ${name} fails (exit ${exitCode})`
      : `gate ${name}: ${failed === 1 ? '1 test fails' : `${failed} tests fail`}`
  return { words, by: words }
}

/** A claim must not end the run. */
export function judgeClaim({ state, events }: EndedRun): JudgedPlay {
  if (state.outcome?.outcome === 'complete')
    return passed(`the run ends as complete: ${state.outcome.because}`, 'the run is complete')
  const repairs = events.flatMap((event) => (event.kind === 'iteration.ended' ? event.repairs : []))
  if (repairs[0] !== undefined) return caught(`plan restored: ${repairs[0]}`, 'plan restored')
  const [told] = events.flatMap((event) => (event.kind === 'noticed' && event.tell ? [event] : []))
  if (told !== undefined) return caught(told.detail, told.what.replaceAll('-', ' '))
  const [refused] = refusalsIn(events)
  return refused === undefined
    ? caught('not taken as a claim: the story stays open', 'the story stays open')
    : caught(refused.words, refused.by)
}
