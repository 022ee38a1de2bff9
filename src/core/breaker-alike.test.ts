import assert from 'node:assert/strict'
import { test } from 'node:test'
import { aPlan, aResult, aStory, committed, openPlan, progress } from '../../sim/builders.ts'
import { type Played, play } from '../../sim/play.ts'
import { redResult } from './decide/gates.ts'
import { errorHash } from './reading/reading.ts'
import type { Ended, Plan, Policy } from './types.ts'

/** What an iteration comes back with, by its number. */
type End = (n: number) => Partial<Ended>

const times = (count: number, end: End): End[] => Array.from({ length: count }, () => end)
const movesIn = ({ decisions }: Pick<Played, 'decisions'>): string[] =>
  decisions.flatMap((decision) =>
    decision.kind === 'breaker.changed' ? [`${decision.from} → ${decision.to} by ${decision.rule}`] : [],
  )
/** Where the breaker goes when iterations come back like this. */
const moves = (ends: End[]): string[] =>
  movesIn(
    play({ plan: openPlan, policy: { maxIterations: ends.length }, agent: ({ iteration }) => ends[iteration - 1]!(iteration) }),
  )

/** It commits something new, ends well, and this is what it says last. */
const saysError =
  (...messages: string[]): End =>
  (n) => ({
    ...progress(n),
    signals: messages.map((message) => ({ kind: 'error', hash: errorHash(message), message, in: 'words' })),
  })

test('the same error in the last words of agents that end well opens it, with commits too [R-SIG-5] [R-CB-2]', () => {
  const leftPad = 'error: cannot find module left-pad'
  const opened = ['closed → half-open by same-error', 'half-open → open by same-error']
  assert.deepEqual(moves(times(8, saysError(leftPad))), opened)
  assert.deepEqual(
    moves(times(5, (n) => saysError(`error: number ${'x'.repeat(n)}`, leftPad)(n))),
    opened,
    'one of several that stays is the same',
  )
  assert.deepEqual(moves(times(8, (n) => saysError(`error: number ${'x'.repeat(n)}`)(n))), [])
  const passing: End = (n) => ({ ...saysError(leftPad)(n), flips: ['A'] })
  assert.deepEqual(moves([...times(3, saysError(leftPad)), passing]), [])
})

test('what is said about a gate that fails alike belongs to the story: the story fails, and the next is tried', () => {
  const { state, decisions } = play({
    plan: aPlan([aStory('A'), aStory('B')]),
    policy: { gates: [{ name: 'tests', command: 'x' }], maxIterations: 6 },
    agent: ({ iteration, story }) =>
      story === 'B' ? { ...progress(iteration), flips: ['B'] } : saysError('error: no')(iteration),
    gate: (_, iteration) => iteration === 'whole' || iteration > 5,
  })
  assert.deepEqual(movesIn({ decisions }), [])
  assert.deepEqual([state.outcome?.outcome, state.stories['B']?.receipt?.iteration], ['stories-failed', 6])
})

test('gates that fail alike where no story is named belong to nobody else: without a plan, at the end, with pick: agent', () => {
  const opened = ['closed → half-open by same-error', 'half-open → open by same-error']
  const gates = [{ name: 'tests', command: 'x' }]
  const red = (plan: Plan | null, policy: Partial<Policy> = {}, agent: (n: number) => Partial<Ended> = progress): string[] =>
    movesIn(
      play({
        plan,
        policy: { gates, maxIterations: 9, ...policy },
        agent: ({ iteration }) => agent(iteration),
        gate: () => false,
      }),
    )
  assert.deepEqual(red(null), opened)
  assert.deepEqual(red(aPlan([aStory('A', { passes: true })])), opened)
  assert.deepEqual(red(openPlan, { pick: 'agent' }), opened)
})

test('stories that ran out of time, went in circles, clashed or displeased a reviewer did not fail with the same error [R-CB-2]', () => {
  const stories = ['A', 'B', 'C'].map((id) => aStory(id))
  const fails = (end: Partial<Ended>, policy: Partial<Policy> = {}, script: Partial<Parameters<typeof play>[0]> = {}): Played =>
    play({
      plan: aPlan(stories),
      policy: { maxAttempts: 1, maxStuck: 0, ...policy },
      agent: ({ iteration, story }) => committed(iteration, `t${iteration}`, { flips: [story!], ...end }),
      ...script,
    })
  const failedIn = ({ state, decisions }: Played): unknown[] => [
    state.outcome?.outcome,
    decisions.filter(({ kind }) => kind === 'story.failed').length,
    movesIn({ decisions }),
  ]
  const circles: Ended['signals'] = [
    { kind: 'error', hash: 'c', message: 'the same tool call failed the same way 5 times: Bash' },
  ]
  const allFailed = ['stories-failed', 3, []]
  const refuses = {
    reviewer: () => ({
      result: aResult('spec', false, { kind: 'review', command: 'review by judge', output: 'Missing: tests' }),
    }),
  }
  const clashes = { landing: () => ({ results: [redResult('landing', 'git merge', 'conflict in a.ts')] }) }
  const hangs = { gates: [{ name: 'tests', command: 'x' }] }
  assert.deepEqual(failedIn(fails({ exit: 'timeout', flips: [] })), allFailed)
  assert.deepEqual(failedIn(fails({ exit: 'timeout', flips: [] }, { ...hangs }, { gate: () => false })), allFailed)
  assert.deepEqual(failedIn(fails({ exit: 'circling', flips: [], signals: circles })), allFailed)
  assert.deepEqual(failedIn(fails({ flips: [], durationMs: 9000 }, { storyMs: { soft: 0, hard: 9000 } })), allFailed)
  assert.deepEqual(failedIn(fails({}, { review: { spec: 'judge', final: [] } }, refuses)), allFailed)
  assert.deepEqual(failedIn(fails({}, { workers: 2 }, clashes)), allFailed)
  const unread = { reviewer: () => ({ result: undefined, problem: 'no JSON in it' }) }
  assert.deepEqual(
    failedIn(fails({}, { review: { spec: 'judge', final: [] } }, unread)),
    ['stuck', 2, ['closed → open by stories-alike']],
    'a reviewer that cannot be read is a broken machine',
  )
})

test('iterations that time out one after the other without progress still open it', () => {
  assert.deepEqual(moves(times(5, () => ({ exit: 'timeout' }))), [
    'closed → half-open by no-progress',
    'half-open → open by no-progress',
  ])
})
