/** What the page is given, from small logs. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { initialState } from '../../core/evolve/initial.ts'
import type { Event, GateResult, Plan } from '../../core/types.ts'
import { outlooksFrom } from '../../views/report/costs.ts'
import { accountFold, accountStatus, runData, withPlan } from './shapes.ts'
import { entryOf, outlineOf, pageOf, timelineFold } from './timeline.ts'

const at = (minute: number): string => `2026-01-09T12:0${minute}:00.000Z`
const named = { id: 'thing', feature: 'thing', isArchived: false, isLive: false }
const gate = (name: string, passed: boolean, output: string): GateResult => ({
  name,
  kind: 'command',
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
  because: 'Agent marked S-1 done, but tests failed',
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

function foldedBy<T>({ add, value }: { add(event: Event): void; value(): T }, all: Event[]): T {
  for (const event of all) add(event)
  return value()
}

test('an iteration has what it did, its gates with what a red one printed, its verdict and every commit once', () => {
  assert.deepEqual(entryOf(foldedBy(timelineFold(), events), 1), {
    iteration: 1,
    run: 'r-1',
    story: 'S-1',
    attempt: 1,
    mode: 'implement',
    startedAt: at(1),
    endedAt: at(2),
    verdict: 'failed',
    progress: 'made',
    because: 'Agent marked S-1 done, but tests failed',
    ms: 1000,
    inputTokens: 10,
    outputTokens: 2,
    costUsd: 0.5,
    outputChars: 12,
    failedGates: ['tests'],
    shift: '',
    reading: { status: 'unknown', exitSignal: false, confidence: 0, workType: '', tests: '', evidence: [] },
    summary: 'It is there.',
    commits: ['c1', 'c2'],
    files: ['a.txt'],
    passed: [],
    refused: ['S-1'],
    gates: [
      { name: 'lint', passed: true, isSoft: false, ms: 7, output: '' },
      { name: 'tests', passed: false, isSoft: false, ms: 7, output: 'one is red' },
    ],
  })
})

test('of an iteration that is not back the page has its number and what it does, and draws nothing', () => {
  const timeline = foldedBy(timelineFold(), [...events, { ...events[1]!, iteration: 2 } as Event])
  assert.deepEqual(outlineOf(timeline), {
    iterations: [1, 2],
    took: { iteration: [1], costUsd: [0.5], tokens: [12], ms: [1000], outputChars: [12] },
    breaker: [],
  })
  assert.deepEqual(pageOf(timeline, 0), [
    { iteration: 1, story: 'S-1', mode: 'implement', verdict: 'failed', endedAt: at(2), because: judged.because },
    { iteration: 2, story: 'S-1', mode: 'implement', verdict: null, endedAt: null, because: '' },
  ])
  assert.deepEqual([pageOf(timeline, 1), entryOf(timeline, 3)], [[], null])
})

test('a feature that has never run is idle, costs nothing and has the stories of its plan', () => {
  const own = withPlan(foldedBy(accountFold(), []), started.plan as Plan)
  const status = accountStatus(own, named)
  const data = runData(
    { ...named, project: { id: 'p', name: 'p' } },
    status,
    { own, outlookFor: outlooksFrom([]) },
    outlineOf(foldedBy(timelineFold(), [])),
  )
  const { cost, forecast, iterations, receipts, questions, blocked } = data
  assert.deepEqual(
    { state: status.state, feature: status.feature, stories: status.stories },
    {
      state: 'idle',
      feature: 'thing',
      stories: {
        complete: 0,
        total: 1,
        unproven: 0,
        reserved: 0,
        list: [{ id: 'S-1', title: 'A', state: 'open', attempts: 0, proven: false, proof: null }],
      },
    },
  )
  assert.deepEqual(
    { cost, forecast, iterations, receipts, questions, blocked },
    {
      cost: { costUsd: 0, unpriced: 0 },
      forecast: { kind: 'too-little', open: 1, finished: 0, needed: 5 },
      iterations: [],
      receipts: [],
      questions: [],
      blocked: null,
    },
  )
})
