/** Worktrees that are made before their stories start: only while every worker is busy, one at a time, no more than workers, and each used once. */
import type { EventOf, StoryId } from '../../src/core/types.ts'
import { ensure } from '../ensure.ts'
import type { Facts, Rules } from './facts.ts'

export function aheadRules(facts: Facts): Rules {
  let asked: StoryId | null = null
  let made = new Map<StoryId, string | null>()
  const forget = (): void => {
    asked = null
    made = new Map()
  }

  const mayAsk = ({ story }: EventOf<'worktree.requested'>): void => {
    const { policy, unsettled, working } = facts
    const say = (): string => `worktree of ${story}`
    ensure(asked === null, 'one worktree at a time is made ahead', say)
    ensure(made.size < policy.workers, 'no more worktrees are made ahead than there are workers', say)
    ensure(!made.has(story), 'a worktree is made ahead once', say)
    ensure(working.size === policy.workers, 'a worktree is made ahead while every worker is busy', say)
    ensure(unsettled.size === working.size, 'no worktree is made while work is inspected', say)
    const busy = [...unsettled].map((iteration) => facts.started(iteration).story)
    ensure(!busy.includes(story), 'a story that has started has its worktree', say)
  }

  const mayStart = ({ story, ready }: EventOf<'iteration.started'>): void => {
    if (story === null) return
    ensure(story !== asked, 'a story starts once its worktree is ready', () => story)
    ensure((ready ?? null) === (made.get(story) ?? null), 'a story starts in the worktree that was made for it', () => story)
    made.delete(story)
  }

  return {
    see(event) {
      if (event.kind === 'run.started' || event.kind === 'run.resumed') forget()
      if (event.kind === 'worktree.requested') {
        mayAsk(event)
        asked = event.story
      }
      if (event.kind === 'worktree.ready') {
        made.set(event.story, event.commit)
        asked = null
      }
      if (event.kind === 'iteration.started') mayStart(event)
    },
    newLife: forget,
  }
}
