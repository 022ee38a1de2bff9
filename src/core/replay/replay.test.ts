import assert from 'node:assert/strict'
import { test } from 'node:test'
import { aPlan, aPolicy, aRepo, aResult, aReview, aStory, committed, runStarted, startOfTime } from '../../../sim/builders.ts'
import { startLoop } from '../../loop.ts'
import { initialState } from '../evolve/initial.ts'
import { later } from '../text/time.ts'
import type { Decision, Event, Policy, Report } from '../types.ts'
import { type Replay, replay, runIn } from './replay.ts'

const tests = { name: 'tests', command: 'npm test' }

/** Stories A and B: the gates refuse A until the given attempt, and let B pass. Every answer takes a minute. */
function recordedRun(policy: Partial<Policy>, passesAt = 99): Event[] {
  const log: Event[] = []
  let minutes = 0
  const now = () => later(startOfTime, minutes * 60_000)
  const attempts: string[] = []
  const due: Report[] = []
  const loop = startLoop(initialState, {
    run: 'r1',
    now,
    append: (events) => void log.push(...events),
    show: () => {},
    perform: (decision, state) => due.push(...answersTo(decision, state.repo.tree, attempts, passesAt)),
  })
  const plan = aPlan([aStory('A'), aStory('B', { priority: 2 })])
  loop.report(runStarted(plan, aPolicy({ gates: [tests], maxAttempts: 4, ...policy })))
  for (let report = due.shift(); report !== undefined; report = due.shift()) {
    minutes += 1
    loop.report(report)
  }
  return log
}

function answersTo(decision: Decision, tree: string, attempts: string[], passesAt: number): Report[] {
  switch (decision.kind) {
    case 'call.requested':
      return [{ kind: 'call.granted', call: decision.call }]
    case 'iteration.started': {
      const { iteration, story, attempt } = decision
      attempts[iteration] = `${story}${attempt}`
      return [{ kind: 'iteration.ended', ...committed(iteration, `${story}${attempt}`, { flips: [story!] }) }]
    }
    case 'gates.started': {
      const of = (decision.iteration === 'whole' ? undefined : attempts[decision.iteration]) ?? 'B1'
      const isGreen = of.startsWith('B') || Number(of.slice(1)) >= passesAt
      return [{ kind: 'gates.ended', iteration: decision.iteration, results: [aResult('tests', isGreen)] }]
    }
    case 'review.started':
      return [{ kind: 'review.ended', ...aReview(decision) }]
    case 'iteration.judged':
      return [
        {
          kind: 'iteration.settled',
          iteration: decision.iteration,
          repo: aRepo(attempts[decision.iteration] ?? tree),
          commits: [],
        },
      ]
    case 'story.failed':
      return [{ kind: 'story.put-aside', story: decision.story, branch: decision.branch, how: 'reset', repo: aRepo('t0') }]
    default:
      return []
  }
}

const replayed = (log: Event[], change: Partial<Policy>): Replay => {
  const { before, recorded } = runIn(log, 'r1')!
  return replay(before, recorded, (policy) => ({ ...policy, ...change }))
}
const came = ({ replayed: { outcome, totals, stories }, end }: Replay) => ({
  end: end.kind,
  outcome: outcome?.outcome,
  iterations: totals.iterations,
  passed: Object.entries(stories).flatMap(([id, { receipt }]) => (receipt ? [`${id} in ${receipt.iteration}`] : [])),
})

test('a run that would have been ended earlier ends there, without what came later', () => {
  const { split, ...rest } = replayed(recordedRun({}), { maxIterations: 3 })
  assert.deepEqual(came(rest), { end: 'ended', outcome: 'incomplete', iterations: 3, passed: [] })
  assert.deepEqual(came({ ...rest, replayed: rest.recorded }), {
    end: 'ended',
    outcome: 'stories-failed',
    iterations: 5,
    passed: ['B in 5'],
  })
  assert.deepEqual([split?.iteration, split?.recorded?.kind, split?.replayed?.kind], [3, 'call.requested', 'run.ended'])
})

test('a story that is given up earlier lets the next one come earlier, as it was recorded under another number', () => {
  const played = replayed(recordedRun({}), { maxAttempts: 2 })
  assert.deepEqual(came(played), { end: 'ended', outcome: 'stories-failed', iterations: 3, passed: ['B in 3'] })
  assert.deepEqual(played.assumed, [])
  const minutes = (Date.parse(played.recorded.at) - Date.parse(played.replayed.at)) / 60_000
  assert.equal(minutes, 8, 'two iterations of four answers each')
})

test('a story that would have been given up before it passed is lost, and nothing is known beyond it', () => {
  const played = replayed(recordedRun({}, 3), { maxAttempts: 2 })
  assert.deepEqual(came(played), { end: 'open', outcome: undefined, iterations: 2, passed: [] })
  assert.equal(played.end.kind === 'open' && played.end.asks.kind, 'story.failed')
})

test('more iterations than were recorded are not known', () => {
  const played = replayed(recordedRun({ maxIterations: 2 }), { maxIterations: 9 })
  assert.deepEqual(came(played), { end: 'open', outcome: undefined, iterations: 2, passed: [] })
  assert.equal(played.end.kind === 'open' && played.end.asks.kind, 'call.requested')
})

test('without a gate what it refused passes, and the next story meets a repository that nobody has seen', () => {
  const played = replayed(recordedRun({}), { gates: [] })
  assert.deepEqual(came(played), { end: 'open', outcome: undefined, iterations: 1, passed: ['A in 1'] })
})

test('a gate with another command was never run', () => {
  const played = replayed(recordedRun({}), { gates: [{ ...tests, command: 'npm run all' }] })
  assert.equal(played.end.kind === 'open' && played.end.asks.kind, 'gates.started')
})

test('without reviewers the same stories pass with fewer calls', () => {
  const log = recordedRun({ review: { spec: 'codex', final: [] } }, 1)
  const played = replayed(log, { review: { final: [] } })
  assert.deepEqual(came(played), { end: 'ended', outcome: 'complete', iterations: 2, passed: ['A in 1', 'B in 2'] })
  assert.deepEqual([played.recorded.totals.calls, played.replayed.totals.calls], [4, 2])
})

test('settings that no decision turns on make no difference', () => {
  const played = replayed(recordedRun({}), { maxRetries: 1, budget: { costUsd: 99, tokens: null, durationMs: null } })
  assert.deepEqual([played.split, played.replayed.outcome], [undefined, played.recorded.outcome])
})

test('a run without an end is played as far as it goes', () => {
  const log = recordedRun({})
  const cut = log.slice(0, log.findIndex(({ kind }) => kind === 'iteration.settled') + 1)
  assert.deepEqual(came(replayed(cut, {})), { end: 'cut', outcome: undefined, iterations: 1, passed: [] })
  assert.equal(runIn(log, 'r2'), null)
})
