/** Plays only the core against a scripted agent, without loop, clock or misfortunes: for tests that tell one short story. */
import { decide } from '../src/core/decide/decide.ts'
import { evolve } from '../src/core/evolve/evolve.ts'
import type { Mutation } from '../src/core/proof/mutants/mutation.ts'
import type { State } from '../src/core/state.ts'
import type { Examination, HookEnded, LandingEnded, ReviewEnded } from '../src/core/types/results.ts'
import type { Decision, Ended, EventOf, Gate, GateResult, JudgedIn, Plan, Policy, Report, Scope } from '../src/core/types.ts'
import { after, aHookEnd, aLanding, aLesson, anEnd, aPolicy, aResult, aReview, aSkill, eventOf, runStarted } from './builders.ts'

type Started = Extract<Decision, { kind: 'iteration.started' }>
type Reviewing = Extract<Decision, { kind: 'review.started' }>
type Landing = Extract<Decision, { kind: 'landing.started' }>
type Examining = Extract<Decision, { kind: 'examination.started' }>
type Mutating = Extract<Decision, { kind: 'mutants.started' }>
type Hooking = Extract<Decision, { kind: 'hook.started' }>
type Players = Required<Pick<Script, 'agent' | 'results' | 'reviewer' | 'examination' | 'mutation' | 'landing' | 'hooked'>>

export type Script = {
  plan: Plan | null
  policy?: Partial<Policy>
  /** The result of each iteration. */
  agent(started: Started, state: State): Partial<Ended>
  /** Whether a gate passes; default: yes. */
  gate?(gate: Gate, iteration: Scope): boolean
  /** The same, with its output. */
  results?(gate: Gate, iteration: Scope): GateResult
  /** A reviewer's result; by default it passes everything. */
  reviewer?(started: Reviewing, state: State): Partial<ReviewEnded>
  /** What a cross-examination shows; by default nothing. */
  examination?(started: Examining, state: State): Partial<Examination>
  /** What mutants show; by default none are tried. */
  mutation?(started: Mutating, state: State): Partial<Mutation>
  /** The result of a landing; by default it fits. */
  landing?(started: Landing, state: State): Partial<LandingEnded>
  /** How a hook ends; by default well. */
  hooked?(started: Hooking, state: State): Partial<HookEnded>
  /** Where gates can judge a flip, as tried before the first iteration. */
  judgedIn?: JudgedIn
  /** How an earlier run ended, and what came since. */
  from?: State
  before?: Report[]
}

export type Played = { state: State; decisions: Decision[]; kinds: string[]; judged: EventOf<'iteration.judged'>[] }

export function play({ plan, policy = {}, from, before = [], judgedIn, ...script }: Script): Played {
  const { gate = () => true } = script
  const results = (each: Gate, iteration: number) => aResult(each.name, gate(each, iteration), asAsked(each))
  const nothing = () => ({})
  const players: Players = {
    ...{ results, reviewer: nothing, examination: nothing, mutation: nothing, landing: nothing, hooked: nothing },
    ...script,
  }
  const decisions: Decision[] = []
  const judged: EventOf<'iteration.judged'>[] = []
  const facts: Report[] = [runStarted(plan, aPolicy(policy))]
  let state = after(before, from)
  for (let fact = facts.shift(); fact !== undefined; fact = facts.shift()) {
    state = evolve(state, eventOf(fact))
    for (let made = decide(state); made.length > 0; made = decide(state)) {
      if (decisions.length > 500) throw new Error('the core decides without end')
      for (const decision of made) {
        decisions.push(decision)
        const event = eventOf(decision)
        state = evolve(state, event)
        if (event.kind === 'iteration.judged') judged.push(event)
        const where = judgedIn === undefined ? {} : { judgedIn }
        facts.push(
          ...answersTo(decision, state, players).map((fact) => (fact.kind === 'gates.ended' ? { ...fact, ...where } : fact)),
        )
      }
    }
  }
  return { state, decisions, judged, kinds: decisions.map((decision) => decision.kind) }
}

function answersTo(decision: Decision, state: State, players: Players): Report[] {
  const { agent, results, reviewer, examination, mutation, landing, hooked } = players
  switch (decision.kind) {
    case 'call.requested':
      return [{ kind: 'call.granted', call: decision.call }]
    case 'iteration.started':
      return [{ kind: 'iteration.ended', ...anEnd(decision.iteration, { repo: state.repo }), ...agent(decision, state) }]
    case 'gates.started': {
      const asked: Gate[] = [...decision.gates, ...(decision.heldOut ? [{ name: 'held-out', command: '' }] : [])]
      const all = asked.map((each) => ({
        ...results(each, decision.iteration),
        ...(each.command === '' ? { kind: 'held-out' as const } : {}),
      }))
      return [{ kind: 'gates.ended', iteration: decision.iteration, results: all }]
    }
    case 'iteration.judged':
      return [{ kind: 'iteration.settled', iteration: decision.iteration, repo: state.repo, commits: [] }]
    case 'wait.started':
      return [{ kind: 'wait.ended' }]
    case 'limit.asked':
      return [{ kind: 'limit.answered', choice: 'exit', by: 'silence' }]
    case 'review.started':
      return [{ kind: 'review.ended', ...aReview(decision), ...reviewer(decision, state) }]
    case 'examination.started':
      return [{ kind: 'examination.ended', iteration: decision.iteration, durationMs: 1, ...examination(decision, state) }]
    case 'mutants.started':
      return [{ kind: 'mutants.ended', iteration: decision.iteration, ...noMutants, ...mutation(decision, state) }]
    case 'landing.started':
      return [{ kind: 'landing.ended', ...aLanding(decision.iteration, { repo: state.repo }), ...landing(decision, state) }]
    case 'story.failed':
    case 'story.shelved':
      return [{ kind: 'story.put-aside', story: decision.story, branch: decision.branch, how: 'reset', repo: state.repo }]
    case 'learning.started':
      return [{ kind: 'learning.ended', ...aLesson(decision.story) }]
    case 'gathering.started':
      return decision.patterns
        ? [{ kind: 'gathering.ended', patterns: true, lessons: 3, due: [], problems: [], repo: state.repo }]
        : [{ kind: 'gathering.ended', lessons: 3, due: ['testing'], problems: [], repo: state.repo }]
    case 'skill.started':
      return [{ kind: 'skill.ended', ...aSkill(decision.category), repo: state.repo }]
    case 'skill.retired':
      return [{ kind: 'skill.ended', ...aSkill(decision.skill, { isRetired: true }), repo: state.repo }]
    case 'hook.started': {
      const { hook, iteration, story } = decision
      return [{ kind: 'hook.ended', ...aHookEnd, hook, iteration, story, ...hooked(decision, state) }]
    }
    case 'worktree.requested':
      return [{ kind: 'worktree.ready', story: decision.story, commit: state.repo.head }]
    case 'branch.asked':
      return [{ kind: 'branch.answered', missing: [], repo: state.repo }]
    case 'lesson.retired':
    case 'iteration.stopping':
    case 'story.slow':
    case 'budget.warned':
    case 'breaker.changed':
    case 'run.paused':
    case 'run.ended':
      return []
  }
}

const noMutants: Mutation = { tried: 0, killed: 0, survivors: [], durationMs: 1 }

const asAsked = ({ story, soft }: Gate): { story?: string; soft?: true } => ({
  ...(story === undefined ? {} : { story }),
  ...(soft === undefined ? {} : { soft }),
})
