import assert from 'node:assert/strict'
import test from 'node:test'
import {
  certainHoles,
  headLines,
  isAlike,
  type LineParts,
  type PlayedRow,
  playedLines,
  progressText,
  rehearsalData,
  summaryLines,
} from './rehearsal.ts'

const texts = (lines: LineParts[]): string[] => lines.map((parts) => parts.map(({ text }) => text).join(''))

const row = (more: Partial<PlayedRow>): PlayedRow => ({
  ...{ id: 'skip-tests', group: 'tests', name: 'Skips the tests that fail', result: 'caught', words: 'gate tests: 1 test fails' },
  ...{ by: 'gate tests', certain: true, durationMs: 10, ...more },
})

const rehearsal = (plays: PlayedRow[]) => ({
  feature: null,
  quick: false,
  gates: [],
  problem: null,
  notes: [],
  plays,
  durationMs: 9000,
})

test('a play is one line that fits, with the short reason on a narrow screen', () => {
  const long = row({ result: 'reserved', words: 'x'.repeat(90), by: 'test-skipped +2' })
  const [narrow, wide] = [80, 120].map((columns) => texts(playedLines([long], columns))[0] ?? '')
  assert.equal(narrow, '  ~ Skips the tests that fail               reserved  test-skipped +2')
  assert.ok(wide !== undefined && wide.length <= 120 && wide.endsWith('x…'), wide)
})

test('plays that are not tried for one reason are one line from the third on', () => {
  const rows = ['a', 'b', 'c'].map((id) => row({ id, name: id, result: 'not tried', words: 'there is no gate' }))
  assert.equal(texts(playedLines(rows, 80)).length, 1)
  assert.match(texts(playedLines(rows, 80))[0] ?? '', /^ {2}- 3 plays +not tried there is no gate$/)
  assert.equal(texts(playedLines(rows.slice(1), 80)).length, 2)
  const [first, second] = rows
  assert.deepEqual(
    [
      isAlike(first, second ?? row({})),
      isAlike(first, row({ result: 'not tried', words: 'other' })),
      isAlike(undefined, row({})),
    ],
    [true, false, false],
  )
})

test('where no cheat on the checks could be played, "no hole" does not speak for them', () => {
  const claim = row({ id: 'complete', group: 'claims' })
  const endOf = (...plays: PlayedRow[]): string => texts(summaryLines(rehearsal(plays), 80)).at(-1) ?? ''
  assert.equal(endOf(row({}), claim), 'No hole found.')
  assert.equal(endOf(claim), 'No hole found.')
  assert.equal(
    endOf(row({ result: 'not tried', words: 'no source file was found' }), claim),
    'No hole found in what could be tried: nothing is known about the gates.',
  )
})

test('holes that one setting closes are told together, with the line to add', () => {
  const fix = { setting: 'gates: { tests: npm test }', words: 'Nothing checks the work.' }
  const holes = ['Empties', 'Breaks'].map((name) => row({ id: name, name, result: 'passed', words: 'unproven', fix }))
  assert.deepEqual(texts(summaryLines(rehearsal(holes), 80)), [
    '',
    '0 caught, 0 reserved, 2 passed, 0 not tried, in 9.0s',
    'Your project is as it was.',
    '',
    '2 holes, with the line for .ralph/config.yaml:',
    '  ✗ Empties: unproven',
    '  ✗ Breaks: unproven',
    '      Nothing checks the work.',
    '      gates: { tests: npm test }',
  ])
})

test('a reservation is told with the setting that refuses it, except what only a reviewer can see', () => {
  const reserved = row({ result: 'reserved', by: 'test-skipped' })
  const forReviewer = row({ id: 'no-work', result: 'reserved', isForReviewer: true })
  assert.deepEqual(texts(summaryLines(rehearsal([reserved, forReviewer]), 120)).slice(3), [
    '',
    'No hole found.',
    '',
    '1 cheat passes with a reservation that names it in status, report and review. To refuse it instead:',
    '    proof: { suspicion: refuse }',
  ])
})

test('only what is certain counts as a failure, and programs get the counts', () => {
  const plays = [row({ result: 'passed' }), row({ id: 'idle', certain: false, result: 'passed' }), row({ id: 'b' })]
  assert.deepEqual(
    certainHoles({ plays }).map(({ id }) => id),
    ['skip-tests'],
  )
  const { version, caught, reserved, passed, notTried, certainHoles: certain } = rehearsalData(rehearsal(plays))
  assert.deepEqual(
    { version, caught, reserved, passed, notTried, certain },
    { version: 1, caught: 1, reserved: 0, passed: 2, notTried: 0, certain: 1 },
  )
})

test('the head says what is rehearsed, how long it takes, and offers less where that is long', () => {
  const gates = [{ name: 'tests', command: 'npm test', durationMs: 41_000, tests: { passed: 12, failed: 0, skipped: 1 } }]
  assert.deepEqual(texts(headLines({ gates, problem: null, feature: 'login', notes: ['docker is not used'] }, 32, 1_800_000)), [
    'Rehearsing login in a copy, without a model: 32 plays, about 30m 0s',
    '  gate tests: npm test (12 tests, 41s)',
    '  ! docker is not used',
    '  ! The gates are slow. --quick plays only the most important ones.',
  ])
  assert.deepEqual(texts(headLines({ gates: [], problem: 'Gate "tests" fails', feature: null, notes: [] }, 1, 1000)), [
    'Rehearsing in a copy, without a model: 1 play, about 1.0s',
    '  no gate is set',
    '  ✗ Gate "tests" fails',
  ])
})

test('the bar fits on the line', () => {
  const progress = { done: 8, total: 32, what: 'Skips the tests that fail', elapsedMs: 41_000, estimateMs: 80_000 }
  assert.equal(
    progressText(progress, 120),
    `  ${'█'.repeat(6)}${'░'.repeat(18)} 8/32 · 41s of about 1m 20s · Skips the tests that fail`,
  )
  assert.ok(progressText(progress, 60).length < 60)
})
