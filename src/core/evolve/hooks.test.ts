import assert from 'node:assert/strict'
import { test } from 'node:test'
import { after, aPlan, aPolicy, aRepo, aStory, runStarted } from '../../../sim/builders.ts'
import { play } from '../../../sim/play.ts'
import { decide } from '../decide/decide.ts'
import type { Decision } from '../types.ts'

const plan = aPlan([aStory('S1')])
const done = { flips: ['S1'], commits: ['c1'], trees: ['t1'] }
const hooksOf = (decisions: Decision[]): string[] =>
  decisions.flatMap((decision) => (decision.kind === 'hook.started' ? [`${decision.hook} ${decision.iteration}`] : []))

test('what a hook changes in the repository is checked again, and is no progress of the next iteration', () => {
  const changed = aRepo('formatted')
  const { decisions, state } = play({
    plan,
    policy: { hooks: ['story.passed'], gates: [{ name: 'tests', command: 'content' }] },
    agent: () => ({ ...done, repo: aRepo('t1') }),
    hooked: () => ({ repo: changed }),
  })
  const checks = decisions.flatMap((decision) => (decision.kind === 'gates.started' ? [decision.iteration] : []))
  assert.deepEqual(checks, ['whole', 1, 'whole']) // the first before any iteration, the last because of the hook
  assert.deepEqual(state.repo, changed)
})

test('a refused commit refuses the story, with the hook as what failed', () => {
  const { judged } = play({
    plan,
    policy: { hooks: ['before.commit'], maxIterations: 2 },
    agent: () => ({ flips: ['S1'], uncommitted: ['a.txt'] }),
    hooked: ({ iteration }) => (iteration === 1 ? { how: 'refused', exitCode: 1, reason: 'no header' } : {}),
  })
  assert.deepEqual(
    judged.map(({ passed, failedGates }) => ({ passed, failedGates })),
    [
      { passed: [], failedGates: ['before.commit'] },
      { passed: ['S1'], failedGates: [] },
    ],
  )
})

test('work that the agent has committed itself is not asked about', () => {
  const { decisions } = play({ plan, policy: { hooks: ['before.commit', 'before.landing'] }, agent: () => done })
  assert.deepEqual(hooksOf(decisions), [])
})

test('a hook that was stopped has allowed nothing, and none starts after a stop that cannot wait', () => {
  const begun = after([
    runStarted(plan, aPolicy({ hooks: ['run.started', 'before.iteration'] })),
    { kind: 'hook.started', hook: 'run.started', iteration: 'whole', story: null, because: 'it started' },
    { kind: 'stop.requested', by: 'SIGINT', now: true },
  ])
  assert.deepEqual(
    decide(begun).map(({ kind }) => kind),
    ['iteration.stopping'],
  )
})

test('without hooks nothing about them is in the state', () => {
  const { state } = play({ plan, agent: () => done })
  assert.equal(state.hooks, undefined)
})
