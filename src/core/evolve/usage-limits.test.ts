import assert from 'node:assert/strict'
import { test } from 'node:test'
import { after, anEnd, aPlan, aPolicy, aReview, aStart, aStory, eventOf, runStarted, startOfTime } from '../../../sim/builders.ts'
import { decide } from '../decide/decide.ts'
import type { State } from '../state.ts'
import { later } from '../text/time.ts'
import type { Decision, Ended, Policy, Report } from '../types.ts'
import { evolve } from './evolve.ts'
import { agentInTurn } from './usage-limits.ts'

const reset = later(startOfTime, 3_600_000)
const listed = ['claude', 'codex', 'gemini']
const chain: Partial<Policy> = {
  agent: 'claude',
  onLimit: 'wait',
  fallback: { implementer: listed, reviewer: ['claude', 'codex'], learner: ['claude', 'codex'] },
}
const limit = (until?: string): Ended['signals'][number] => ({
  kind: 'throttled',
  by: 'usage-limit',
  message: 'session limit',
  ...(until === undefined ? {} : { until }),
})

const begun = (more: Partial<Policy> = {}, stories = [aStory('A'), aStory('B')]): State =>
  after([runStarted(aPlan(stories), aPolicy({ ...chain, ...more }))])

/** Takes what the core decides, and says what becomes of each iteration and review, until it asks for another call or waits. */
function turn(state: State, answer: (decision: Decision) => Report | undefined, at = state.at): { state: State; next: Decision } {
  let now = state
  for (let rounds = 0; rounds < 50; rounds++) {
    const [decision] = decide({ ...now, at })
    assert.ok(decision, 'the core waits for nothing')
    if (rounds > 0 && (decision.kind === 'call.requested' || decision.kind === 'wait.started' || decision.kind === 'run.ended'))
      return { state: now, next: decision }
    now = evolve(now, eventOf(decision, at))
    const report = answer(decision)
    if (report !== undefined) now = evolve(now, eventOf(report, at))
  }
  throw new Error('it never asks for another call')
}

/** Every call is granted; the implementer's call ends as said. */
const ending =
  (end: (iteration: number) => Partial<Ended>) =>
  (decision: Decision): Report | undefined => {
    if (decision.kind === 'call.requested') return { kind: 'call.granted', call: decision.call }
    if (decision.kind === 'iteration.started')
      return { kind: 'iteration.ended', ...anEnd(decision.iteration), ...end(decision.iteration) }
    if (decision.kind === 'iteration.judged')
      return { kind: 'iteration.settled', iteration: decision.iteration, repo: { head: 'h', tree: 't0', dirt: '' }, commits: [] }
    return undefined
  }
const meets = (until?: string) => ending(() => ({ exit: 'failed', signals: [limit(until)] }))

const agentOf = (decision: Decision): string | undefined => (decision.kind === 'call.requested' ? decision.agent : undefined)

test('at a usage limit the next listed agent takes the call, and the log says instead of whom and until when', () => {
  const { next } = turn(begun(), meets(reset))
  assert.equal(agentOf(next), 'codex')
  assert.match(next.because, new RegExp(`; codex instead of claude, whose usage limit lasts until ${reset}$`))
})

test('the first agent is tried again as soon as its limit has passed', () => {
  const { state } = turn(begun(), meets(reset))
  assert.equal(agentInTurn({ ...state, at: later(reset, -1) }, { agent: 'claude', role: 'implementer' }), 'codex')
  assert.equal(agentInTurn({ ...state, at: reset }, { agent: 'claude', role: 'implementer' }), 'claude')
})

test('the run waits only when every listed agent is at its limit, and only for the first that is back', () => {
  const first = turn(begun(), meets(later(reset, 5000)))
  const second = turn(first.state, meets(reset))
  assert.equal(agentOf(second.next), 'gemini')
  const third = turn(second.state, meets(later(reset, 9000)))
  assert.deepEqual(third.next, {
    kind: 'wait.started',
    until: reset,
    for: 'usage-limit',
    because: "the provider's usage limit: reached by claude, codex, gemini; codex is available again first",
  })
  const over = after([third.next as Decision, { kind: 'wait.ended' }], third.state)
  assert.equal(agentOf(decide({ ...over, at: reset })[0]!), 'codex')
})

test('without a list the run waits as before, and knows of no agents', () => {
  const { state, next } = turn(begun({ fallback: undefined }), meets(reset))
  assert.deepEqual([next.kind, state.agentLimits], ['wait.started', undefined])
})

test('a limit that another run has met counts, and a refused learner asks the next listed agent', () => {
  const asked = (role: 'implementer' | 'learner'): Decision => ({
    kind: 'call.requested',
    call: 1,
    role,
    agent: 'claude',
    because: '',
  })
  const refused: Report = { kind: 'call.refused', call: 1, until: reset, by: 'usage-limit' }
  const state = after([asked('implementer'), refused], begun())
  assert.deepEqual([state.limit, agentOf(decide(state)[0]!)], [undefined, 'codex'])
  const learning = { ...begun().learning, due: [{ story: 'A', outcome: 'success' as const, iteration: 1 }] }
  const learner = after([asked('learner'), refused], { ...begun(), learning })
  assert.equal(learner.learning.due.length, 1)
  const alone = after([asked('learner'), refused], { ...begun({ fallback: undefined }), learning })
  assert.equal(alone.learning.due.length, 0)
})

test('a story that names its agent falls back to the listed ones, and its own comes first again', () => {
  const { next } = turn(begun({}, [aStory('A', { agent: 'qwen' })]), meets(reset))
  assert.equal(agentOf(next), 'claude')
})

test('a reviewer at its limit is stood in for only by agents that review', () => {
  const limits = { claude: { until: reset, message: '', times: 1 }, codex: { until: reset, message: '', times: 1 } }
  const state: State = { ...begun(), agentLimits: limits }
  assert.equal(agentInTurn(state, { agent: 'claude', role: 'implementer' }), 'gemini')
  assert.equal(agentInTurn(state, { agent: 'claude', role: 'reviewer' }), 'claude')
  const free: State = { ...begun(), agentLimits: { claude: limits.claude } }
  assert.equal(agentInTurn(free, { agent: 'judge', role: 'reviewer' }), 'judge')
  assert.equal(agentInTurn(free, { agent: 'claude', role: 'reviewer' }), 'codex')
})

test('the receipt names the agent that did the work, and only its own session is resumed', () => {
  const { state } = turn(begun({ session: 'resume' }), meets(reset))
  const done = ending((iteration) => ({
    flips: [],
    session: `s${iteration}`,
    commits: [`c${iteration}`],
    trees: [`t${iteration}`],
  }))
  const worked = turn(state, done)
  assert.deepEqual(worked.state.stories['A']?.session, {
    id: 's2',
    at: startOfTime,
    costUsd: null,
    agent: 'codex',
  })
  const resumedBy = (at: string): string | undefined => {
    const granted = after([worked.next, { kind: 'call.granted', call: 3 } as Report], worked.state)
    const [started] = decide({ ...granted, at })
    return started?.kind === 'iteration.started' ? started.resume : 'nothing started'
  }
  assert.deepEqual([resumedBy(startOfTime), resumedBy(reset)], ['s2', undefined])
  const passes = turn(
    state,
    ending(() => ({ flips: ['A'], commits: ['c2'], trees: ['t2'] })),
  )
  assert.equal(passes.state.stories['A']?.receipt?.agent, 'codex')
})

test('a limit met again right after its reset is waited for longer each time, until a call of that agent is served', () => {
  const met = (state: State, at: string): State =>
    [
      { kind: 'call.requested', call: state.call.last + 1, role: 'implementer', agent: 'claude', because: '' } as Decision,
      aStart(state.iteration + 1, 'A', { call: state.call.last + 1 }),
      { kind: 'iteration.ended', ...anEnd(state.iteration + 1), exit: 'failed', signals: [limit(later(at, 1000))] } as Report,
    ].reduce((before, fact) => evolve(before, eventOf(fact, at)), state)
  const judged = (state: State, at: string): State => evolve(state, eventOf(decide({ ...state, at })[0]!, at))
  const settled = (state: State, at: string): State =>
    evolve(state, eventOf({ kind: 'iteration.settled', iteration: state.iteration, repo: state.repo, commits: [] }, at))
  let [state, at] = [begun(), startOfTime]
  const waits: number[] = []
  for (let times = 0; times < 4; times++) {
    state = settled(judged(met(state, at), at), at)
    const { until } = state.agentLimits!['claude']!
    waits.push((Date.parse(until) - Date.parse(at)) / 1000)
    at = until
  }
  assert.deepEqual(waits, [1, 60, 120, 240])
  const review: Report = {
    kind: 'review.ended',
    ...aReview({ iteration: 'whole', review: 'final', story: null, agent: 'claude' }),
  }
  assert.deepEqual(evolve(state, eventOf(review, at)).agentLimits, {})
})
