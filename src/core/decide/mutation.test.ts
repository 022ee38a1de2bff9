import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anEnd, anEndedFlight, aPlan, aResult, aStory, begun, committed } from '../../../sim/builders.ts'
import { play } from '../../../sim/play.ts'
import type { Finding } from '../proof/finding.ts'
import type { State } from '../state.ts'
import type { Gate, Policy } from '../types.ts'
import { isMutationDue } from './mutation.ts'

const tests: Gate = { name: 'tests', command: 'npm test' }
const proof: NonNullable<Policy['proof']> = { suspicion: 'reserve', minimum: 'gated', crossExamine: 'always', mutants: 5 }
const policy: Partial<Policy> = { gates: [tests], proof, review: { spec: 'judge', final: [] } }
const survivor = { file: 'src/a.ts', line: 3, before: 'a > b', after: 'a >= b' }
const skipped: Finding = { rule: 'test-skipped', words: 'skipped a test' }

test('mutants are tried once the gates pass, before the examination and the reviewer, who answers each survivor', () => {
  const played = play({
    plan: aPlan([aStory('A')]),
    policy,
    agent: ({ iteration, story }) => committed(iteration, 't1', { flips: [story ?? ''], findings: [skipped] }),
    mutation: () => ({ tried: 4, killed: 2, survivors: [survivor, { ...survivor, line: 4 }] }),
    reviewer: ({ review, story }) => ({
      result: aResult(review, true, {
        kind: 'review',
        story: story ?? '',
        answers: ['the story asks for it', 'a and b never are the same'],
      }),
    }),
    // A clean checkout is where the gates ran before the first iteration.
    judgedIn: 'clean',
  })
  assert.deepEqual(
    played.kinds.filter((kind) => /mutants|examination|review|judged/.test(kind)),
    ['mutants.started', 'examination.started', 'review.started', 'iteration.judged'],
  )
  const receipt = played.state.stories['A']?.receipt
  assert.deepEqual(receipt?.proof?.mutants, {
    tried: 4,
    killed: 2,
    survivors: [
      { ...survivor, answer: 'a and b never are the same' },
      { ...survivor, line: 4 },
    ],
  })
  assert.equal(receipt?.proof?.reservations[0]?.answer, 'the story asks for it')
})

test('they are not tried where nothing asks for them, or nothing could notice them', () => {
  const state: State = { ...begun([aStory('A')], policy), judgedIn: 'clean' }
  const flight = anEndedFlight(anEnd(1, { flips: ['A'] }), { gates: [aResult('tests', true)] })
  const { mutants: _off, ...off } = proof
  assert.equal(isMutationDue(state, flight), true)
  assert.deepEqual(
    [
      isMutationDue({ ...state, policy: { ...state.policy, proof: off } }, flight),
      isMutationDue({ ...state, judgedIn: 'tree' }, flight),
      isMutationDue(state, { ...flight, gates: [aResult('tests', false)] }),
      isMutationDue(state, { ...flight, gates: [aResult('style', true, { soft: true })] }),
      isMutationDue(state, { ...flight, ended: anEnd(1) }),
      isMutationDue(state, { ...flight, mutation: { tried: 0, killed: 0, survivors: [], durationMs: 1 } }),
      isMutationDue(state, { ...flight, ended: anEnd(1, { flips: ['A'], exit: 'stopped' }) }),
    ],
    [false, false, false, false, false, false, false],
  )
})
