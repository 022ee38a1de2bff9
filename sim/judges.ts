/** The simulated reviewers, and a learner with one task at a time. Each call ends once. */
import type { Mutation } from '../src/core/proof/mutants/mutation.ts'
import { type ReviewAnswer, reviewResult } from '../src/core/review/answer.ts'
import type { State } from '../src/core/state.ts'
import { later } from '../src/core/text/time.ts'
import type { Examination, HookEnded, ReviewEnded } from '../src/core/types/results.ts'
import type { Decision, Report, Scope } from '../src/core/types.ts'
import { resetMs } from './agent.ts'
import { aHookEnd, aLesson, aSkill } from './builders.ts'
import type { Reach } from './hands.ts'

type Learning = Extract<Decision, { kind: 'learning.started' | 'gathering.started' | 'skill.started' | 'skill.retired' }>

type HookStarted = Extract<Decision, { kind: 'hook.started' }>

type Soon = (ms: number, act: () => void) => void

export type Learner = { start(decision: Learning): void; stop(): void }
export type Reviewers = { start(decision: Extract<Decision, { kind: 'review.started' }>): void; stop(iteration: Scope): void }

export function reviewersOf({ random, clock, players, report, state }: Reach, soon: Soon): Reviewers {
  const reviewing = new Map<Scope, { answer: ReviewEnded; before: State }>()

  const end = (iteration: Scope, more: Partial<ReviewEnded> = {}): void => {
    const call = reviewing.get(iteration)
    reviewing.delete(iteration)
    if (call !== undefined) report({ kind: 'review.ended', ...withFindings(call.answer, call.before, state()), ...more })
  }

  return {
    start(decision) {
      const answer = players.review(decision, later(clock.now(), resetMs(random)))
      reviewing.set(decision.iteration, { answer, before: state() })
      soon(answer.durationMs, () => end(decision.iteration))
    },
    stop: (iteration) =>
      end(iteration, {
        exit: 'stopped',
        result: undefined,
        seen: undefined,
        problem: undefined,
        throttled: undefined,
        calls: undefined,
      }),
  }
}

/** In every world the same things can be wrong; which of them a reviewer finds is in its answer's time. Files that are `new` changed since the last review. */
const wrong = ['1. The first half is missing', '2. The second half is missing', 'new.ts:3 breaks', 'old.ts:3 breaks']
const changedLines = { 'new.ts': [[1, 9]] as [number, number][] }

/** What a person dismisses while the reviewer works is gone too. */
function withFindings(ended: ReviewEnded, before: State, now: State): ReviewEnded {
  const { result, review, story, agent, durationMs, calls } = ended
  if (result === undefined || review !== 'spec' || story === null || result.ended !== 'exited' || calls !== undefined)
    return ended
  const seen = durationMs % 7 === 0 ? {} : { seen: `c${ended.iteration}` }
  const last = before.stories[story]?.review
  const dismissed = now.stories[story]?.dismissed ?? []
  const open = last?.open ?? []
  const earlier = { open, dismissed, changed: last?.seen === undefined ? null : changedLines }
  const found = wrong.filter((_, at) => ((durationMs >> at) & 1) === 1)
  const fixed = open.filter((_, at) => ((durationMs >> (at + 4)) & 1) === 1).map(({ id }) => id)
  const answer = result.passed ? { ...answerWith([], []), verdict: 'pass' as const } : answerWith(found, fixed)
  const concluded = reviewResult({ review, story, agent }, { ok: true, answer }, { durationMs, how: 'exited', earlier })
  return { ...ended, ...seen, result: { ...result, passed: concluded.passed, findings: concluded.findings } }
}

function answerWith(missing: string[], fixed: string[]): ReviewAnswer {
  return { verdict: 'fail', missing, extra: [], warnings: [], fixed, answers: [], reason: 'it is not done' }
}

export type Examiners = { start(iteration: number): void; stop(iteration: Scope): void }

/** Cross-examinations, beside the reviewers. */
export function examinersOf({ random, players, report }: Reach, soon: Soon): Examiners {
  const examining = new Map<Scope, number>()

  const end = (iteration: number, found: Omit<Examination, 'durationMs'>): void => {
    if (examining.delete(iteration)) report({ kind: 'examination.ended', iteration, durationMs: 1, ...found })
  }

  return {
    start(iteration) {
      examining.set(iteration, iteration)
      const found = players.examination()
      soon(random.int(100, 600_000), () => end(iteration, found))
    },
    stop: (iteration) => iteration !== 'whole' && end(iteration, { problem: 'stopped' }),
  }
}

/** Mutants of a flip, one story after the other has them tried. */
export function mutatorsOf({ random, players, report }: Reach, soon: Soon): Examiners {
  const trying = new Map<Scope, Omit<Mutation, 'durationMs'>>()

  const end = (iteration: number, found: Omit<Mutation, 'durationMs'> | undefined): void => {
    if (trying.delete(iteration) && found !== undefined) report({ kind: 'mutants.ended', iteration, durationMs: 1, ...found })
  }

  return {
    start(iteration) {
      trying.set(iteration, players.mutation())
      soon(random.int(100, 600_000), () => end(iteration, trying.get(iteration)))
    },
    stop: (iteration) => iteration !== 'whole' && end(iteration, { tried: 0, killed: 0, survivors: [], problem: 'stopped' }),
  }
}

/** The user's hooks: one at a time. */
export function hooksOf({ random, players, repository, report, state }: Reach, soon: Soon) {
  let now: HookStarted | null = null

  const end = (started: HookStarted, found: Pick<HookEnded, 'how' | 'reason'>): void => {
    if (now !== started) return
    now = null
    const { hook, iteration, story } = started
    const exitCode = { done: 0, refused: 1, failed: 3, missing: 127, timeout: null, stopped: null }[found.how]
    const repo = state().flights.length === 0 ? { repo: repository.now() } : {}
    report({ kind: 'hook.ended', ...aHookEnd, hook, iteration, story, exitCode, ...found, ...repo })
  }

  return {
    start(started: HookStarted) {
      now = started
      const found = players.hook(started)
      soon(random.int(100, 60_000), () => end(started, found))
    },
    stop: (iteration: Scope) => iteration === 'whole' && now !== null && end(now, { how: 'stopped', reason: '' }),
  }
}

export function learnerOf({ random, repository, players, report }: Reach, soon: Soon): Learner {
  let now: Learning | null = null

  const answerTo = (decision: Learning, isStopped: boolean): Report => {
    if (decision.kind === 'skill.started') repository.skills.add(decision.category)
    if (decision.kind === 'skill.retired') repository.skills.delete(decision.skill)
    if (decision.kind !== 'learning.started') repository.learns()
    const repo = repository.now()
    switch (decision.kind) {
      case 'learning.started': {
        const { story } = decision
        const lessons = isStopped ? 'it was stopped' : players.lessons(story)
        if (typeof lessons === 'number') return { kind: 'learning.ended', ...aLesson(story, { lessons }) }
        const { file: _, ...none } = aLesson(story, { lessons: 0, problem: lessons })
        return { kind: 'learning.ended', ...none, ...(isStopped ? { isLost: true } : {}) }
      }
      case 'gathering.started': {
        const { patterns } = decision
        const { lessons, due } = patterns ? { lessons: 3, due: [] } : players.gathered()
        return { kind: 'gathering.ended', ...(patterns ? { patterns } : {}), lessons, due, problems: [], repo }
      }
      case 'skill.started':
        return { kind: 'skill.ended', ...aSkill(decision.category), repo }
      case 'skill.retired': {
        const { path, ...skill } = aSkill(decision.skill, { agent: '', isNew: false, isRetired: true })
        return { kind: 'skill.ended', ...skill, path: `${path}.retired`, repo }
      }
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
