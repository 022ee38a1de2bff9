/** No run waits forever: while it is alive, something is pending that will come back to it. */
import type { Event } from '../../src/core/types.ts'
import { ensure } from '../ensure.ts'
import type { Rules } from './facts.ts'

export type UnderWayRules = Rules & {
  /** To be asked when the loop has processed all input. */
  mayWait(): void
}

export function underWayRules(): UnderWayRules {
  const open = new Set<string>()
  let isOver = true

  return {
    see(event) {
      if (event.kind === 'run.started' || event.kind === 'run.ended') open.clear()
      if (event.kind === 'run.started' || event.kind === 'run.resumed') isOver = false
      if (event.kind === 'run.ended') isOver = true
      const begun = beginningOf(event)
      const ended = endOf(event)
      if (begun !== null) open.add(begun)
      if (ended !== null) open.delete(ended)
    },
    /** What the next process continues without a decision; it decides the rest again. */
    newLife() {
      for (const what of open) if (!/^(iteration|settling|putting aside)/.test(what)) open.delete(what)
    },
    mayWait: () => ensure(isOver || open.size > 0, 'a run that waits has something under way'),
  }
}

function beginningOf(event: Event): string | null {
  switch (event.kind) {
    case 'call.requested':
      return 'call'
    case 'iteration.started':
      return `iteration ${event.iteration}`
    case 'gates.started':
      return `gates ${event.iteration}`
    case 'examination.started':
      return `examination ${event.iteration}`
    case 'mutants.started':
      return `mutants ${event.iteration}`
    case 'review.started':
      return `review ${event.iteration}`
    case 'landing.started':
      return `landing ${event.iteration}`
    case 'iteration.judged':
      return `settling ${event.iteration}`
    case 'story.failed':
    case 'story.shelved':
      return 'putting aside'
    case 'learning.started':
    case 'gathering.started':
    case 'skill.started':
    case 'skill.retired':
      return 'learning'
    case 'wait.started':
      return 'wait'
    case 'hook.started':
      return 'hook'
    case 'branch.asked':
      return 'the branch'
    case 'worktree.requested':
      return 'worktree'
    case 'limit.asked':
      return 'question at the limit'
    case 'run.paused':
      return 'pause'
    default:
      return null
  }
}

function endOf(event: Event): string | null {
  switch (event.kind) {
    case 'call.granted':
    case 'call.refused':
      return 'call'
    case 'iteration.ended':
      return `iteration ${event.iteration}`
    case 'gates.ended':
      return `gates ${event.iteration}`
    case 'examination.ended':
      return `examination ${event.iteration}`
    case 'mutants.ended':
      return `mutants ${event.iteration}`
    case 'review.ended':
      return `review ${event.iteration}`
    case 'landing.ended':
      return `landing ${event.iteration}`
    case 'iteration.settled':
      return `settling ${event.iteration}`
    case 'story.put-aside':
      return 'putting aside'
    case 'learning.ended':
    case 'gathering.ended':
    case 'skill.ended':
      return 'learning'
    case 'wait.ended':
      return 'wait'
    case 'hook.ended':
      return 'hook'
    case 'branch.answered':
      return 'the branch'
    case 'worktree.ready':
      return 'worktree'
    case 'limit.answered':
      return 'question at the limit'
    case 'resume.requested':
      return 'pause'
    default:
      return null
  }
}
