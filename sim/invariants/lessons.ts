/** Lessons: no learner is asked about a story that passed at once with few tool calls. */
import type { EventOf } from '../../src/core/types.ts'
import { ensure } from '../ensure.ts'
import type { Rules } from './facts.ts'

const fewTools = 12

export function lessonRules(): Rules {
  const first = new Map<number, string | null>()
  const easy = new Set<number>()
  const ended = ({ iteration, tools }: EventOf<'iteration.ended'>): void => {
    if (first.has(iteration) && tools !== undefined && tools <= fewTools) easy.add(iteration)
  }
  return {
    see(event) {
      if (event.kind === 'iteration.started' && event.attempt === 1) first.set(event.iteration, event.story)
      if (event.kind === 'iteration.ended') ended(event)
      if (event.kind !== 'learning.started' || event.outcome === 'failure') return
      const isEasy = easy.has(event.iteration) && first.get(event.iteration) === event.story
      ensure(!isEasy, 'no lesson is asked for about a story that passed at once with few tools', () => event.story)
    },
  }
}
