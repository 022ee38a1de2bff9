import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { aPlan, aPolicy, aStory, openPlan, progress } from '../../../sim/builders.ts'
import { type Played, play } from '../../../sim/play.ts'
import { errorHash } from '../reading/reading.ts'
import type { Ended, Policy } from '../types.ts'
import { countedAgainst } from './breaker.ts'

/** What an iteration comes back with, by its number. */
type End = (n: number) => Partial<Ended>

const playEnds = (ends: End[], policy: Partial<Policy> = {}): Played =>
  play({
    plan: openPlan,
    policy: { maxIterations: ends.length, maxRetries: 99, testLoops: 0, ...policy },
    agent: ({ iteration }) => ends[iteration - 1]?.(iteration) ?? {},
  })
const movesIn = ({ decisions }: Played): string[] =>
  decisions.flatMap((decision) =>
    decision.kind === 'breaker.changed'
      ? [`${decision.from} → ${decision.to}${decision.rule === undefined ? '' : ` by ${decision.rule}`}`]
      : [],
  )
/** Where the breaker goes when iterations come back like this. */
const moves = (ends: End[], policy?: Partial<Policy>): string[] => movesIn(playEnds(ends, policy))
const times = (count: number, end: End): End[] => Array.from({ length: count }, () => end)

const idle: End = () => ({})
const fails = (message: string): Ended['signals'] => [{ kind: 'error', hash: errorHash(message), message }]
/** It commits something new each time, and ends with this error. */
const brokenBy =
  (message: string): End =>
  (n) => ({ ...progress(n), exit: 'failed', signals: fails(message) })

test('the same error five times in a row opens it, with progress too, and says which', () => {
  const { state, decisions } = playEnds(times(5, brokenBy('TypeError: x is undefined')))
  assert.deepEqual(movesIn({ decisions } as Played), ['closed → half-open by same-error', 'half-open → open by same-error'])
  assert.deepEqual(state.outcome, {
    outcome: 'stuck',
    because: '5 of 5 iterations in a row with the same error (iterations 1, 2, 3, 4, 5): TypeError: x is undefined',
  })
})

test('five different errors with progress leave it closed (B04)', () => {
  const words = ['alpha', 'beta', 'gamma', 'delta', 'epsilon']
  assert.deepEqual(moves(words.map((word) => brokenBy(`Error: ${word} is missing`))), [])
})

test('an error that comes back with other times, lines and ids is the same one [R-SIG-5]', () => {
  const error: End = (n) => brokenBy(`12:00:0${n} parser.ts:${n}7 failed after ${n}.5s (pid ${n}00${n}, /tmp/run-${n}x/a)`)(n)
  assert.deepEqual(moves(times(5, error)), ['closed → half-open by same-error', 'half-open → open by same-error'])
})

test('an iteration without that error, and a story that passes with it, start the count of errors again', () => {
  const error = brokenBy('Error: no')
  const passes: End = (n) => ({ ...error(n), flips: ['A'] })
  const plan = aPlan([aStory('A'), aStory('B')])
  assert.deepEqual(moves([...times(4, error), progress, ...times(3, error)]), [
    'closed → half-open by same-error',
    'half-open → closed',
  ])
  const played = play({
    plan,
    policy: { maxIterations: 8 },
    agent: ({ iteration }) => (iteration === 5 ? passes : error)(iteration),
  })
  assert.deepEqual(movesIn(played), ['closed → half-open by same-error', 'half-open → closed'])
})

const dirt = (n: number): Partial<Ended> => ({ repo: { head: 'h-t0', tree: 't0', dirt: `d${n}` } })
/** Something new is left uncommitted each time, so that it is not idle, and these are its last words. */
const saying =
  (hash: string): End =>
  (n) => ({ ...dirt(n), saidHash: hash, summary: `words ${hash}` })

test('the same last words again without progress count as an error, unless idling is allowed [R-SIG-5]', () => {
  const { state } = playEnds(times(6, saying('aa')))
  assert.deepEqual(state.outcome, {
    outcome: 'stuck',
    because: '5 of 5 iterations in a row with the same error (iterations 2, 3, 4, 5, 6): it repeats: words aa',
  })
  assert.deepEqual(moves(times(9, saying('aa')), { maxStuck: 0 }), [])
  assert.deepEqual(moves(times(9, (n) => saying(`a${n % 2}`)(n))), [])
  assert.deepEqual(moves(times(9, (n) => ({ ...progress(n), saidHash: 'aa' }))), [])
})

const speaks =
  (outputChars: number, more: End = idle): End =>
  (n) => ({ ...more(n), outputChars })

test('two answers in a row without progress that are far shorter than before open it; one, or a short history, does not', () => {
  const usual = times(3, speaks(1000, progress))
  assert.deepEqual(moves([...usual, speaks(299), speaks(299)]), [
    'closed → half-open by output-decline',
    'half-open → open by output-decline',
  ])
  assert.deepEqual(moves([...usual, speaks(299), speaks(300)]), ['closed → half-open by output-decline']) // not more than 70 %
  assert.deepEqual(moves([...usual, speaks(299, progress), speaks(299, progress)]), [])
  assert.deepEqual(moves([...usual.slice(1), speaks(299), speaks(299)]), ['closed → half-open by no-progress'])
  assert.deepEqual(moves([...usual, speaks(299), speaks(299)], { declinePercent: 0 }), ['closed → half-open by no-progress'])
})

test('the median of the last five is what is usual: older answers and a single long one say nothing', () => {
  const chars = [9000, 9000, 100, 9000, 100, 100, 100]
  assert.deepEqual(moves([...chars.map((count) => speaks(count, progress)), speaks(31)]), [])
  assert.deepEqual(moves([...chars.map((count) => speaks(count, progress)), speaks(29)]), [
    'closed → half-open by output-decline',
  ])
})

const denied = (tool: string, more: End = idle): End => {
  return (n) => ({ ...more(n), signals: [{ kind: 'permission-denied', tool }] })
}

test('two iterations in a row with a denied tool and no progress open it; with progress they do not (B05)', () => {
  const { state, decisions } = playEnds(times(2, denied('Bash')))
  assert.deepEqual(movesIn({ decisions } as Played), [
    'closed → half-open by permission-denied',
    'half-open → open by permission-denied',
  ])
  assert.equal(
    state.outcome?.because,
    '2 of 2 iterations in a row without progress in which the agent was not allowed to use Bash (iterations 1, 2)',
  )
  assert.deepEqual(moves(times(4, denied('Bash', progress))), [])
  assert.deepEqual(moves([denied('Bash'), idle, denied('Bash')], { maxStuck: 9 }), [
    'closed → half-open by permission-denied',
    'half-open → closed',
    'closed → half-open by permission-denied',
  ])
  assert.deepEqual(moves(times(4, denied('Bash')), { maxStuck: 9, maxDenied: 0 }), [])
})

const tests = [{ name: 'tests', command: 'x' }]

/** Each story has one attempt and flips; its gate refuses those that are named. Gates of one name fail alike. */
const flipping = (refused: string[], gate: (id: string) => string = () => 'database'): Played =>
  play({
    plan: aPlan(['A', 'B', 'C', 'D'].map((id) => aStory(id, { gates: { [gate(id)]: id } }))),
    policy: { maxAttempts: 1 },
    agent: ({ story }) => ({ flips: [story!] }),
    gate: ({ command }) => !refused.includes(command),
  })

test('two stories in a row that fail with the same error open it; another error, or a pass in between, does not', () => {
  const alike = flipping(['A', 'B', 'C', 'D'])
  assert.deepEqual(movesIn(alike), ['closed → open by stories-alike'])
  assert.deepEqual(alike.state.outcome, { outcome: 'stuck', because: 'two stories in a row failed with the same error: A, B' })
  assert.deepEqual(movesIn(flipping(['A', 'B', 'C', 'D'], (id) => `own-${id}`)), [])
  assert.deepEqual(movesIn(flipping(['A', 'C'])), [])
  assert.deepEqual(movesIn(flipping(['A', 'C', 'D'])), ['closed → open by stories-alike'])
})

test('gate refusals move nothing, whatever the agent says about them and however often', () => {
  const played = play({
    plan: openPlan,
    policy: { maxAttempts: 9, maxIterations: 8, gates: tests },
    agent: () => ({ flips: ['A'], saidHash: 'aa', summary: 'Done.' }),
    gate: () => false,
  })
  assert.deepEqual([movesIn(played), played.state.stories['A']?.failedAttempts], [[], 5])
})

test('a story’s failure restarts the count of idle iterations', () => {
  const played = play({
    plan: aPlan([aStory('A'), aStory('B')]),
    policy: { maxAttempts: 1, gates: tests, maxIterations: 5 },
    agent: ({ iteration }) => (iteration === 3 ? { flips: ['A'] } : {}),
    gate: (_, iteration) => iteration !== 3,
  })
  assert.deepEqual(movesIn(played), [
    'closed → half-open by no-progress',
    'half-open → closed',
    'closed → half-open by no-progress',
  ])
  const closed = played.decisions.find((decision) => decision.kind === 'breaker.changed' && decision.to === 'closed')
  assert.equal(closed?.because, 'progress was made, or the stuck story failed')
})

test('every half-open iteration is asked for another way, and one that closed it is not', () => {
  const shifts = (ends: End[], policy?: Partial<Policy>): number[] =>
    playEnds(ends, policy).decisions.flatMap((decision) =>
      decision.kind === 'iteration.started' && decision.shift !== '' ? [decision.iteration] : [],
    )
  const usual = times(3, speaks(1000, progress))
  assert.deepEqual(shifts([idle, idle, progress, progress]), [3])
  assert.deepEqual(shifts([...times(4, brokenBy('Error: no')), progress, progress]), [5])
  assert.deepEqual(shifts([...usual, speaks(10), speaks(1000, progress), progress]), [5])
  assert.deepEqual(shifts([denied('Bash'), progress, progress]), [2])
})

test('a claim that ends the work opens nothing: the next run is not refused', () => {
  const done = (exitSignal: boolean): Ended['signals'] => [{ kind: 'claimed-done', by: 'promise', exitSignal, evidence: 'done' }]
  const ended = (ends: End[]) => {
    const { state } = play({ plan: null, agent: ({ iteration }) => ends[iteration - 1]!(iteration) })
    return [state.outcome?.outcome, state.breaker.state]
  }
  const short: End = (n) => ({ outputChars: 10, signals: done(n === 5) })
  const hindered: End = (n) => ({ signals: [...done(n === 2), { kind: 'permission-denied', tool: 'Bash' }] })
  assert.deepEqual(ended([...times(3, speaks(1000, progress)), short, short]), ['complete', 'closed'])
  assert.deepEqual(ended([hindered, hindered]), ['complete', 'closed'])
})

test('two completion answers in a row, the last with an exit signal, end a run without a plan as complete (E04)', () => {
  const done = (exitSignal: boolean): End => {
    return () => ({ signals: [{ kind: 'claimed-done', by: 'status-block', exitSignal, evidence: 'done' }] })
  }
  const { state } = play({ plan: null, agent: ({ iteration }) => done(iteration === 2)(iteration) })
  assert.deepEqual([state.outcome?.outcome, state.used, state.indicators.done], ['complete', 2, [1, 2]])
})

test('each bad iteration is told with n of its threshold, for every rule that it counts for [R-CB-5]', () => {
  const { state } = playEnds(times(2, (n) => ({ ...denied('Bash')(n), saidHash: 'aa' })))
  assert.deepEqual(countedAgainst(state.breaker, aPolicy(), 2), [
    'no progress (2 of 3)',
    'the same answer (1 of 5)',
    'denied tools (2 of 2)',
  ])
  assert.deepEqual(countedAgainst(state.breaker, aPolicy(), 1), [])
})

test('what is not the agent’s doing moves nothing, wherever it comes in between (R-CB-4)', () => {
  const ends: Record<string, End> = {
    idle,
    dirt: (n) => dirt(n),
    progress,
    error: brokenBy('Error: no'),
    denied: denied('Bash'),
    short: speaks(1),
    again: saying('aa'),
  }
  const throttled =
    (by: 'overload' | 'usage-limit'): End =>
    () => ({ signals: [{ kind: 'throttled', by, message: 'busy' }] })
  const lost: End[] = [throttled('overload'), throttled('usage-limit'), () => ({ exit: 'lost' }), () => ({ exit: 'stopped' })]
  const sequence = fc.array(fc.constantFrom(...Object.keys(ends)), { minLength: 1, maxLength: 12 })
  const disturbances = fc.array(fc.nat({ max: lost.length }), { minLength: 13, maxLength: 13 })
  fc.assert(
    fc.property(sequence, disturbances, (names, between) => {
      // Contents go by place, not by number: what comes in between must not make a difference.
      const calm = names.map(
        (name, place): End =>
          () =>
            ends[name]!(place),
      )
      const disturbed = calm.flatMap((end, place) => [...lost.slice(between[place], between[place]! + 1), end])
      const policy = { maxIterations: names.length, onLimit: 'wait' as const }
      assert.deepEqual(moves(disturbed, policy), moves(calm, policy))
    }),
    { numRuns: 200 },
  )
})

test('an error is the same again from the second time on [R-CB-5]', () => {
  const told = (count: number): string[] => {
    const { state } = playEnds(times(count, brokenBy('Error: no')))
    return countedAgainst(state.breaker, aPolicy(), count)
  }
  assert.deepEqual([told(1), told(2)], [['error (1 of 5)'], ['the same error (2 of 5)']])
})
