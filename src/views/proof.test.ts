import assert from 'node:assert/strict'
import { test } from 'node:test'
import { aPlan, aResult, aStory, committed } from '../../sim/builders.ts'
import { play } from '../../sim/play.ts'
import { noStory } from '../core/evolve/initial.ts'
import { proofOf } from '../core/proof/receipt.ts'
import type { StoryProof } from '../core/proof/story-proof.ts'
import type { StoryState } from '../core/state.ts'
import type { CheckKind, Gate, Policy, Story } from '../core/types.ts'
import { byWeakness, gateWords, gradeLine, proofData, proofWords } from './proof.ts'
import { failureLines } from './report/failure.ts'
import { receiptParts, reservationParts } from './report/html/proof.ts'
import { reportJson, reportMarkdown } from './report/report.ts'
import { summaryLines } from './screen/summary.ts'
import { statusOf } from './status/status.ts'
import { whyData, whyLines } from './why.ts'

const tests: Gate = { name: 'tests', command: 'npm test' }
const lint: Gate = { name: 'lint', command: 'npm run lint', soft: true }
const ran = (policy: Partial<Policy>, stories: Story[] = [aStory('A')], isRed: (gate: Gate) => boolean = () => false) =>
  play({
    plan: aPlan(stories),
    policy,
    agent: ({ iteration, story }) => committed(iteration, `t${iteration}`, { flips: [story!] }),
    gate: (gate) => !isRed(gate),
  }).state

test('what passed and could have refused proves a story; what failed only warned; a soft gate that passed is neither', () => {
  const results = [
    aResult('tests', true),
    aResult('lint', false, { soft: true }),
    aResult('style', true, { soft: true }),
    aResult('old', false, { tolerated: true }),
    aResult('tests', true, { story: 'A' }),
  ]
  assert.deepEqual(proofOf(results), { by: ['tests'], warned: ['lint', 'old'] })
})

test('a soft gate that failed is named as a warning, and never under "proven by" or "every gate" [R-GATE-1]', () => {
  const state = ran({ gates: [tests, lint] }, [aStory('A')], (gate) => gate === lint)
  assert.deepEqual(state.outcome, {
    outcome: 'complete',
    because: 'every story passes, and so does every hard gate (lint only warned)',
  })
  const receipt = state.stories['A']!.receipt!
  assert.equal(proofWords(receipt), 'proven by tests; lint warned')
  assert.equal(
    gateWords(receipt, (ms) => `${ms} ms`),
    `tests ✓ ${receipt.gates[0]!.durationMs} ms; lint warned`,
  )
  assert.match(reportMarkdown(state), /- A - .* \(iteration 1, h-t1, proven by tests; lint warned\)\n/)
})

test('after a spec review that passed nobody says that no gate could check it', () => {
  assert.equal(ran({ review: { spec: 'judge', final: [] } }).outcome?.because, 'every story passes, proven by spec')
  assert.equal(ran({}).outcome?.because, 'every story passes; no gate is configured to check it')
  const own = [aStory('A', { gates: { smoke: './smoke' } }), aStory('B')]
  assert.equal(ran({}, own).outcome?.because, 'every story passes, 1 of 2 proven by smoke')
  assert.equal(ran({ only: 'A' }, own).outcome?.because, 'A passes, proven by smoke')
  assert.equal(
    ran({ gates: [tests], review: { final: ['judge', 'judge', 'other'] } }).outcome?.because,
    'every story passes, and so does every gate; all changes were reviewed by judge, other',
  )
})

test("one story's own gate does not prove another one that flipped with it", () => {
  const { state } = play({
    plan: aPlan([aStory('A', { gates: { smoke: './smoke' } }), aStory('B')]),
    policy: { pick: 'agent' },
    agent: ({ iteration }) => committed(iteration, 't1', { flips: ['A', 'B'] }),
  })
  assert.deepEqual(
    ['A', 'B'].map((id) => [state.stories[id]?.receipt?.proven, state.stories[id]?.receipt?.gates.length]),
    [
      [true, 1],
      [false, 0],
    ],
  )
})

test('the error of a failed story is the error in the output of its gate, not the first line of it [R-ESC-3]', () => {
  const story = { ...aStory('A'), failed: { branch: 'wip/x', reason: 'used up', at: '' } }
  const errorOf = (output: string, kind: CheckKind = 'command'): string => {
    const state = ran({ maxAttempts: 1, maxIterations: 1, gates: [tests] }, [aStory('A')], () => true)
    const known = state.stories['A']!
    const refusals = [{ ...known.refusals[0]!, gates: [{ ...aResult('tests', false), output, kind }] }]
    const lines = failureLines({ ...state, stories: { A: { ...known, refusals } } }, story)
    return lines.find((line) => line.startsWith('- Error: '))!.slice(9)
  }
  const output = ['> app@1.0.0 test', '> node --test', '0 errors so far', 'TypeError: x is not a function', 'Error: later'].join(
    '\n',
  )
  assert.equal(errorOf(output), 'TypeError: x is not a function')
  assert.equal(errorOf('line 1\nline 2\nit stopped'), 'it stopped')
  assert.equal(errorOf('Missing: 2. Rounds up\nReason: not yet', 'review'), 'Missing: 2. Rounds up')
})

type Receipt = NonNullable<StoryState['receipt']>
const aReceipt = (proof: Partial<StoryProof> = {}, more: Partial<Receipt> = {}): Receipt => ({
  iteration: 1,
  proven: true,
  proof: { grade: 'gated', reservations: [], examined: 'not needed', ...proof },
  commits: [],
  tree: '',
  gates: [aResult('tests', true, { census: { passed: 3, failed: 0, skipped: 0 } })],
  agent: 'x',
  costUsd: 0,
  given: false,
  ...more,
})
const deleted = { rule: 'test-deleted' as const, words: 'deleted the test adds' }

test('what is open about a pass is said instead of "proven"; what a reviewer answered is not open', () => {
  assert.equal(proofWords(aReceipt()), 'proven by tests')
  assert.equal(proofWords(aReceipt({ grade: 'demonstrated' })), 'proven by tests: one of its tests fails on the old code')
  assert.equal(proofWords(aReceipt({ reservations: [deleted] })), 'passed tests; reservation: deleted the test adds')
  assert.equal(proofWords(aReceipt({ reservations: [{ ...deleted, answer: 'asked for' }] })), 'proven by tests')
  const accepted = { ...deleted, answer: 'accepted by me' }
  assert.equal(
    proofWords(aReceipt({ reservations: [accepted, { ...accepted, words: 'skips the test adds' }] })),
    'proven by tests; accepted by me: deleted the test adds, skips the test adds',
  )
  const checked = 'gates green in a clean checkout; no test needed: docs'
  assert.equal(proofWords(aReceipt({ checked })), `proven by tests; ${checked}`)
})

test('programs get the grade, each reservation with all its keys, and the tests that ran [R-PROOF-1]', () => {
  const { proof: _none, ...older } = aReceipt()
  assert.deepEqual(proofData(aReceipt({ grade: 'reviewed', examined: 'yes' })), {
    grade: 'reviewed',
    proven: true,
    reservations: [],
    census: { tests: { passed: 3, failed: 0, skipped: 0 } },
    examined: 'yes',
  })
  const told = { ...deleted, file: 'test/a.test.ts', line: 7, answer: 'asked for' }
  assert.deepEqual(proofData(aReceipt({ reservations: [deleted, told] })).reservations, [
    { ...deleted, file: null, line: null },
    told,
  ])
  assert.deepEqual([proofData(older).grade, proofData({ ...older, proven: false, gates: [] }).census], ['gated', null])
})

test('mutants that survived are named, for people by place and for programs whole', () => {
  const survivor = { file: 'src/a.ts', line: 3, before: 'a > b', after: 'a >= b' }
  const mutants = { tried: 4, killed: 2, survivors: [survivor, { ...survivor, line: 4, answer: 'never the same' }] }
  assert.equal(proofWords(aReceipt({ mutants })), 'proven by tests; 2 of 4 mutants survived: src/a.ts:3, src/a.ts:4')
  assert.equal(proofWords(aReceipt({ mutants: { tried: 2, killed: 2, survivors: [] } })), 'proven by tests; no mutant survived')
  assert.deepEqual(proofData(aReceipt({ mutants })).mutants, mutants)
})

test('why counts passes by their grade, the weakest first', () => {
  const plan = aPlan(['A', 'B', 'C'].map((id) => ({ ...aStory(id), passes: true })))
  const story = (grade: StoryProof['grade']) => ({ ...noStory, receipt: aReceipt({ grade }) })
  const stories = { A: story('demonstrated'), B: story('gated'), C: story('demonstrated') }
  assert.deepEqual([gradeLine({ plan, stories }), gradeLine({ plan, stories: {} })], [['1 gated, 2 demonstrated'], []])
})

test('what is open comes first, then the weakest, and last what passed before Ralph looked', () => {
  const all = [
    aReceipt({ grade: 'demonstrated' }),
    aReceipt({}, { given: true }),
    aReceipt({ grade: 'unproven' }),
    aReceipt({ grade: 'reviewed', reservations: [deleted] }),
    aReceipt(),
  ]
  const grades = all.toSorted(byWeakness).map(({ proof, given }) => (given ? 'given' : proof?.grade))
  assert.deepEqual(grades, ['reviewed', 'unproven', 'gated', 'demonstrated', 'given'])
})

/** A and B pass; A with a suspicion that nobody has answered. */
const reserved = (policy: Partial<Policy> = {}) =>
  play({
    plan: aPlan([aStory('B'), aStory('A')]),
    judgedIn: 'clean',
    policy: { gates: [tests], proof: { suspicion: 'reserve', minimum: 'gated', crossExamine: 'off' }, ...policy },
    agent: ({ iteration, story }) =>
      committed(iteration, `t${iteration}`, {
        flips: [story!],
        findings: story === 'A' ? [{ ...deleted, file: 'test/a.test.ts', line: 7 }] : [],
      }),
    results: (gate) => aResult(gate.name, true, { census: { passed: 12, failed: 0, skipped: 1 } }),
  })
const open = 'A: deleted the test adds (test/a.test.ts:7)'

test("what was done about the user's files in several iterations is one line of the summary", () => {
  const told = (iteration: number, file: string) => `${file} was committed during iteration ${iteration}. Taken out again.`
  const aboutUsers = [told(1, 'a.txt'), told(2, 'a.txt'), told(2, 'b.txt'), told(4, 'a.txt')]
  const lines = summaryLines({ ...ran({}), aboutUsers }, { dir: 'd', csv: 'c', log: 'l' })
  assert.deepEqual(
    lines.filter((line) => line.startsWith('Your files:')),
    [
      'Your files:  a.txt was committed during iterations 1, 2, 4. Taken out again.',
      'Your files:  b.txt was committed during iteration 2. Taken out again.',
    ],
  )
})

test('a run that found nothing to do has no commits to review: it says how to plan what comes next', () => {
  const done = summaryLines(ran({}, [aStory('A', { passes: true })]), { dir: 'd', csv: 'c', log: 'l' })
  assert.equal(done.at(-1), 'Next:        ralph plan -f login  # nothing was left to do; this plans what comes next')
})

test('a run that ends complete with a reservation says so first, in its last event and to programs; its exit code stays 0 [R-PROOF-1]', () => {
  const { state, decisions } = reserved()
  const because = 'every story passes, and so does every gate, with a reservation about A'
  assert.deepEqual(decisions.at(-1), { kind: 'run.ended', outcome: 'complete', because, reserved: ['A'] })
  const lines = summaryLines(state, { dir: 'd', csv: 'c', log: 'l' })
  assert.deepEqual(
    [lines[0], lines[2], lines[4], lines.at(-1)],
    [
      'Ralph Loop Summary: complete, with a reservation about A',
      'Exit:        COMPLETE (code 0), with a reservation about A',
      `Reservation: ${open}`,
      'Next:        ralph report  # check the reservations of A, review the commits on feature/x, then merge',
    ],
  )
  const report = reportJson(state)
  assert.deepEqual([report.reserved, report.stories.reserved, report.receipts['A']?.proven], [['A'], 1, false])
  const census = { tests: { passed: 12, failed: 0, skipped: 1 } }
  const reservations = [{ rule: 'test-deleted', words: deleted.words, file: 'test/a.test.ts', line: 7 }]
  const proof = { grade: 'gated', proven: false, reservations, census, examined: 'not needed' }
  assert.deepEqual(report.receipts['A']?.proof, proof)
  const status = statusOf(state, 'run.ended')
  assert.deepEqual([status.stories.list.find(({ id }) => id === 'A')?.proof, status.census], [proof, census])
  const told = reportMarkdown(state)
    .split('\n')
    .filter((line) => line.startsWith('- ') || line.startsWith('Feature '))
  assert.equal(told[0]?.endsWith(`: complete (${because})`), true, told[0])
  assert.deepEqual(told.slice(1), [
    '- A - Story A (iteration 2, h-t2, passed tests; reservation: deleted the test adds)',
    '- B - Story B (iteration 1, h-t1, proven by tests)',
  ])
})

test('of a run that ended with a question, why names the log of the iteration that asked, not of the last one', () => {
  const { state } = play({
    plan: aPlan([aStory('A'), aStory('B')]),
    policy: { decide: 'park' },
    agent: ({ iteration, story }) =>
      story === 'A'
        ? { signals: [{ kind: 'question', text: 'tabs or spaces?', evidence: 'DECIDE' }] }
        : committed(iteration, `t${iteration}`, { flips: [story!] }),
  })
  const why = { state, story: [], endedAt: state.at, isLive: false, now: state.at }
  const lines = whyLines(why, { dir: 'd', log: (iteration) => `log ${iteration}` })
  assert.deepEqual([state.outcome?.outcome, state.iteration], ['question', 2])
  assert.ok(lines.includes('Look at:  ralph logs 1   (log 1)'), lines.join('\n'))
})

test('of a run that got stuck and failed nowhere, why quotes the last words of the agent and names the story', () => {
  const { state } = play({ plan: aPlan([aStory('A')]), agent: () => ({ summary: 'I need\na  key.' }) })
  const why = { state, story: [], endedAt: state.at, isLive: false, now: state.at }
  const lines = whyLines(why, { dir: 'd', log: (iteration) => `log ${iteration}` })
  assert.equal(state.outcome?.outcome, 'stuck')
  assert.ok(lines.includes('Said:     iteration 3, A: I need a key.'), lines.join('\n'))
})

test('why names what is open, for people and for programs', () => {
  const { state } = reserved()
  const why = { state, story: [], endedAt: state.at, isLive: false, now: state.at }
  const paths = { dir: 'd', log: () => 'l' }
  assert.deepEqual(
    whyLines(why, paths).filter((line) => line.startsWith('Open:')),
    [`Open:     reservation about ${open}`],
  )
  const { reserved: named, stories } = whyData(why, paths) as { reserved: string[]; stories: { id: string; proof: object }[] }
  assert.deepEqual([named, stories.map(({ id }) => id)], [['A'], ['B', 'A']])
  assert.deepEqual(stories[1]?.proof, reportJson(state).receipts['A']?.proof)
})

test('a run of one story, and one that tolerates red gates, name its reservation too', () => {
  assert.equal(reserved({ only: 'A' }).state.outcome?.because, 'A passes, with a reservation about A')
  const red = (passed: boolean) => aResult('old', passed, { exitCode: 1, output: 'x' })
  const { state } = play({
    plan: aPlan([aStory('A')]),
    policy: { gates: [tests, { name: 'old', command: 'x' }], baseline: 'tolerate' },
    agent: ({ iteration }) => committed(iteration, 't', { flips: ['A'], findings: [deleted] }),
    results: (gate) => (gate === tests ? aResult('tests', true) : red(false)),
  })
  assert.equal(
    state.outcome?.because,
    'every story passes, and gates fail only as they did before the run, with a reservation about A',
  )
})

test('the page has reservations first of all, then receipts from the weakest on, with grade and tests', () => {
  const { state } = reserved()
  const data = { receipts: reportJson(state).receipts, list: statusOf(state, null).stories.list }
  assert.deepEqual(reservationParts(data), [
    '<div class="reservation"><h3>A: Story A</h3><ul><li>deleted the test adds (test/a.test.ts:7)</li></ul></div>',
  ])
  const rows = receiptParts(data)[0]!.split('<tr>').slice(2)
  const cells = rows.map((row) =>
    [...row.matchAll(/<t[hd][^>]*>(.*?)<\/t[hd]>/g)].map(([, cell = '']) => cell.replace(/<[^>]+>/g, '')),
  )
  const grade = 'Gated'
  const counted = '12 tests passed, 1 skipped'
  assert.deepEqual(
    cells.map(([story, chip, , , ran, notes]) => [story, chip, ran, notes]),
    [
      ['A', grade, counted, 'reservation: deleted the test adds (test/a.test.ts:7)'],
      ['B', grade, counted, '–'],
    ],
  )
})
