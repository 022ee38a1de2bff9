/** The state before the first event, and the empty counters of a new run. */
import { closedBreaker } from '../decide/breaker.ts'
import { noBudget } from '../decide/budget.ts'
import type { State, StoryState } from '../state.ts'
import type { RoleTotals, Totals } from '../types/totals.ts'
import type { Policy, Repo } from '../types.ts'
import { nothingSeen } from './growing-set.ts'

const noRepo: Repo = { head: null, tree: '', dirt: '' }
const noPolicy: Policy = {
  maxIterations: 0,
  maxAttempts: 0,
  maxRetries: 0,
  maxStuck: 0,
  sameError: 0,
  declinePercent: 0,
  maxDenied: 0,
  cooldownMinutes: 0,
  doneSignals: 0,
  testLoops: 0,
  pick: 'ralph',
  onLimit: 'exit',
  session: 'fresh',
  budget: noBudget,
  decide: 'stop',
  storyMs: { soft: 0, hard: 0 },
  gates: [],
  baseline: 'strict',
  tamper: 'warn',
  review: { final: [] },
  agent: '',
  workers: 1,
}
const noRole: RoleTotals = { calls: 0, costUsd: 0, unpriced: 0, ms: 0 }
export const noTotals: Totals = {
  calls: 0,
  iterations: 0,
  idle: 0,
  claimsRefused: 0,
  agentMs: 0,
  gateMs: 0,
  inputTokens: 0,
  outputTokens: 0,
  uncounted: 0,
  costUsd: 0,
  unpriced: 0,
  unpricedTokens: 0,
  dearestUsd: 0,
  failedUsd: 0,
  byRole: { implementer: noRole, reviewer: noRole, learner: noRole },
  attempted: [],
}
export const noneInARow: State['inARow'] = { done: 0, testing: 0, retries: 0, refusedLogins: 0, limits: 0 }

export const noFinal: State['final'] = { isReviewing: false, isStopping: false, unread: [] }

const nothingLearned: State['learning'] = {
  due: [],
  running: 'none',
  isStopping: false,
  finished: 0,
  captured: 0,
  sinceGathered: 0,
  skills: [],
  uses: {},
  all: { times: 0, passed: 0 },
  retired: [],
}

/** Before the first event. */
export const initialState: State = {
  feature: '',
  run: '',
  at: '',
  runStartedAt: '',
  pid: 0,
  plan: null,
  policy: noPolicy,
  repo: noRepo,
  users: [],
  left: [],
  hidden: [],
  aboutUsers: [],
  aboutBranch: [],
  claims: [],
  iteration: 0,
  used: 0,
  call: { last: 0, phase: 'none', role: 'implementer' },
  flights: [],
  worktrees: { from: '', ready: {} },
  pause: 'none',
  stories: {},
  breaker: closedBreaker,
  breakerHistory: [],
  check: { phase: 'due' },
  ran: [],
  flakes: [],
  census: {},
  finals: [],
  final: noFinal,
  learning: nothingLearned,
  inARow: noneInARow,
  warned: [],
  indicators: { done: [], testing: [], claims: [] },
  seen: nothingSeen,
  tell: [],
  questions: [],
  totals: noTotals,
  taken: [],
}

export const noStory: StoryState = {
  attempts: 0,
  failedAttempts: 0,
  lastRefused: false,
  lastFailed: false,
  refusals: [],
  errors: {},
  reds: {},
  shifts: 0,
  spentMs: 0,
  isSlow: false,
  costUsd: 0,
  commits: [],
  isSaved: false,
  isApart: false,
  bounced: 0,
  files: [],
  warnings: 0,
}
