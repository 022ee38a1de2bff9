/** The report that an agent makes with Ralph's tool; it counts the same as a status block. */

import { isRecord } from '../text/json.ts'
import type { Reading } from '../types/results.ts'
import type { Signal } from '../types.ts'
import { evidenceOf } from './message.ts'
import { withProposal } from './proposal.ts'

export type StatusReport = {
  status: 'complete' | 'in_progress' | 'blocked' | 'testing'
  summary: string
  /** undefined: not given, which differs from an explicit false. */
  exitSignal?: boolean
  blockedReason: string
  question: string
}

/** The tool as agents see it. Models call it: every word is part of a prompt. */
export const reportTool = {
  name: 'report_status',
  description: [
    'Reports to Ralph, the program that started you, how your work on this task ended.',
    'Call it once, at the very end: when the work is finished and committed, or when you cannot continue.',
    'Do not call it for a single step, or from a helper that you started. If you call it again, only the last call counts.',
    'Ralph checks your report with its own tests: report what is true, not what you hope.',
  ].join(' '),
  inputSchema: {
    type: 'object',
    properties: {
      status: {
        type: 'string',
        enum: ['complete', 'in_progress', 'blocked', 'testing'],
        description:
          'complete: what you were asked to do is done. in_progress: part of it is done. blocked: you tried every alternative, and only a person can remove the obstacle. testing: you only ran or wrote tests, and changed nothing else.',
      },
      summary: { type: 'string', description: 'What you did, in one to three sentences.' },
      exit_signal: {
        type: 'boolean',
        description: 'true only if nothing is left to do in the whole plan; false if other stories are open.',
      },
      blocked_reason: { type: 'string', description: 'With status blocked: what is in the way, and what a person must do.' },
      question: {
        type: 'string',
        description:
          'A question that only a person can decide, with the choices; also if a criterion contradicts a test or cannot be met honestly, with both quoted. Leave it out if you can decide it yourself.',
      },
    },
    required: ['status'],
  },
} as const

/** Checks outside input: the report, or what is wrong with it. */
export function statusReportOf(given: unknown): StatusReport | string {
  if (!isRecord(given)) return 'A report must be an object with a status.'
  const status = statuses.find((known) => known === given['status'])
  if (status === undefined) return `status must be one of ${statuses.join(', ')}.`
  const wrong = ['summary', 'blocked_reason', 'question'].find((key) => !isTextOrNothing(given[key]))
  if (wrong !== undefined) return `${wrong} must be a string.`
  const exitSignal = given['exit_signal'] ?? undefined
  if (exitSignal !== undefined && typeof exitSignal !== 'boolean') return 'exit_signal must be true or false.'
  const blockedReason = textOf(given['blocked_reason'])
  const question = textOf(given['question'])
  if (status === 'complete' && question !== '')
    return 'A question stops the work until a person answers: with status complete, leave it out; if you need the answer, the status is in_progress.'
  if (status === 'blocked' && blockedReason === '' && question === '')
    return 'With status blocked, say in blocked_reason what is in the way and what a person must do.'
  return {
    status,
    summary: textOf(given['summary']),
    ...(exitSignal === undefined ? {} : { exitSignal }),
    blockedReason,
    question,
  }
}

/** In the tool's format, so that the reader can check it the same way. */
export const reportText = ({ status, summary, exitSignal, blockedReason, question }: StatusReport): string =>
  `${JSON.stringify({ status, summary, exit_signal: exitSignal, blocked_reason: blockedReason, question }, null, 2)}\n`

/** Counts like the status block with the same content; a question counts like a DECIDE promise. */
export function readingOf(report: StatusReport): Reading {
  const exitSignal = report.exitSignal ?? false
  const isTesting = report.status === 'testing'
  const evidence = evidenceOf(reportTool.name, wordsOf(report))
  const said = { exitSignal, workType: isTesting ? 'testing' : '', tests: '', evidence: [evidence] }
  if (report.question !== '') {
    const asked: Signal = { kind: 'question', ...withProposal(report.question), evidence }
    return { ...said, exitSignal: false, status: 'question', confidence: 100, signals: [asked] }
  }
  switch (report.status) {
    case 'blocked': {
      const blocked: Signal = { kind: 'blocked', reason: report.blockedReason || 'no reason given', evidence }
      return { ...said, status: 'blocked', confidence: 100, signals: [blocked] }
    }
    case 'testing':
      return { ...said, status: 'testing', confidence: exitSignal ? 100 : 20, signals: [{ kind: 'testing-only', evidence }] }
    case 'complete':
      // With an explicit false it means: this step, not everything.
      if (report.exitSignal !== false) {
        const claim: Signal = { kind: 'claimed-done', by: 'status-block', exitSignal, evidence }
        return { ...said, status: 'complete', confidence: exitSignal ? 100 : 60, signals: [claim] }
      }
      return { ...said, status: 'in-progress', confidence: 20, signals: [] }
    case 'in_progress':
      return { ...said, status: 'in-progress', confidence: exitSignal ? 100 : 20, signals: [] }
  }
}

const statuses = reportTool.inputSchema.properties.status.enum

/** Models send null for omitted fields. */
const isTextOrNothing = (value: unknown): boolean => value === undefined || value === null || typeof value === 'string'

/** A person reads it: anything longer is not a summary or a question. */
const longestText = 4000

/** Dots and dashes instead of words say nothing. */
function textOf(value: unknown): string {
  const text = typeof value === 'string' ? value.slice(0, longestText).trim() : ''
  return /[\p{L}\p{N}]/u.test(text) ? text : ''
}

function wordsOf({ status, summary, exitSignal, blockedReason, question }: StatusReport): string {
  const exit = exitSignal === undefined ? [] : [`exit_signal ${exitSignal}`]
  return [status, ...exit, ...[question, blockedReason, summary].filter((text) => text !== '')].join('; ')
}
