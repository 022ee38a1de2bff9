import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Reading } from '../types/results.ts'
import { defaultPromise, readAnswer } from './reading.ts'
import { readingOf, reportText, reportTool, type StatusReport, statusReportOf } from './status-report.ts'

const report = (more: Partial<StatusReport>): StatusReport => ({
  status: 'in_progress',
  summary: '',
  blockedReason: '',
  question: '',
  ...more,
})

test('a report is taken with all of its fields, or with its status alone', () => {
  assert.deepEqual(statusReportOf({ status: 'complete', summary: ' Added login. ', exit_signal: true }), {
    status: 'complete',
    summary: 'Added login.',
    exitSignal: true,
    blockedReason: '',
    question: '',
  })
  assert.deepEqual(statusReportOf({ status: 'testing' }), report({ status: 'testing' }))
  assert.deepEqual(
    statusReportOf({ status: 'blocked', exit_signal: false, blocked_reason: 'no database', question: '' }),
    report({ status: 'blocked', exitSignal: false, blockedReason: 'no database' }),
  )
})

test('what a model leaves out may also be null, empty, or dots', () => {
  const given = { status: 'complete', summary: null, exit_signal: null, blocked_reason: ' … ', question: '---', other: 1 }
  assert.deepEqual(statusReportOf(given), report({ status: 'complete' }))
})

test('a text longer than a person would read is cut', () => {
  assert.deepEqual(statusReportOf({ status: 'in_progress', summary: 'x'.repeat(100_000) }), report({ summary: 'x'.repeat(4000) }))
})

test('what is no report is answered with what is wrong', () => {
  const statuses = 'status must be one of complete, in_progress, blocked, testing.'
  const cases: [given: unknown, problem: string][] = [
    [undefined, 'A report must be an object with a status.'],
    [null, 'A report must be an object with a status.'],
    [[], 'A report must be an object with a status.'],
    ['complete', 'A report must be an object with a status.'],
    [{}, statuses],
    [{ status: 'COMPLETE' }, statuses],
    [{ status: 'toString' }, statuses],
    [{ status: 'complete', summary: 3 }, 'summary must be a string.'],
    [{ status: 'blocked', blocked_reason: ['a'] }, 'blocked_reason must be a string.'],
    [{ status: 'complete', question: {} }, 'question must be a string.'],
    [{ status: 'complete', exit_signal: 'true' }, 'exit_signal must be true or false.'],
    [{ status: 'blocked' }, 'With status blocked, say in blocked_reason what is in the way and what a person must do.'],
    [
      { status: 'complete', question: 'Anything else?' },
      'A question stops the work until a person answers: with status complete, leave it out; if you need the answer, the status is in_progress.',
    ],
  ]
  for (const [given, problem] of cases) assert.equal(statusReportOf(given), problem)
})

test('whatever comes in, the answer is a report or a problem, and a report read back is the same', () => {
  const { status } = reportTool.inputSchema.properties
  const text = fc.oneof(fc.string(), fc.constant(undefined), fc.constant(null))
  const near = fc.record({
    status: fc.constantFrom(...status.enum),
    summary: text,
    exit_signal: fc.option(fc.boolean()),
    blocked_reason: text,
    question: text,
  })
  fc.assert(
    fc.property(fc.oneof(near, fc.anything()), (given) => {
      const taken = statusReportOf(given)
      if (typeof taken !== 'string') assert.deepEqual(statusReportOf(JSON.parse(reportText(taken))), taken)
    }),
  )
})

/** The same content as an agent would print it. */
function blockOf({ status, exitSignal, blockedReason }: StatusReport): string {
  const lines = [
    `STATUS: ${status === 'testing' ? 'IN_PROGRESS' : status.toUpperCase()}`,
    ...(status === 'testing' ? ['WORK_TYPE: TESTING'] : []),
    ...(exitSignal === undefined ? [] : [`EXIT_SIGNAL: ${exitSignal}`]),
    ...(blockedReason === '' ? [] : [`RECOMMENDATION: ${blockedReason}`]),
  ]
  return ['---RALPH_STATUS---', ...lines, '---END_RALPH_STATUS---'].join('\n')
}

const withEvidence = (reading: Reading, evidence: string): Reading => ({
  ...reading,
  evidence: [evidence],
  signals: reading.signals.map((signal) => ('evidence' in signal ? { ...signal, evidence } : signal)),
})

test('a report counts exactly like the status block with the same content [R-SIG-2]', () => {
  for (const status of reportTool.inputSchema.properties.status.enum)
    for (const exitSignal of [undefined, false, true])
      for (const blockedReason of ['', 'no database']) {
        const given = report({ status, blockedReason, ...(exitSignal === undefined ? {} : { exitSignal }) })
        const printed = readAnswer(blockOf(given), { promise: defaultPromise })
        const reading = readingOf(given)
        assert.deepEqual(reading, withEvidence(printed, reading.evidence[0]!), JSON.stringify(given))
      }
})

test('a question counts exactly like the promise that asks one, whatever the status [R-SIG-1]', () => {
  const printed = readAnswer('<promise>DECIDE:A or B?</promise>', { promise: defaultPromise })
  const blocked = report({ status: 'blocked', exitSignal: true, blockedReason: 'two ways', question: 'A or B?' })
  assert.deepEqual(readingOf(blocked), withEvidence(printed, 'report_status: blocked; exit_signal true; A or B?; two ways'))
  assert.deepEqual(readingOf(report({ question: 'A or B?' })), withEvidence(printed, 'report_status: in_progress; A or B?'))
})

test('the evidence names the tool and says what was reported, on one short line', () => {
  const given = report({ status: 'complete', exitSignal: true, summary: `Added\nlogin. ${'x'.repeat(300)}` })
  const [evidence] = readingOf(given).evidence
  assert.match(evidence!, /^report_status: complete; exit_signal true; Added login\. x+…$/)
  assert.equal(evidence!.length, 'report_status: '.length + 200)
})
