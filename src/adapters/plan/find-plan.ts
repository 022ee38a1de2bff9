/** Finds out which of a feature's files is its plan, and reads it. */
import { existsSync, readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { EXIT, Failure, tried } from '../../core/failure.ts'
import { typosBetween } from '../../core/text/nearest.ts'
import { readIfThere } from '../files/files.ts'
import { foldLog } from '../project/event-log.ts'
import { eventLogPath } from '../project/layout.ts'
import { type PlanFile, parsePlan, planFileNames } from './parse-plan.ts'
import { problemsFailure } from './problems.ts'

/** The feature's plan; null: it runs only from its prompt. */
export async function readPlan(dir: string, label: string): Promise<{ plan: PlanFile | null; warnings: string[] }> {
  const { file, others, isAsBefore } = planIn(dir)
  if (file === undefined) {
    refuseOtherNames(dir, label)
    return { plan: null, warnings: [] }
  }
  const [path, text] = [join(label, file), readIfThere(join(dir, file)) ?? '']
  const plan = await parsePlan(path, text).catch(async (error: unknown) => {
    throw error instanceof Failure ? await problemsFailure(path, text) : error
  })
  const why = isAsBefore ? `, as in its last run. To use another one, move ${file} away` : ''
  const warning = `${label} has several plans: ${file} is used, ${others.join(', ')} is not${why}`
  const odd = otherFeature(plan.feature, basename(dir))
  const warnings = [...(odd === null ? [] : [`${path} ${odd}`]), ...(others.length === 0 ? [] : [warning]), ...plan.warnings]
  return { plan: { ...plan, file }, warnings }
}

/** The folder's name is the feature's, whatever the plan says. */
export const otherFeature = (said: string, folder: string): string | null =>
  said === '' || said === folder ? null : `says feature "${said}", but its folder is ${folder}`

/**
 * A run without a plan is paid for until the agent says that it is done: a plan under a wrong name is not taken for none. A feature that ran
 * without one goes on: its agent may have written such a file.
 */
function refuseOtherNames(dir: string, label: string): void {
  if (existsSync(eventLogPath(dir))) return
  const looksLikePlan = (name: string): boolean =>
    /^(?:prd|tasks|plan|stories|fix_plan)\.(?:jsonc?|ya?ml)$/i.test(name) ||
    planFileNames.some((known) => name !== known && typosBetween(name, known) <= 2)
  const wrong = namesIn(dir).find(looksLikePlan)
  if (wrong === undefined) return
  const right = /\.ya?ml$/i.test(wrong) ? 'tasks.yaml' : /\.md$/i.test(wrong) ? 'fix_plan.md' : 'prd.json'
  throw new Failure(
    EXIT.data,
    `${label}/${wrong} looks like a plan, but a plan is called ${planFileNames.join(', ')}. Rename it to ${right}.`,
  )
}

const namesIn = (dir: string): string[] => tried(() => readdirSync(dir).sort(), [])

/** Of several, the one that the last run used, so that a new file does not replace it. Otherwise the first in the order of names. */
export function planIn(dir: string): { file: string | undefined; others: string[]; isAsBefore: boolean } {
  const there = planFileNames.filter((name) => existsSync(join(dir, name)))
  const used = there.length > 1 ? lastUsed(dir) : undefined
  const isAsBefore = used !== undefined && there.includes(used)
  const file = isAsBefore ? used : there[0]
  return { file, others: there.filter((name) => name !== file), isAsBefore }
}

function lastUsed(dir: string): string | undefined {
  try {
    return foldLog<string | undefined>(eventLogPath(dir), undefined, (known, event) =>
      event.kind === 'run.started' || event.kind === 'run.resumed' ? event.plan?.file : known,
    ).value
  } catch (error) {
    if (error instanceof Failure) return undefined // an unreadable log is reported by whoever needs it
    throw error
  }
}
