/** Every view says the same of calls and their cost: over simulated runs with faults and kills, with a learner's calls strewn in. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { aLesson, aRepo, aSkill } from '../../sim/builders.ts'
import { journeyOf } from '../../sim/world.ts'
import { evolve } from '../core/evolve/evolve.ts'
import { initialState } from '../core/evolve/initial.ts'
import type { State } from '../core/state.ts'
import type { Decision, Event, Report, Role, Usage } from '../core/types.ts'
import { accountFold, overviewRow } from '../dashboard/data/account.ts'
import { ledgerOf } from './figures/ledger.ts'
import { emptyCsv, withRows } from './files/csv.ts'
import { costsOf } from './report/costs.ts'
import { reportData } from './report/data.ts'
import { historyOf } from './report/history.ts'
import { summaryLines } from './screen/summary.ts'
import { chargeCalls, emptyAccount, statusFile } from './status/account.ts'
import { costValue, plural, statusOf } from './status/status.ts'

type Sum = { calls: number; unpriced: number; usd: number }
type Sums = Record<Role, Sum>

const none = (): Sums => ({
  implementer: { calls: 0, unpriced: 0, usd: 0 },
  reviewer: { calls: 0, unpriced: 0, usd: 0 },
  learner: { calls: 0, unpriced: 0, usd: 0 },
})

const roleOf: Partial<Record<Event['kind'], Role>> = {
  'iteration.started': 'implementer',
  'review.started': 'reviewer',
  'learning.started': 'learner',
  'skill.started': 'learner',
  'iteration.ended': 'implementer',
  'review.ended': 'reviewer',
  'learning.ended': 'learner',
  'skill.ended': 'learner',
}

/** Iterations in which gates and reviewers look at what a person says is done: no agent is called. */
const checksIn = (events: Event[]): Set<number> =>
  new Set(events.flatMap((event) => (event.kind === 'iteration.started' && event.mode === 'check' ? [event.iteration] : [])))

/** By plain counting: what was started is a call; what did not say its price has none. */
function count(sums: Sums, event: Event, checks: Set<number>): void {
  const role = roleOf[event.kind]
  if (role === undefined) return
  if ((event.kind === 'iteration.started' || event.kind === 'iteration.ended') && checks.has(event.iteration)) return
  if (event.kind.endsWith('.started')) {
    sums[role].calls += 1
    sums[role].unpriced += 1
    return
  }
  const { usage, isRetired } = event as unknown as { usage: Usage; isRetired?: true }
  if (usage.costUsd === null || isRetired) return
  sums[role].unpriced -= 1
  sums[role].usd += usage.costUsd
}

const priced = (costUsd: number | null): Usage => ({ inputTokens: 10, outputTokens: 1, costUsd })
const started = { call: 0, agent: 'claude', because: '' } as const
const skill = { repo: aRepo('t'), category: 'build' } as const

/** What a learner may bring, with the call that it took, and a skill that is retired without one. */
const learnerFacts: (Report | Decision)[][] = [
  [
    { kind: 'learning.started', ...started, story: 'S1', outcome: 'success', iteration: 1 },
    { kind: 'learning.ended', ...aLesson('S1', { usage: priced(0.25) }) },
  ],
  [
    { kind: 'learning.started', ...started, story: 'S1', outcome: 'failure', iteration: 1 },
    { kind: 'learning.ended', ...aLesson('S1', { problem: 'no YAML', usage: priced(null) }) },
  ],
  [
    { kind: 'skill.started', ...started, category: 'build' },
    { kind: 'skill.ended', ...aSkill('build', { agent: '', usage: priced(0.5) }), ...skill },
  ],
  [
    { kind: 'skill.retired', skill: 'build', because: '' },
    { kind: 'skill.ended', ...aSkill('build', { agent: '', isRetired: true, usage: priced(0) }), ...skill },
  ],
]

async function logOf(seed: number, strewn: number[]): Promise<Event[]> {
  const events: Event[] = []
  let next = 0
  await journeyOf(seed, (event) => {
    events.push(event)
    if (event.kind !== 'iteration.settled' || strewn.length === 0) return
    const facts = learnerFacts[strewn[next++ % strewn.length]!]!
    events.push(...facts.map((fact) => ({ at: event.at, run: event.run, ...fact })))
  })
  return events
}

const near = (one: number, other: number): boolean => Math.abs(one - other) < 1e-6
const all = (sums: Sums): Sum[] => Object.values(sums)
const total = (sums: Sums, of: (sum: Sum) => number): number => all(sums).reduce((sum, each) => sum + of(each), 0)
const known = (sums: Sum[]): number | null => {
  const [calls, unpriced, usd] = (['calls', 'unpriced', 'usd'] as const).map((key) =>
    sums.reduce((sum, each) => sum + each[key], 0),
  )
  return calls! > 0 && unpriced === calls ? null : usd!
}
const same = (one: number | null, other: number | null, what: string): void =>
  assert.ok(one === other || (one !== null && other !== null && near(one, other)), `${what}: ${one}, not ${other}`)

/** Added up in another order, a sum may be a hair over or under half a cent. */
const says = (line: string, usd: number | null): boolean =>
  [-1e-9, 0, 1e-9].some((hair) => line.includes(costValue(usd === null ? null : usd + hair)))

/** What the views say of the run that has just ended. */
function ofRun(state: State, sums: Sums): void {
  const paths = { dir: 'd', csv: 'c', log: 'l' }
  const lines = summaryLines(state, paths)
  const calls = total(sums, (sum) => sum.calls)
  const used = (Object.keys(sums) as Role[]).filter((role) => sums[role].calls > 0)
  const words = plural(calls, used.length === 1 ? `${used[0]} call` : 'call')
  const cost = lines.find((line) => line.startsWith('Cost:'))!
  assert.ok(says(cost, known(all(sums))) && cost.includes(` for ${words} (`), `${cost}: ${words}`)
  for (const role of used.length > 1 ? used : []) {
    const line = lines.find((each) => each.trimStart().startsWith(`${role}:`))!
    assert.ok(line.includes(` ${plural(sums[role].calls, 'call')},`), `${line}: ${JSON.stringify(sums)}`)
    assert.ok(says(line, known([sums[role]])), `${line}: ${JSON.stringify(sums)}`)
  }
  const status = statusOf(state, 'run.ended')
  assert.deepEqual([status.calls, status.cost.unpriced], [calls, total(sums, (sum) => sum.unpriced)])
  same(status.cost.usd, known(all(sums)), 'status')
}

/** What the views say of the whole history. */
function ofHistory(events: Event[], sums: Sums): void {
  const ledger = ledgerOf(events)
  const costs = costsOf(ledger)
  const account = emptyAccount()
  const page = accountFold()
  let state = initialState
  for (const event of events) {
    chargeCalls(account, state, event)
    page.add(event)
    state = evolve(state, event)
  }
  const row = overviewRow({ id: '1', feature: 'f', isArchived: false, isLive: false }, statusOf(state, null), page.value(), {
    outlookFor: null,
    toolOf: () => '',
  })
  assert.deepEqual(row.cost, { costUsd: costs.costUsd, unpriced: costs.unpriced }, 'dashboard and report')
  assert.deepEqual(statusFile({ state, account }, null, [], 0).costs, costs, 'status and report')
  assert.deepEqual(reportData(ledger, historyOf(events), [ledger]).costs, costs, 'report.json and report')
  assert.deepEqual([costs.calls, costs.unpriced], [total(sums, (sum) => sum.calls), total(sums, (sum) => sum.unpriced)])
  same(costs.costUsd, known(all(sums)), 'all runs')
  for (const role of Object.keys(sums) as Role[]) {
    const own = costs.byKind.filter((kind) => kind.role === role)
    assert.equal(
      own.reduce((sum, { calls }) => sum + calls, 0),
      sums[role].calls,
      role,
    )
    same(
      own.reduce((sum, { costUsd }) => sum + (costUsd ?? 0), 0),
      sums[role].usd,
      role,
    )
  }
  for (const { id, costUsd } of ledger.stories) same(state.stories[id]?.costUsd ?? null, costUsd, `the account of ${id}`)
  ofTable(events.reduce(withRows, emptyCsv).text, sums, checksIn(events))
}

/** summary.csv has a row for each call of implementer and reviewer; an iteration comes before its reviews. */
function ofTable(text: string, sums: Sums, checks: Set<number>): void {
  const rows = text
    .trimEnd()
    .split('\n')
    .slice(1)
    .map((line) => line.split(','))
  const reviews = rows.filter(([, mode]) => mode === 'review')
  const own = rows.filter(([, mode]) => mode !== 'review')
  assert.deepEqual([own.length, reviews.length], [sums.implementer.calls, sums.reviewer.calls], 'rows')
  const usd = (some: string[][]): number => some.reduce((sum, cells) => sum + Number(cells[12]), 0)
  const unpriced = (some: string[][]): number => some.filter((cells) => cells[12] === '').length
  assert.deepEqual([unpriced(own), unpriced(reviews)], [sums.implementer.unpriced, sums.reviewer.unpriced], 'unpriced rows')
  const isNear = Math.abs(usd(rows) - sums.implementer.usd - sums.reviewer.usd) <= rows.length * 0.00005 + 1e-6
  assert.ok(isNear, 'cost of the rows')
  const done = new Set([...checks].map(String))
  for (const [iteration, mode, , , , , , at] of rows) {
    assert.match(at!, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/)
    if (mode !== 'review') done.add(iteration!)
    else assert.ok(iteration === '0' || done.has(iteration!), `a review of iteration ${iteration} before it`)
  }
}

test('summary, status, report, dashboard and csv agree on calls, cost and what is unknown, by role', async () => {
  const strewn = fc.array(fc.integer({ min: 0, max: learnerFacts.length - 1 }), { maxLength: 6 })
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 1000 }), strewn, async (seed, places) => {
      const events = await logOf(seed, places)
      const checks = checksIn(events)
      let state = initialState
      let ofThisRun = none()
      const ofAll = none()
      for (const event of events) {
        if (event.kind === 'run.started') ofThisRun = none()
        state = evolve(state, event)
        for (const sums of [ofThisRun, ofAll]) count(sums, event, checks)
        if (event.kind === 'run.ended') ofRun(state, ofThisRun)
      }
      ofHistory(events, ofAll)
    }),
    { numRuns: 60 },
  )
})
