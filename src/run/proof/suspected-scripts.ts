/** Scripts among the tests that run tests, or are started by gates, and that a story changed: they may run fewer, or overlook what they say. */

import { isOwnTest } from '../../core/proof/check-files.ts'
import type { EndedFlight, State } from '../../core/state.ts'
import { decidesAnew, runsTests } from '../../core/tamper/changed-runner.ts'
import { isCode } from '../../core/tamper/code/files.ts'
import { isTestFile } from '../../core/tamper/code/languages.ts'
import { gateFilesOf } from './gate-files-of.ts'
import type { ExaminedWorld } from './run-changed.ts'

type ChangedChecks = { now: string; from: string; checks: string[]; flight: EndedFlight }

/** Of the changed checks; also those in which something was found already. */
export async function suspectedScripts(
  world: ExaminedWorld,
  { now, from, checks, flight }: ChangedChecks,
  state: State,
): Promise<string[]> {
  const { git } = world
  const found = (flight.ended.findings ?? []).flatMap(({ rule, file }) => (rule === 'gate-changed' ? (file ?? []) : []))
  const started = gateFilesOf(world, git.top, checks, state).flatMap(({ path, entry }) => (entry === undefined ? [path] : []))
  const suspected = await Promise.all(
    checks.map(async (path): Promise<boolean> => {
      if (found.includes(path)) return true
      const isStarted = started.includes(path)
      if (!isStarted && !(isCode(path) && isOwnTest(path) && !isTestFile(path))) return false
      const [before, after] = await Promise.all([git.textAt(from, path), git.textAt(now, path)])
      return before !== null && (isStarted || runsTests(before)) && decidesAnew(before, after ?? '')
    }),
  )
  return checks.filter((_, index) => suspected[index])
}
