import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { parse } from 'yaml'
import { after, aPlan, aPolicy, aResult, aStory, committed, runStarted } from '../../../sim/builders.ts'
import { play } from '../../../sim/play.ts'
import { noStory } from '../../core/evolve/initial.ts'
import type { State } from '../../core/state.ts'
import type { Ended, GateResult } from '../../core/types.ts'
import { isStateOf, stateMarkdown } from './state-md.ts'

/** A story whose last attempt a gate refused, with these words in it. */
function refused(id: string, gate: string, output: string, files: string[]): State {
  const result = { ...aResult(gate, false), output }
  const state = after([runStarted(aPlan([aStory(id)]), aPolicy({ maxAttempts: 5 }))])
  const refusal = {
    iteration: 3,
    because: 'refused',
    hash: 'a3f2b7c1',
    gates: [result],
    summary: '',
    files,
    wasShift: false,
    attempt: 1,
  }
  const story = { ...noStory, attempts: 1, failedAttempts: 1, lastRefused: true, refusals: [refusal], errors: { a3f2b7c1: 1 } }
  return { ...state, stories: { [id]: story } }
}

const header = (text: string): Record<string, unknown> => parse(text.split('\n---\n')[0]!.replace(/^---\n/, ''))

test('state.md has the failure word for word, and a header that programs can read [R-GATE-3]', () => {
  const state = refused('S-1', 'tests', 'FAIL a.test.ts\n  expected 1', ['src/a.ts'])
  const text = stateMarkdown(state, 'S-1')!
  assert.match(text, /## Test Output \(verbatim\)\n```\nFAIL a\.test\.ts\n {2}expected 1\n```/)
  assert.deepEqual(header(text), {
    task_id: 'S-1',
    iteration: 1,
    max_iterations: 5,
    last_gate: 'tests',
    exit_code: 1,
    error_hash: 'a3f2b7c1',
    timestamp: '2026-01-05T08:00:00.000Z',
    stuck_count: 1,
    strategy_shifts: 0,
    files_modified: ['src/a.ts'],
  })
})

test('whatever a story, a gate or a file is called, the header says exactly that', () => {
  const name = fc.string({ minLength: 1, maxLength: 30, unit: 'grapheme' })
  fc.assert(
    fc.property(name, name, fc.string({ maxLength: 200 }), fc.array(name, { maxLength: 5 }), (id, gate, output, files) => {
      const text = stateMarkdown(refused(id, gate, output, files), id)!
      const { task_id, last_gate, files_modified } = header(text)
      assert.deepEqual([isStateOf(text, id), isStateOf(text, `${id}2`)], [true, false])
      assert.deepEqual([task_id, last_gate, files_modified ?? []], [id, gate, files])
    }),
    { numRuns: 300 },
  )
})

test('a story that passed, or has no failure, has no state.md', () => {
  const state = refused('S-1', 'tests', '', [])
  const receipt = { iteration: 4, proven: true, commits: [], tree: '', gates: [], agent: '', costUsd: null, given: false }
  assert.equal(stateMarkdown({ ...state, stories: {} }, 'S-1'), null)
  assert.equal(stateMarkdown({ ...state, stories: { 'S-1': { ...state.stories['S-1']!, receipt } } }, 'S-1'), null)
})

test('the iteration of state.md is the story’s own beside its limit, not that of the feature, in header and table [R-STATE-1]', () => {
  const { state } = play({
    plan: aPlan([aStory('A'), aStory('B', { priority: 2 })]),
    policy: { gates: [{ name: 'tests', command: 'x' }], maxIterations: 4 },
    agent: ({ iteration, story }) =>
      committed(iteration, `t${iteration}`, { flips: story === 'A' && iteration < 3 ? [] : [story!] }),
    gate: (_, iteration) => iteration !== 4,
  })
  const text = stateMarkdown(state, 'B')!
  const { iteration, max_iterations } = header(text)
  assert.deepEqual([iteration, max_iterations], [1, 5])
  assert.match(text, /\n\| 1 \| tests \|/)
})

test('red gates without a flip are in state.md from the first, and count up beside the limit [R-STATE-1]', () => {
  const after = (iterations: number): unknown[] => {
    const { state } = play({
      plan: aPlan([aStory('A')]),
      policy: { gates: [{ name: 'tests', command: 'x' }], maxIterations: iterations },
      agent: ({ iteration }) => committed(iteration, `t${iteration}`),
      gate: (_, iteration) => iteration === 'whole',
    })
    const { iteration, max_iterations, stuck_count, strategy_shifts } = header(stateMarkdown(state, 'A')!)
    return [iteration, max_iterations, stuck_count, strategy_shifts]
  }
  assert.deepEqual([1, 2, 3, 4, 5].map(after), [
    [1, 5, 1, 0],
    [2, 5, 2, 0],
    [3, 5, 3, 0],
    [4, 5, 4, 1],
    [5, 5, 5, 2],
  ])
})

test('an exit code is always a number: 124 for a time limit, 1 for a reviewer and for circles [R-STATE-1]', () => {
  const codeOf = (exit: Ended['exit'], gates: GateResult[]): unknown => {
    const state = refused('S-1', 'tests', '', [])
    const story = state.stories['S-1']!
    const cut = exit === 'timeout' || exit === 'circling' ? { cut: exit } : {}
    const refusals = [{ ...story.refusals[0]!, gates, ...cut }]
    return header(stateMarkdown({ ...state, stories: { 'S-1': { ...story, refusals } } }, 'S-1')!)['exit_code']
  }
  const noCode = { exitCode: null }
  assert.deepEqual(
    [
      codeOf('timeout', []),
      codeOf('circling', []),
      codeOf('ok', [aResult('tests', false, { ...noCode, ended: 'timeout' })]),
      codeOf('ok', [aResult('spec', false, { ...noCode, command: 'review by claude' })]),
      codeOf('ok', [aResult('tests', false, { exitCode: 7 })]),
    ],
    [124, 1, 124, 1, 7],
  )
})
