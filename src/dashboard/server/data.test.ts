/** What the page is given, from small logs. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { initialState } from '../../core/initial.ts'
import type { Event, GateResult } from '../../core/types.ts'
import { folded, overviewRow, runData } from './data.ts'

const at = (minute: number): string => `2026-01-09T12:0${minute}:00.000Z`
const named = { id: 'thing', feature: 'thing', isArchived: false }
const gate = (name: string, passed: boolean, output: string): GateResult => ({
  name,
  command: name,
  passed,
  exitCode: passed ? 0 : 1,
  ended: 'exited',
  durationMs: 7,
  output,
  outputHash: '',
})
const story = { title: 'A', priority: 1, passes: false, dependsOn: [], skip: false, exitSignal: false, gates: {} }
const repo = { head: 'c0', tree: 't0', dirt: '' }
const usage = { inputTokens: 10, outputTokens: 2, costUsd: 0.5 }
const started = {
  kind: 'run.started',
  log: 1,
  feature: 'thing',
  plan: { file: 'prd.json', branch: '', stories: [{ id: 'S-1', ...story }], marks: 'file' },
  policy: initialState.policy,
  repo,
  dirty: [],
  pid: 1,
}
const reading = { status: 'unknown', exitSignal: false, confidence: 0, workType: '', tests: '', evidence: [], signals: [] }
const ended = {
  kind: 'iteration.ended',
  iteration: 1,
  exit: 'ok',
  exitCode: 0,
  reading,
  signals: [],
  repo,
  commits: ['c1'],
  trees: ['t1'],
  files: ['a.txt'],
  uncommitted: [],
  flips: ['S-1'],
  repairs: [],
  usage,
  durationMs: 1000,
  outputChars: 12,
  summary: 'It is there.',
}
const begun = { kind: 'iteration.started', iteration: 1, call: 1, story: 'S-1', attempt: 1, mode: 'implement', because: '' }
const judged = {
  kind: 'iteration.judged',
  iteration: 1,
  verdict: 'failed',
  progress: 'made',
  passed: [],
  proven: false,
  refused: ['S-1'],
  failedGates: ['tests'],
  claim: 'none',
  openStories: ['S-1'],
  because: 'S-1 flipped, but tests failed',
}
const events = [
  started,
  { ...begun, code: '', shift: '', shifts: 0 },
  ended,
  { kind: 'gates.started', iteration: 1, gates: [], because: '' },
  { kind: 'gates.ended', iteration: 1, results: [gate('lint', true, 'fine'), gate('tests', false, 'one is red')] },
  judged,
  { kind: 'iteration.settled', iteration: 1, repo, commits: ['c1', 'c2'] },
].map((event, minute) => ({ at: at(minute), run: 'r-1', ...event }) as Event)

test('an iteration has what it did, its gates with what a red one printed, its verdict and every commit once', () => {
  assert.deepEqual(folded(events).iterations, [
    {
      iteration: 1,
      run: 'r-1',
      story: 'S-1',
      attempt: 1,
      mode: 'implement',
      startedAt: at(1),
      endedAt: at(2),
      verdict: 'failed',
      progress: 'made',
      because: 'S-1 flipped, but tests failed',
      ms: 1000,
      inputTokens: 10,
      outputTokens: 2,
      costUsd: 0.5,
      outputChars: 12,
      failedGates: ['tests'],
      summary: 'It is there.',
      commits: ['c1', 'c2'],
      files: ['a.txt'],
      passed: [],
      refused: ['S-1'],
      gates: [
        { name: 'lint', passed: true, isSoft: false, ms: 7, output: '' },
        { name: 'tests', passed: false, isSoft: false, ms: 7, output: 'one is red' },
      ],
    },
  ])
})

test('a run that has not ended is running while it is live, and killed when it is not', () => {
  const own = folded(events)
  const state = (isLive: boolean) => overviewRow(named, isLive, own, [own.ledger]).status?.state
  assert.deepEqual([state(true), state(false)], ['running', 'killed'])
})

test('a feature that has never run is idle and costs nothing', () => {
  const own = folded([])
  const { status, costUsd, iterations, receipts, questions, blocked } = runData({ id: 'p', name: 'p' }, named, false, own, [])
  assert.deepEqual(
    { state: status.state, feature: status.feature, costUsd, iterations, receipts, questions, blocked },
    { state: 'idle', feature: 'thing', costUsd: 0, iterations: [], receipts: [], questions: [], blocked: null },
  )
})
