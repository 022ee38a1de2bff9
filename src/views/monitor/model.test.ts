import assert from 'node:assert/strict'
import { test } from 'node:test'
import { after, aPlan, aPolicy, aStory, runStarted, startOfTime } from '../../../sim/builders.ts'
import { breakerThreshold } from '../../core/decide/breaker.ts'
import type { State } from '../../core/state.ts'
import { later } from '../../core/text/time.ts'
import { ruleNames } from '../../core/words.ts'
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
  assert.match(now({ tool: 'Bash npm test', file: 'src/login.ts' })!, /· Bash npm test · file src\/login\.ts$/)
  assert.match(now({ tool: 'Bash npm test', file: '' })!, /· Bash npm test$/)
})

test('a live run is told whole: where it is, what it uses, what would end it, what it does [R-MON-1]', () => {
  const state = begun(aPolicy({ budget: { costUsd: 10, tokens: null, durationMs: 100_000 } }))
  const counters = ruleNames.map((rule) => `${rule} 0/${breakerThreshold(rule, state.policy)}`)
  assert.deepEqual(
    shown({ ...state, totals: { ...state.totals, costUsd: 2.5 } }, { log: [{ tone: 'plain', text: 'I look.' }] }),
    [
      `${state.feature} · running · iteration 1 (0 of 20 used) · 1m 30s · run ${state.run}`,
      'Now       B, attempt 1, 1m 30s · Edit src/login.ts',
      'Calls     ██████████░░░░░░░░░░ 50 of 100 this hour',
      'Budget    █████░░░░░░░░░░░░░░░ $2.50 of $10.00',
      'Budget    ██████████████████░░ 1m 30s of 1m 40s',
      `Breaker   CLOSED: ${counters.slice(0, 3).join(', ')}`,
      `          ${counters.slice(3).join(', ')}`,
      'Exit      done signals 0/2 · testing only 0/3 · claims none',
      'Forecast  not enough history yet (0 of 5 stories)',
      'Stories   1 of 2 done (1 unproven)',
      '✓ A passes, unproven  Story A',
      '▸ B working  Story B',
      '- C skipped  Story C',
      'Log',
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
      'waiting for rate, 1m 0s left',
      'ended: stuck',
    ],
  )
})

test('the time of a run that is over stands still, whatever is said after it', () => {
  const over = { ...begun(), outcome: { outcome: 'complete' as const, because: '' }, at: now }
  const time = (endedAt: string | null): string => shown(over, { endedAt })[0]!.split(' · ')[3]!
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

test('the tone of a bar says how near the limit is, and none is drawn where there is no limit', () => {
  const calls = (thisHour: number, limit: number) =>
    monitorModel(statusIn(begun()), extras(begun(), { calls: { thisHour, limit } }), now).bars[0]
  assert.deepEqual(
    [calls(79, 100), calls(80, 100), calls(120, 100), calls(7, 0)],
    [
      { tone: 'plain', text: 'Calls     ████████████████░░░░ 79 of 100 this hour' },
      { tone: 'warn', text: 'Calls     ████████████████░░░░ 80 of 100 this hour' },
      { tone: 'bad', text: 'Calls     ████████████████████ 120 of 100 this hour' },
      { tone: 'plain', text: 'Calls     7 this hour, no limit' },
    ],
  )
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
    shown(begun(), {}, { forecast: { ...outlook, costUsd } }).find((text) => text.startsWith('Forecast'))!
  assert.deepEqual(
    [forecast({ p50: 1, p90: 2.5 }), forecast(null)],
    [
      'Forecast  2 stories left: 3 to 5 iterations, 1m 0s to 2m 0s, $1.00 to $2.50',
      'Forecast  2 stories left: 3 to 5 iterations, 1m 0s to 2m 0s, cost unknown',
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
  const lines = shown(state, { tool: `Bash ${evil}`, log: [{ tone: 'plain', text: evil }] })
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
