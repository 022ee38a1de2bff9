import assert from 'node:assert/strict'
import { test } from 'node:test'
import { after, aPlan, aPolicy, aResult, aStory, committed, runStarted } from '../../../sim/builders.ts'
import { type Played, play } from '../../../sim/play.ts'
import { noStory } from '../evolve/initial.ts'
import type { Refusal, State, StoryState } from '../state.ts'
import type { Gate, Policy } from '../types.ts'
import { exhaustedStory, shiftFor, slowStory } from './escalation.ts'

const tests: Gate[] = [{ name: 'tests', command: 'x' }]
const lint: Gate = { name: 'lint', command: 'y' }

/** Each iteration flips the story; the gates named for it are red. Gates of one name fail alike. */
const flipped = (red: string[][], policy: Partial<Policy> = {}): Played =>
  play({
    plan: aPlan([aStory('A')]),
    policy: { gates: [...tests, lint], maxIterations: red.length, ...policy },
    agent: ({ iteration }) => committed(iteration, `t${iteration}`, { flips: ['A'] }),
    gate: ({ name }, iteration) => iteration === 'whole' || !red[iteration - 1]!.includes(name),
  })
const shiftsIn = ({ decisions }: Played): string[] =>
  decisions.flatMap((decision) =>
    decision.kind === 'iteration.started' && decision.shift !== ''
      ? [`${decision.iteration}: ${decision.shift} (${decision.shifts})`]
      : [],
  )
const failureIn = ({ decisions }: Played): string | undefined =>
  decisions.find((decision) => decision.kind === 'story.failed')?.because

test('after three failed attempts with the same error two more are told to find another way, then the story fails [R-ESC-1]', () => {
  const played = flipped(
    Array.from({ length: 9 }, () => ['tests']),
    { maxAttempts: 9 },
  )
  assert.deepEqual(shiftsIn(played), [
    '4: 3 attempts failed with the same error (1)',
    '5: 4 attempts failed with the same error (2)',
  ])
  assert.equal(
    failureIn(played),
    'the same error 5 times, also after 2 strategy shifts; last failure: Agent marked A done, but tests failed',
  )
  assert.equal(played.state.used, 5)
})

test('attempts that fail differently are asked for nothing, until one error has come three times [R-ESC-1]', () => {
  const played = flipped([['tests'], ['lint'], ['tests'], ['tests', 'lint'], ['tests'], ['lint']], { maxAttempts: 9 })
  assert.deepEqual(shiftsIn(played), ['6: 3 attempts failed with the same error (1)'])
  assert.equal(failureIn(played), undefined)
})

test('another error after both shifts has attempts of its own, up to the cap [R-ESC-1]', () => {
  const red = [['tests'], ['tests'], ['tests'], ['lint'], ['tests'], ['lint'], ['lint'], ['lint']]
  const played = flipped(red, { maxAttempts: 8 })
  assert.deepEqual(shiftsIn(played), [
    '4: 3 attempts failed with the same error (1)',
    '6: 4 attempts failed with the same error (2)',
  ])
  assert.equal(failureIn(played), 'failed after 8 attempts; last failure: Agent marked A done, but lint failed')
})

test('an attempt that did not fail takes the call for another way back [R-ESC-1]', () => {
  const { decisions } = play({
    plan: aPlan([aStory('A')]),
    policy: { gates: tests, maxIterations: 5, maxAttempts: 9 },
    agent: ({ iteration }) => committed(iteration, `t${iteration}`, iteration === 4 ? {} : { flips: ['A'] }),
    gate: (_, iteration) => iteration === 'whole' || iteration === 4,
  })
  assert.deepEqual(shiftsIn({ decisions } as Played), ['4: 3 attempts failed with the same error (1)'])
})

test('a shift that was lost to the provider is still due', () => {
  const played = play({
    plan: aPlan([aStory('A')]),
    policy: { gates: tests, maxIterations: 5, maxAttempts: 9 },
    agent: ({ iteration }) =>
      iteration === 4 ? { signals: [{ kind: 'throttled', by: 'overload', message: 'busy' }] } : { flips: ['A'] },
    gate: (_, iteration) => iteration === 'whole',
  })
  assert.deepEqual(shiftsIn(played), [
    '4: 3 attempts failed with the same error (1)',
    '5: 3 attempts failed with the same error (1)',
    '6: 4 attempts failed with the same error (2)',
  ])
})

test('one allowed attempt that fails is named as that', () => {
  assert.equal(
    failureIn(flipped([['tests']], { maxAttempts: 1 })),
    'its only attempt failed; last failure: Agent marked A done, but tests failed',
  )
})

const refusal: Refusal = {
  iteration: 1,
  because: 'Agent marked A done, but tests failed',
  hash: 'h1',
  gates: [],
  summary: '',
  files: [],
  wasShift: false,
  attempt: 1,
}
const withStory = (story: Partial<StoryState>, policy: Partial<Policy> = {}, id = 'A'): State => {
  const state = after([runStarted(aPlan([aStory(id)]), aPolicy(policy))])
  return { ...state, stories: { [id]: { ...noStory, ...story } } }
}
const minutes = (count: number): number => count * 60_000
const storyMs = { soft: minutes(45), hard: minutes(60) }

test('a story at its soft time limit is told once, and one at its hard limit fails [R-LIM-7]', () => {
  const because = 'A has taken 45m 0s of agent and gate time; at 1h 0m it fails'
  assert.deepEqual(slowStory(withStory({ spentMs: minutes(45) }, { storyMs })), { kind: 'story.slow', story: 'A', because })
  assert.equal(slowStory(withStory({ spentMs: minutes(45) - 1 }, { storyMs })), null)
  assert.equal(slowStory(withStory({ spentMs: minutes(50), isSlow: true }, { storyMs })), null)
  assert.equal(exhaustedStory(withStory({ spentMs: minutes(60) - 1 }, { storyMs })), null)
  assert.deepEqual(exhaustedStory(withStory({ spentMs: minutes(61) }, { storyMs })), {
    kind: 'story.failed',
    story: 'A',
    hash: '',
    branch: 'wip/ralph-fail-A-20260105-080000',
    because: 'reached its time limit of 1h 0m (1h 1m of agent and gate time)',
  })
})

test('limits of 0 are none [R-LIM-7]', () => {
  const off = withStory({ spentMs: minutes(999), failedAttempts: 99 }, { storyMs: { soft: 0, hard: 0 }, maxAttempts: 0 })
  assert.deepEqual([slowStory(off), exhaustedStory(off)], [null, null])
})

test('a story that passes, failed, is skipped or is being worked on is neither slow nor exhausted', () => {
  const spent = withStory({ spentMs: minutes(99), failedAttempts: 9 }, { storyMs })
  for (const more of [{ passes: true }, { skip: true }, { failed: { branch: '', reason: '', at: '' } }]) {
    const state: State = { ...spent, plan: aPlan([aStory('A', more)]) }
    assert.deepEqual([slowStory(state), exhaustedStory(state)], [null, null])
  }
  const { state } = play({ plan: null, policy: { maxIterations: 1 }, agent: () => ({}) })
  assert.deepEqual([slowStory(state), exhaustedStory(state)], [null, null])
})

test('only time inside agents and gates counts, also that of attempts which did not fail; waiting and lost ones do not [R-LIM-7]', () => {
  const { state } = play({
    plan: aPlan([aStory('A')]),
    policy: { gates: tests, maxIterations: 2, onLimit: 'wait' },
    agent: ({ iteration }) =>
      iteration === 2
        ? {
            durationMs: 70_000,
            signals: [{ kind: 'throttled', by: 'usage-limit', message: 'wait', until: '2026-01-05T09:00:00.000Z' }],
          }
        : committed(iteration, `t${iteration}`, { durationMs: 1000 }),
  })
  assert.equal(state.stories['A']?.spentMs, 2 * (1000 + 100))
})

test('a story is told to be slow once, and at its hard limit it fails and the next has its turn [R-LIM-7]', () => {
  const { decisions, state } = play({
    plan: aPlan([aStory('A'), aStory('B')]),
    policy: { storyMs: { soft: 2000, hard: 4000 }, maxIterations: 5 },
    agent: ({ iteration, story }) =>
      committed(iteration, `t${iteration}`, { flips: story === 'B' ? ['B'] : [], durationMs: 1000 }),
  })
  const told = decisions.flatMap((decision) =>
    decision.kind === 'story.slow' || decision.kind === 'story.failed' ? [`${decision.kind}: ${decision.because}`] : [],
  )
  assert.deepEqual(told, [
    'story.slow: A has taken 2.0s of agent and gate time; at 4.0s it fails',
    'story.failed: reached its time limit of 4.0s (4.0s of agent and gate time)',
  ])
  assert.deepEqual([state.outcome?.outcome, state.stories['B']?.receipt?.iteration], ['stories-failed', 5])
})

test('the branch of a failure has a legal name, whatever the story is called; outside git there is none', () => {
  const branch = (id: string) => exhaustedStory(withStory({ failedAttempts: 5 }, {}, id))?.branch
  assert.equal(branch('US-7'), 'wip/ralph-fail-US-7-20260105-080000')
  assert.equal(branch('../a b~^:?*[\\'), 'wip/ralph-fail-a-b-20260105-080000')
  assert.equal(branch('ä'), 'wip/ralph-fail-story-20260105-080000')
  const outside = withStory({ failedAttempts: 5 })
  assert.equal(exhaustedStory({ ...outside, repo: { ...outside.repo, head: null } })?.branch, '')
})

test('a story without a failure, or after its shifts, is not asked for another way', () => {
  const failed = { refusals: [refusal], errors: { h1: 3 }, lastFailed: true }
  assert.equal(shiftFor(undefined), null)
  assert.equal(shiftFor(noStory), null)
  assert.equal(shiftFor({ ...noStory, ...failed }), '3 attempts failed with the same error')
  assert.equal(shiftFor({ ...noStory, ...failed, lastFailed: false }), null)
  assert.equal(shiftFor({ ...noStory, ...failed, shifts: 2 }), null)
  assert.equal(shiftFor({ ...noStory, ...failed, errors: { h1: 2 } }), null)
})

/** Each iteration commits and flips nothing; what its gate says, by its number; empty: it passes. */
const toiling = (says: string[], policy: Partial<Policy> = {}, flips: number[] = []): Played =>
  play({
    plan: aPlan([aStory('A')]),
    policy: { gates: tests, maxIterations: says.length, ...policy },
    agent: ({ iteration }) => committed(iteration, `t${iteration}`, flips.includes(iteration) ? { flips: ['A'] } : {}),
    results: ({ name }, iteration) => {
      const output = iteration === 'whole' ? '' : (says[iteration - 1] ?? '')
      return aResult(name, output === '', { output })
    },
  })
const times = (count: number, text: string): string[] => Array.from({ length: count }, () => text)

test('the same gate failure without a flip escalates as with one: shifts after the third, the end after the fifth [R-ESC-1]', () => {
  for (const maxAttempts of [5, 9, 0]) {
    const played = toiling(times(10, 'not ok 1 - login'), { maxAttempts })
    assert.deepEqual(shiftsIn(played), [
      '4: 3 attempts failed with the same error (1)',
      '5: 4 attempts failed with the same error (2)',
    ])
    assert.equal(played.state.used, 5)
    const { attempts, failedAttempts } = played.state.stories['A']!
    assert.deepEqual([played.state.outcome?.outcome, attempts, failedAttempts], ['stories-failed', 5, 5])
    assert.deepEqual(
      played.judged.map(({ verdict, because }) => `${verdict}: ${because}`),
      [
        'worked: new commits; tests red',
        'worked: new commits; tests red',
        'failed: tests failed the same way 3 times',
        'failed: tests failed the same way 4 times',
        'failed: tests failed the same way 5 times',
      ],
    )
  }
})

test('a failure that goes back and forth with another one is the same when it comes back [R-ESC-1]', () => {
  const played = toiling(['red A', 'red B', 'red A', 'red B', 'red A', 'red B', 'red A', 'red A', 'red A'], { maxAttempts: 9 })
  assert.deepEqual(shiftsIn(played), [
    '6: 3 attempts failed with the same error (1)',
    '7: 3 attempts failed with the same error (2)',
  ])
  assert.match(failureIn(played) ?? '', /^the same error 4 times, also after 2 strategy shifts/)
})

test('an honest story is not failed: other failures on its way, or green gates between two that are alike [R-ESC-1]', () => {
  const changing = Array.from({ length: 9 }, (_, i) => `${9 - i} of 9 tests failed`)
  const tdd = Array.from({ length: 10 }, (_, i) => (i % 2 === 0 ? 'not ok' : ''))
  for (const says of [changing, tdd]) {
    const played = toiling([...says, ''], {}, [says.length + 1])
    assert.deepEqual(
      [shiftsIn(played), played.state.stories['A']?.failedAttempts, played.state.outcome?.outcome],
      [[], 0, 'complete'],
    )
  }
})

test('a refused flip and red gates without one count together when they fail alike [R-ESC-1]', () => {
  const played = toiling(times(4, 'not ok'), { maxAttempts: 9 }, [1])
  assert.deepEqual(shiftsIn(played), ['4: 3 attempts failed with the same error (1)'])
  assert.deepEqual(played.state.stories['A']?.failedAttempts, 4)
})

test('red gates without a flip are told to the next attempt, and forgotten when they are green', () => {
  const told = (says: string[]): unknown =>
    toiling(says).state.stories['A']?.refusals.map(({ attempt, because }) => [attempt, because])
  assert.deepEqual(told(['not ok']), [[1, 'new commits; tests red']])
  assert.deepEqual(told(['not ok', '']), [])
})

test('an attempt that timed out on green gates is remembered as a failure', () => {
  const { state, decisions } = play({
    plan: aPlan([aStory('A')]),
    policy: { gates: tests, maxIterations: 4 },
    agent: ({ iteration }) => committed(iteration, `t${iteration}`, { exit: 'timeout' }),
  })
  assert.deepEqual(
    state.stories['A']?.refusals.map(({ attempt, cut }) => [attempt, cut]),
    [2, 3, 4].map((attempt) => [attempt, 'timeout']),
  )
  assert.deepEqual(shiftsIn({ decisions } as Played), ['4: 3 attempts timed out (1)'])
})

test('what ended the attempts is named when another way is asked for', () => {
  const { decisions } = play({
    plan: aPlan([aStory('A')]),
    policy: { maxIterations: 4, maxStuck: 0 },
    agent: () => ({ exit: 'timeout' }),
  })
  assert.deepEqual(shiftsIn({ decisions } as Played), ['4: 3 attempts timed out (1)'])
})
