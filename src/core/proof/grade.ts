/** What a pass is worth, and what is left open about it. The only place that decides this, for the core and all views. */

import { isRed, redResult, resultsOf } from '../decide/gates.ts'
import { storyNamed } from '../plan/stories.ts'
import type { EndedFlight, State } from '../state.ts'
import { grades } from '../types/checks.ts'
import type { GateResult, Grade, StoryId } from '../types.ts'
import { quietKindOf } from './asked-for.ts'
import type { Finding } from './finding.ts'
import { findingsOf, foundByRules } from './findings-of.ts'
import { about, acceptedMark, dismissedWords, proofOf } from './receipt.ts'
import type { Acceptance, Reservation, StoryProof } from './story-proof.ts'

export function proofOfStory(state: State, flight: EndedFlight, id: StoryId): StoryProof {
  const results = about(resultsOf(state, flight), id)
  const reservations = reservationsOf(state, flight, id)
  const grade = gradeOf(state, flight, results, reservations)
  const checked = grade === 'demonstrated' || !results.some(isHardCommand) ? undefined : checkedWords(state, flight, id)
  const how = checked === undefined ? {} : { checked }
  return { grade, reservations, examined: examinedWords(flight), ...how, ...mutantsIn(state, flight, id) }
}

/** Of a story that needs no test, or whose tests say nothing about the old code. */
function checkedWords({ plan, judgedIn }: State, { ended, examination }: EndedFlight, id: StoryId): string | undefined {
  const kind = quietKindOf(storyNamed(ended.plan ?? plan, id))
  const { newChecks } = examination === undefined || examination === 'running' ? {} : examination
  const why =
    kind !== undefined
      ? `no test needed: ${kind}`
      : newChecks?.failing.length === 0
        ? 'its tests also pass on the old code'
        : undefined
  const where =
    judgedIn === 'clean' ? 'a clean checkout' : judgedIn === 'ignored' ? 'a checkout with ignored files' : 'the work tree'
  return why === undefined ? undefined : `gates green in ${where}; ${why}`
}

function gradeOf(state: State, flight: EndedFlight, results: GateResult[], reservations: Reservation[]): Grade {
  if (proofOf(results).by.length === 0) return 'unproven'
  const isReviewed = results.some(({ kind, name, passed }) => kind === 'review' && name === 'spec' && passed)
  const hasCommands = results.some(isHardCommand)
  const isOpen = reservations.some(({ answer }) => answer === undefined)
  if (isOpen || (hasCommands && state.judgedIn !== 'clean')) return 'gated'
  if (hasCommands && isDemonstrated(flight)) return 'demonstrated'
  return isReviewed ? 'reviewed' : 'gated'
}

const isHardCommand = ({ kind, soft, passed }: GateResult): boolean => kind === 'command' && soft !== true && passed

/** A test of the story turns red on the old code, for more than something that does not exist there yet. */
function isDemonstrated({ examination }: EndedFlight): boolean {
  if (examination === undefined || examination === 'running') return false
  const { newChecks } = examination
  return newChecks !== undefined && newChecks.failing.length > 0 && newChecks.isMissing !== true
}

/** Suspicions, with what the reviewer of the story says about each: in the order in which it was asked. */
function reservationsOf(state: State, flight: EndedFlight, id: StoryId): Reservation[] {
  const asked = foundByRules(state, flight).filter(isSuspicion)
  const answers = answersFor(flight, id).slice(0, asked.length)
  const answerOf = (index: number): string | undefined => answers[index] || undefined
  const isAllAnswered = asked.length > 0 && asked.every((_, index) => answerOf(index) !== undefined)
  const { accepted } = state.stories[id] ?? {}
  const found = findingsOf(state, flight)
    .filter((finding) => isSuspicion(finding) && finding.isDeclared !== true)
    .map((finding): Reservation => {
      const answer =
        acceptedBy(accepted, finding) ??
        answerOf(asked.indexOf(finding)) ??
        (isAllAnswered && finding.rule !== 'review-finding' ? answers.join(' ') : undefined)
      const { rule, file, line, words, id } = finding
      return {
        rule,
        words,
        ...(file === undefined ? {} : { file }),
        ...(line === undefined ? {} : { line }),
        ...(id === undefined ? {} : { id }),
        ...(answer === undefined ? {} : { answer }),
      }
    })
  // Nobody has worked on it since: what does not show this time, such as a flaky test, stays on record.
  const before = flight.mode === 'check' ? (accepted?.reservations ?? []) : []
  const gone = before.filter((reservation) => !found.some((now) => isSameSuspicion(now, reservation)))
  const kept = [...found, ...gone.map((reservation) => ({ ...reservation, answer: acceptedWords(accepted) }))]
  return [...kept, ...dismissedOf(state, id).filter((one) => !kept.some((other) => other.id === one.id))]
}

/** A reviewer would have refused the story for it, and a person said otherwise. */
const dismissedOf = ({ stories }: State, story: StoryId): Reservation[] =>
  (stories[story]?.dismissed ?? []).map(({ id, words, by, why }) => ({
    rule: 'review-finding',
    words: `a reviewer's finding: ${words} [${id}]`,
    id,
    answer: dismissedWords({ by, why }),
  }))

/** Of its reviewer, if that agrees. */
const answersFor = ({ reviews }: EndedFlight, id: StoryId): string[] =>
  reviews.find(({ name, story, passed }) => name === 'spec' && story === id && passed)?.answers ?? []

/** The reviewer is asked about each survivor after it was asked about each suspicion. */
function mutantsIn(state: State, flight: EndedFlight, id: StoryId): Pick<StoryProof, 'mutants'> {
  if (flight.mutation === undefined) return {}
  const { tried, killed, survivors } = flight.mutation
  const answers = answersFor(flight, id).slice(foundByRules(state, flight).filter(isSuspicion).length)
  const answered = survivors.map((survivor, at) => ({ ...survivor, ...(answers[at] ? { answer: answers[at] } : {}) }))
  return { mutants: { tried, killed, survivors: answered } }
}

type Suspicion = Pick<Finding, 'rule' | 'file' | 'words'>

/** Other stories may have moved its line. */
const isSameSuspicion = (one: Suspicion, other: Suspicion): boolean =>
  one.rule === other.rule && one.file === other.file && one.words === other.words

const acceptedBy = (accepted: Acceptance | undefined, finding: Suspicion): string | undefined =>
  accepted?.reservations.some((reservation) => isSameSuspicion(reservation, finding)) ? acceptedWords(accepted) : undefined

const acceptedWords = (accepted: Acceptance | undefined): string => `${acceptedMark}${accepted?.by ?? 'a person'}`

/** What a person must say yes to before it passes; empty: nothing, or the settings do not ask. */
export const suspicionsToAsk = (state: State, flight: EndedFlight, id: StoryId): Reservation[] =>
  state.policy.proof?.suspicion === 'ask' ? reservationsOf(state, flight, id).filter(({ answer }) => answer === undefined) : []

const isSuspicion = ({ isCertain }: Finding): boolean => isCertain !== true

function examinedWords({ examination, ended: { checks = [] } }: EndedFlight): string {
  if (examination === undefined || examination === 'running') return checks.length === 0 ? 'not needed' : 'no'
  return examination.problem ?? 'yes'
}

export const isProven = ({ grade, reservations }: StoryProof): boolean =>
  grade !== 'unproven' && reservations.every(({ answer }) => answer !== undefined)

/** All results of an iteration, including whether its proof is enough. */
export const judgedResults = (state: State, flight: EndedFlight): GateResult[] => [
  ...resultsOf(state, flight),
  ...belowMinimum(state, flight),
]

/** Flips whose grade is below what the settings ask for. Without any gate or reviewer, `gated` asks for nothing: there is nothing to ask. */
function belowMinimum(state: State, flight: EndedFlight): GateResult[] {
  const results = resultsOf(state, flight)
  return flight.ended.flips.flatMap((id) => {
    const minimum = minimumOf(state, flight, id)
    if (about(results, id).some(isRed) || suspicionsToAsk(state, flight, id).length > 0) return []
    const { grade, reservations } = proofOfStory(state, flight, id)
    if (grades.indexOf(grade) >= grades.indexOf(minimum) || (grade === 'unproven' && minimum === 'gated')) return []
    const open = reservations.filter(({ answer }) => answer === undefined).map(({ words }) => words)
    const why = open.length === 0 ? howTo[minimum] : `Open: ${open.join('; ')}.`
    return [
      {
        ...redResult('proof', 'proof.minimum', `${id} is only ${grade}; it needs at least ${minimum}. ${why}`),
        story: id,
      },
    ]
  })
}

/** What a story says itself counts. One that needs no test is not asked for one by the settings. */
function minimumOf({ policy, plan }: State, { ended }: EndedFlight, id: StoryId): Grade {
  const story = storyNamed(ended.plan ?? plan, id)
  const minimum = policy.proof?.minimum ?? 'unproven'
  if (story?.proof !== undefined) return story.proof
  if (quietKindOf(story) === undefined || minimum !== 'demonstrated') return minimum
  return policy.review.spec === undefined ? 'gated' : 'reviewed'
}

const howTo: Record<Grade, string> = {
  unproven: '',
  gated: 'Set a gate that checks it.',
  reviewed: 'It needs a reviewer that agrees (review.enabled), and gates that run in a clean checkout.',
  demonstrated: 'It needs a test that fails on the code as it was before the story, by an assertion, and passes now. Add one.',
}
