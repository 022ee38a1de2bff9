import assert from 'node:assert/strict'
import { test } from 'node:test'
import { after, anEndedFlight, aPlan, aPolicy, aRepo, aResult, aStory, committed, runStarted } from '../../../../sim/builders.ts'
import { noStory } from '../../evolve/initial.ts'
import type { EndedFlight, State, StoryState } from '../../state.ts'
import type { Decision, Ended, Policy, Story } from '../../types.ts'
import { noBudget } from '../budget.ts'
import { decide } from '../decide.ts'
import { candidateDue, rivalFor } from './candidates.ts'

const tests = { name: 'tests', command: 'npm test' }
const spent = { usd: 0, tokens: 0, ms: 0 }
const out = { ...spent, isOut: true as const }

const begun = (known: Partial<StoryState> = {}, policy: Partial<Policy> = {}, story: Partial<Story> = {}): State => {
  const whole = aPolicy({ gates: [tests], bestOf: 3, maxAttempts: 2, ...policy })
  const state = after([runStarted(aPlan([aStory('A', story)]), whole)])
  return { ...state, baseline: [], stories: { A: { ...noStory, ...known } } }
}
/** A candidate that passes its gates. */
const passing = (candidate: number, ended: Partial<Ended>, soft = true): EndedFlight =>
  anEndedFlight(committed(candidate, `t${candidate}`, { before: aRepo('t0'), flips: ['A'], ...ended }), {
    story: 'A',
    worker: candidate,
    candidate,
    gates: [aResult('tests', true), aResult('lint', soft, { soft: true })],
  })
const flying = (flights: EndedFlight[], policy: Partial<Policy> = {}): State => {
  const candidates = flights.map(() => spent)
  return { ...begun({ failedAttempts: 1, isApart: true, candidates }, policy), flights, iteration: flights.length }
}
const said = ([decision]: Decision[]): unknown =>
  decision && [decision.kind, 'iteration' in decision ? decision.iteration : 'candidate' in decision, decision.because]

test('a story has candidates at its last attempt, or if it asks for them; not before, not without git, and not where the agent picks [R-COST-6]', () => {
  const last = { failedAttempts: 1 }
  const due = (...parts: Parameters<typeof begun>): unknown => candidateDue(begun(...parts), 'A')
  assert.deepEqual([due(), due(last), due(last, { bestOf: 1 }), due(last, { maxAttempts: 0 })], [null, 1, null, null])
  assert.deepEqual([due({}, {}, { bestOf: 2 }), due(last, {}, { bestOf: 1 })], [1, null])
  assert.equal(due(last, { pick: 'agent' }), null)
  assert.equal(candidateDue({ ...begun(last), repo: { head: null, tree: '', dirt: '' } }, 'A'), null)
})

test('gates that fail the same way without a flip count together: the attempt that would be the last is several too [R-COST-6]', () => {
  const refusal = {
    ...{ iteration: 1, because: '', hash: 'h', gates: [], summary: '', files: [], wasShift: false, attempt: 1 },
    isUnfinished: true as const,
  }
  const alike = (times: number) => candidateDue(begun({ refusals: [refusal], reds: { h: times } }, { maxAttempts: 3 }), 'A')
  assert.deepEqual([alike(1), alike(2)], [null, 1])
})

test('an open candidate goes on before a new one starts, and one that the dearest would not fit into the budget does not start [R-COST-6]', () => {
  const due = (candidates: StoryState['candidates'], policy: Partial<Policy> = {}): unknown =>
    candidateDue(begun({ failedAttempts: 1, candidates: candidates ?? [] }, policy), 'A')
  assert.deepEqual([due([spent]), due([out]), due([out, out]), due([out, spent, out])], [1, 2, 3, 2])
  const budget = { ...noBudget, costUsd: 1 }
  const taken = (usd: number) => [
    { ...out, usd },
    { ...out, usd: 0.1 },
  ]
  assert.deepEqual([due(taken(1), { budget }), due(taken(1.01), { budget })], [3, 1]) // 1: a new round, if attempts are left
})

test('the best lands once all have had their turn: fewer warnings, then the smaller change, then the cheaper [R-COST-6]', () => {
  const usage = (costUsd: number) => ({ inputTokens: 1, outputTokens: 1, costUsd })
  const three = [
    passing(1, { lines: 1 }, false),
    passing(2, { lines: 8, usage: usage(2) }),
    passing(3, { lines: 8, usage: usage(1) }),
  ]
  assert.equal(decide(flying(three.slice(0, 2)))[0]?.kind, 'call.requested')
  assert.deepEqual(said(decide(flying(three))), [
    'landing.started',
    3,
    'A passes in its worktree: merge its work; iteration 3 is the best of 3 that pass (1: gated, 1 line; 2: gated, 8 lines; 3: gated, 8 lines)',
  ])
})

test('while another candidate is checked none lands; with no iteration left, paused or over budget, the best so far does [R-COST-6]', () => {
  const [one, two] = [passing(1, { lines: 9 }), passing(2, { lines: 2 })]
  const checking: EndedFlight = { ...passing(3, {}), phase: 'checking' }
  assert.deepEqual(decide(flying([one, two, checking])), [])
  for (const state of [
    flying([one, two], { maxIterations: 2 }),
    { ...flying([one, two]), pause: 'requested' as const },
    flying([one, two], { budget: { ...noBudget, tokens: 1 } }),
  ])
    assert.deepEqual(
      said(decide({ ...state, warned: ['tokens'] }))
        ?.toString()
        .slice(0, 17),
      'landing.started,2',
    )
})

test('while one lands no other candidate starts, even if the wait is over that made it land early', () => {
  const landing: EndedFlight = { ...passing(1, {}), phase: 'landing' }
  assert.equal(candidateDue(flying([landing]), 'A'), 'none')
  assert.deepEqual(decide(flying([landing])), [])
})

test('once one has landed the others are put out, each onto its branch, and count as no failure [R-COST-6]', () => {
  const state = flying([passing(2, {})])
  const receipt = { iteration: 1, proven: true, commits: [], tree: '', gates: [], agent: '', costUsd: null, given: false }
  const passed = {
    ...state,
    plan: aPlan([aStory('A', { passes: true })]),
    stories: { A: { ...noStory, failedAttempts: 1, receipt } },
  }
  const [judged] = decide(passed)
  assert.ok(judged?.kind === 'iteration.judged')
  assert.deepEqual(
    [judged.verdict, judged.passed, judged.aside, judged.because],
    ['worked', [], 'wip/ralph-fail-A-20260105-080000-2', 'A passes with the work of iteration 1'],
  )
  const next = after([judged], passed)
  assert.deepEqual([next.stories['A']?.failedAttempts, next.stories['A']?.losers?.length], [1, 1])
  assert.deepEqual(next.aboutBranch, [
    'A: iteration 2 passed its gates, but another attempt was better; its work is on wip/ralph-fail-A-20260105-080000-2',
  ])
})

test('a story fails only when all its candidates have failed, with the branch of the last', () => {
  const used = { failedAttempts: 2, isApart: true, losers: [{ iteration: 2, branch: 'wip/last', because: '' }] }
  assert.equal(decide(begun({ ...used, candidates: [out, out] }))[0]?.kind, 'call.requested')
  const [failed] = decide(begun({ ...used, candidates: [out, out, out] }))
  assert.ok(failed?.kind === 'story.failed')
  assert.deepEqual([failed.branch, failed.because], ['wip/last', 'failed after 2 attempts, the last with 3 candidates'])
})

test('the listed agents and models take turns, the story’s own first [R-COST-6]', () => {
  const rivals = [{ agent: 'claude' }, { agent: 'codex' }, { agent: 'claude', model: 'opus' }]
  const by = (candidate: number, named = 'claude') => rivalFor(begun({}, { rivals }), named, candidate)
  assert.deepEqual(
    [1, 2, 3, 4].map((number) => by(number)),
    [{ agent: 'claude' }, { agent: 'codex' }, { agent: 'claude', model: 'opus' }, { agent: 'claude' }],
  )
  assert.deepEqual([by(1, 'pi'), by(2, 'pi')], [{ agent: 'pi' }, { agent: 'claude' }])
  assert.deepEqual(rivalFor(begun(), 'claude', 3), { agent: 'claude' })
})
