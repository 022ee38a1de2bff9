/** Lints the text of a plan: its errors, or else what the rules find in its stories, each with its place. */
import type { LintFinding, LintInput } from '../../core/plan/lint/finding.ts'
import { lintStories } from '../../core/plan/lint/lint.ts'
import { otherFeature } from './find-plan.ts'
import { bodyOf, placesIn } from './located-values.ts'
import { planProblems } from './problems.ts'
import type { Problem, Scan } from './scan.ts'
import { headKeys, storyKeys } from './structured.ts'

export type PlacedFinding = LintFinding & { line: number; column: number }

/** What is known besides the plan. `folder`: the feature's own. */
export type LintFacts = Pick<LintInput, 'gates' | 'hasReviewer' | 'history'> & { folder?: string }

export type LintedPlan = { stories: number; findings: PlacedFinding[] }

/** In the order of the text. */
export async function lintPlan(file: string, text: string, facts: LintFacts): Promise<LintedPlan> {
  const { scan, problems } = await planProblems(file, text)
  const findings: LintFinding[] = [
    ...problems.map(({ offset, message }): LintFinding => ({ ...found(offset, message), rule: 'bad-plan', severity: 'error' })),
    ...(scan?.warnings ?? []).map(oddFinding),
    ...(scan === null ? [] : [...strangeKeys(scan), ...featureFindings(scan, facts)]),
    ...(scan === null || problems.length > 0 ? [] : lintStories(inputOf(file, scan, facts))),
  ]
  const placeOf = placesIn(bodyOf(text))
  return {
    stories: scan?.entries.length ?? 0,
    findings: findings
      .toSorted((one, other) => one.offset - other.offset)
      .map((finding) => ({ ...finding, ...placeOf(finding.offset) })),
  }
}

const found = (offset: number, message: string): Pick<LintFinding, 'offset' | 'story' | 'message'> => ({
  offset,
  story: null,
  message,
})

const oddFinding = ({ offset, message }: Problem): LintFinding => ({
  ...found(offset, message),
  rule: / unknown "/.test(message) ? 'unknown-field' : 'form',
  severity: 'warning',
})

function featureFindings({ feature, featureOffset = 0 }: Scan, { folder }: LintFacts): LintFinding[] {
  const odd = folder === undefined ? null : otherFeature(feature, folder)
  return odd === null ? [] : [{ ...found(featureOffset, `the plan ${odd}`), rule: 'form', severity: 'warning' }]
}

function inputOf(file: string, { entries }: Scan, facts: LintFacts): LintInput {
  const stories = entries.map(({ story, text, offset, criterionOffsets }) => ({
    story,
    description: text.description,
    criteria: text.acceptanceCriteria.map((criterion, place) => ({ text: criterion, offset: criterionOffsets[place] ?? offset })),
    offset,
  }))
  return { ...facts, stories, isChecklist: file.endsWith('.md') }
}

/** Unknown fields that look like no other: kept, and read by nobody. */
function strangeKeys({ list, head, warnings, problems }: Scan): LintFinding[] {
  const told = new Set([...warnings, ...problems].map(({ offset }) => offset))
  const seen = new Set<string>()
  const inStories = (list?.items ?? []).flatMap((item) => (item.kind === 'object' ? item.members : []))
  const strange = inStories.filter(({ key, keyStart }) => {
    const isNew = !storyKeys.includes(key) && !told.has(keyStart) && !seen.has(key)
    seen.add(key)
    return isNew
  })
  const inHead = Object.keys(head).filter((key) => ![...headKeys, '$schema'].includes(key) && !seen.has(key))
  const isTold = (key: string): boolean => warnings.some(({ message }) => message.includes(`the plan: unknown "${key}"`))
  return [
    ...strange.map(({ key, keyStart }) => ({ key, offset: keyStart })),
    ...inHead.filter((key) => !isTold(key)).map((key) => ({ key, offset: 0 })),
  ].map(({ key, offset }) => ({
    ...found(offset, `unknown field "${key}": Ralph keeps it and does not use it`),
    rule: 'unknown-field',
    severity: 'note',
  }))
}
