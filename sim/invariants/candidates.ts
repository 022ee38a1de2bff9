/** `best_of`: how many attempts a story gets, each in a place of its own; the best lands, alone, and the others go to branches. */
import { placeOfFlight } from '../../src/core/evolve/flights.ts'
import type { State } from '../../src/core/state.ts'
import type { EventOf, StoryId } from '../../src/core/types.ts'
import { ensure } from '../ensure.ts'
import type { Repository } from '../repository.ts'
import type { Facts, Rules } from './facts.ts'

export type CandidateRules = Rules & {
  /** Its ordinary limits wait: one of its candidates is open, or has not started. */
  hasLeft(id: StoryId): boolean
  /** Another of its candidates may start now, whatever else of it is in flight. */
  mayAdd(id: StoryId): boolean
  /** Its next attempt is the first of several. */
  isDue(id: StoryId): boolean
  /** Several attempts on it have begun. */
  isBegun(id: StoryId): boolean
}

export function candidateRules(facts: Facts, repository: Repository): CandidateRules {
  /** Which are out, by number from 1. */
  const known = new Map<StoryId, Map<number, boolean>>()

  let failures = new Map<StoryId, number>()
  let landing: { iteration: number; story: StoryId } | null = null

  const wanted = (id: StoryId): number => {
    const { maxAttempts, bestOf = 1 } = facts.policy
    const isLast = maxAttempts > 0 && (failures.get(id) ?? 0) + 1 >= maxAttempts
    return repository.story(id)?.bestOf ?? (isLast ? bestOf : 1)
  }
  const busy = (id: StoryId): (number | undefined)[] =>
    [...facts.unsettled]
      .map((iteration) => facts.started(iteration))
      .flatMap(({ story, candidate }) => (story === id ? [candidate] : []))
  const openOf = (id: StoryId): number[] => [...(known.get(id) ?? [])].flatMap(([number, isOut]) => (isOut ? [] : [number]))

  const started = ({ story, candidate, worker, mode, iteration }: EventOf<'iteration.started'>): void => {
    if (story === null) return
    const say = (): string => `iteration ${iteration}, candidate ${candidate} of ${story}`
    if (candidate === undefined) {
      known.delete(story)
      return
    }
    ensure(worker !== undefined && repository.hasGit, 'a candidate has a place of its own', say)
    ensure(facts.policy.pick === 'ralph', 'candidates are of a story that was named', say)
    ensure(!busy(story).includes(candidate), 'one iteration per candidate', say)
    const isAgain = openOf(story).includes(candidate)
    ensure(isAgain || mode === 'check' || candidate <= wanted(story), 'no more candidates than wanted', say)
    if (!isAgain && openOf(story).length === 0 && candidate === 1) known.set(story, new Map())
    const own = known.get(story) ?? new Map<number, boolean>()
    ensure(isAgain || candidate === own.size + 1, 'candidates come one after the other', say)
    known.set(story, own.set(candidate, false))
  }

  const mayLand = ({ iteration, story }: EventOf<'landing.started'>, before: State): void => {
    const { candidate } = facts.started(iteration)
    if (candidate === undefined) return
    ensure(repository.story(story)?.passes !== true, 'only one candidate of a story lands', () => `iteration ${iteration}`)
    const lines = facts.ended(iteration).lines ?? 0
    for (const { iteration: other } of before.flights.filter(
      (flight) => flight.story === story && flight.iteration !== iteration,
    )) {
      const say = (): string => `iteration ${iteration} of ${story}, and ${other}`
      ensure(
        facts.unjudged.has(other) && facts.ended(other).flips.includes(story),
        'the best lands when all have been checked',
        say,
      )
      const isAlike = ({ iteration: n }: { iteration: number }): boolean =>
        facts.gates(n).every(({ passed }) => passed) &&
        facts.reviews(n).length === 0 &&
        (facts.ended(n).findings ?? []).length === 0
      const isSimple = isAlike({ iteration }) && isAlike({ iteration: other }) && facts.policy.proof === undefined
      ensure(!isSimple || lines <= (facts.ended(other).lines ?? 0), 'of equal candidates the smallest lands', say)
    }
  }

  const judged = ({ iteration, aside, passed, verdict }: EventOf<'iteration.judged'>): void => {
    const { story, candidate } = facts.started(iteration)
    const say = (): string => `iteration ${iteration}, candidate ${candidate} of ${story}`
    ensure(aside === undefined || candidate !== undefined, 'only candidates are put out', say)
    if (story === null || candidate === undefined) return
    ensure(aside === undefined || passed.length === 0, 'what passes is not put out', say)
    if (aside === undefined) return
    ensure(
      verdict === 'failed' || repository.story(story)?.passes === true,
      'a candidate is out if it failed, or another has landed',
      say,
    )
    known.get(story)?.set(candidate, true)
  }

  return {
    see(event, before, now) {
      if (event.kind === 'landing.started') landing = event
      if (event.kind === 'run.resumed' || (event.kind === 'iteration.settled' && event.iteration === landing?.iteration))
        landing = null
      failures = new Map(Object.entries(now.stories).map(([id, { failedAttempts }]) => [id, failedAttempts]))
      if (event.kind === 'iteration.started') started(event)
      if (event.kind === 'landing.started') mayLand(event, before)
      if (event.kind === 'iteration.judged') judged(event)
      if (event.kind === 'iteration.settled') {
        const flight = before.flights.find(({ iteration }) => iteration === event.iteration)
        const said = flight?.phase === 'judged' ? flight.judged : undefined
        if (said?.aside !== undefined && flight !== undefined && flight.story !== null) {
          const place = placeOfFlight({ ...flight, story: flight.story })
          ensure(repository.places.of(place) === undefined, 'the place of a candidate that is out is gone', () => place)
        }
        if (event.problem === undefined) for (const id of said?.passed ?? []) known.delete(id)
      }
      if (event.kind === 'story.put-aside') known.delete(event.story)
    },
    hasLeft: (id) => known.has(id) && (openOf(id).length > 0 || (known.get(id)?.size ?? 0) < wanted(id)),
    mayAdd: (id) =>
      known.has(id) &&
      landing?.story !== id &&
      (openOf(id).some((number) => !busy(id).includes(number)) || (known.get(id)?.size ?? 0) < wanted(id)),
    isDue: (id) => !known.has(id) && wanted(id) > 1 && facts.policy.pick === 'ralph' && repository.hasGit,
    isBegun: (id) => known.has(id),
  }
}
