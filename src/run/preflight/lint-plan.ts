/** What `ralph lint` finds, for the command and for the start of a run. */
import { lintPlan, type PlacedFinding } from '../../adapters/plan/lint.ts'
import type { StoryHistory } from '../../core/plan/lint/finding.ts'
import { worstFirst } from '../../core/plan/lint/lint.ts'
import type { State } from '../../core/state.ts'
import type { Policy, StoryId } from '../../core/types.ts'

/** Of stories that were tried. */
export const historyOf = ({ stories }: Pick<State, 'stories'>): Record<StoryId, StoryHistory> =>
  Object.fromEntries(
    Object.entries(stories).map(([id, { failedAttempts, refusals }]) => [
      id,
      { failedAttempts, wasCut: refusals.some(({ cut }) => cut === 'timeout') },
    ]),
  )

/** `path:line:column`, for people and editors. */
export const placeWords = (path: string, { line, column }: PlacedFinding): string => `${path}:${line}:${column}`

/** The two worst warnings, and how many more there are. What a run says anyway is left out. */
export async function worstOfPlan(
  { label }: { label: string },
  plan: { file: string; text: string } | null,
  { state, policy: { gates, review } }: { state: Pick<State, 'stories'>; policy: Pick<Policy, 'gates' | 'review'> },
): Promise<string[]> {
  if (plan === null) return []
  const path = `${label}/${plan.file}`
  const hasReviewer = review.spec !== undefined || review.quality !== undefined
  const { findings } = await lintPlan(path, plan.text, { gates, hasReviewer, history: historyOf(state) })
  const isTold = ({ rule, story }: PlacedFinding): boolean =>
    ['bad-plan', 'unknown-field', 'form'].includes(rule) || (rule === 'no-gate' && story === null)
  const worst = worstFirst(findings.filter((finding) => finding.severity === 'warning' && !isTold(finding)))
  const more = worst.length - mostTold
  return [
    ...worst.slice(0, mostTold).map((finding) => `${placeWords(path, finding)}: ${finding.message}`),
    ...(more > 0 ? [`${more} more ${more === 1 ? 'warning' : 'warnings'} about the plan: ralph lint`] : []),
  ]
}

const mostTold = 2
