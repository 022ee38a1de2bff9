import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  after,
  anEnd,
  anEndedFlight,
  aPlan,
  aPolicy,
  aResult,
  aStart,
  aStory,
  eventOf,
  runStarted,
} from '../../../sim/builders.ts'
import { judge } from '../../core/decide/verdict.ts'
import type { State } from '../../core/state.ts'
import type { Decision, Policy, Report } from '../../core/types.ts'
import { linesFor } from './screen.ts'

const begun = (policy: Partial<Policy> = {}): State => after([runStarted(aPlan([aStory('A'), aStory('B')]), aPolicy(policy))])
const started = (state: State, decision: Decision | Report): string[] =>
  linesFor(eventOf(decision), after([decision], state)).map(({ text }) => text)

test('an iteration says which of how many of this run it is, and its own number where that differs', () => {
  const state = begun({ maxIterations: 5 })
  assert.deepEqual(started(state, aStart(1, 'A')), ['Iteration 1 of 5: A Story A'])
  assert.deepEqual(started({ ...state, used: 2, iteration: 2 }, aStart(3, 'A')), ['Iteration 3 of 5: A Story A'])
  assert.deepEqual(started({ ...state, used: 2, iteration: 22 }, aStart(23, 'A')), ['Iteration 23 (3 of 5): A Story A'])
  const first = after([aStart(1, 'A', { worker: 1 })], state)
  assert.deepEqual(started(first, aStart(2, 'B', { worker: 2 })), ['Iteration 2 of 5: B Story B'])
})

test('where sessions may go on, an iteration says whether it resumes one or starts a new one', () => {
  const state = begun({ session: 'resume' })
  assert.deepEqual(started(state, aStart(1, 'A')).slice(1), ['  new session'])
  assert.deepEqual(started(state, aStart(1, 'A', { resume: 'abc-1' })).slice(1), ['  resumes session abc-1'])
  const words = (policy: Partial<Policy>): string[] =>
    linesFor(eventOf(runStarted(null, aPolicy(policy))), begun(policy)).map(({ text }) => text)
  assert.match(words({})[1]!, /, a new session each iteration,/)
  assert.match(words({ session: 'resume' })[1]!, /, sessions resumed within a story,/)
})

test('a signal that does not count is said with the verdict', () => {
  const evidence = 'copied from a prompt: ‹promise›COMPLETE‹/promise›'
  const ended = anEnd(1, { signals: [{ kind: 'unclear', evidence }] })
  const working = after([aStart(1, 'A'), { kind: 'iteration.ended', ...ended }], begun())
  const verdict = judge(working, anEndedFlight(ended))
  assert.deepEqual(started(working, verdict).slice(1, 2), [
    `  ! a signal did not count, because of words around it or because it was copied: ${evidence}`,
  ])
})

test('an answer that a run takes is shown with its question', () => {
  const asked = { ...begun(), questions: [{ question: 'SQLite\nor PostgreSQL?', iteration: 1, story: 'A' }] }
  const answered = (more: { story?: string; question?: string }) =>
    started(asked, { kind: 'question.answered', text: 'SQLite', ...more })
  assert.deepEqual(answered({ story: 'A' }), ['Answer for A to "SQLite or PostgreSQL?": SQLite'])
  assert.deepEqual(answered({ question: 'Red or blue?' }), ['Answer to "Red or blue?": SQLite'])
  assert.deepEqual(answered({ question: 'Why? '.repeat(40) }), [`Answer to "${'Why? '.repeat(31)}Why?…": SQLite`])
})

test('what Ralph itself rejects a story for is said at once, without what is shown as a finding [R-PROOF-1] [R-PROOF-4]', () => {
  const proof = { suspicion: 'reserve', minimum: 'demonstrated', crossExamine: 'auto' } as const
  const state = begun({ proof, gates: [{ name: 'tests', command: 'x' }] })
  const counts = { passed: 3, failed: 0, skipped: 0 }
  const because = (census: Partial<typeof counts> | undefined): string[] => {
    const gates = [aResult('tests', true, census === undefined ? {} : { census: { ...counts, ...census } })]
    const flight = anEndedFlight(anEnd(1, { flips: ['A'] }), { story: 'A', gates })
    const now = { ...state, flights: [flight], begun: { commit: 'c', census: { tests: counts } }, judgedIn: 'clean' as const }
    return linesFor(eventOf(judge(now, flight)), now).map(({ text }) => text)
  }
  assert.deepEqual(because({}).slice(1), [
    '      A is only gated; it needs at least demonstrated. It needs a test that fails on the code as it was before the story, by an assertion, and passes now. Add one.',
  ])
  assert.deepEqual(because(undefined).slice(1), [
    '      gate tests no longer reports which tests ran; there were 3 when the story began',
  ])
})

test('a start says that no story can pass where the settings ask for more proof than there can be', () => {
  const words = (minimum: 'gated' | 'reviewed'): string | undefined => {
    const policy = { gates: [], proof: { suspicion: 'reserve' as const, minimum, crossExamine: 'auto' as const } }
    return linesFor(eventOf(runStarted(aPlan([aStory('A')]), aPolicy(policy))), begun(policy)).at(-1)?.text
  }
  assert.match(words('gated') ?? '', /no gate: stories pass on the agent's word alone/)
  assert.match(words('reviewed') ?? '', /no gate: stories cannot pass, because proof.minimum is reviewed\. Set gates\.tests/)
})
