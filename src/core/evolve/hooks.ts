/** The user's hooks: what makes one due, which may start now, and what follows from its end. */
import { isAskingBranch } from '../decide/branch.ts'
import { redResult } from '../decide/gates.ts'
import { nextLanding } from '../decide/parallel/landing.ts'
import { dirtKey, judge, treeKey } from '../decide/verdict.ts'
import { storyNamed } from '../plan/stories.ts'
import type { EndedFlight, State } from '../state.ts'
import type { DueHook, Hooks } from '../types/results.ts'
import { scopeOf } from '../types/words.ts'
import type { Decision, Event, EventOf, HookName, StoryId } from '../types.ts'
import { judgedFlight } from './flights.ts'
import { withSeen } from './growing-set.ts'
import { workedStory } from './judged.ts'
import { withEnded } from './with-change.ts'

type HookStarted = Extract<Decision, { kind: 'hook.started' }>

const none: Hooks = { due: [] }
const isSet = ({ policy }: State, hook: HookName): boolean => policy.hooks?.includes(hook) === true

/** The state after an event, with the hooks that it makes due. */
export function withDueHooks(before: State, now: State, event: Event): State {
  if (now.policy.hooks === undefined) return now
  const due = dueAfter(before, now, event).filter(({ hook }) => isSet(now, hook))
  const { hooks = none } = now
  return due.length === 0 ? now : { ...now, hooks: { ...hooks, due: [...hooks.due, ...due] } }
}

function dueAfter(before: State, now: State, event: Event): DueHook[] {
  switch (event.kind) {
    case 'run.started':
      return [{ hook: 'run.started', iteration: 'whole', story: null, because: 'the run has started' }]
    case 'run.ended':
      return [{ hook: 'run.ended', iteration: 'whole', story: null, because: `${event.outcome}: ${event.because}` }]
    case 'iteration.settled':
      return afterSettling(before, event)
    case 'story.put-aside': {
      const failed = storyNamed(now.plan, event.story)?.failed
      if (before.failing?.isShelved === true || failed === undefined) return []
      return [{ hook: 'story.failed', iteration: scopeOf(now.iteration), story: event.story, because: failed.reason }]
    }
    case 'breaker.changed':
      if (event.to !== 'open') return []
      return [{ hook: 'breaker.opened', iteration: scopeOf(now.iteration), story: null, because: event.because }]
    default:
      return askedSince(before, now)
  }
}

function afterSettling(before: State, { iteration, problem }: EventOf<'iteration.settled'>): DueHook[] {
  const flight = judgedFlight(before, iteration)
  if (flight === undefined) return []
  const { verdict, because, passed } = flight.judged
  const words = problem === undefined ? `${verdict}: ${because}` : problem
  const stories = problem === undefined ? passed : []
  return [
    { hook: 'iteration.ended', iteration, story: workedStory(flight), because: words },
    ...stories.map((story): DueHook => ({ hook: 'story.passed', iteration, story, because })),
  ]
}

/** Questions to a person that nobody had asked before. */
function askedSince({ questions: before }: State, { questions }: State): DueHook[] {
  if (questions === before) return []
  const isNew = (question: State['questions'][number]): boolean =>
    question.text === undefined &&
    !before.some((known) => known.iteration === question.iteration && known.story === question.story)
  return questions.filter(isNew).map(({ iteration, story, question }) => ({
    hook: 'question.asked',
    iteration: scopeOf(iteration),
    story,
    because: question,
  }))
}

/** null: no hook has anything to do with what comes next; empty: one is running, and everything waits for it. */
export function hookNow(state: State): Decision[] | null {
  const { hooks, stop } = state
  if (hooks === undefined) return null
  if (hooks.running !== undefined) {
    const isStopping = stop?.now !== true || hooks.running.isStopping
    return isStopping ? [] : [{ kind: 'iteration.stopping', iteration: 'whole', because: `asked to stop (${stop.by})` }]
  }
  const [next] = hooks.due
  return next === undefined || stop?.now === true || !isNothingAtWork(state) ? null : [{ kind: 'hook.started', ...next }]
}

/** Other iterations work in worktrees of their own: what a hook changes is not taken for their work. */
const isNothingAtWork = (state: State): boolean =>
  state.flights.every(({ worker }) => worker !== undefined) &&
  state.failing === undefined &&
  state.check.phase !== 'running' &&
  !state.final.isReviewing &&
  state.learning.running === 'none' &&
  !isAskingBranch(state)

/** Before an agent starts; null: no hook is set, or it has let this one pass. */
export function hookBeforeIteration(state: State, iteration: number, story: StoryId | null): HookStarted | null {
  if (!isSet(state, 'before.iteration') || state.hooks?.allowed === nameOf(iteration, story)) return null
  return { kind: 'hook.started', hook: 'before.iteration', iteration, story, because: `iteration ${iteration} is about to start` }
}

const nameOf = (iteration: number, story: StoryId | null): string => `${iteration} ${story ?? ''}`

/** Before what passed its gates and reviewers is committed, and before it lands. */
export function hookBeforePass(state: State, flight: EndedFlight, isLanding: boolean): HookStarted | null {
  if (state.policy.hooks === undefined) return null
  const { iteration, story, ended } = flight
  const isDue = (hook: HookName): boolean => isSet(state, hook) && flight.hooks?.asked.includes(hook) !== true
  if (isDue('before.commit') && ended.uncommitted.length > 0 && state.repo.head !== null && isCommitting(state, flight)) {
    const because = `${whose(flight)} passes: its uncommitted work is about to be committed`
    return { kind: 'hook.started', hook: 'before.commit', iteration, story, because }
  }
  if (isLanding && isDue('before.landing') && nextLanding(state, flight) !== null) {
    const because = `${whose(flight)} passes in its worktree: its work is about to be merged`
    return { kind: 'hook.started', hook: 'before.landing', iteration, story, because }
  }
  return null
}

function isCommitting(state: State, flight: EndedFlight): boolean {
  const { passed, claim } = judge(state, flight)
  return passed.length > 0 || claim === 'accepted'
}

const whose = ({ iteration, story, ended }: EndedFlight): string => story ?? (ended.flips.join(', ') || `iteration ${iteration}`)

export function hookStarted(state: State, { hook, iteration, story, because }: EventOf<'hook.started'>): State {
  const { hooks = none } = state
  const place = hooks.due.findIndex((due) => due.hook === hook && due.iteration === iteration && due.story === story)
  const due = hooks.due.filter((_, index) => index !== place)
  return { ...state, hooks: { ...hooks, due, running: { hook, iteration, story, because } } }
}

export function hookEnded(state: State, event: EventOf<'hook.ended'>): State {
  const { hooks = none } = state
  const { running: _over, ...rest } = hooks
  const next = withRepoOf({ ...state, hooks: rest }, event)
  const { hook, iteration, story, how, reason } = event
  if (how === 'stopped' || iteration === 'whole') return next // a stop ends the run: nothing was allowed
  switch (hook) {
    case 'before.iteration':
      return how === 'refused'
        ? { ...next, blocked: { reason: `hook ${hook} refused: ${reason}`, iteration } }
        : { ...next, hooks: { ...rest, allowed: nameOf(iteration, story) } }
    case 'before.commit':
    case 'before.landing':
      return withEnded(next, iteration, (flight) => ({
        ...flight,
        hooks: {
          asked: [...(flight.hooks?.asked ?? []), hook],
          refused: [...(flight.hooks?.refused ?? []), ...(how === 'refused' ? [refusedBy(hook, reason)] : [])],
        },
      }))
    default:
      return next
  }
}

const refusedBy = (hook: HookName, reason: string) => ({ ...redResult('hook', `hook ${hook}`, reason), name: hook, exitCode: 1 })

/** What it changed in the repository is no work of the next iteration, and earlier checks have not seen it. */
function withRepoOf(state: State, { repo }: EventOf<'hook.ended'>): State {
  const last = state.last === undefined ? {} : { last: { ...state.last, seenAt: undefined } }
  if (repo === undefined) return { ...state, ...last }
  const isSame = repo.tree === state.repo.tree && repo.dirt === state.repo.dirt
  const seen = withSeen(state.seen, [treeKey(repo.tree), dirtKey(repo)])
  return { ...state, ...last, repo, seen, check: isSame ? state.check : { phase: 'due' } }
}

/** After a kill: one that was cut short does not run twice, unless what it comes before has still to come. */
export const hooksAfterKill = ({ hooks }: State, set: HookName[] = []): Hooks | undefined =>
  hooks && { due: hooks.due.filter(({ hook }) => set.includes(hook)) }
