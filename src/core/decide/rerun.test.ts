import assert from 'node:assert/strict'
import { test } from 'node:test'
import { after, aPlan, aPolicy, aRepo, aResult, aStart, aStory, committed, runStarted } from '../../../sim/builders.ts'
import type { EndedFlight, State } from '../state.ts'
import type { Decision, Ended, GateResult, Policy, Report } from '../types.ts'
import { decide } from './decide.ts'
import { mayLandAgain, rerunDue } from './rerun.ts'

const gates = [
  { name: 'tests', command: 'run tests' },
  { name: 'lint', command: 'run lint' },
]
const failing = (...names: string[]): string => names.map((name) => `✖ ${name} (1ms)`).join('\n')
const red = (output = failing('net'), more: Partial<GateResult> = {}): GateResult => aResult('tests', false, { output, ...more })
const green = aResult('tests', true)
const lint = (passed: boolean): GateResult => aResult('lint', passed)
const ended = (iteration: number | 'whole', content: string | undefined, ...results: GateResult[]): Report => ({
  kind: 'gates.ended',
  iteration,
  results,
  ...(content === undefined ? {} : { content }),
})

/** The stories of a run whose gates passed on the content t0 before the first iteration. */
function run(policy: Partial<Policy> = {}, stories = [aStory('A'), aStory('B')]): State {
  const begin: (Report | Decision)[] = [
    runStarted(aPlan(stories), aPolicy({ gates, ...policy })),
    { kind: 'gates.started', iteration: 'whole', gates, because: '' },
    { ...ended('whole', 't0', green, lint(true)), judgedIn: 'clean', repo: aRepo('t0') } as Report,
  ]
  return after(begin)
}

type Seen = [content: string | undefined, ...results: GateResult[]]
type Flip = Partial<Ended> & { story?: string | null }

/** The story was marked done, and its gates have these results on that content. */
function flipped(state: State, iteration: number, [content, ...results]: Seen, more: Flip = {}): State {
  const { story = 'A', ...rest } = more
  return after(
    [
      aStart(iteration, story),
      { kind: 'iteration.ended', ...committed(iteration, `t${iteration}`, { flips: ['A'], ...rest }) },
      { kind: 'gates.started', iteration, gates, because: '' },
      ended(iteration, content, ...results),
    ],
    state,
  )
}

/** It ran once more, with these results; null: nothing runs once more. */
function again(state: State, iteration: number, content: string, ...results: GateResult[]): State {
  const [asked] = decide(state)
  assert.equal(asked?.kind === 'gates.started' && asked.again, true, 'nothing runs once more')
  return after([asked!, ended(iteration, content, ...results)], state)
}

const judged = (state: State): Extract<Decision, { kind: 'iteration.judged' }> => {
  const [decision] = decide(state)
  assert.equal(decision?.kind, 'iteration.judged')
  return decision as Extract<Decision, { kind: 'iteration.judged' }>
}
const flightIn = (state: State): EndedFlight => state.flights[0] as EndedFlight

test('a gate that fails on content on which it passed runs once more: what failed, and nothing else [R-PROOF-8]', () => {
  const state = flipped(run(), 1, ['t0', red(), lint(true)])
  assert.deepEqual(decide(state), [
    {
      kind: 'gates.started',
      iteration: 1,
      gates: [gates[0]],
      again: true,
      because: 'gate tests failed on the same content that it passed on before',
    },
  ])
})

test('if it then passes, the story passes with a reservation that names the tests, and they are known from then on [R-PROOF-8]', () => {
  const state = again(flipped(run(), 1, ['t0', red(), lint(true)]), 1, 't0', green)
  const verdict = judged(state)
  assert.deepEqual([verdict.passed, verdict.proven, verdict.failedGates], [['A'], false, []])
  const next = after([verdict], state)
  assert.deepEqual(next.stories['A']?.receipt?.proof?.reservations, [
    { rule: 'flaky-tests', words: 'passed gate tests only in a second run on the same content: net' },
  ])
  assert.deepEqual(
    next.flakes.map(({ gate, test: name, by, times }) => [gate, name, by, times]),
    [['tests', 'net', null, 1]],
  )
})

test('if it fails again, the story is refused: there is no third run [R-PROOF-8]', () => {
  const state = again(flipped(run(), 1, ['t0', red(), lint(true)]), 1, 't0', red())
  assert.deepEqual([judged(state).refused, state.flakes], [['A'], []])
})

test('a second run that saw other content counts for nothing [R-PROOF-8]', () => {
  assert.deepEqual(judged(again(flipped(run(), 1, ['t0', red(), lint(true)]), 1, 't1', green)).refused, ['A'])
})

test('content on which the gate has never passed is a plain failure, also if a test fails at random there [R-PROOF-8]', () => {
  assert.deepEqual(judged(flipped(run(), 1, ['t1', red(), lint(true)])).refused, ['A'])
  assert.deepEqual(judged(flipped(run(), 1, [undefined, red(), lint(true)])).refused, ['A'])
})

test('nothing runs once more where that cannot change the answer [R-PROOF-8]', () => {
  const certain = { findings: [{ rule: 'hooks-disabled' as const, words: 'disabled the hooks', isCertain: true as const }] }
  const cases: [string, GateResult[], Partial<Ended>?][] = [
    ['another gate fails that never passed there', [red(), aResult('lint', false, { command: 'other' })]],
    ['there is evidence against the story', [red(), lint(true)], certain],
    ['it was stopped', [red('', { ended: 'stopped', exitCode: null })]],
    ['its program is missing', [red('sh: no-such: not found', { exitCode: 127 }), lint(true)]],
    ['nothing was marked done', [red(), lint(true)], { flips: [] }],
    ['the iteration was cut short', [red(), lint(true)], { exit: 'over-budget' }],
  ]
  for (const [why, results, more] of cases)
    assert.equal(rerunDue(run(), flightIn(flipped(run(), 1, ['t0', ...results], more))), null, why)
})

test('a stop leaves a gate that would run once more for the next run, and costs no attempt', () => {
  const state = after([{ kind: 'stop.requested', by: 'SIGINT', now: true }], flipped(run(), 1, ['t0', red(), lint(true)]))
  assert.deepEqual([judged(state).verdict, judged(state).passed], ['interrupted', []])
})

/** A flip of A was refused on t1, and passes there in the next iteration. */
function flakyByA(policy: Partial<Policy> = {}): State {
  const refused = flipped(run(policy), 1, ['t1', red(), lint(true)])
  const judgedOnce = after(
    [judged(refused), { kind: 'iteration.settled', iteration: 1, repo: aRepo('t1'), commits: [] }],
    refused,
  )
  return flipped(judgedOnce, 2, ['t1', green, lint(true)], { repo: aRepo('t1'), commits: [], trees: [] })
}

test('a gate that passes where it failed in an earlier iteration is flaky: the attempt is given back, and the pass is reserved [R-PROOF-8]', () => {
  const state = flakyByA()
  assert.deepEqual([state.stories['A']?.failedAttempts, state.stories['A']?.refusals.length], [1, 1])
  const { stories, flakes } = after([judged(state)], state)
  const { failedAttempts, refusals, errors, receipt } = stories['A']!
  assert.deepEqual([failedAttempts, refusals, Object.values(errors)], [0, [], [0]])
  assert.deepEqual(
    receipt?.proof?.reservations.map(({ rule }) => rule),
    ['flaky-tests'],
  )
  assert.deepEqual(
    flakes.map(({ test: name, by }) => [name, by]),
    [['net', 'A']],
  )
})

test('a timeout does not keep the attempt of a story that the iteration was not for, and that only a flaky gate refused', () => {
  const refused = flipped(run({ pick: 'agent' }), 1, ['t1', red(), lint(true)], { story: null, flips: ['A'], exit: 'timeout' })
  const settled = after([judged(refused), { kind: 'iteration.settled', iteration: 1, repo: aRepo('t1'), commits: [] }], refused)
  assert.deepEqual([settled.stories['A']?.failedAttempts, settled.stories['A']?.refusals[0]?.cut], [1, undefined])
  const state = flipped(settled, 2, ['t1', green, lint(true)], { story: null, repo: aRepo('t1'), commits: [], trees: [] })
  const { failedAttempts, refusals } = after([judged(state)], state).stories['A']!
  assert.deepEqual([failedAttempts, refusals], [0, []])
})

/** After A has passed with a flaky test of its own: B was marked done, on new content. */
function flippedB(...results: GateResult[]): State {
  const state = flakyByA()
  const settled = after([judged(state), { kind: 'iteration.settled', iteration: 2, repo: aRepo('t1'), commits: [] }], state)
  return flipped(settled, 3, ['t3', ...results], { story: 'B', flips: ['B'] })
}

test('tests that are known to be flaky by other work run once more on new content, if nothing else failed [R-PROOF-8]', () => {
  const due = rerunDue(flippedB(red(), lint(true)), flightIn(flippedB(red(), lint(true))))
  assert.equal(due?.because, 'only tests of gate tests failed that are known to be flaky: net')
  const both = flippedB(red(failing('net', 'adds')), lint(true))
  assert.equal(rerunDue(both, flightIn(both)), null)
  const unnamed = flippedB(red(failing('net'), { census: { passed: 3, failed: 2, skipped: 0 } }), lint(true))
  assert.equal(rerunDue(unnamed, flightIn(unnamed)), null)
})

test('a test that the story itself made flaky is no excuse for it', () => {
  const first = flakyByA()
  const retry = flipped({ ...first, flights: [] }, 3, ['t4', red(), lint(true)])
  assert.equal(rerunDue(retry, flightIn(retry)), null)
})

test('a landing that only known flaky tests refused is tried once more, and a conflict is not', () => {
  const state = flippedB(green, lint(true))
  const landed = (...results: GateResult[]): EndedFlight => ({ ...flightIn(state), worker: 1, landing: results })
  assert.equal(mayLandAgain(state, landed(red())), true)
  assert.equal(mayLandAgain(state, { ...landed(red()), isLandedAgain: true }), false)
  assert.equal(mayLandAgain(state, landed(red(failing('adds')))), false)
  assert.equal(mayLandAgain(state, landed(aResult('landing', false, { kind: 'landing', output: failing('net') }))), false)
})

test('the final check runs once more what failed on content on which it passed, also when no iteration is left [R-PROOF-8]', () => {
  const done = run({ maxIterations: 0 }, [aStory('A', { passes: true })])
  const state = { ...done, baseline: [green, lint(true)], check: { phase: 'due' as const } }
  const [first] = decide(state)
  assert.equal(first?.kind, 'gates.started')
  const failed = after([first!, ended('whole', 't0', red(), lint(true))], state)
  const [second] = decide(failed)
  assert.deepEqual(second?.kind === 'gates.started' && [second.gates, second.again], [[gates[0]], true])
  const passed = after([second!, ended('whole', 't0', green)], failed)
  assert.deepEqual([passed.check, passed.flakes.map(({ test: name }) => name)], [{ phase: 'green' }, ['net']])
  const stuck = after([second!, ended('whole', 't0', red())], failed)
  assert.deepEqual([stuck.check.phase, decide(stuck)[0]?.kind], ['red', 'run.ended'])
})

test('flaky tests stay known in the next run, and green content does not', () => {
  const state = flakyByA()
  const next = after(
    [{ kind: 'run.ended', outcome: 'incomplete', because: '' }, runStarted(aPlan([aStory('B')]), aPolicy({ gates }))],
    state,
  )
  assert.deepEqual([next.flakes.length, next.ran], [1, []])
})

test('a second run is followed by the held-out check, which the first one did not reach, and its failure refuses the story', () => {
  const proof = { suspicion: 'reserve', minimum: 'gated', crossExamine: 'off', heldOut: 'flip' } as const
  const state = flipped(run({ proof }), 1, ['t0', red(), lint(true)])
  const [asked] = decide(state)
  assert.equal(asked?.kind === 'gates.started' && asked.heldOut, true)
  const heldOut = aResult('held-out', false, { kind: 'held-out', exitCode: 1 })
  const verdict = judged(again(state, 1, 't0', green, heldOut))
  assert.deepEqual([verdict.passed, verdict.refused], [[], ['A']])
})

test('a gate that failed because something is not installed is not flaky once it is', () => {
  const missing = red("Error: Cannot find module 'left-pad'\n✖ test/sum.test.js (3ms)")
  const refused = flipped(run(), 1, ['t1', missing, lint(true)])
  const settled = after([judged(refused), { kind: 'iteration.settled', iteration: 1, repo: aRepo('t1'), commits: [] }], refused)
  const state = flipped(settled, 2, ['t1', green, lint(true)], { repo: aRepo('t1'), commits: [], trees: [] })
  const { stories, flakes } = after([judged(state)], state)
  assert.deepEqual([flakes, stories['A']?.failedAttempts, stories['A']?.receipt?.proof?.reservations], [[], 1, []])
})
