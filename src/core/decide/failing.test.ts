import assert from 'node:assert/strict'
import { test } from 'node:test'
import { after, aPlan, aPolicy, aRepo, aStory, committed, runStarted } from '../../../sim/builders.ts'
import { play } from '../../../sim/play.ts'
import { evolve } from '../evolve/evolve.ts'
import { noStory } from '../evolve/initial.ts'
import type { State } from '../state.ts'
import type { EventOf, Repo } from '../types.ts'
import { breakerAfterFailure, closedBreaker } from './breaker.ts'
import { decide } from './decide.ts'

test('R-CB-2: a story that was tried again and failed alike is one story, not two', () => {
  const alike = ['A', 'A', 'B'].reduce((breaker, story) => breakerAfterFailure(breaker, story, 'e1'), closedBreaker)
  assert.deepEqual(
    [
      breakerAfterFailure(breakerAfterFailure(closedBreaker, 'A', 'e1'), 'A', 'e1').counts['stories-alike'].times,
      alike.counts['stories-alike'],
    ],
    [1, { times: 2, iterations: [], key: 'e1', words: 'A, B' }],
  )
})

test('R-ESC-2: killed while a story is put aside, before the file says that it failed, it has failed all the same, and once', () => {
  const plan = aPlan([aStory('A')])
  const running = after([runStarted(plan, aPolicy({ maxAttempts: 1 }))])
  const used: State = { ...running, stories: { A: { ...noStory, attempts: 1, failedAttempts: 1 } } }
  const [failed] = decide(used)
  assert.equal(failed?.kind, 'story.failed')
  const failing = evolve(used, { at: used.at, run: used.run, ...failed! })
  const resumed = evolve(failing, {
    at: used.at,
    run: used.run,
    kind: 'run.resumed',
    plan,
    policy: used.policy,
    repo: used.repo,
    pid: 2,
  })
  assert.deepEqual([resumed.plan, resumed.failing, decide(resumed)], [failing.plan, failing.failing, []])
})

test('R-ESC-2: what a user changed between two runs is no state to go back to, but the commits of the story are still known', () => {
  const plan = aPlan([aStory('A')])
  const before = after([runStarted(plan)])
  const known = { ...noStory, isSaved: true, commits: ['c1'] }
  const startedWith = (repo: Repo) =>
    evolve({ ...before, stories: { A: known } }, {
      at: before.at,
      run: 'r2',
      ...runStarted(plan),
      repo,
    } as EventOf<'run.started'>)
  assert.deepEqual(startedWith(before.repo).stories['A'], known)
  assert.deepEqual(startedWith(aRepo('of the user')).stories['A'], { ...known, isSaved: false })
})

test('R-ESC-2: where the agent picks, the one story that it says is done has its commits, and begins where the iteration did', () => {
  const { state, decisions } = play({
    plan: aPlan([aStory('A', { gates: { own: 'false' } }), aStory('B')]),
    policy: { pick: 'agent', maxIterations: 2 },
    agent: ({ iteration }) => committed(iteration, `t${iteration}`, { flips: ['A'] }),
    gate: () => false,
  })
  assert.deepEqual(
    decisions.flatMap((decision) => (decision.kind === 'iteration.started' ? [[decision.story, decision.saves]] : [])),
    [
      [null, true],
      [null, true],
    ],
  )
  assert.deepEqual([state.stories['A']?.commits, state.stories['A']?.isSaved], [['h-t1', 'h-t2'], true])
})
