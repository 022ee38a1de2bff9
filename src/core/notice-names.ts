/** What a notice can be sent for, and how an address is shown: apart from the rest, because every command reads the settings. */
import type { Event } from './types.ts'

/** What `on` may name beside the kinds of event. */
export const situations = ['stop', 'blocked', 'decide', 'breaker', 'limit'] as const

/** An address as it may be shown: user, password, path and query can each hold a key. */
export function shownAddress(url: string): string {
  const [, scheme, host, rest] = /^(https?:\/\/)(?:[^/?#\\]*@)?([^/?#\\]*)(.*)$/is.exec(url.trim()) ?? []
  if (scheme === undefined) return url === '' ? '' : '***'
  return `${scheme}${host}${rest === '' || rest === '/' ? rest : '/***'}`
}

/** Every kind there is: a new one that is left out here does not compile. */
const kinds: Record<Event['kind'], true> = {
  'run.started': true,
  'run.resumed': true,
  'run.paused': true,
  'run.ended': true,
  'call.requested': true,
  'call.granted': true,
  'call.refused': true,
  'iteration.started': true,
  'iteration.stopping': true,
  'iteration.ended': true,
  'iteration.judged': true,
  'iteration.settled': true,
  'gates.started': true,
  'gates.ended': true,
  'review.started': true,
  'review.ended': true,
  'story.failed': true,
  'story.put-aside': true,
  'story.slow': true,
  'story.retried': true,
  'story.skipped': true,
  'learning.started': true,
  'learning.ended': true,
  'gathering.started': true,
  'gathering.ended': true,
  'skill.started': true,
  'skill.ended': true,
  'lesson.retired': true,
  'skill.retired': true,
  'plan.changed': true,
  'breaker.changed': true,
  'breaker.reset': true,
  'wait.started': true,
  'wait.ended': true,
  'budget.warned': true,
  'limit.asked': true,
  'limit.answered': true,
  said: true,
  unblocked: true,
  'question.answered': true,
  'pause.requested': true,
  'resume.requested': true,
  'stop.requested': true,
  noticed: true,
}

export const noticeNames: readonly string[] = [...situations, ...Object.keys(kinds)]
