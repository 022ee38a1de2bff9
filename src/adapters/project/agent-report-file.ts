/** The file that carries a status report from the tool that received it to the waiting run. */
import { statSync } from 'node:fs'
import { Failure } from '../../core/failure.ts'
import { reportText, type StatusReport, statusReportOf } from '../../core/reading/status-report.ts'
import { jsonIn } from '../../core/text/json.ts'
import { readIfThere, replaceFile } from '../files/files.ts'
import type { Masker } from '../mask/mask.ts'

/** Names the file, for the agent and its child processes. */
export const reportVariable = 'RALPH_REPORT'

/** A later report replaces an earlier one. */
export const writeReport = (path: string, report: StatusReport, mask: Masker): void =>
  replaceFile(path, mask.text(reportText(report)))

/** null: no report. A string: what is wrong with it, because the agent may have written the file itself. */
export function readReport(path: string): StatusReport | string | null {
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0
  if (size > largestReport) return `The status report is too large: ${size} bytes.`
  try {
    const text = readIfThere(path)
    if (text === null) return null
    const report = jsonIn(text)
    return report === undefined ? noJson : statusReportOf(report)
  } catch (error) {
    return error instanceof Failure ? error.message : noJson // a folder in its place
  }
}

const noJson = 'The status report is not JSON.'
const largestReport = 1024 * 1024
