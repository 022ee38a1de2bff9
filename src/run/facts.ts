/** What a person did since the last run, as facts for the log, before the new run begins. */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { readIfThere } from '../adapters/files.ts'
import type { Log } from '../adapters/store.ts'
import { evolve } from '../core/evolve.ts'
import { openQuestions } from '../core/questions.ts'
import type { State } from '../core/state.ts'
import { instantOf } from '../core/time.ts'
import type { Event, Report } from '../core/types.ts'
import { answersIn } from '../views/people.ts'
import { masked } from './masked.ts'
import type { Project } from './project.ts'
import type { World } from './world.ts'

/** What a person did while no run was live: reset, answers, unblocking, a fresh start. */
export function factsBefore(project: Project, state: State, options: { isReset: boolean; isFresh: boolean }): Report[] {
  const facts: Report[] = []
  if (options.isReset) facts.push({ kind: 'breaker.reset' })
  if (state.blocked !== undefined && readIfThere(join(project.dir, 'blocked.txt')) === null)
    facts.push({ kind: 'unblocked', note: '' })
  const answers = answersIn(readIfThere(join(project.dir, 'decide.txt')) ?? '')
  for (const [place, { story }] of openQuestions(state).entries()) {
    const text = answers[place] ?? ''
    if (text !== '') facts.push({ kind: 'question.answered', text, story })
  }
  if (options.isFresh) {
    const known = (state.plan?.stories ?? []).filter((story) => story.failed || (state.stories[story.id]?.attempts ?? 0) > 0)
    facts.push(...known.filter((story) => !story.passes).map((story): Report => ({ kind: 'story.retried', story: story.id })))
  }
  return facts
}

export function appendFacts(world: Pick<World, 'dir' | 'run' | 'mask'>, log: Log, state: State, facts: Report[]): State {
  const events = facts.map((fact): Event => masked({ at: instantOf(Date.now()), run: world.run, ...fact }, world.mask))
  log.append(events)
  const next = events.reduce(evolve, state)
  // Only now: a kill before the log has the answer must not lose it.
  if (state.questions.length > 0 && openQuestions(next).length === 0) rmSync(join(world.dir, 'decide.txt'), { force: true })
  return next
}
