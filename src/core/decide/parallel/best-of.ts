/** Which of several candidates of a story lands, and what becomes of the others. */

import { alikeAttempts } from '../../evolve/alike.ts'
import { hasEnded, hasLanding } from '../../evolve/flights.ts'
import { storyNamed } from '../../plan/stories.ts'
import { proofOfStory } from '../../proof/grade.ts'
import type { EndedFlight, State } from '../../state.ts'
import { grades } from '../../types/checks.ts'
import type { StoryId } from '../../types.ts'
import { branchName } from '../escalation.ts'
import { isExaminationDue } from '../examination.ts'
import { isRed, resultsOf, reviewDue } from '../gates.ts'
import { isMutationDue } from '../mutation.ts'
import { rerunDue } from '../rerun.ts'
import { judge, needsGates } from '../verdict.ts'
import { candidatesInFlight, mayAddCandidate } from './candidates.ts'

type Judgement = ReturnType<typeof judge>

/** Its attempt failed: its work goes to a branch, and the next candidate does not see it. */
export function withAside(state: State, flight: EndedFlight, judgement: Judgement): Judgement {
  const { story, candidate, ended } = flight
  if (story === null || candidate === undefined || judgement.verdict !== 'failed' || judgement.passed.length > 0) return judgement
  const isOver =
    judgement.refused.includes(story) ||
    ended.exit === 'timeout' ||
    ended.exit === 'circling' ||
    (judgement.alike ?? 0) >= alikeAttempts
  return isOver ? { ...judgement, aside: asideBranch(state, story, candidate) } : judgement
}

const asideBranch = (state: State, story: StoryId, candidate: number): string =>
  `${branchName('fail', story, state.at)}-${candidate}`

/** Another candidate of its story has landed, and the files show it. */
export function beaten(state: State, flight: EndedFlight): Judgement | null {
  const { story, candidate, iteration } = flight
  if (story === null || candidate === undefined || flight.phase !== 'waiting' || state.flights.some(hasLanding)) return null
  const receipt = state.stories[story]?.receipt
  if (receipt === undefined || storyNamed(state.plan, story)?.passes !== true) return null
  return {
    kind: 'iteration.judged',
    iteration,
    verdict: flight.ended.exit === 'lost' ? 'lost' : 'worked',
    progress: 'made', // its work was good, whatever others have done alike
    passed: [],
    proven: false,
    refused: [],
    failedGates: [],
    claim: 'none',
    openStories: [],
    aside: asideBranch(state, story, candidate),
    because: `${story} passes with the work of iteration ${receipt.iteration}`,
  }
}

/**
 * It must not land yet, or not at all: others are still under way or may start, or one of them is better. `isLast`: no other will start,
 * whatever the settings say.
 */
export function isHeldBack(state: State, flight: EndedFlight, isLast: boolean): boolean {
  const { story } = flight
  if (story === null || flight.candidate === undefined || flight.landing !== undefined) return false
  const own = candidatesInFlight(state, story)
  const rivals = own.filter((other) => hasEnded(other)).filter((other) => isLandable(state, other))
  if (rivals.length < own.length) return true
  return best(state, story, rivals) !== flight.iteration || (!isLast && mayAddCandidate(state, story))
}

/** Everything about it is checked, and it passes. */
const isLandable = (state: State, flight: EndedFlight): boolean =>
  flight.phase === 'waiting' &&
  flight.landing === undefined &&
  flight.examination !== 'running' &&
  (flight.gates !== undefined || !needsGates(state, flight)) &&
  rerunDue(state, flight) === null &&
  !isMutationDue(state, flight) &&
  !isExaminationDue(state, flight) &&
  reviewDue(state, flight) === null &&
  judge(state, flight).passed.length > 0

/** By warnings of soft gates, grade, size of the diff, cost, and then the first. */
function best(state: State, id: StoryId, flights: EndedFlight[]): number | undefined {
  const ranked = flights.map((flight) => ({ iteration: flight.iteration, rank: Object.values(meritsOf(state, id, flight)) }))
  return ranked.toSorted((one, other) => compare(one.rank, other.rank) || one.iteration - other.iteration)[0]?.iteration
}

const compare = (one: number[], other: number[]): number => {
  const at = one.findIndex((value, index) => value !== other[index])
  return at < 0 ? 0 : (one[at] as number) < (other[at] as number) ? -1 : 1
}

/** Less is better, in this order. */
function meritsOf(state: State, id: StoryId, flight: EndedFlight) {
  const { ended, reviewed } = flight
  const reviews = reviewed.flatMap((review) => (typeof review === 'string' ? [] : [review.usage]))
  const costs = [ended.usage, ...reviews].map(({ costUsd }) => costUsd ?? Number.POSITIVE_INFINITY)
  return {
    warnings: resultsOf(state, flight).filter((result) => !result.passed && !isRed(result)).length,
    grade: -grades.indexOf(proofOfStory(state, flight, id).grade),
    lines: ended.lines ?? Number.POSITIVE_INFINITY,
    usd: costs.reduce((sum, usd) => sum + usd, 0),
  }
}

/** Why it lands and the others do not; empty: there are no others. */
export function whyBest(state: State, { story, iteration, candidate }: EndedFlight): string {
  if (story === null || candidate === undefined) return ''
  const passing = candidatesInFlight(state, story).filter(hasEnded)
  const words = passing.map((flight) => {
    const { grade, lines } = meritsOf(state, story, flight)
    return `${flight.iteration}: ${grades[-grade]}, ${lines === Number.POSITIVE_INFINITY ? 'unknown size' : lines === 1 ? '1 line' : `${lines} lines`}`
  })
  if (words.length < 2) return `; the only passing one of ${state.stories[story]?.candidates?.length ?? candidate} candidates`
  return `; iteration ${iteration} is the best of ${words.length} that pass (${words.join('; ')})`
}
