import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anEnd, anEndedFlight, aPlan, aResult, aStory, begun } from '../../../sim/builders.ts'
import type { EndedFlight, State } from '../state.ts'
import type { Written } from '../types/results.ts'
import type { Census, Ended, GateResult, Grade, Policy, Story } from '../types.ts'
import type { Finding } from './finding.ts'
import { findingsOf } from './findings-of.ts'
import { isProven, judgedResults, proofOfStory } from './grade.ts'

const proof = { suspicion: 'reserve', minimum: 'gated', crossExamine: 'auto' } as const
const census = (passed: number, failed = 0, skipped = 0): Census => ({ passed, failed, skipped })
const changed: Finding = { rule: 'test-deleted', file: 'a.test.ts', words: 'deleted the test file a.test.ts' }
const certain: Finding = { rule: 'hooks-disabled', words: 'disabled the hooks', isCertain: true }

type Case = { policy?: Partial<Policy>; state?: Partial<State>; ended?: Partial<Ended>; flight?: Partial<EndedFlight> }

/** Story A was flipped in a project with a gate that ran ten tests when it began. */
function flip({ policy, state, ended, flight }: Case = {}): [State, EndedFlight] {
  const now: State = {
    ...begun([aStory('A')], { gates: [{ name: 'tests', command: 'x' }], proof, ...policy }),
    judgedIn: 'clean',
    begun: { commit: 'h', census: { tests: census(10) } },
    ...state,
  }
  const gates = [aResult('tests', true, { census: census(10) })]
  return [now, { ...anEndedFlight(anEnd(1, { flips: ['A'], ...ended }), { story: 'A', gates }), ...flight } as EndedFlight]
}

const spec = (answers?: string[]): GateResult =>
  aResult('spec', true, { kind: 'review', story: 'A', ...(answers ? { answers } : {}) })
const gradeIn = (given: Case): string => proofOfStory(...flip(given), 'A').grade
const green = { durationMs: 1, oldChecks: { failing: [] } }
const red = { durationMs: 1, newChecks: { failing: ['adds'] } }

test('a pass is worth what was shown: nothing, a gate, a reviewer, or a test that the old code fails', () => {
  assert.equal(gradeIn({ flight: { gates: [] } }), 'unproven')
  assert.equal(gradeIn({}), 'gated')
  assert.equal(gradeIn({ flight: { reviews: [spec()] } }), 'reviewed')
  assert.equal(gradeIn({ state: { judgedIn: undefined }, flight: { gates: [], reviews: [spec()] } }), 'reviewed')
  assert.equal(gradeIn({ flight: { examination: red } }), 'demonstrated')
})

test('what could not be judged in a clean checkout is at most gated', () => {
  assert.equal(gradeIn({ state: { judgedIn: 'tree' }, flight: { reviews: [spec()], examination: red } }), 'gated')
})

test('a test that only misses something in the old code demonstrates nothing', () => {
  assert.equal(
    gradeIn({ flight: { examination: { durationMs: 1, newChecks: { failing: ['adds'], isMissing: true } } } }),
    'gated',
  )
})

test('a suspicion is an open reservation until the reviewer answers it', () => {
  const ended = { findings: [changed] }
  const open = proofOfStory(...flip({ ended, flight: { reviews: [spec()] } }), 'A')
  assert.deepEqual([open.grade, isProven(open), open.reservations], ['gated', false, [changed]])
  const answered = proofOfStory(...flip({ ended, flight: { reviews: [spec(['the story asks for it'])] } }), 'A')
  assert.deepEqual([answered.grade, isProven(answered)], ['reviewed', true])
  assert.equal(answered.reservations[0]?.answer, 'the story asks for it')
})

test('old checks that pass over the new code clear a suspicion about them, and nothing else', () => {
  const beyond: Finding = { rule: 'gate-changed', words: 'special case', isBeyondChecks: true }
  const checks = ['a.test.ts']
  const [state, flight] = flip({ ended: { findings: [changed, beyond, certain], checks }, flight: { examination: green } })
  assert.deepEqual(findingsOf(state, flight), [beyond, certain])
})

test('old checks that pass clear nothing that was found in a file that was not among them', () => {
  const elsewhere: Finding = { rule: 'gate-changed', file: 'build.gradle', words: 'changed build.gradle' }
  const ended = { findings: [changed, elsewhere], checks: ['a.test.ts'] }
  assert.deepEqual(findingsOf(...flip({ ended, flight: { examination: green } })), [elsewhere])
})

test('new tests that ran and pass over the old code too do not show what a story does', () => {
  const examination = { durationMs: 1, newChecks: { failing: [], passing: ['test/a.test.ts'] } }
  const found = (given: Case) => findingsOf(...flip({ ...given, flight: { examination } }))
  assert.deepEqual(found({}), [
    {
      rule: 'not-shown',
      file: 'test/a.test.ts',
      words: 'has new tests that also pass on the old code, so they do not show its effect: test/a.test.ts',
      isBeyondChecks: true,
    },
  ])
  assert.deepEqual(found({ state: { plan: aPlan([aStory('A', { kind: 'refactor' })]) } }), [])
  assert.deepEqual(found({ state: { plan: aPlan([aStory('A', { title: 'Rename the cart' })]) } }), [])
})

test('old checks that fail over the new code are a suspicion with their names, unless they only miss something', () => {
  const examination = { durationMs: 1, oldChecks: { failing: ['adds', 'subtracts'] } }
  const [found] = findingsOf(...flip({ flight: { examination } }))
  assert.deepEqual(
    [found?.rule, found?.words],
    ['old-checks-fail', 'fails the checks as they were when the story began: adds, subtracts'],
  )
  const [named] = findingsOf(...flip({ ended: { checks: ['conftest.py'] }, flight: { examination } }))
  assert.equal(named?.words, 'fails the checks as they were when the story began: adds, subtracts (changed since: conftest.py)')
  const missing = { durationMs: 1, oldChecks: { failing: ['adds'], isMissing: true as const } }
  assert.deepEqual(findingsOf(...flip({ flight: { examination: missing } })), [])
})

test('old checks that fail are for the reviewer alone only if nothing else about the checks could be why', () => {
  const findings: Finding[] = [{ ...changed, rule: 'expected-changed', isDeclared: true }]
  const examination = { durationMs: 1, oldChecks: { failing: ['adds'] } }
  const declared = (checks: string[]) =>
    findingsOf(...flip({ ended: { findings, checks }, flight: { examination } })).map(({ rule, isDeclared }) => [
      rule,
      isDeclared,
    ])
  assert.deepEqual(declared(['a.test.ts', 'b.test.ts', 'package.json']), [
    ['expected-changed', true],
    ['old-checks-fail', true],
  ])
  assert.deepEqual(declared(['a.test.ts', 'conftest.py']), [
    ['expected-changed', true],
    ['old-checks-fail', undefined],
  ])
})

test('a story that says that it changes tests has no reservation because other tests run, or old ones fail', () => {
  const plan = aPlan([aStory('A', { changesTests: true })])
  const examination = { durationMs: 1, oldChecks: { failing: ['adds'] } }
  const gates = [aResult('tests', true, { census: census(9) })]
  const [state, flight] = flip({ state: { plan }, flight: { gates, examination } })
  assert.deepEqual(
    findingsOf(state, flight).map(({ rule, isDeclared }) => [rule, isDeclared]),
    [
      ['fewer-tests', true],
      ['old-checks-fail', true],
    ],
  )
  assert.deepEqual(proofOfStory(state, flight, 'A').reservations, [])
  const named = { ended: { findings: [{ ...changed, isDeclared: true as const }] }, flight: { examination } }
  assert.deepEqual(proofOfStory(...flip(named), 'A').reservations, [])
})

test('tests that were added and that no gate runs show nothing', () => {
  const found = (moreTests: number, now: Census): string[] => {
    const state = { begun: { commit: 'h', census: { tests: census(10) } } }
    const gates = [aResult('tests', true, { census: now })]
    return findingsOf(...flip({ state, ended: { moreTests }, flight: { gates } })).map(({ words }) => words)
  }
  assert.deepEqual(found(2, census(10)), ['adds 2 tests, and its gates run none more than when the story began'])
  assert.deepEqual(found(3, census(11)), ['adds 3 tests, and its gates run only 1 more than when the story began'])
  assert.deepEqual(found(2, census(14)), [])
  assert.deepEqual(found(0, census(10)), [])
})

test('tests that no longer run, or fail unseen, are evidence; fewer and skipped ones a suspicion', () => {
  const found = (now: Census | undefined, before = census(10)): [string, boolean][] => {
    const gates = [aResult('tests', true, now === undefined ? {} : { census: now })]
    const state = { begun: { commit: 'h', census: { tests: before } } }
    return findingsOf(...flip({ state, flight: { gates } })).map(({ rule, isCertain }) => [rule, isCertain === true])
  }
  assert.deepEqual(found(census(12)), [])
  assert.deepEqual(found(undefined), [['tests-uncounted', true]])
  assert.deepEqual(found(census(0)), [['no-tests', true]])
  assert.deepEqual(found(census(9, 1)), [['failures-hidden', true]])
  assert.deepEqual(found(census(9)), [['fewer-tests', false]])
  assert.deepEqual(found(census(10, 0, 1)), [['more-skipped', false]])
  assert.deepEqual(found(undefined, census(0)), [])
})

test('code that is replaced while the gates run and put back is evidence; files in folders that gates write to are not', () => {
  const found = (written: Written[], more: Case = {}): [string | undefined, boolean][] =>
    findingsOf(...flip({ ...more, flight: { written } })).map(({ file, isCertain }) => [file, isCertain === true])
  const files: Written[] = [{ file: 'src/a.js', isBack: true }, { file: 'src/b.js' }, { file: 'data/c.csv', isBack: true }]
  assert.deepEqual(found(files), [
    ['src/a.js', true],
    ['src/b.js', false],
    ['data/c.csv', false],
  ])
  assert.deepEqual(found(files, { state: { written: [{ file: 'src/old.js' }] } }), [['data/c.csv', false]])
  // A changed test may do that.
  assert.deepEqual(found([{ file: 'src/a.js', isBack: true }], { ended: { checks: ['a.test.js'] } }), [['src/a.js', false]])
})

test('a pass below the minimum is refused with what is missing; without any gate nothing can be asked for', () => {
  const refusal = (minimum: Policy['proof'] & object, given: Case = {}): string =>
    judgedResults(...flip({ ...given, policy: { proof: minimum } }))
      .filter(({ kind }) => kind === 'proof')
      .map(({ output }) => output)
      .join()
  assert.equal(refusal(proof), '')
  assert.equal(refusal(proof, { flight: { gates: [] } }), '')
  assert.match(refusal({ ...proof, minimum: 'reviewed' }), /^A is only gated; it needs at least reviewed\. It needs a reviewer/)
  assert.match(refusal({ ...proof, minimum: 'reviewed' }, { ended: { findings: [changed] } }), /Open: deleted the test file/)
  assert.equal(refusal({ ...proof, minimum: 'demonstrated' }, { flight: { examination: red } }), '')
})

test('where suspicions refuse, they do so once the cross-examination has not cleared them', () => {
  const policy = { proof: { ...proof, suspicion: 'refuse' } as const }
  const tamperIn = (flight: Partial<EndedFlight>): number =>
    judgedResults(...flip({ policy, ended: { findings: [changed], checks: ['a.test.ts'] }, flight })).filter(
      ({ kind }) => kind === 'tamper',
    ).length
  assert.equal(tamperIn({}), 0)
  assert.equal(tamperIn({ examination: green }), 0)
  assert.equal(tamperIn({ examination: { durationMs: 1, problem: 'timed out' } }), 1)
})

test('a story says itself how much proof it needs, above or below the settings', () => {
  const refusal = (story: Partial<Story>, minimum: Grade, given: Case = {}): string => {
    const plan = aPlan([aStory('A', story)])
    const results = judgedResults(
      ...flip({ ...given, state: { plan }, policy: { proof: { ...proof, minimum }, ...given.policy } }),
    )
    return results.flatMap(({ kind, output }) => (kind === 'proof' ? [output.split('.')[0]] : [])).join()
  }
  assert.equal(refusal({ proof: 'demonstrated' }, 'gated'), 'A is only gated; it needs at least demonstrated')
  assert.equal(refusal({ proof: 'gated' }, 'demonstrated'), '')
  // One that needs no test is not asked for one, and a reviewer is, if there is any.
  assert.equal(refusal({ kind: 'docs' }, 'demonstrated'), '')
  const judged = { policy: { review: { spec: 'judge', final: [] } } }
  assert.equal(refusal({ kind: 'docs' }, 'demonstrated', judged), 'A is only gated; it needs at least reviewed')
  assert.equal(refusal({ kind: 'docs', proof: 'demonstrated' }, 'gated'), 'A is only gated; it needs at least demonstrated')
})

test('a story that needs no test, or whose tests pass on the old code too, says what was checked instead', () => {
  const checked = (story: Partial<Story>, given: Case = {}): string | undefined =>
    proofOfStory(...flip({ ...given, state: { plan: aPlan([aStory('A', story)]), ...given.state } }), 'A').checked
  assert.equal(checked({ kind: 'docs' }), 'gates green in a clean checkout; no test needed: docs')
  assert.equal(checked({ kind: 'chore' }, { state: { judgedIn: 'tree' } }), 'gates green in the work tree; no test needed: chore')
  const examination = { durationMs: 1, newChecks: { failing: [] } }
  assert.equal(checked({}, { flight: { examination } }), 'gates green in a clean checkout; its tests also pass on the old code')
  assert.deepEqual([checked({}), checked({ kind: 'docs' }, { flight: { examination: red } })], [undefined, undefined])
  assert.equal(checked({ kind: 'docs' }, { flight: { gates: [] } }), undefined)
})
