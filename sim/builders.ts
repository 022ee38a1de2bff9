/** Small valid values for the simulator and the tests of the core: name what matters, the rest has defaults. */
import { noBudget } from '../src/core/decide/budget.ts'
import { evolve } from '../src/core/evolve/evolve.ts'
import { initialState } from '../src/core/evolve/initial.ts'
import type { EndedFlight, JudgedFlight, State, WorkingFlight } from '../src/core/state.ts'
import type { LandingEnded, LearningEnded, Reading, ReviewEnded, SkillEnded } from '../src/core/types/results.ts'
import type { Decision, Ended, Event, GateResult, Plan, Policy, Repo, Report, Story } from '../src/core/types.ts'

export const startOfTime = '2026-01-05T08:00:00.000Z'

export const aStory = (id: string, more: Partial<Story> = {}): Story => ({
  id,
  title: `Story ${id}`,
  priority: 1,
  passes: false,
  dependsOn: [],
  skip: false,
  exitSignal: false,
  gates: {},
  ...more,
})

export const aPlan = (stories: Story[], more: Partial<Plan> = {}): Plan => ({
  file: 'prd.json',
  branch: 'feature/x',
  stories,
  marks: 'file',
  ...more,
})

export const aPolicy = (more: Partial<Policy> = {}): Policy => ({
  maxIterations: 20,
  maxAttempts: 5,
  maxRetries: 5,
  maxStuck: 3,
  sameError: 5,
  declinePercent: 70,
  maxDenied: 2,
  cooldownMinutes: 0,
  doneSignals: 2,
  testLoops: 3,
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
  agent: 'scripted',
  workers: 1,
  ...more,
})

/** How a hook ends, but for which one it is. */
export const aHookEnd = { how: 'done' as const, exitCode: 0, reason: '', durationMs: 1 }

export const aRepo = (tree: string, dirt = ''): Repo => ({ head: `h-${tree}`, tree, dirt })

export const aReading = (more: Partial<Reading> = {}): Reading => ({
  status: 'unknown',
  exitSignal: false,
  confidence: 0,
  workType: '',
  tests: '',
  evidence: [],
  signals: [],
  ...more,
})

export const anEnd = (iteration: number, more: Partial<Ended> = {}): Ended => ({
  iteration,
  exit: 'ok',
  exitCode: 0,
  reading: aReading(),
  signals: [],
  repo: aRepo('t0'),
  commits: [],
  trees: [],
  uncommitted: [],
  flips: [],
  repairs: [],
  usage: { inputTokens: 10, outputTokens: 5, costUsd: 0.01 },
  durationMs: 1000,
  outputChars: 100,
  summary: '',
  ...more,
})

/** An end that committed new content. */
export const committed = (iteration: number, tree: string, more: Partial<Ended> = {}): Ended =>
  anEnd(iteration, { repo: aRepo(tree), commits: [`h-${tree}`], trees: [tree], ...more })

/** The decision to start an iteration. */
export const aStart = (
  iteration: number,
  story: string | null,
  more: Partial<Extract<Decision, { kind: 'iteration.started' }>> = {},
): Extract<Decision, { kind: 'iteration.started' }> => ({
  kind: 'iteration.started',
  iteration,
  call: iteration,
  story,
  attempt: 1,
  mode: 'implement',
  code: 'bcdf',
  shift: '',
  shifts: 0,
  because: '',
  ...more,
})

/** An iteration whose agent is running. */
export const aFlight = (iteration: number, more: Partial<WorkingFlight> = {}): WorkingFlight => ({
  phase: 'working',
  iteration,
  story: 'A',
  attempt: 1,
  mode: 'implement',
  startedAt: startOfTime,
  isStopping: false,
  shift: '',
  isShift: false,
  shifts: 0,
  ...more,
})

/** One whose agent has ended, and that waits for its next step. */
export const anEndedFlight = (ended: Ended, more: Partial<UnjudgedFlight> = {}): UnjudgedFlight => ({
  ...aFlight(ended.iteration),
  phase: 'waiting',
  ended,
  endedAt: startOfTime,
  reviews: [],
  unread: [],
  reviewed: [],
  ...more,
})

type UnjudgedFlight = Exclude<EndedFlight, JudgedFlight>

export const aResult = (name: string, passed: boolean, more: Partial<GateResult> = {}): GateResult => ({
  name,
  kind: 'command',
  command: `run ${name}`,
  passed,
  exitCode: passed ? 0 : 1,
  ended: 'exited',
  durationMs: 100,
  output: passed ? '' : `${name} is red`,
  outputHash: passed ? 'ok' : `hash-${name}`,
  ...more,
})

/** A reviewer's call that lets the story pass. */
export const aReview = (
  { iteration, review, story, agent }: Pick<ReviewEnded, 'iteration' | 'review' | 'story' | 'agent'>,
  more: Partial<ReviewEnded> = {},
): ReviewEnded => ({
  iteration,
  review,
  story,
  agent,
  result: aResult(review, true, {
    kind: 'review',
    command: `review by ${agent}`,
    exitCode: null,
    ...(story === null ? {} : { story }),
  }),
  exit: 'ok',
  usage: { inputTokens: 20, outputTokens: 2, costUsd: 0.02 },
  durationMs: 500,
  outputChars: 50,
  ...more,
})

/** A landing without conflicts, of work whose gates ran on the same content. */
export const aLanding = (iteration: number, more: Partial<LandingEnded> = {}): LandingEnded => ({
  iteration,
  results: [],
  commits: [],
  repo: aRepo('t0'),
  ...more,
})

/** A learner's call with two lessons. */
export const aLesson = (story: string, more: Partial<LearningEnded> = {}): LearningEnded => ({
  story,
  agent: 'scripted',
  file: `learnings/learning-${story}.yaml`,
  lessons: 2,
  flagged: 0,
  usage: { inputTokens: 30, outputTokens: 3, costUsd: 0.03 },
  durationMs: 300,
  ...more,
})

export const aSkill = (category: string, more: Partial<SkillEnded> = {}): SkillEnded => ({
  category,
  agent: 'scripted',
  path: `.claude/skills/${category}-learned/SKILL.md`,
  isNew: true,
  usage: { inputTokens: 40, outputTokens: 4, costUsd: 0.04 },
  durationMs: 400,
  ...more,
})

export const runStarted = (plan: Plan | null, policy: Policy = aPolicy(), repo: Repo = aRepo('t0')): Report => ({
  kind: 'run.started',
  log: 1,
  feature: 'login',
  plan,
  policy,
  repo,
  dirty: [],
  pid: 1,
})

export const eventOf = (fact: Report | Decision, at = startOfTime, run = 'r1'): Event => ({ at, run, ...fact })

/** The state after these facts, in order. */
export const after = (facts: (Report | Decision)[], state: State = initialState): State =>
  facts.reduce((before, fact) => evolve(before, eventOf(fact)), state)

/** A run of these stories that has begun. */
export const begun = (stories: Story[], policy: Partial<Policy> = {}): State =>
  after([runStarted(aPlan(stories), aPolicy(policy))])

/** A plan that stays open, and what an iteration on it did. */
export const openPlan = aPlan([aStory('A')])
export const progress = (n: number): Partial<Ended> => committed(n, `t${n}`)
