/** What must be true in every world, checked event by event against the log and the simulated project, not against the core's own claims. */
import { evolve } from '../src/core/evolve/evolve.ts'
import { initialState } from '../src/core/evolve/initial.ts'
import type { State } from '../src/core/state.ts'
import type { Event, StoryId } from '../src/core/types.ts'
import { ensure } from './ensure.ts'
import { breakerRules } from './invariants/breaker.ts'
import { callRules } from './invariants/calls.ts'
import { candidateRules } from './invariants/candidates.ts'
import { endRules } from './invariants/ends.ts'
import { factsOf, type Rules } from './invariants/facts.ts'
import { hookRules } from './invariants/hooks.ts'
import { landingRules } from './invariants/landings.ts'
import { lessonRules } from './invariants/lessons.ts'
import { peopleRules } from './invariants/people.ts'
import { planRules } from './invariants/plan.ts'
import { relayRules } from './invariants/relay.ts'
import { rerunRules } from './invariants/reruns.ts'
import { reviewRules } from './invariants/reviews.ts'
import { startRules } from './invariants/starts.ts'
import { storyRules } from './invariants/stories.ts'
import { underWayRules } from './invariants/under-way.ts'
import { verdictRules } from './invariants/verdicts.ts'
import { workRules } from './invariants/work.ts'
import { aheadRules } from './invariants/worktrees-ahead.ts'
import type { Repository } from './repository.ts'

export type Checker = {
  /** Takes one written event; throws a Violation. */
  see(event: Event): void
  /** The fold of what was written. */
  state(): State
  /** The loop has processed all input, and waits. */
  mayWait(): void
  /** Another process continues: what the last one was doing is over. */
  newLife(): void
  /** The user withdraws or adds a pass. */
  userSetPass(story: StoryId, passes: boolean): void
}

export function checkerOf(repository: Repository): Checker {
  const facts = factsOf()
  const plan = planRules(repository)
  const reviews = reviewRules(facts)
  const people = peopleRules(facts, reviews)
  const breaker = breakerRules(facts)
  const relay = relayRules(facts)
  const calls = callRules(facts, relay)
  const candidates = candidateRules(facts, repository)
  const stories = storyRules(facts, candidates, repository)
  const underWay = underWayRules()
  const work = workRules(facts, repository, candidates)
  const landings = landingRules(facts, repository, { work, candidates })
  const rules: Rules[] = [
    plan,
    startRules(facts, { people, stories, landings, work, candidates }),
    rerunRules(facts),
    verdictRules(facts, repository),
    landings,
    aheadRules(facts),
    work,
    endRules(facts, repository, { people, calls, breaker, stories, landings, work, candidates }),
    people,
    reviews,
    breaker,
    relay,
    calls,
    stories,
    lessonRules(),
    hookRules(facts),
    candidates, // the others ask it about what was before
    underWay,
  ]
  const taken = new Set<string>()
  let state = initialState

  return {
    see(event) {
      if ('id' in event && event.id !== undefined) {
        if (taken.has(event.id)) {
          ensure(evolve(state, event) === state, 'the same request twice is one', () => event.kind)
          return
        }
        taken.add(event.id)
      }
      const before = state
      state = evolve(before, event)
      if ('because' in event) ensure(!facts.run.isOver, 'nothing is decided after the end of a run', () => event.kind)
      for (const rule of rules) rule.see(event, before, state)
      facts.take(event)
    },
    state: () => state,
    mayWait: underWay.mayWait,
    newLife() {
      facts.newLife()
      for (const rule of rules) rule.newLife?.()
    },
    userSetPass: plan.userSetPass,
  }
}
