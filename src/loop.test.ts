import assert from 'node:assert/strict'
import { test } from 'node:test'
import { after, aPlan, aPolicy, aRepo, aResult, aStory, committed, runStarted, startOfTime } from '../sim/builders.ts'
import { keptMb } from '../test/support/heap.ts'
import { initialState } from './core/evolve/initial.ts'
import type { State } from './core/state.ts'
import type { Decision, Report } from './core/types.ts'
import { type LoopDoors, startLoop } from './loop.ts'

/** A story whose first three attempts are refused, after answers of ten megabytes of which a few words are told. */
function afterThreeRefusals(): State {
  const due: Report[] = []
  const loop = startLoop(initialState, {
    run: 'r1',
    now: () => startOfTime,
    append: () => {},
    show: () => {},
    perform: (decision) => due.push(...answersTo(decision)),
  })
  const policy = aPolicy({ gates: [{ name: 'tests', command: 'npm test' }], maxAttempts: 4, maxIterations: 3 })
  loop.report(runStarted(aPlan([aStory('S-1')]), policy))
  for (let report = due.shift(); report !== undefined; report = due.shift()) loop.report(report)
  return loop.state()
}

function answersTo(decision: Decision): Report[] {
  switch (decision.kind) {
    case 'call.requested':
      return [{ kind: 'call.granted', call: decision.call }]
    case 'iteration.started': {
      const { iteration, story } = decision
      const answer = `answer ${iteration}: ${'it is there, '.repeat(800_000)}`
      return [
        { kind: 'iteration.ended', ...committed(iteration, `t${iteration}`, { flips: [story!], summary: answer.slice(0, 300) }) },
      ]
    }
    case 'gates.started': {
      const { iteration } = decision
      return [
        { kind: 'gates.ended', iteration, results: [aResult('tests', iteration === 'whole', { outputHash: `${iteration}` })] },
      ]
    }
    case 'iteration.judged': {
      const { iteration } = decision
      return [{ kind: 'iteration.settled', iteration, repo: aRepo(`t${iteration}`), commits: [] }]
    }
    default:
      return []
  }
}

test('a run in which nothing is under way and nothing is decided ends with a fault instead of waiting for ever', async () => {
  const doors: LoopDoors = { run: 'r1', now: () => startOfTime, append: () => {}, show: () => {}, perform: () => {} }
  const begun = after([runStarted(aPlan([aStory('S-1')]))])
  // As a bug would leave it: the call is granted to nobody, and every iteration is used up without being counted.
  const stuck: State = {
    ...begun,
    call: { last: 1, phase: 'none', role: 'implementer' },
    policy: { ...begun.policy, workers: 0 },
  }
  const loop = startLoop(stuck, doors)
  loop.report({ kind: 'noticed', what: 'test', detail: 'anything', tell: false })
  await assert.rejects(loop.ended, { exit: 70, message: /^This run would wait forever/ })
})

test('a refusal does not keep the whole answer that its summary was cut from', async () => {
  let state: State | undefined
  const kept = await keptMb(() => {
    state = afterThreeRefusals()
    return state
  })
  assert.deepEqual(
    state?.stories['S-1']?.refusals.map(({ summary }) => summary.slice(0, 21)),
    ['answer 1: it is there', 'answer 2: it is there', 'answer 3: it is there'],
  )
  assert(kept < 5, `${kept} MB are kept`) // 31 MB with the answers
})
