/** `ralph lint`: every error of a plan at once, and what in it an agent would stumble over. No model is asked. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { readIfThere } from '../../adapters/files/files.ts'
import { planIn } from '../../adapters/plan/find-plan.ts'
import { type LintFacts, lintPlan, type PlacedFinding } from '../../adapters/plan/lint.ts'
import { eventLogPath } from '../../adapters/project/layout.ts'
import { policyOf } from '../../config/policy.ts'
import { EXIT } from '../../core/failure.ts'
import type { LintSeverity } from '../../core/plan/lint/finding.ts'
import type { Io } from '../../io.ts'
import { historyOf, placeWords } from '../../run/preflight/lint-plan.ts'
import { findProject, type Project, settingsOf } from '../../run/project.ts'

type Args = { feature?: string; json?: boolean; strict?: boolean }

export async function runLint(args: Args, io: Io): Promise<number> {
  const project = await findProject(io, args.feature)
  const { file, others } = planIn(project.dir)
  if (file === undefined) {
    const words = `${project.feature} has no plan; it runs from its prompt alone. Create one with: ralph plan -f ${project.feature}`
    if (args.json) io.raw(`${JSON.stringify({ version: 1, feature: project.feature, file: null, findings: [] })}\n`)
    else io.out(`${words}\n`)
    return 0
  }
  const path = join(project.label, file)
  const { stories, findings } = await lintPlan(path, readIfThere(join(project.dir, file)) ?? '', {
    folder: project.feature,
    ...(await factsOf(project, io)),
  })
  const counts = { errors: count(findings, 'error'), warnings: count(findings, 'warning'), notes: count(findings, 'note') }
  if (args.json) {
    const data = { version: 1, feature: project.feature, file: path, otherPlans: others, stories, ...counts }
    io.raw(`${JSON.stringify({ ...data, findings: findings.map(({ offset: _offset, ...finding }) => finding) }, null, 2)}\n`)
  } else {
    for (const finding of findings)
      io.out(`${placeWords(path, finding)}: ${finding.severity}: ${finding.message} [${finding.rule}]\n`)
    if (others.length > 0) io.out(`${project.label} has other plans, which are not used: ${others.join(', ')}\n`)
    io.out(`${summary(counts)} in ${many(stories, 'story', 'stories')} of ${path}.\n`)
  }
  return counts.errors > 0 || (args.strict === true && counts.warnings > 0) ? EXIT.data : 0
}

const count = (findings: PlacedFinding[], severity: LintSeverity): number =>
  findings.filter((finding) => finding.severity === severity).length

function summary({ errors, warnings, notes }: { errors: number; warnings: number; notes: number }): string {
  const parts = [
    ...(errors > 0 ? [many(errors, 'error')] : []),
    ...(warnings > 0 ? [many(warnings, 'warning')] : []),
    ...(notes > 0 ? [many(notes, 'note')] : []),
  ]
  return parts.length === 0 ? 'No problems' : parts.join(', ')
}

const many = (n: number, one: string, more = `${one}s`): string => `${n} ${n === 1 ? one : more}`

/** Gates, reviewer and history. Only what is needed is loaded: most of the time of this command is its start. */
async function factsOf(project: Project, io: Io): Promise<LintFacts> {
  const loaded = await settingsOf(io, project)
  for (const warning of loaded.warnings) io.err(`${warning}\n`)
  const { gates } = policyOf(loaded.settings, undefined, false, { final: [] })
  const hasReviewer = gates.length === 0 && (await isReviewed(project, loaded))
  return { gates, hasReviewer, history: existsSync(eventLogPath(project.dir)) ? await loggedHistory(project) : {} }
}

async function isReviewed(project: Project, loaded: Awaited<ReturnType<typeof settingsOf>>): Promise<boolean> {
  const [{ openAgents }, { reviewersOf }, { initialState }] = await Promise.all([
    import('../../run/agents.ts'),
    import('../../run/preflight/roles.ts'),
    import('../../core/evolve/initial.ts'),
  ])
  const agents = openAgents(project, loaded.settings)
  const review = reviewersOf(loaded, (name) =>
    name === undefined ? agents.agentFor(initialState, null) : agents.reviewer(name).agent,
  )
  return review.spec !== undefined || review.quality !== undefined
}

async function loggedHistory(project: Project): Promise<LintFacts['history']> {
  const { bookOf } = await import('../../run/history/folded-log.ts')
  return historyOf(bookOf(project).state)
}
