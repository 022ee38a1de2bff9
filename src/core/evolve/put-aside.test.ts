import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  aFlight,
  after,
  anEnd,
  anEndedFlight,
  aPlan,
  aPolicy,
  aRepo,
  aResult,
  aStory,
  begun,
  committed,
  runStarted,
} from '../../../sim/builders.ts'
import { play } from '../../../sim/play.ts'
import { decide } from '../decide/decide.ts'
import type { State } from '../state.ts'
import { noStory } from './initial.ts'

const tests = { name: 'tests', command: 'npm test' }

test('after a put-aside that changed the tree the whole must be checked again, and only then', () => {
  const state: State = { ...begun([aStory('A'), aStory('B')], { gates: [tests] }), check: { phase: 'green' } }
  const aside = { kind: 'story.put-aside', story: 'A', branch: 'wip/a', how: 'reset' } as const
  assert.deepEqual(after([{ ...aside, repo: aRepo('t9') }], state).check, { phase: 'due' })
  assert.deepEqual(after([{ ...aside, repo: state.repo }], state).check, { phase: 'green' })
})

test('a story that the agent picked fails only when its iteration is settled: the two would move the same files', () => {
  const { kinds } = play({
    plan: aPlan([aStory('A')]),
    policy: { pick: 'agent', maxAttempts: 1, maxIterations: 1, gates: [tests] },
    agent: ({ iteration }) => committed(iteration, 't1', { flips: ['A'] }),
    gate: (_, iteration) => iteration === 'whole',
  })
  assert.deepEqual(kinds.slice(-3), ['iteration.judged', 'story.failed', 'run.ended'])
  const judged = { ...begun([aStory('A')], { pick: 'agent', maxAttempts: 1 }), stories: { A: { ...noStory, failedAttempts: 1 } } }
  const flight = anEndedFlight(anEnd(1, { flips: ['A'] }), { story: null, reviews: [aResult('spec', false)] })
  const flying: State = { ...judged, flights: [flight] }
  const { flights } = after(decide(flying), flying)
  assert.deepEqual(decide({ ...judged, flights }), [])
})

test('work that git did not commit keeps the beginning of the story that the agent picked', () => {
  const state = begun([aStory('A')], { pick: 'agent' })
  const flying: State = { ...state, flights: [anEndedFlight(anEnd(1, { flips: ['A'] }), { story: null })] }
  const judged = after(decide(flying), flying)
  const settled = after(
    [{ kind: 'iteration.settled', iteration: 1, repo: state.repo, commits: [], problem: 'a hook says no' }],
    judged,
  )
  assert.deepEqual([settled.stories['A']?.isSaved, settled.plan?.stories[0]?.passes], [true, false])
})

test('what passed before a kill passes after it, also where the file does not say so yet', () => {
  const state = begun([aStory('A')])
  const flying: State = { ...state, flights: [anEndedFlight(anEnd(1, { flips: ['A'] }))] }
  const judged = after(decide(flying), flying)
  const resumed = after(
    [{ kind: 'run.resumed', plan: aPlan([aStory('A')]), policy: state.policy, repo: state.repo, pid: 2 }],
    judged,
  )
  assert.deepEqual([resumed.plan?.stories[0]?.passes, resumed.stories['A']?.receipt?.iteration], [true, 1])
})

test('a skipped story that is run alone uses up its attempts [R-ESC-2]', () => {
  const { decisions } = play({
    plan: aPlan([aStory('A', { skip: true })]),
    policy: { only: 'A', maxAttempts: 2, gates: [tests] },
    agent: ({ iteration }) => committed(iteration, `t${iteration}`, { flips: ['A'] }),
    gate: (_, iteration) => iteration === 'whole',
  })
  assert.equal(decisions.filter(({ kind }) => kind === 'iteration.started').length, 2)
  assert.equal(decisions.filter(({ kind }) => kind === 'story.failed').length, 1)
})

test('a story that fails apart leaves the repository, its check, and what others do as they are', () => {
  const state = after([runStarted(aPlan([aStory('A'), aStory('B')]), aPolicy({ workers: 2, gates: [tests], maxAttempts: 1 }))])
  const flying: State = {
    ...state,
    check: { phase: 'green' },
    stories: { A: { ...noStory, isApart: true, failedAttempts: 1 } },
    flights: [aFlight(2, { story: 'B', worker: 2 })],
  }
  const [failed] = decide(flying)
  assert.equal(failed?.kind, 'story.failed')
  const aside = { kind: 'story.put-aside', story: 'A', branch: 'wip/a', how: 'reset', repo: state.repo } as const
  const settled = after([failed!, aside], flying)
  assert.deepEqual(
    [settled.repo, settled.check, settled.flights, settled.stories['A']?.isApart],
    [state.repo, { phase: 'green' }, flying.flights, false],
  )
})
