/** What follows from each fact: the state is a fold of the log. Total and pure. */
import { branchAnswered, withHome } from '../decide/branch.ts'
import { breakerAfterFailure, breakerChanged, closedBreaker } from '../decide/breaker.ts'
import { landingEnded } from '../decide/parallel/landing.ts'
import { dirtKey, treeKey } from '../decide/verdict.ts'
import { callsIn } from '../figures/calls.ts'
import { withCall } from '../figures/totals.ts'
import { acceptedIn, questionFor, withAnswer, withoutAmendment, withoutClosed, withoutStories } from '../plan/questions.ts'
import type { Breaker, State } from '../state.ts'
import type { KeptHash } from '../types/results.ts'
import type { Event, EventOf, Repo, Story, StoryId } from '../types.ts'
import { findingDismissed, withAcceptance } from './dismissed.ts'
import { hasEnded } from './flights.ts'
import { withSeen } from './growing-set.ts'
import { hookEnded, hookStarted, withDueHooks } from './hooks.ts'
import { noStory } from './initial.ts'
import { gatesEnded, gatesStarted, iterationEnded, iterationStarted } from './iteration.ts'
import { iterationJudged } from './judged.ts'
import { afterLearning, withFinished, withoutLearning } from './learned.ts'
import { pullAfter, pullAfterRound } from './pull-request.ts'
import { examinationEnded, mutantsEnded, reviewEnded, reviewStarted } from './reviewed.ts'
import { adoptPlan, runResumed, runStarted } from './run.ts'
import { iterationSettled } from './settled.ts'
import { agentInTurn, atUsageLimit } from './usage-limits.ts'
import { afterPutAside, keptOfStory, usersFound } from './users-files.ts'
import { withBranchNote, withEnded, withFlight, withStoryState, withTold } from './with-change.ts'

export const evolve = (before: State, event: Event): State => withDueHooks(before, after(before, event), event)

function after(before: State, event: Event): State {
  if ('id' in event && event.id !== undefined && before.taken.includes(event.id)) return before
  const taken = 'id' in event && event.id !== undefined ? [...before.taken, event.id].slice(-200) : before.taken
  const asked = before.home?.phase === 'known' ? withHome(before, 'due') : before // whatever happens, it may have changed the branch
  const state: State = { ...callsIn(before, event).reduce(withCall, asked), at: event.at, taken }
  switch (event.kind) {
    case 'run.started':
      return runStarted(state, event)
    case 'run.resumed':
      return runResumed(state, event)
    case 'call.requested':
      return { ...state, call: { last: event.call, phase: 'requested', role: event.role, agent: event.agent } }
    case 'call.granted':
      return { ...state, call: { ...state.call, last: event.call, phase: 'granted' }, envelopes: event.envelopes }
    case 'call.refused':
      return callRefused(state, event)
    case 'iteration.started':
      return iterationStarted(state, event)
    case 'iteration.stopping':
      return event.iteration === 'whole'
        ? wholeStopping(state)
        : withFlight(state, event.iteration, (flight) => ({ ...flight, isStopping: true }))
    case 'users.found':
      return usersFound(state, event)
    case 'agent.returned':
      return withFlight(state, event.iteration, (flight) => (hasEnded(flight) ? flight : { ...flight, phase: 'returned' }))
    case 'iteration.ended':
      return iterationEnded(state, event)
    case 'gates.started':
      return gatesStarted(state, event)
    case 'gates.ended':
      return gatesEnded(state, event)
    case 'iteration.judged':
      return iterationJudged(state, event)
    case 'iteration.settled':
      return iterationSettled(state, event)
    case 'branch.asked':
      return withHome(state, 'asked')
    case 'branch.answered':
      return branchAnswered(state, event)
    case 'hook.started':
      return hookStarted(state, event)
    case 'hook.ended':
      return hookEnded(state, event)
    case 'plan.changed':
      return { ...adoptPlan(state, event.plan, 'given'), check: state.check, unwritten: undefined }
    case 'examination.started':
      return withEnded(state, event.iteration, (flight) => ({ ...flight, examination: 'running' }))
    case 'examination.ended':
      return examinationEnded(state, event)
    case 'mutants.started':
      return withEnded(state, event.iteration, (flight) => ({ ...flight, phase: 'checking' }))
    case 'mutants.ended':
      return mutantsEnded(state, event)
    case 'review.started':
      return reviewStarted(state, event)
    case 'review.ended':
      return reviewEnded(state, event)
    case 'landing.started':
      return withEnded(state, event.iteration, (flight) => ({ ...flight, phase: 'landing' }))
    case 'landing.ended':
      return landingEnded(state, event)
    case 'worktree.requested':
      return { ...state, worktrees: { ...state.worktrees, asked: event.story } }
    case 'worktree.ready':
      return {
        ...state,
        worktrees: { from: state.worktrees.from, ready: { ...state.worktrees.ready, [event.story]: event.commit } },
      }
    case 'story.failed':
      return storyFailed(state, event)
    case 'story.shelved':
      return { ...state, failing: { story: event.story, branch: event.branch, isShelved: true } }
    case 'story.put-aside':
      return storyPutAside(state, event)
    case 'learning.started':
    case 'learning.ended':
    case 'gathering.started':
    case 'gathering.ended':
    case 'skill.started':
    case 'skill.ended':
    case 'lesson.retired':
    case 'skill.retired':
      return afterLearning(state, event)
    case 'story.slow':
      return withStoryState(state, event.story, { isSlow: true })
    case 'story.retried':
      return withUnwritten(storyRetried(state, event.story), event)
    case 'story.skipped':
      return withUnwritten(withoutMootQuestions(withStory(state, event.story, (story) => ({ ...story, skip: true }))), event)
    case 'breaker.changed':
      return withBreaker(state, breakerChanged(state.breaker, event, state.policy))
    case 'breaker.reset':
      return withBreaker(state, { ...closedBreaker, changedAt: event.at, because: 'reset by hand' })
    case 'wait.started':
      return {
        ...state,
        waiting: { until: event.until, for: event.for },
        refusedCall: undefined,
        retryDue: undefined,
        limit: undefined,
      }
    case 'budget.warned':
      return { ...state, warned: [...state.warned, event.which] }
    case 'limit.asked':
      return withLimitChoice(state, 'asked')
    case 'limit.answered':
      return limitAnswered(state, event)
    case 'wait.ended':
      return { ...state, waiting: undefined }
    case 'said':
      return withTold(state, [`A note from the user: ${event.text}`])
    case 'unblocked':
      return withTold(
        { ...state, blocked: undefined },
        event.note === '' ? [] : [`The user has resolved the blocker: ${event.note}`],
      )
    case 'question.answered':
      return questionAnswered(state, event)
    case 'criterion.amended':
      return { ...state, questions: withoutAmendment(state.questions, event) }
    case 'branch.created':
      return { ...state, origin: { branch: event.branch, base: event.base } }
    case 'pull-request.started':
      return { ...state, at: before.at } // about the work, not part of it: the run has ended when it did
    case 'pull-request.ended':
      return { ...state, at: before.at, pull: pullAfter(state.pull, event) }
    case 'pull-request.reviewed':
    case 'pull-request.answered':
      return { ...state, at: before.at, pull: pullAfterRound(state.pull, event) }
    case 'finding.dismissed':
      return findingDismissed(state, event)
    case 'pause.requested':
      return { ...state, pause: state.pause === 'none' ? 'requested' : state.pause }
    case 'run.paused':
      return { ...state, pause: 'paused' }
    case 'resume.requested':
      return { ...state, pause: 'none' }
    case 'stop.requested':
      return { ...state, stop: { by: event.by, now: event.now || state.stop?.now === true } }
    case 'noticed':
      return noticed(withKept(event.repo === undefined ? state : withRepo(state, event.repo), event.kept), event)
    case 'run.ended':
      return {
        ...state,
        outcome: { outcome: event.outcome, because: event.because },
        flights: [],
        waiting: undefined,
        // The acceptance is over: a later run starts again.
        questions: event.outcome === 'complete' ? state.questions.filter(({ accepts }) => accepts !== true) : state.questions,
      }
  }
}

function withBreaker(state: State, breaker: Breaker): State {
  const change = { at: breaker.changedAt, from: state.breaker.state, to: breaker.state, because: breaker.because }
  return { ...state, breaker, breakerHistory: [...state.breakerHistory, change].slice(-20) }
}

function wholeStopping(state: State): State {
  const { hooks } = state
  if (hooks?.running !== undefined) return { ...state, hooks: { ...hooks, running: { ...hooks.running, isStopping: true } } }
  if (state.learning.running !== 'none') return { ...state, learning: { ...state.learning, isStopping: true } }
  if (state.final.isReviewing) return { ...state, final: { ...state.final, isStopping: true } }
  const known = state.check.phase === 'running' ? state.check : {}
  return { ...state, check: { ...known, phase: 'running', isWhole: true, isStopping: true } }
}

/** Somebody, or something, changed it: earlier checks no longer count. */
const withRepo = (state: State, repo: Repo): State => ({
  ...state,
  repo,
  seen: withSeen(state.seen, [treeKey(repo.tree), dirtKey(repo)]),
  check: { phase: 'due' },
})

/** In their order: what is kept of them elsewhere has it too. */
function withKept(state: State, changed: KeptHash[] = []): State {
  if (changed.length === 0) return state
  const known = state.kept ?? []
  const isKnown = ({ path }: KeptHash): boolean => known.some((other) => other.path === path)
  const now = known.map((file) => changed.find(({ path }) => path === file.path) ?? file)
  return { ...state, kept: [...now, ...changed.filter((file) => !isKnown(file))] }
}

function noticed(state: State, { what, detail, tell }: EventOf<'noticed'>): State {
  const known = withNotice(state, what, detail)
  return tell ? withTold(known, [detail]) : known
}

function withNotice(state: State, what: string, detail: string): State {
  if (what.startsWith('users-')) return { ...state, aboutUsers: [...state.aboutUsers, detail].slice(-10) }
  if (aboutBranch.has(what)) return withBranchNote(state, detail)
  return what === 'run-halted' ? { ...state, halted: detail } : state
}

const aboutBranch = new Set(['branch-changed', 'branch-left', 'work-astray', 'commits-elsewhere'])

const withUnwritten = (state: State, { kind, story, unwritten }: EventOf<'story.retried' | 'story.skipped'>): State =>
  unwritten === true
    ? { ...state, unwritten: { ...state.unwritten, [story]: kind === 'story.retried' ? 'retried' : 'skipped' } }
    : state

/** A provider's limit that another run hit applies to us too. */
function callRefused(state: State, { call, until, by, envelopes }: EventOf<'call.refused'>): State {
  const next: State = { ...state, call: { ...state.call, last: call, phase: 'none' }, envelopes }
  if (by === 'budget') return { ...next, learning: withoutLearning(state.learning) } // the run ends
  const { role, agent = '' } = state.call
  const limits = by === 'rate' ? {} : atUsageLimit(state, { agent, role }, { until, message: 'another run hit it', isMet: false })
  if (role === 'learner') return withoutLesson({ ...next, agentLimits: limits.agentLimits ?? state.agentLimits }, agent)
  return { ...next, ...(by === 'rate' ? { refusedCall: { until } } : limits) }
}

/** Nobody waits for a lesson, but another agent may be free to give it. */
const withoutLesson = (state: State, refused: string): State =>
  agentInTurn(state, { agent: refused, role: 'learner' }) === refused
    ? { ...state, learning: withoutLearning(state.learning) }
    : state

const withLimitChoice = (state: State, choice: NonNullable<State['limit']>['choice']): State =>
  state.limit === undefined ? state : { ...state, limit: { ...state.limit, choice } }

/** If the limit has passed meanwhile, "wait" has nothing left to wait for. */
function limitAnswered(state: State, { choice, at }: EventOf<'limit.answered'>): State {
  const { until } = state.limit ?? {}
  return choice === 'wait' && until !== undefined && until <= at ? { ...state, limit: undefined } : withLimitChoice(state, choice)
}

function storyFailed(state: State, { story: id, hash, branch, because, at }: EventOf<'story.failed'>): State {
  const next = withStory(state, id, (story) => ({ ...story, failed: { branch, reason: because, at } }))
  return {
    ...next,
    failing: { story: id, branch },
    breaker: breakerAfterFailure(state.breaker, id, hash),
    questions: withoutStories(state.questions, [id]),
  }
}

/** The repository is as it was before the story, or nothing was moved and a person must look. */
function storyPutAside(state: State, { story: id, branch, how, problem, repo }: EventOf<'story.put-aside'>): State {
  const isShelved = state.failing?.isShelved === true
  const looked = { ...state, failing: undefined, repo, seen: withSeen(state.seen, [treeKey(repo.tree), dirtKey(repo)]) }
  const why = `the work of ${id} could not be moved to a branch: ${problem ?? 'the state before it was not saved'}`
  if (isShelved && how === 'kept') return { ...looked, unmoved: why }
  const revertedAt = how === 'reverted' && repo.head !== null ? { revertedAt: repo.head } : {}
  const shelf = isShelved ? { branch, ...revertedAt } : undefined
  const marked = withStory(looked, id, (story) => (story.failed ? { ...story, failed: { ...story.failed, branch } } : story))
  const next: State = {
    ...withStoryState(marked, id, {
      isSaved: false,
      begun: undefined,
      isApart: false,
      candidates: undefined,
      commits: [],
      shelf,
    }),
    ...(how === 'kept' || state.stories[id]?.isApart === true ? {} : afterPutAside(state, id)),
    learning: isShelved ? state.learning : withFinished(state.learning, [id], 'failure', state.iteration),
    check: repo.tree === state.repo.tree && repo.dirt === state.repo.dirt ? state.check : { phase: 'due' },
  }
  return problem === undefined ? next : { ...next, unmoved: why }
}

function questionAnswered(state: State, answer: EventOf<'question.answered'>): State {
  const { text, story, question } = answer
  if (question !== undefined)
    return { ...state, questions: [...state.questions, { question, text, iteration: state.iteration, story: story ?? null }] }
  const asked = questionFor(state, story)
  if (asked === undefined) return state
  const next = { ...state, questions: state.questions.map((known) => (known === asked ? withAnswer(known, answer) : known)) }
  return asked.suspicions === undefined || asked.story === null
    ? next
    : withAcceptance(next, asked.story, acceptedIn(asked, answer))
}

/** Forgets its past, except where its work is, its start state (a rejected attempt is not a new start) and its cost. */
function storyRetried(state: State, id: StoryId): State {
  const { [id]: forgotten, ...rest } = state.stories
  const kept = forgotten === undefined ? null : keptOfStory(forgotten)
  const stories = kept === null ? rest : { ...rest, [id]: { ...noStory, ...kept } }
  return withStory({ ...state, stories }, id, (story) => ({ ...story, failed: undefined, skip: false }))
}

const withoutMootQuestions = (state: State): State => ({ ...state, questions: withoutClosed(state.questions, state.plan) })

function withStory(state: State, id: StoryId, change: (story: Story) => Story): State {
  if (state.plan === null) return state
  return {
    ...state,
    plan: { ...state.plan, stories: state.plan.stories.map((story) => (story.id === id ? change(story) : story)) },
  }
}
