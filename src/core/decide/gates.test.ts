import assert from 'node:assert/strict'
import { test } from 'node:test'
import { after, anEnd, anEndedFlight, aPlan, aPolicy, aResult, aStory, committed, runStarted } from '../../../sim/builders.ts'
import { play } from '../../../sim/play.ts'
import type { Finding } from '../proof/finding.ts'
import type { State } from '../state.ts'
import type { Ended, Gate, GateResult, Policy } from '../types.ts'
import {
  checkAfter,
  finalDue,
  gatesFor,
  hardGates,
  isFinallyReviewed,
  isRed,
  redHash,
  resultsOf,
  reviewDue,
  wholeGatesLeft,
  withTolerance,
} from './gates.ts'
import { judge, needsGates } from './verdict.ts'

const tests: Gate = { name: 'tests', command: 'npm test' }
const style: Gate = { name: 'style', command: 'npm run style', soft: true }
const plan = aPlan([aStory('A', { gates: { smoke: './smoke A' } }), aStory('B')])
const stateWith = (policy: Partial<Policy>, more: Partial<State> = {}): State => ({
  ...after([runStarted(plan, aPolicy(policy))]),
  ...more,
})

test('a flip is looked at by the hard gates, its own, and the soft ones; a mere change by the hard ones alone [R-GATE-1]', () => {
  const state = stateWith({ gates: [tests, style] })
  const smoke = { name: 'smoke', command: './smoke A', story: 'A' }
  assert.deepEqual(gatesFor(state, { flips: ['A', 'B'] }), [tests, smoke, style])
  assert.deepEqual(gatesFor(state, { flips: [] }), [tests])
  assert.deepEqual(hardGates(state.policy), [tests])
})

test('a story that is skipped while its agent works, and flipped all the same, passes only by its own gates', () => {
  const skipped = aPlan([aStory('A', { gates: { smoke: './smoke A' }, skip: true })])
  const state = { ...stateWith({ gates: [tests] }), plan: skipped }
  assert.deepEqual(gatesFor(state, { flips: ['A'] }), [tests, { name: 'smoke', command: './smoke A', story: 'A' }])
})

test('once every story passes, the own gates of all are asked; of a green check those that it has not asked yet', () => {
  const smoke = { name: 'smoke', command: './smoke A', story: 'A' }
  const passing = aPlan(plan.stories.map((story) => ({ ...story, passes: true })))
  const state = { ...stateWith({ gates: [tests, style] }), plan: passing }
  const left = (check: State['check']) => wholeGatesLeft({ ...state, check })
  assert.deepEqual(gatesFor(state, { flips: [] }), [tests, smoke])
  assert.deepEqual(left({ phase: 'due' }), [tests, smoke])
  assert.deepEqual(left({ phase: 'green' }), [smoke])
  assert.deepEqual(left({ phase: 'green', stories: ['A'] }), [])
})

test('a red own gate is red for the whole, unless its story has just been flipped', () => {
  const red = aResult('smoke', false, { story: 'A' })
  assert.deepEqual(checkAfter([red], []), { phase: 'red', results: [red] })
  assert.deepEqual(checkAfter([red], ['A'], { stories: ['B'] }), { phase: 'green', stories: ['B'] })
  assert.deepEqual(checkAfter([aResult('smoke', true, { story: 'A' })], ['A']), { phase: 'green', stories: ['A'] })
})

test('red is what fails and is neither soft nor tolerated', () => {
  const red = aResult('tests', false)
  assert.deepEqual(
    [red, aResult('tests', true), { ...red, soft: true as const }, { ...red, tolerated: true as const }].map(isRed),
    [true, false, false, false],
  )
})

const deleted: Finding = { rule: 'test-deleted', file: 'a.test.ts', words: 'deleted the test file a.test.ts' }

test('a weakened check is a red gate of its own only where the settings make it a reason to refuse [R-GATE-7]', () => {
  const ended = anEnd(1, { findings: [deleted, { rule: 'test-skipped', words: '1 test newly skipped in b.test.ts' }] })
  const flight = anEndedFlight(ended, { gates: [aResult('tests', true)], reviews: [aResult('spec', true)] })
  const names = (results: GateResult[]) => results.map(({ name, passed }) => `${name} ${passed}`)
  const refused = resultsOf(stateWith({ tamper: 'refuse' }), flight)
  assert.deepEqual(names(resultsOf(stateWith({ tamper: 'warn' }), flight)), ['tests true', 'spec true'])
  assert.deepEqual(names(refused), ['tests true', 'spec true', 'tamper false'])
  assert.equal(
    refused.at(-1)?.output,
    'deleted the test file a.test.ts\n1 test newly skipped in b.test.ts\nRestore the checks, and make the code pass them.',
  )
  assert.deepEqual(names(resultsOf(stateWith({ tamper: 'refuse' }), { ...flight, ended: anEnd(1) })), ['tests true', 'spec true'])
})

test('evidence against a story refuses its flip whatever the settings say; what the story declares is for its reviewer alone', () => {
  const bypassed: Finding = { rule: 'hooks-bypassed', words: 'bypassed the hooks in a commit (git commit -n)', isCertain: true }
  const outputs = (findings: Finding[], tamper: 'warn' | 'refuse') =>
    resultsOf(stateWith({ tamper }), anEndedFlight(anEnd(1, { findings }))).map(({ output }) => output.split('\n').slice(0, -1))
  assert.deepEqual(outputs([deleted, bypassed], 'warn'), [[bypassed.words]])
  assert.deepEqual(outputs([deleted, bypassed], 'refuse'), [[deleted.words, bypassed.words]])
  assert.deepEqual(outputs([{ ...deleted, isDeclared: true }], 'refuse'), [])
})

test('a weakened check refuses a flip, each time until it is put back, and counts as a failed attempt of its story (T15)', () => {
  const weakened: Partial<Ended> = { flips: ['A'], findings: [deleted] }
  const { state, judged } = play({
    plan: aPlan([aStory('A')]),
    policy: { tamper: 'refuse' },
    agent: ({ iteration }) => committed(iteration, `t${iteration}`, iteration < 3 ? weakened : { flips: ['A'] }),
  })
  assert.deepEqual(
    judged.map(({ verdict, refused, failedGates }) => [verdict, refused, failedGates]),
    [
      ['failed', ['A'], ['tamper']],
      ['failed', ['A'], ['tamper']],
      ['done', [], []],
    ],
  )
  assert.deepEqual([state.outcome?.outcome, state.stories['A']?.failedAttempts], ['complete', 2])
})

const red = (output: string, exitCode = 1) => aResult('tests', false, { output, exitCode })
const tolerated = (before: GateResult[] | undefined, now: GateResult, baseline: Policy['baseline'] = 'tolerate') =>
  withTolerance([now], stateWith({ baseline }, { baseline: before }))[0]!.tolerated === true

test('a gate that was red before the run is tolerated while its exit code and its normalised output are the same (T39)', () => {
  const before = [red('2026-01-05 08:00:01 not ok 3 adds (12 ms)\nexit code 1')]
  const same = '2026-02-07 23:59:59 not ok 3 adds (9 ms)\nexit code 1'
  assert.equal(tolerated(before, red(same)), true)
  assert.equal(tolerated(before, red(same, 2)), false)
  assert.equal(tolerated(before, red(`${same}\nnot ok 4 subtracts`)), false)
  assert.equal(tolerated(before, red('not ok 4 subtracts (12 ms)')), false)
  assert.equal(tolerated(before, red(same), 'strict'), false)
})

test('what was green before, was not run before, or is one story’s own gate is not tolerated [R-GATE-6]', () => {
  assert.equal(tolerated([aResult('tests', true, { output: 'x' })], red('x')), false)
  assert.equal(tolerated([aResult('lint', false, { output: 'x' })], red('x')), false)
  assert.equal(tolerated(undefined, red('x')), false)
  assert.equal(tolerated([red('x')], { ...red('x'), story: 'A' }), false)
})

test('gates run once before the first iteration, and what is red is named to it: to be fixed first, or tolerated [R-GATE-6]', () => {
  const told = (baseline: Policy['baseline']) => {
    const { state, decisions } = play({
      plan: aPlan([aStory('A')]),
      policy: { baseline, gates: [tests, { name: 'lint', command: 'x' }], maxIterations: 1 },
      agent: (_, before) => {
        notes.push(...before.tell.map(({ text }) => text))
        return { flips: ['A'] }
      },
      gate: ({ name }) => name !== 'tests',
    })
    const rounds = decisions.flatMap((decision) => (decision.kind === 'gates.started' ? [decision.iteration] : []))
    return { rounds, outcome: state.outcome?.outcome, passed: state.plan?.stories[0]?.passes }
  }
  const notes: string[] = []
  assert.deepEqual(told('strict'), { rounds: ['whole', 1], outcome: 'incomplete', passed: false })
  assert.deepEqual(told('tolerate'), { rounds: ['whole', 1], outcome: 'complete', passed: true })
  assert.deepEqual(notes, [
    'Gate tests was red before this run began. No story passes until it is green: fix that first.',
    'Gate tests was red before this run began. That is tolerated as long as it fails in exactly the same way.',
  ])
})

test('what a gate leaves in the tree before the first iteration is nobody’s work [R-GATE-6]', () => {
  const repo = { head: 'h-t0', tree: 't0', dirt: 'coverage' }
  const state = after([
    runStarted(plan, aPolicy({ gates: [tests] })),
    { kind: 'gates.started', iteration: 'whole', gates: [tests], because: '' },
    { kind: 'gates.ended', iteration: 'whole', results: [aResult('tests', true)], repo },
  ])
  const idle = anEndedFlight(anEnd(1, { repo }))
  assert.deepEqual([needsGates(state, idle), judge(state, idle).progress], [false, 'idle'])
  const own = anEndedFlight(anEnd(1, { repo: { ...repo, dirt: 'coverage and work' } }))
  assert.deepEqual([needsGates(state, own), judge(state, own).progress], [true, 'neutral'])
})

test('two failures are alike if their error lines are, or, where there are none, their last lines', () => {
  const output = (...lines: string[]) => [aResult('tests', false, { output: lines.join('\n') })]
  assert.equal(redHash(output('one', '', 'two')), redHash(output('one', 'two')))
  assert.notEqual(redHash(output('one', 'two')), redHash(output('one', 'other')))
  assert.equal(
    redHash(output('took 3 s', 'Error: no such table')),
    redHash(output('took 9 s', 'much said', 'Error: no such table')),
  )
  assert.notEqual(redHash(output('Error: no such table')), redHash(output('Error: no such column')))
})

const reviewers = { spec: 'codex', quality: 'claude', final: [] }

test('a flip that the gates let pass is reviewed, first against its criteria, then for its quality [R-GATE-1]', () => {
  const state = stateWith({ review: reviewers })
  const ended = anEnd(1, { flips: ['A'] })
  const spec = aResult('spec', true, { story: 'A' })
  assert.deepEqual(reviewDue(state, anEndedFlight(ended)), { review: 'spec', story: 'A', agent: 'codex' })
  assert.deepEqual(reviewDue(state, anEndedFlight(ended, { reviews: [spec] })), {
    review: 'quality',
    story: 'A',
    agent: 'claude',
  })
  const quality = aResult('quality', false, { story: 'A', soft: true })
  assert.equal(reviewDue(state, anEndedFlight(ended, { reviews: [spec, quality] })), null)
})

test('nothing is reviewed that did not flip, that a gate or a reviewer refused, or that was cut short [R-GATE-1]', () => {
  const state = stateWith({ review: reviewers, tamper: 'refuse' })
  const flips = anEnd(1, { flips: ['A'] })
  const due = (said: Parameters<typeof anEndedFlight>[1], ended: Ended) => reviewDue(state, anEndedFlight(ended, said))
  assert.equal(due({}, anEnd(1)), null)
  assert.equal(due({ gates: [aResult('tests', false)] }, flips), null)
  assert.equal(due({ gates: [aResult('smoke', false, { story: 'A' })] }, flips), null)
  assert.equal(due({ reviews: [aResult('spec', false, { story: 'A' })] }, flips), null)
  assert.equal(due({}, { ...flips, findings: [deleted] }), null)
  assert.equal(due({}, { ...flips, exit: 'stopped' }), null)
  assert.equal(due({}, { ...flips, exit: 'over-budget' }), null)
  assert.equal(due({ gates: [aResult('smoke', false, { story: 'B' })] }, flips)?.review, 'spec')
})

test('final reviewers speak one after the other, until one of them is red [R-GATE-1]', () => {
  const said = (agent: string, passed: boolean) => aResult('final', passed, { command: `review by ${agent}` })
  const state = stateWith({ review: { final: ['codex', 'claude'] } })
  const next = (finals: GateResult[]) => [finalDue({ ...state, finals })?.agent, isFinallyReviewed({ ...state, finals })]
  assert.deepEqual(next([]), ['codex', false])
  assert.deepEqual(next([said('codex', true)]), ['claude', false])
  assert.deepEqual(next([said('codex', false)]), [undefined, false])
  assert.deepEqual(next([said('codex', true), said('claude', true)]), [undefined, true])
})

test('a final reviewer that is named twice looks twice: no list of reviewers makes a run wait forever [R-GATE-1]', () => {
  const names = ['claude', 'codex', '']
  const lists = [1, 2, 3].flatMap((length) =>
    Array.from({ length: names.length ** length }, (_, n) =>
      Array.from({ length }, (_, at) => names[Math.floor(n / names.length ** at) % names.length]!),
    ),
  )
  for (const final of lists) {
    const looked: string[] = []
    const { state } = play({
      plan,
      policy: { review: { final }, agent: 'scripted' },
      agent: ({ iteration, story }) => committed(iteration, `t${iteration}`, { flips: [story!] }),
      // Each one's first answer cannot be read: it is asked again before the next one's turn.
      reviewer: ({ agent, again }) => {
        if (again === undefined) return { result: undefined, problem: 'not JSON' }
        looked.push(agent)
        return {}
      },
    })
    assert.deepEqual(
      [state.outcome?.outcome, looked],
      ['complete', final.map((name) => (name === '' ? 'scripted' : name))],
      final.join(),
    )
  }
})
