/** Reviews of a story come to an end: what a later one may add, counted a second time. */
import type { EventOf, Scope, StoryId } from '../../src/core/types.ts'
import { ensure } from '../ensure.ts'
import { type Facts, isAttempt, type Rules } from './facts.ts'

export type ReviewRules = Rules & {
  /** It is the last thing that stands against the story, and nobody works on it. */
  isClearedBy(event: EventOf<'finding.dismissed'>): boolean
}

/** `isKnown`: what it saw. */
type Past = { open: Set<string>; isKnown: boolean }

export function reviewRules(facts: Facts): ReviewRules {
  const past = new Map<StoryId, Past>()
  /** What was known when the review under way began: a story that is retried meanwhile forgets it, the reviewer does not. */
  const known = new Map<Scope, Past | undefined>()
  const dismissed = new Map<StoryId, Set<string>>()
  /** Whose last attempt was refused by its reviewer, and by nothing else. */
  const refused = new Set<StoryId>()

  const reviewed = ({ iteration, story, result, seen }: EventOf<'review.ended'>): void => {
    if (story === null || result?.findings === undefined) return
    const before = known.get(iteration)
    const gone = dismissed.get(story)
    for (const { id, words, standing } of result.findings) {
      const isNew = before?.isKnown === true && !before.open.has(id) && !words.startsWith('new.ts')
      const isSaid = words === 'it is not done' // no place, so nobody can say that it is late
      const say = (): string => `${story}: ${standing} ${words}`
      ensure((standing === 'dismissed') === (gone?.has(id) === true), 'what a person dismissed never counts again', say)
      if (standing === 'open') ensure(!isNew || isSaid, 'a later review refuses only for lines that changed since', say)
      if (standing === 'late') ensure(isNew, 'what is late is new, and not about lines that changed', say)
    }
    const open = result.findings.filter(({ standing }) => standing === 'open').map(({ id }) => id)
    ensure(result.passed === (open.length === 0), 'a review passes if nothing that it found counts', () => story)
    past.set(story, { open: new Set(open), isKnown: seen !== undefined })
  }

  const isClearedBy = ({ story, finding }: EventOf<'finding.dismissed'>): boolean => {
    const open = past.get(story)?.open
    const isBusy = [...facts.unsettled].some((iteration) => facts.started(iteration).story === story)
    return open?.has(finding) === true && open.size === 1 && refused.has(story) && !isBusy
  }

  const isOpenTo = (story: StoryId, finding: string, now: { stories: Record<StoryId, { receipt?: unknown }> }): boolean =>
    past.get(story)?.open.has(finding) === true || now.stories[story]?.receipt !== undefined

  const lateIn = (iteration: number, story: StoryId): string[] =>
    facts
      .reviews(iteration)
      .filter((review) => review.story === story && review.result?.passed === true)
      .flatMap(({ result }) => result?.findings ?? [])
      .filter(({ standing }) => standing === 'late')
      .map(({ id }) => id)

  return {
    see(event, before, now) {
      if (event.kind === 'review.started') known.set(event.iteration, event.story === null ? undefined : past.get(event.story))
      if (event.kind === 'review.ended' && event.iteration !== 'whole') reviewed(event)
      if (event.kind === 'finding.dismissed' && isOpenTo(event.story, event.finding, before)) {
        const isIt = (before.stories[event.story]?.receipt?.proof?.reservations ?? []).some(
          ({ id, answer }) => id === event.finding && answer === undefined,
        )
        if (past.get(event.story)?.open.delete(event.finding) === true || isIt)
          dismissed.set(event.story, (dismissed.get(event.story) ?? new Set()).add(event.finding))
      }
      if (event.kind === 'story.retried') {
        past.delete(event.story)
        refused.delete(event.story)
      }
      if (event.kind === 'iteration.judged' && isAttempt(event.verdict)) {
        const worked = facts.workedOn(event.iteration)
        for (const id of new Set([...(worked === null ? [] : [worked]), ...event.passed, ...event.refused])) {
          const isBySpec = event.failedGates.length > 0 && event.failedGates.every((name) => name === 'spec')
          if (event.refused.includes(id) && event.verdict === 'failed' && isBySpec) refused.add(id)
          else refused.delete(id)
        }
      }
      if (event.kind === 'iteration.judged')
        for (const id of event.passed)
          for (const late of lateIn(event.iteration, id)) {
            const said = now.stories[id]?.receipt?.proof?.reservations.find((reservation) => reservation.id === late)
            ensure(said !== undefined, 'what a late review found is in the receipt', () => `${id}: ${late}`)
          }
      if (event.kind === 'iteration.settled' && event.problem !== undefined)
        for (const id of facts.ended(event.iteration).flips) refused.delete(id)
    },
    isClearedBy,
  }
}
