/** What may start, and when. */
import type { State } from '../../src/core/state.ts'
import type { EventOf, Plan, Scope, Story, StoryId } from '../../src/core/types.ts'
import { ensure } from '../ensure.ts'
import type { CandidateRules } from './candidates.ts'
import type { Facts, Rules } from './facts.ts'
import type { LandingRules } from './landings.ts'
import type { PeopleRules } from './people.ts'
import type { StoryRules } from './stories.ts'
import type { WorkRules } from './work.ts'

export type Others = {
  people: PeopleRules
  stories: StoryRules
  landings: LandingRules
  work: Pick<WorkRules, 'holders'>
  candidates: CandidateRules
}

export function startRules(facts: Facts, others: Others): Rules {
  const { people, stories } = others
  let gated = new Set<Scope>()
  const examined = new Set<number>()
  const mutated = new Set<number>()
  let isClaimed = false

  const mayStart = (before: State, event: EventOf<'iteration.started'>): void => {
    const { life, policy } = facts
    const say = (): string => `iteration ${event.iteration} on ${event.story}`
    ensure(!life.isStopping, 'no start after a request to stop', say)
    ensure(!life.isPausing, 'no start while paused', say)
    ensure(!people.isBlocked(), 'no start while blocked', say)
    ensure(facts.failing === null, 'no start while a story is being put aside', say)
    ensure(event.iteration === facts.lastIteration + 1, 'iteration numbers rise by one', say)
    const most = policy.workers === 1 ? 1 : 2 * policy.workers
    const piled = [...facts.unsettled].filter((iteration) => !isHeldCandidate(facts, iteration))
    ensure(piled.length < most, 'work that waits does not pile up, and with one worker there is none', say)
    ensure(agentsOf(facts) < policy.workers, 'no more agents at once than workers', say)
    const busy = [...facts.unsettled].map((iteration) => facts.started(iteration).story)
    ensure(event.candidate !== undefined || !busy.includes(event.story), 'one iteration per story', say)
    ensure(facts.run.used + facts.unjudged.size < policy.maxIterations, 'iterations stay in their limit', say)
    const hasHard = policy.gates.some((gate) => !gate.soft)
    ensure(!hasHard || facts.run.baseline !== null, 'the gates have run once before the first iteration', say)
    const isMissing = facts.run.baseline?.some(({ exitCode, soft }) => exitCode === 127 && soft !== true) === true
    ensure(policy.missingTools !== 'stop' || !isMissing, 'nothing starts while a gate cannot run', say)
    const waiting = people.waiting()
    const isHeld = waiting.length > 0 && (policy.decide === 'stop' || waiting.includes(null))
    ensure(!isHeld, 'no start while a question holds everything', say)
    ensure(event.story === null || !waiting.includes(event.story), 'a parked story waits for its answer', say)
    const isPicked = event.mode === 'check' && policy.pick === 'agent' // by the person who accepted it
    if (event.story === null || before.plan === null || isPicked) return
    const next = startable(before.plan, facts, others)[0]
    ensure(next?.id === event.story, 'the next story is the first that can start', say)
    ensure(!stories.isUsedUp(event.story), 'a used-up story does not start again', say)
  }

  const mayReview = (before: State, event: EventOf<'review.started'>): void => {
    const { iteration, review, story } = event
    const say = (): string => `${review} review of iteration ${iteration}`
    ensure(facts.failing === null, 'no review while a story is being put aside', say)
    if (iteration === 'whole') {
      ensure(facts.unsettled.size === 0, 'the whole is reviewed when nothing is in flight', say)
      return
    }
    ensure(agentsOf(facts) < facts.policy.workers, 'no more agents at once than workers', say)
    const reds = facts.reds(iteration).filter((red) => red.story === undefined || red.story === story)
    ensure(reds.length === 0, 'no review on a red gate', () => `${say()}: ${reds.map(({ name }) => name).join()}`)
    const isMutable =
      (facts.policy.proof?.mutants ?? 0) > 0 &&
      facts.gates(iteration).some(({ kind, soft, passed }) => kind === 'command' && soft !== true && passed)
    const isTold = !isMutable || before.judgedIn !== 'clean' || mutated.has(iteration)
    ensure(isTold, 'a reviewer is asked once the mutants were tried', say)
    const asked = facts.reviews(iteration).filter((other) => other.review === review && other.story === story)
    const isAnswered = asked.some(({ result }) => result !== undefined)
    const unread = asked.filter(({ problem }) => problem !== undefined).length
    ensure(!isAnswered && unread < 2, 'a reviewer is asked again only once, and only where its answer could not be read', say)
    ensure((event.again !== undefined) === unread > 0, 'a reviewer that is asked again is told why', say)
  }

  const mayExamine = ({ iteration }: EventOf<'examination.started'>): void => {
    const say = (): string => `examination of iteration ${iteration}`
    ensure(!examined.has(iteration), 'a flip is examined once', say)
    const { flips } = facts.ended(iteration)
    const isOpen = (id: string): boolean => !facts.reds(iteration).some(({ story }) => story === undefined || story === id)
    ensure(flips.some(isOpen), 'only a flip that the gates let pass is examined', say)
  }

  const mayMutate = ({ iteration, most }: EventOf<'mutants.started'>): void => {
    const say = (): string => `mutants of iteration ${iteration}`
    ensure(!mutated.has(iteration), 'mutants of a flip are tried once', say)
    ensure(
      most > 0 && most === facts.policy.proof?.mutants,
      'mutants are tried where the settings ask for them, and no more',
      say,
    )
    const isOpen = (id: string): boolean => !facts.reds(iteration).some(({ story }) => story === undefined || story === id)
    ensure(facts.ended(iteration).flips.some(isOpen), 'only of a flip that the gates let pass mutants are tried', say)
    ensure(
      !facts.reviewing.has(iteration) && !facts.examining.has(iteration),
      'nothing else runs gates while mutants are tried',
      say,
    )
  }

  const mayGate = (before: State, event: EventOf<'gates.started'>): void => {
    const say = (): string => `iteration ${event.iteration}`
    if (event.again) return // has rules of its own
    if (event.iteration !== 'whole') ensure(!gated.has(event.iteration), 'gates run once for an iteration', say)
    const isOpen = before.plan === null || countingOf(before.plan, facts).some((story) => !story.passes)
    // What a person accepted is checked once more if failing gates are tolerated: the first time they were not known yet.
    const isEnd = people.hasAccepted() || (isClaimed && event.heldOut === true)
    if (event.iteration === 'whole' && isOpen && !isEnd)
      ensure(facts.run.baseline === null, 'the gates run once before the first iteration', say)
    const isWanted =
      facts.policy.proof?.heldOut === 'flip' && event.iteration !== 'whole' && facts.ended(event.iteration).flips.length > 0
    ensure(!event.heldOut || !isOpen || isEnd || isWanted, 'a held-out check runs for a flip, or before the end', say)
    gated.add(event.iteration)
  }

  return {
    see(event, before) {
      if (event.kind === 'iteration.started') mayStart(before, event)
      if (event.kind === 'review.started') mayReview(before, event)
      if (event.kind === 'examination.started') mayExamine(event)
      if (event.kind === 'examination.ended') examined.add(event.iteration)
      if (event.kind === 'mutants.started') mayMutate(event)
      if (event.kind === 'mutants.ended') mutated.add(event.iteration)
      if (event.kind === 'gates.started') mayGate(before, event)
      if (event.kind === 'iteration.judged') isClaimed = event.claim === 'accepted'
      if (event.kind === 'run.started') isClaimed = false
    },
    newLife() {
      gated = new Set()
    },
  }
}

/** It waits for the others of its story. */
const isHeldCandidate = (facts: Facts, iteration: number): boolean =>
  facts.started(iteration).candidate !== undefined && !facts.working.has(iteration)

const agentsOf = ({ working, reviewing }: Facts): number => working.size + reviewing.size

/** Open, with dependencies met and no open question: the lowest number first, and of equal ones the earlier in the file. */
export function startable(plan: Plan, facts: Facts, { people, stories, landings, work, candidates }: Others): Story[] {
  const waiting = people.waiting()
  const holders = work.holders(plan)
  const busy = [...facts.unsettled].map((iteration) => facts.started(iteration).story)
  const isFree = (id: StoryId): boolean =>
    candidates.isBegun(id) && busy.includes(id) ? candidates.mayAdd(id) : !busy.includes(id)
  const met = (need: StoryId): boolean => plan.stories.some((story) => story.id === need && (story.passes || story.skip))
  return countingOf(plan, facts)
    .filter((story) => !story.passes && !story.failed && isFree(story.id) && story.dependsOn.every(met))
    .filter((story) => !waiting.includes(story.id) && landings.fitsBeside(story, plan) && !stories.isUsedUp(story.id))
    .toSorted(
      (one, other) => Number(holders.includes(other.id)) - Number(holders.includes(one.id)) || one.priority - other.priority,
    )
}

export const countingOf = (plan: Plan, { policy }: Facts): Story[] =>
  plan.stories.filter((story) => (policy.only === undefined ? !story.skip : story.id === policy.only))
