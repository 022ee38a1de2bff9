import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { after, aPlan, aPolicy, aStory, runStarted, startOfTime } from '../../../sim/builders.ts'
import { newFolder } from '../../../test/support/repository.ts'
import type { Settings } from '../../config/table.ts'
import { noBudget } from '../../core/decide/budget.ts'
import { initialState } from '../../core/evolve/initial.ts'
import { type Entry, emptyTranscript } from '../../core/reading/transcript.ts'
import type { Policy, Report, Usage } from '../../core/types.ts'
import { watchCall } from './watch-call.ts'

type Changes = {
  settings?: Partial<Settings>
  budget?: Partial<Policy['budget']>
  usedBefore?: number
  windows?: [string, number][]
  contextWindow?: number
}

const worldWith = (settings: Partial<Settings>, state = initialState): Parameters<typeof watchCall>[0] =>
  ({
    settings: {
      'watch.repeat_threshold': 5,
      'watch.idle_minutes': 0,
      'watch.context_percent': 90,
      'budget.day_usd': null,
      'budget.month_usd': null,
      prices: {},
      model: '',
      ...settings,
    },
    calls: new Map(),
    home: newFolder(),
    state: () => state,
    now: () => startOfTime,
  }) as unknown as Parameters<typeof watchCall>[0]

/** A call under watch, what it is told, and what comes of it. */
function watched({ settings = {}, budget = {}, usedBefore = 0, windows = [], contextWindow }: Changes = {}) {
  const outer = new AbortController()
  const reports: Report[] = []
  const begun = after([runStarted(aPlan([aStory('A')]), aPolicy({ budget: { ...noBudget, ...budget } }))])
  const state = { ...begun, totals: { ...begun.totals, inputTokens: usedBefore } }
  const watching = watchCall(
    { ...worldWith(settings, state), windows: new Map(windows) },
    {
      iteration: 1,
      agent: { name: 'mine', ...(contextWindow === undefined ? {} : { contextWindow }) },
      model: '',
    },
    {
      state,
      report: (report) => reports.push(report),
      stop: outer.signal,
    },
  )
  const tell = (...entries: Entry[]): void => {
    for (const entry of entries) watching.entry(entry, { ...emptyTranscript(), model: 'm' })
  }
  return { watching, outer, reports, tell }
}

const used = (inputTokens: number, more: Partial<Usage> = {}, contextTokens?: number): Entry => ({
  kind: 'usage',
  usage: { inputTokens, outputTokens: 0, costUsd: null, ...more },
  ...(contextTokens === undefined ? {} : { contextTokens }),
})
const failing: Entry[] = [
  { kind: 'tool', name: 'Bash', target: 'npm test', isSub: false },
  { kind: 'tool-result', failed: true, text: '1 failed' },
]
/** Counts are looked at when all that came together has been read. */
const allRead = (): Promise<void> => Promise.resolve()

test('a circle ends the call, with its reason; before it nothing does [R-LIM-6]', () => {
  const { watching, tell } = watched({ settings: { 'watch.repeat_threshold': 2 } })
  tell(...failing)
  assert.deepEqual([watching.stop.aborted, watching.ended()], [false, null])
  tell(...failing)
  assert.deepEqual(
    [watching.stop.aborted, watching.ended()],
    [true, { exit: 'circling', because: 'the same tool call failed the same way 2 times: Bash npm test' }],
  )
  watching.close()
})

test('tokens that cross the budget end the call, counted on top of what the run has used [R-LIM-5]', async () => {
  const { watching, tell } = watched({ budget: { tokens: 1000 }, usedBefore: 400 })
  tell(used(599))
  await allRead()
  assert.equal(watching.ended(), null)
  tell(used(600))
  await allRead()
  assert.deepEqual(watching.ended(), { exit: 'over-budget', because: '1000 of 1000 tokens' })
  watching.close()
})

test('an agent that has told its end is not ended: neither for its last count nor for anything after [R-LIM-5]', async () => {
  const { watching, tell } = watched({ budget: { costUsd: 1 } })
  tell(used(10, { costUsd: 5 }), { kind: 'end', isError: false })
  await allRead()
  tell(...Array.from({ length: 9 }, () => failing).flat())
  assert.deepEqual([watching.stop.aborted, watching.ended()], [false, null])
  watching.close()
})

test('prices make a cost of tokens while the call runs [R-LIM-5]', async () => {
  const { watching, tell } = watched({ budget: { costUsd: 0.1 }, settings: { prices: { m: { input: 1, output: 2 } } } })
  tell(used(100_000))
  await allRead()
  assert.deepEqual(watching.ended(), { exit: 'over-budget', because: '$0.10 of $0.10' })
  watching.close()
})

test('silence ends the call, and so does time that is up [R-LIM-5] [R-LIM-6]', async () => {
  const silent = watched({ settings: { 'watch.idle_minutes': 0.02 / 60 } }) // 20 ms
  await once(silent.watching.stop, 'abort')
  assert.deepEqual(silent.watching.ended(), { exit: 'circling', because: 'no output for 0.0s' })
  silent.watching.close()
  const late = watched({ budget: { durationMs: 20 } })
  await once(late.watching.stop, 'abort')
  assert.equal(late.watching.ended()?.exit, 'over-budget')
  late.watching.close()
})

test('a stop from outside is passed on, and is no reason of the watch', () => {
  const { watching, outer, tell } = watched({ settings: { 'watch.repeat_threshold': 1 } })
  outer.abort()
  tell(...failing)
  assert.deepEqual([watching.stop.aborted, watching.ended()], [true, null])
  watching.close()
})

test('a context window that is nearly full is told once; one of unknown size never [R-LIM-6]', () => {
  const near = { kind: 'noticed', what: 'context-near', detail: 'the context window is 90 % full', tell: false }
  const known = watched({ windows: [['m', 1000]] })
  known.tell(used(1, {}, 899), used(2, {}, 900), used(3, {}, 950))
  assert.deepEqual(known.reports, [near])
  const unknown = watched({ windows: [['other', 1000]] })
  unknown.tell(used(1, {}, 1e9))
  assert.deepEqual(unknown.reports, [])
  // The model says its size only in its result.
  const late = watched()
  late.tell(used(1, {}, 900), { ...used(1), contextWindow: 1000 } as Entry)
  assert.deepEqual(late.reports, [near])
  const assumed = watched({ contextWindow: 1000 })
  assumed.tell(used(1, {}, 900))
  assert.deepEqual(assumed.reports, [near])
  const larger = watched({ contextWindow: 1000 })
  larger.tell(used(1, {}, 1500))
  assert.deepEqual(larger.reports, [], 'it takes more than was assumed')
  for (const { watching } of [known, unknown, late, assumed, larger]) watching.close()
})
