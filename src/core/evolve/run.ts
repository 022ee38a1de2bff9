/** How a run starts, and continues after a kill: what it takes from the previous state, and from the plan file. */
import { isCheckable } from '../decide/hand-marked.ts'
import { dirtKey, treeKey } from '../decide/verdict.ts'
import { withoutClosed } from '../plan/questions.ts'
import { storyNamed } from '../plan/stories.ts'
import type { Beginning, Flight, State, StoryState } from '../state.ts'
import type { EventOf, Instant, Plan, Policy, Story, StoryId } from '../types.ts'
import { nothingSeen, withSeen } from './growing-set.ts'
import { hooksAfterKill } from './hooks.ts'
import { noFinal, noneInARow, noStory, noTotals } from './initial.ts'
import { atRunStart } from './learned.ts'

export function runStarted(state: State, event: EventOf<'run.started'>): State {
  const left = new Set(event.left)
  const fresh: State = {
    ...withProcess(state, event),
    feature: event.feature,
    run: event.run,
    runStartedAt: event.at,
    repo: event.repo,
    users: event.dirty.filter((path) => !left.has(path)),
    left: event.left ?? [],
    ignored: event.ignored,
    unwatched: event.unwatched,
    aboutUsers: [],
    aboutBranch: [],
    home: event.branch === undefined ? undefined : { branch: event.branch, from: event.repo.head, phase: 'due' },
    links: event.links,
    outcome: undefined,
    used: 0,
    flights: [],
    ...atNewRun(state, event),
    baseline: undefined,
    toleratesBaseline: undefined,
    judgedIn: undefined,
    failing: undefined,
    unmoved: undefined,
    learning: atRunStart(state.learning, event.unlearned),
    asked: undefined,
    ran: [],
    inARow: noneInARow,
    unreadable: undefined,
    warned: [],
    seen: withSeen(nothingSeen, [treeKey(event.repo.tree), dirtKey(event.repo)]),
    last: undefined,
    hooks: undefined,
    totals: noTotals,
  }
  return adoptPlan(fresh, event.plan, 'given')
}

/** At the start of a process, the first of a run or not: its own settings, and nothing of the last one is under way. */
const withProcess = (state: State, event: EventOf<'run.started' | 'run.resumed'>): State => ({
  ...state,
  pid: event.pid,
  ...(event.boot === undefined ? {} : { boot: event.boot }),
  policy: event.policy,
  settings: event.settings,
  kept: event.kept,
  programs: event.programs,
  call: { ...state.call, phase: 'none' },
  worktrees: { from: event.at, ready: {} }, // others may have removed them, or worked there
  envelopes: undefined, // another day, or another limit
  finals: [],
  final: noFinal,
  waiting: undefined,
  refusedCall: undefined,
  retryDue: undefined,
  limit: undefined,
  agentLimits: undefined,
  stop: undefined,
  pause: 'none',
  halted: undefined,
  unwritten: undefined, // it was written before
  check: { phase: 'due' }, // nobody watched meanwhile: content and gates may have changed
})

/**
 * If somebody changed the repository between two runs, a story's saved state must not be restored: it would undo their changes. Its commits
 * can still be reverted.
 */
function atNewRun({ stories, begun, repo: before }: State, { repo }: EventOf<'run.started'>): Pick<State, 'stories' | 'begun'> {
  const isSame = repo.tree === before.tree && repo.dirt === before.dirt
  const now: Beginning = { commit: repo.head, census: {} }
  // What somebody else committed is not the work of a story.
  const isFrom = repo.tree === before.tree
  const kept = ({ begun: older, ...story }: StoryState): StoryState => ({
    ...story,
    ...(isFrom && older !== undefined ? { begun: older } : {}),
    isSaved: isSame && story.isSaved,
  })
  return {
    stories: isSame ? stories : Object.fromEntries(Object.entries(stories).map(([id, story]) => [id, kept(story)])),
    begun: isFrom ? (begun ?? now) : now,
  }
}

/** Gates may stay as red as they were, also those that cannot run. */
export const tolerant = (policy: Policy): Policy => ({ ...policy, baseline: 'tolerate', missingTools: undefined })

/** The same run after a kill, with the current files. Unanswered requests are made again. */
export function runResumed(state: State, event: EventOf<'run.resumed'>): State {
  const resumed: State = {
    ...withProcess(state, event),
    ...(state.home === undefined ? {} : { home: { ...state.home, phase: 'due' as const } }),
    ...(state.toleratesBaseline ? { policy: tolerant(event.policy) } : {}),
    learning: { ...state.learning, running: 'none', isStopping: false },
    hooks: hooksAfterKill(state, event.policy.hooks),
    flights: state.flights.map((flight) => afterKill({ ...flight, isStopping: false }, event.at)),
  }
  const claimed = event.claims ?? []
  const given = claimed.filter((id) => !isCheckable(event.policy, event.plan, id))
  const claims = [...new Set([...state.claims, ...claimed])].filter((id) => !given.includes(id))
  return adoptPlan({ ...resumed, claims }, event.plan && withUnsettled(event.plan, state), 'strict', given)
}

/** Requests interrupted gates, examinations, reviewers or landings again. */
function afterKill(before: Flight, at: Instant): Flight {
  const flight = 'examination' in before && before.examination === 'running' ? { ...before, examination: undefined } : before
  switch (flight.phase) {
    case 'checking':
    case 'landing':
      return { ...flight, phase: 'waiting' }
    case 'reviewing':
      return { ...flight, phase: 'waiting', reviewed: [...flight.reviewed, at] }
    default:
      return flight
  }
}

/** The file may not show yet what was decided before the kill: it is written again. */
function withUnsettled(plan: Plan, { failing, flights, plan: before }: State): Plan {
  const passed = flights.flatMap((flight) => (flight.phase === 'judged' ? flight.judged.passed : []))
  const stories = plan.stories.map((story) => ({
    ...story,
    passes: story.passes || passed.includes(story.id),
    ...(story.id === failing?.story ? { failed: storyNamed(before, story.id)?.failed } : {}),
  }))
  return { ...plan, stories }
}

/**
 * Takes a plan from the file. A story that passes there without a receipt is the user's word ('given'), or, after a kill, left by an
 * unfinished iteration: not a pass yet ('strict'), except what only the user can have `given`.
 */
export function adoptPlan(state: State, plan: Plan | null, how: 'given' | 'strict', given: StoryId[] = []): State {
  if (plan === null) return { ...state, plan: null }
  const stories: Record<StoryId, StoryState> = { ...state.stories }
  const adopted = plan.stories.map((story): Story => {
    const known = stories[story.id] ?? noStory
    const marked = plan.marks === 'log' ? withMarks(story, storyNamed(state.plan, story.id)) : story
    if (marked.passes && known.receipt === undefined) {
      if (how === 'strict' && !given.includes(story.id)) return { ...marked, passes: false }
      stories[story.id] = { ...known, receipt: givenReceipt }
    }
    if (!marked.passes && known.receipt !== undefined) stories[story.id] = { ...known, receipt: undefined }
    return marked
  })
  const next = { ...plan, stories: adopted }
  return { ...state, plan: next, stories, questions: withoutClosed(state.questions, next) }
}

const givenReceipt = { iteration: 0, proven: false, commits: [], tree: '', gates: [], agent: '', costUsd: null, given: true }

export const withMarks = (story: Story, before: Story | undefined): Story => ({
  ...story,
  skip: story.skip || before?.skip === true,
  failed: before?.failed,
})
