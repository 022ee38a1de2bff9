/** Which of a feature's files is its plan, and what it says. */
import { join } from 'node:path'
import { readIfThere } from '../files.ts'
import { type PlanFile, parsePlan, planFileNames } from './plan-file.ts'

/** The feature's plan by the order of names; null: it runs from its prompt alone. */
export async function readPlan(dir: string, label: string): Promise<{ plan: PlanFile | null; warnings: string[] }> {
  const there = planFileNames.filter((file) => readIfThere(join(dir, file)) !== null)
  const file = there[0]
  if (file === undefined) return { plan: null, warnings: [] }
  const plan = await parsePlan(join(label, file), readIfThere(join(dir, file)) ?? '')
  const others = there.length > 1 ? [`${label} has more than one plan: ${file} is used, ${there.slice(1).join(', ')} is not`] : []
  return { plan: { ...plan, file }, warnings: [...others, ...plan.warnings] }
}
