/** What the page is given, from small logs. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { initialState } from '../../core/evolve/initial.ts'
import type { Event, GateResult, Plan } from '../../core/types.ts'
import { outlooksFrom } from '../../views/report/costs.ts'
import { accountFold, accountStatus, runData, spentSince, withPlan } from './account.ts'
import { needOf } from './needs.ts'
import { burnOf, entryOf, lanesOf, outlineOf, rowsOf, timelineFold } from './timeline.ts'

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
  findings: [{ rule: 'gate-changed', words: 'changed test.sh, which gate tests runs' }],
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

const ran = { kind: 'command', isSoft: false, isAfterMerge: false, ms: 7, census: null, isFlaky: false } as const

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
    tests: null,
    agents: [''],
    worker: null,
    shift: '',
    reading: { status: 'unknown', exitSignal: false, confidence: 0, workType: '', tests: '', evidence: [] },
    summary: 'It is there.',
    findings: ['weakened check: changed test.sh, which gate tests runs'],
    commits: ['c1', 'c2'],
    files: ['a.txt'],
    passed: [],
    refused: ['S-1'],
    gates: [
      { ...ran, name: 'lint', passed: true, lines: [], output: '' },
      { ...ran, name: 'tests', passed: false, lines: ['one is red'], output: 'one is red' },
    ],
  })
})

test('of an iteration that is not back the page has what it does, beside those of its story and on its lane', () => {
  const timeline = foldedBy(timelineFold(), [...events, { ...events[1]!, iteration: 2 } as Event])
  assert.deepEqual(outlineOf(timeline), { iterations: 2, others: 0 })
  const row = { story: 'S-1', attempt: 1, mode: 'implement', startedAt: at(1) }
  assert.deepEqual(rowsOf(timeline, 'S-1'), [
    { ...row, iteration: 1, verdict: 'failed', endedAt: at(2), because: judged.because, ms: 1000, costUsd: 0.5 },
    { ...row, iteration: 2, verdict: null, endedAt: null, because: '', ms: 0, costUsd: null },
  ])
  const bar = { story: 'S-1', lane: 0, start: at(1) }
  const gates = { kind: 'gates', start: at(3), end: at(4), passed: false } as const
  assert.deepEqual(lanesOf(timeline), [
    { ...bar, iteration: 1, agentEnd: at(2), end: at(6), verdict: 'failed', checks: [gates] },
    { ...bar, iteration: 2, agentEnd: null, end: null, verdict: null, checks: [] },
  ])
  assert.deepEqual([rowsOf(timeline, null), entryOf(timeline, 3)], [[], null])
})

test('a burn-down starts with what was open before the first iteration, and ends with what is open now', () => {
  const timeline = foldedBy(timelineFold(), [
    ...events,
    { ...events[1]!, iteration: 2 } as Event,
    { ...events[2]!, iteration: 2 } as Event,
    { ...events[5]!, iteration: 2, verdict: 'done', passed: ['S-1'], refused: [] } as Event,
  ])
  assert.deepEqual(burnOf(timeline, 3), { iteration: [0, 1, 2], open: [4, 4, 3] })
})

test('what was spent since an instant is counted by the ends of calls, and unknown costs are counted apart', () => {
  const account = foldedBy(accountFold(), events)
  const { ledger } = account
  const unknown = { ...account, ledger: { ...ledger, calls: ledger.calls.map((call) => ({ ...call, costUsd: null })) } }
  assert.deepEqual(spentSince([account, account, unknown], at(5)), { costUsd: 1, unpriced: 1 })
  assert.deepEqual(spentSince([account], at(6)), { costUsd: 0, unpriced: 0 })
})

test('a person is needed for a question, for what blocks, for every bad end and after a kill, and not after a stop', () => {
  const none = { because: '', failure: null, questions: [] }
  const ended = { ...none, state: 'ended' } as const
  const failure = { iteration: 3, story: 'S-2', what: 'gate tests failed in 2s (exit 1)', lines: ['  expected 1', 'got 2'] }
  const asked = { story: 'S-1', question: 'Tabs?', iteration: 1 }
  const needs = [
    needOf({ ...none, state: 'running', outcome: null, questions: [asked, asked] }, null),
    needOf({ ...ended, outcome: 'question' }, null),
    needOf({ ...ended, outcome: 'blocked' }, { reason: 'no key' }),
    needOf({ ...ended, outcome: 'blocked' }, null),
    needOf({ ...ended, outcome: 'blocked', because: 'no key' }, undefined),
    needOf({ ...ended, outcome: 'stories-failed', failure }, null),
    needOf({ ...ended, outcome: 'budget', because: 'budget spent' }, null),
    needOf({ ...none, state: 'killed', outcome: null }, null),
    needOf({ ...ended, outcome: 'complete', failure }, null),
    needOf({ ...ended, outcome: 'interrupted' }, null),
    needOf({ ...none, state: 'running', outcome: null }, null),
  ]
  assert.deepEqual(
    needs.map((need) => need && [need.kind, need.words]),
    [
      ['question', 'Tabs? (and 1 more)'],
      ['ready', 'Answered. Start a run to continue.'],
      ['blocked', 'no key'],
      ['ready', 'Answered. Start a run to continue.'],
      ['blocked', 'no key'],
      ['failed', 'S-2: gate tests failed in 2s (exit 1) – expected 1'],
      ['limit', 'budget spent'],
      ['killed', 'The run stopped without an end: its process is gone.'],
      null,
      null,
      null,
    ],
  )
})

test('a feature that has never run is idle, costs nothing and has the stories of its plan', () => {
  const own = withPlan(foldedBy(accountFold(), []), started.plan as Plan)
  const status = accountStatus(own, named)
  const outline = outlineOf(foldedBy(timelineFold(), []))
  const more = { outlookFor: outlooksFrom([]), toolOf: () => '', label: '.ralph/thing', ...outline }
  const data = runData({ ...named, project: { id: 'p', name: 'p' } }, status, own, more)
  const { cost, forecast, iterations, need, first, stories, questions, blocked } = data
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
    { cost, forecast, iterations, need, first, stories, questions, blocked },
    {
      cost: { costUsd: 0, unpriced: 0 },
      forecast: { kind: 'too-little', open: 1, finished: 0, needed: 5 },
      iterations: 0,
      need: null,
      first: { story: 'S-1', iteration: 0 },
      stories: [{ id: 'S-1', title: 'A', state: 'open', attempts: 0, proven: false, proof: null, costUsd: 0, ms: 0 }],
      questions: [],
      blocked: null,
    },
  )
})
