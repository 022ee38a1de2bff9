/** The plan: what passes stays passed, with a receipt; notes for the agent stay until one has seen them. */
import type { State } from '../../src/core/state.ts'
import type { Event, Policy, StoryId } from '../../src/core/types.ts'
import { ensure } from '../ensure.ts'
import type { Repository } from '../repository.ts'
import { isCounted, type Rules } from './facts.ts'

export type PlanRules = Rules & { userSetPass(story: StoryId, passes: boolean): void }

export function planRules(repository: Repository): PlanRules {
  const reopened = new Set<StoryId>()
  const refused = new Set<StoryId>()
  const noteSeen = new Map<State['tell'][number], number>()
  let lastIteration = 0

  const neverReopens = (event: Event, before: State, now: State): void => {
    const isWithdrawn = event.kind === 'iteration.settled' && event.problem !== undefined
    for (const story of now.plan?.stories ?? []) {
      if (story.passes) ensure(now.stories[story.id]?.receipt !== undefined, 'a story that passes has a receipt', () => story.id)
      const did = before.plan?.stories.find((candidate) => candidate.id === story.id)?.passes === true
      const isGone = !repository.isOnBranch(before.stories[story.id]?.receipt?.commits ?? [])
      const isAllowed = isWithdrawn || isGone || reopened.has(story.id)
      ensure(!did || story.passes || isAllowed, 'a passed story reopens only if somebody asks for it', () => story.id)
    }
  }

  /** A note goes only when an iteration that started after it has a counting verdict, or when there are too many. */
  const keepsNotes = (event: Event, before: State, now: State): void => {
    for (const note of before.tell) {
      if (now.tell.includes(note) || now.tell.length === 20) continue
      const isSeen = event.kind === 'iteration.judged' && isCounted(event.verdict)
      ensure(
        isSeen && event.iteration > (noteSeen.get(note) ?? 0),
        'a note stays until an iteration has seen it',
        () => note.text,
      )
    }
    if (event.kind === 'iteration.judged' && isCounted(event.verdict)) {
      const stale = now.tell.filter((note) => (noteSeen.get(note) ?? event.iteration) < event.iteration)
      ensure(stale.length === 0, 'a note goes once an iteration has seen it', () => stale.map(({ text }) => text).join())
    }
    for (const note of now.tell) if (!noteSeen.has(note)) noteSeen.set(note, lastIteration)
  }

  const isChecked = (id: StoryId, { gates, review }: Policy): boolean =>
    gates.some(({ soft }) => !soft) || Object.keys(repository.story(id)?.gates ?? {}).length > 0 || review.spec !== undefined

  return {
    see(event, before, now) {
      if (before.plan !== now.plan) neverReopens(event, before, now)
      if (before.tell !== now.tell) keepsNotes(event, before, now)
      if (event.kind === 'iteration.started') lastIteration = event.iteration
      if (event.kind === 'said') ensure(now.tell.at(-1)?.text.includes(event.text) === true, 'what was said is told')
      if (event.kind === 'iteration.judged') {
        for (const id of event.passed) {
          refused.delete(id)
          reopened.delete(id)
        }
        for (const id of event.refused) refused.add(id)
      }
      // The last run left it open, so the user has marked it since.
      if (event.kind === 'run.started') for (const { id, passes } of event.plan?.stories ?? []) if (passes) refused.delete(id)
      // If nothing could check it, the user's word counts at once.
      if (event.kind === 'run.resumed') for (const id of event.claims ?? []) if (!isChecked(id, event.policy)) refused.delete(id)
      if (event.kind === 'run.ended')
        for (const id of refused)
          ensure(repository.story(id)?.passes !== true, 'a refused story is open in the plan file at the end', () => id)
    },
    userSetPass(story, passes) {
      refused.delete(story)
      if (passes) reopened.delete(story)
      else reopened.add(story)
    },
  }
}
