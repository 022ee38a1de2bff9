/** The simulated judges: reviewers, and a learner that has one thing to do at a time. Each call comes back once. */
import type { ReviewEnded } from '../src/core/results.ts'
import { later } from '../src/core/text/time.ts'
import type { Decision, Report, Scope } from '../src/core/types.ts'
import { resetMs, reviewOf } from './agent.ts'
import { aLesson, aSkill } from './builders.ts'
import type { Reach } from './hands.ts'

type Learning = Extract<Decision, { kind: 'learning.started' | 'gathering.started' | 'skill.started' | 'skill.retired' }>

type Soon = (ms: number, act: () => void) => void

export type Learner = { start(decision: Learning): void; stop(): void }
export type Reviewers = { start(decision: Extract<Decision, { kind: 'review.started' }>): void; stop(iteration: Scope): void }

export function reviewersOf({ random, clock, temper, report }: Reach, soon: Soon): Reviewers {
  const reviewing = new Map<Scope, ReviewEnded>()

  const end = (iteration: Scope, more: Partial<ReviewEnded> = {}): void => {
    const answer = reviewing.get(iteration)
    reviewing.delete(iteration)
    if (answer !== undefined) report({ kind: 'review.ended', ...answer, ...more })
  }

  return {
    start(decision) {
      const answer = reviewOf(random, temper(), decision, later(clock.now(), resetMs(random)))
      reviewing.set(decision.iteration, answer)
      soon(answer.durationMs, () => end(decision.iteration))
    },
    stop: (iteration) =>
      end(iteration, { exit: 'stopped', result: undefined, problem: undefined, throttled: undefined, calls: undefined }),
  }
}

export function learnerOf({ random, repository, temper, report }: Reach, soon: Soon): Learner {
  let now: Learning | null = null

  const answerTo = (decision: Learning, isStopped: boolean): Report => {
    const repo = repository.now()
    switch (decision.kind) {
      case 'learning.started': {
        const { story } = decision
        const isUnread = random.chance(temper().mumbles)
        if (!isStopped && !isUnread) return { kind: 'learning.ended', ...aLesson(story, { lessons: random.int(0, 3) }) }
        const { file: _, ...none } = aLesson(story, { lessons: 0, problem: isStopped ? 'it was stopped' : 'no JSON' })
        return { kind: 'learning.ended', ...none, ...(isStopped ? { isLost: true } : {}) }
      }
      case 'gathering.started': {
        const { patterns } = decision
        const due = patterns ? [] : ['testing', 'build'].slice(0, random.int(0, 2))
        return { kind: 'gathering.ended', ...(patterns ? { patterns } : {}), lessons: 3, due, problems: [], repo }
      }
      case 'skill.started':
        return { kind: 'skill.ended', ...aSkill(decision.category), repo }
      case 'skill.retired':
        return { kind: 'skill.ended', ...aSkill(decision.skill, { isRetired: true }), repo }
    }
  }

  const end = (decision: Learning, isStopped: boolean): void => {
    if (now !== decision) return
    now = null
    report(answerTo(decision, isStopped))
  }

  return {
    start(decision) {
      now = decision
      soon(random.int(100, 300_000), () => end(decision, false))
    },
    stop: () => now !== null && end(now, true),
  }
}
