import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anEnd, anEndedFlight, aPlan, aReading, eventOf } from '../../../sim/builders.ts'
import type { Decision, Ended, EventOf } from '../types.ts'
import { addedByJudgement } from './about-last-iteration.ts'

type Judged = Extract<Decision, { kind: 'iteration.judged' }>

function told(more: Partial<Ended>, judged: Partial<Judged> = {}): string[] {
  const event = eventOf({
    kind: 'iteration.judged',
    because: '',
    iteration: 4,
    verdict: 'worked',
    progress: 'idle',
    passed: [],
    proven: false,
    refused: [],
    failedGates: [],
    claim: 'none',
    openStories: [],
    ...judged,
  }) as EventOf<'iteration.judged'>
  return addedByJudgement({ ...anEndedFlight(anEnd(4, more)), phase: 'judged', judged: event }, aPlan([]))
}

test('an ordinary iteration leaves nothing to tell', () => {
  assert.deepEqual(told({}), [])
})

test('gates that refuse a flip, or fail without one, are not told again: the prompt quotes what failed', () => {
  assert.deepEqual(told({ flips: ['A'] }, { verdict: 'failed', refused: ['A'], failedGates: ['tests', 'lint'] }), [])
  assert.deepEqual(told({}, { failedGates: ['tests'] }), [])
})

test('a flip set back by a stop during the gates is told as interrupted, not as red gates', () => {
  assert.deepEqual(told({ exit: 'ok', flips: ['A'] }, { verdict: 'interrupted', refused: ['A'] }), [
    'A was set back to passes: false: iteration 4 was interrupted before its gates and reviews finished.',
  ])
})

test('a refused claim is told with the stories and gates that refute it', () => {
  const signals: Ended['signals'] = [{ kind: 'claimed-done', by: 'promise', exitSignal: true, evidence: '' }]
  assert.deepEqual(told({ signals }, { claim: 'refused', openStories: ['A', 'B'], failedGates: ['tests'] }), [
    'Iteration 4 claimed that everything is done. Rejected: these stories are still open: A, B; gate tests is red.',
  ])
})

test('who speaks of its story is told how to show that it is done, and not accused of claiming everything', () => {
  const signals: Ended['signals'] = [{ kind: 'claimed-done', by: 'keywords', exitSignal: false, evidence: '' }]
  assert.deepEqual(told({ signals }, { claim: 'refused', openStories: ['A', 'B'] }), [
    'Iteration 4 said that A is done, but the plan does not. If it is, set its passes to true, and the gates check it. Still open: these stories are still open: A, B.',
  ])
})

test('time limits, kills, repairs, weakened checks, dirt, unsigned signals and questions are each told', () => {
  const files = Array.from({ length: 22 }, (_, i) => `f${i}`)
  const all = [
    ...told({ exit: 'timeout' }),
    ...told({ exit: 'lost' }),
    ...told({ repairs: ['S-2 was removed'] }),
    ...told({
      findings: [
        { rule: 'test-deleted', words: 'deleted the test file a.test.ts' },
        { rule: 'gate-changed', words: 'changed check.sh, which gate tests runs' },
        { rule: 'test-deleted', words: 'deleted b.test.ts, as the story asks', isDeclared: true },
      ],
    }),
    ...told({
      findings: [
        { rule: 'nothing-done', words: 'changed only tests since the story began: a.test.ts' },
        { rule: 'special-case', words: 'src/a.ts returns 3 for exactly 5' },
        { rule: 'test-weak', words: 'added tests that compare no result: "a"' },
      ],
    }),
    ...told({}, { failedGates: ['tests'] }),
    ...told({ uncommitted: files }),
    ...told({ signals: [{ kind: 'unsigned', evidence: '' }] }),
    ...told({ reading: aReading({ status: 'question' }) }),
  ]
  assert.deepEqual(all, [
    'Iteration 4 timed out. Work in smaller steps and commit early.',
    'Iteration 4 was interrupted from outside. Check the state of the tree before you continue.',
    'The plan was corrected after iteration 4: S-2 was removed.',
    'Checks were weakened in iteration 4: deleted the test file a.test.ts, changed check.sh, which gate tests runs. Restore them and make the code pass them, unless the story itself asks for the change.',
    'The work of iteration 4 looks unfinished: changed only tests since the story began: a.test.ts. Do what the story asks for.',
    'The code of iteration 4 looks written for its tests: src/a.ts returns 3 for exactly 5. Make it right for every input, tested or not.',
    'The tests of iteration 4 show little: added tests that compare no result: "a". Add tests that fail without the work and pass with it.',
    `Iteration 4 left these files uncommitted: ${files.slice(0, 20).join(', ')} and 2 more. Commit, fix or remove them.`,
    'Iteration 4 sent a signal without the code from its prompt, so it did not count. Use the code from this prompt.',
    'Iteration 4 ended with a question, but nobody is there to answer. Decide yourself, or, if only a person can decide, signal DECIDE as described under "How to signal".',
  ])
})

test('a DECIDE is answered by a person: the next prompt is not told to decide it alone', () => {
  const reading = { ...aReading(), status: 'question' as const }
  assert.deepEqual(told({ reading }, { verdict: 'question' }), [])
})
