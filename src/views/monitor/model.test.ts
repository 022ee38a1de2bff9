import assert from 'node:assert/strict'
import { test } from 'node:test'
import { after, aPlan, aPolicy, aStory, runStarted, startOfTime } from '../../../sim/builders.ts'
import type { State } from '../../core/state.ts'
import { later } from '../../core/text/time.ts'
import { localTime, sayLocal } from '../local-time.ts'
import { emptyAccount, type StatusFile, statusFile } from '../status/account.ts'
import { type Extras, monitorModel, snapshotLines } from './model.ts'

const now = later(startOfTime, 90_000)
const plan = aPlan([aStory('A', { passes: true }), aStory('B'), aStory('C', { skip: true })])
const begun = (policy = aPolicy()): State =>
  after([
    runStarted(plan, policy),
    {
      kind: 'iteration.started',
      iteration: 1,
      call: 1,
      story: 'B',
      attempt: 1,
      mode: 'implement',
      code: 'bcdf',
      shift: '',
      shifts: 0,
      because: '',
    },
  ])
const extras = (state: State, more: Partial<Extras> = {}): Extras => ({
  state,
  endedAt: null,
  calls: { thisHour: 50, limit: 100 },
  took: { A: { ms: 41_000, costUsd: 0.2 } },
  panes: [pane()],
  opened: null,
  ...more,
})
const pane = (more: Partial<Extras['panes'][number]> = {}): Extras['panes'][number] => ({
  iteration: 1,
  tool: 'Edit src/login.ts',
  file: 'src/login.ts',
  log: [],
  ...more,
})
const statusIn = (state: State, more: Partial<StatusFile> = {}): StatusFile => ({
  ...statusFile({ state, account: emptyAccount() }, 'iteration.started', [], 100),
  ...more,
})
const shown = (state: State, more: Partial<Extras> = {}, status: Partial<StatusFile> = {}): string[] =>
  snapshotLines(monitorModel(statusIn(state, status), extras(state, more), now))

test('the file that was last worked on is told beside a tool that names none', () => {
  const state = begun(aPolicy())
  const now = (more: Partial<Extras>): string | undefined => shown(state, more).find((text) => text.startsWith('Now'))
  assert.match(now({ panes: [pane({ tool: 'Bash npm test' })] })!, /· Bash npm test · file src\/login\.ts$/)
  assert.match(now({ panes: [pane({ tool: 'Bash npm test', file: '' })] })!, /· Bash npm test$/)
})

test('a live run is told whole: where it is, what it uses, what would end it, what it does [R-MON-1]', () => {
  const state = begun(aPolicy({ budget: { costUsd: 10, tokens: null, durationMs: 100_000 } }))
  assert.deepEqual(
    shown(
      { ...state, totals: { ...state.totals, costUsd: 2.5 } },
      { panes: [pane({ log: [{ tone: 'plain', text: 'I look.' }] })] },
    ),
    [
      `${state.feature} · running · iteration 1 (0 of 20 used) · run ${state.run}`,
      '████████░░░░░░░░ 1/2 stories (1 unproven) · 1m 30s of 1m 40s · $2.50 of $10.00 · 50/100 calls this hour',
      'Now       B, attempt 1, 1m 30s · Edit src/login.ts',
      'Estimate  not enough history yet (0 of 5 stories)',
      'Breaker   CLOSED',
      '✓ A  Story A (unproven)  (41s, $0.20)',
      '▸ B  Story B  (1m 30s)',
      '- C  Story C (skipped)',
      'Log of iteration 1',
      'I look.',
    ],
  )
})

test('what was asked of a run is told before it has happened', () => {
  const head = (state: State): string => shown(state)[0]!.split(' · ')[1]!
  const state = begun()
  assert.deepEqual(
    [
      { ...state, pause: 'requested' as const },
      { ...state, pause: 'paused' as const },
      { ...state, stop: { by: 'user' as const, now: false } },
      { ...state, waiting: { until: later(now, 60_000), for: 'rate' as const } },
      { ...state, outcome: { outcome: 'stuck' as const, because: 'three idle iterations' } },
    ].map(head),
    [
      'running, pauses after this iteration',
      'paused',
      'running, stops after this iteration',
      `waiting until ${localTime(later(now, 60_000), now)} (hourly call limit)`,
      `ended: stuck, ${sayLocal(state.at, now)}`,
    ],
  )
})

test('the time of a run that is over stands still, whatever is said after it', () => {
  const over = { ...begun(), outcome: { outcome: 'complete' as const, because: '' }, at: now }
  const time = (endedAt: string | null): string => shown(over, { endedAt })[1]!.split(' · ')[1]!
  assert.deepEqual([time(later(startOfTime, 30_000)), time(null)], ['30s', '1m 30s'])
})

test('a pause that is asked for can be taken back, and one of a run that is over cannot', () => {
  const pausing = { ...begun(), pause: 'requested' as const }
  const over = { ...pausing, outcome: { outcome: 'complete' as const, because: '' } }
  const facts = [begun(), pausing, over].map((state) => monitorModel(statusIn(state), extras(state), now))
  assert.deepEqual(
    facts.map(({ isLive, isPausing }) => [isLive, isPausing]),
    [
      [true, false],
      [true, true],
      [false, false],
    ],
  )
})

test('the tone of the second line says how near a limit is', () => {
  const calls = (thisHour: number, limit: number) => {
    const { tone, text } = monitorModel(statusIn(begun()), extras(begun(), { calls: { thisHour, limit } }), now).head[1]!
    return [tone, text.split(' · ').at(-1)]
  }
  assert.deepEqual(
    [calls(79, 100), calls(80, 100), calls(120, 100), calls(7, 0)],
    [
      ['plain', '79/100 calls this hour'],
      ['warn', '80/100 calls this hour'],
      ['bad', '120/100 calls this hour'],
      ['plain', '7 calls this hour'],
    ],
  )
})

test('breaker and exit signals are one quiet line until something counts', () => {
  const state = begun()
  const counts = { ...state.breaker.counts, 'no-progress': { ...state.breaker.counts['no-progress'], times: 2 } }
  const counting = {
    ...state,
    breaker: { ...state.breaker, counts },
    inARow: { ...state.inARow, done: 1 },
    indicators: { ...state.indicators, claims: [2] },
  }
  const breaker = (of: State) => monitorModel(statusIn(of), extras(of), now).indicators[1]
  assert.deepEqual(
    [breaker(state), breaker(counting)],
    [
      { tone: 'dim', text: 'Breaker   CLOSED' },
      { tone: 'warn', text: 'Breaker   CLOSED: no-progress 2/3 · done signals 1/2 · claimed done in 2' },
    ],
  )
})

test('an opened story has its iterations with local times and ages', () => {
  const state = begun()
  const entry = {
    iteration: 1,
    run: state.run,
    story: 'B',
    attempt: 1,
    mode: 'implement' as const,
    startedAt: startOfTime,
    endedAt: startOfTime,
  }
  const told = { verdict: 'failed' as const, progress: null, because: 'tests failed', ms: 41_000, costUsd: 0.2 }
  const none = { inputTokens: 0, outputTokens: 0, outputChars: 0, failedGates: ['tests'], reading: null, tests: null }
  const opened = { story: 'B', iterations: [{ ...entry, ...told, ...none }], chosen: 1, log: [] }
  const detail = monitorModel(statusIn(state), extras(state, { opened }), now).opened
  assert.deepEqual(detail, {
    title: { tone: 'strong', text: 'B Story B · working' },
    iterations: [
      { iteration: 1, shown: { tone: 'bad', text: `1  failed, ${sayLocal(startOfTime, now)}, 41s, $0.20: tests failed` } },
    ],
    chosen: 1,
    errors: [],
    log: [],
  })
})

test('a forecast has its range, and money only where it is known', () => {
  const outlook = {
    kind: 'told' as const,
    stories: 2,
    from: 6,
    iterations: { p50: 3, p90: 5 },
    ms: { p50: 60_000, p90: 120_000 },
  }
  const forecast = (costUsd: { p50: number; p90: number } | null): string =>
    shown(begun(), {}, { forecast: { ...outlook, costUsd } }).find((text) => text.startsWith('Estimate'))!
  assert.deepEqual(
    [forecast({ p50: 1, p90: 2.5 }), forecast(null)],
    [
      'Estimate  2 stories left: 3 to 5 iterations, 1m 0s to 2m 0s, $1.00 to $2.50',
      'Estimate  2 stories left: 3 to 5 iterations, 1m 0s to 2m 0s, cost unknown',
    ],
  )
})

test('nothing that others wrote moves the cursor or takes more than its line', () => {
  const evil = 'a\u001b[2Jb\u0007\nc'
  const state = {
    ...begun(),
    plan: aPlan([aStory('A', { title: evil })]),
    questions: [{ question: evil, iteration: 1, story: 'A' }],
  }
  const lines = shown(state, { panes: [pane({ tool: `Bash ${evil}`, log: [{ tone: 'plain', text: evil }] })] })
  assert.deepEqual(
    lines.filter((text) => /[\u0000-\u001f]/.test(text)),
    [],
  )
  assert.equal(lines.filter((text) => text.includes('ab c')).length, 4)
})

test('a strategy shift is on the screen while its iteration is at work', () => {
  const state = begun(aPolicy())
  const shifted = {
    ...state,
    flights: state.flights.map((flight) => ({ ...flight, shift: '3 attempts failed with the same error' })),
  }
  assert.ok(shown(shifted).includes('          B strategy shift: 3 attempts failed with the same error'))
})
