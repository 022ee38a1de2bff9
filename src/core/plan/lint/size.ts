/** Stories that are probably too large for one session, and stories that say too little. */
import { isOpen, type LintedStory, type LintFinding, type LintInput } from './finding.ts'

/** More than this, and a fresh context does only part of the story. */
const mostCriteria = 8
const mostTouched = 12
const longestDescription = 3000
/** From here on it is not bad luck. */
const manyFailures = 3

export function sizeFindings({ stories, history, isChecklist }: LintInput): LintFinding[] {
  return stories.filter(isOpen).flatMap((linted) => {
    const { story, criteria, offset } = linted
    const known = Object.hasOwn(history, story.id) ? history[story.id] : undefined
    const isFailing = known !== undefined && (known.failedAttempts >= manyFailures || known.wasCut)
    const large = largeBecause(linted)
    return [
      ...(isFailing ? [failedOften(linted, known)] : []),
      ...(large === undefined
        ? []
        : [
            {
              ...{ rule: 'too-large' as const, severity: 'warning' as const, offset, story: story.id },
              message: `${story.id}: ${large}; split it into stories that fit one session`,
            },
          ]),
      ...(isChecklist || criteria.length > 0
        ? []
        : [
            {
              ...{ rule: 'no-criteria' as const, severity: 'note' as const, offset, story: story.id },
              message: `${story.id}: no acceptance criteria; reviewers have only the title to compare with`,
            },
          ]),
    ]
  })
}

function failedOften({ story, offset }: LintedStory, { failedAttempts, wasCut }: LintInput['history'][string]): LintFinding {
  const times = failedAttempts === 1 ? 'once' : `${failedAttempts} times`
  const how = wasCut ? ', and ran out of time' : ''
  return {
    ...{ rule: 'failed-often', severity: 'warning', offset, story: story.id },
    message: `${story.id}: failed ${times}${how}; split it, or make its criteria more exact`,
  }
}

function largeBecause({ story, criteria, description }: LintedStory): string | undefined {
  const touches = story.touches ?? []
  if (criteria.length > mostCriteria) return `${criteria.length} criteria (more than ${mostCriteria})`
  if (touches.length > mostTouched) return `touches ${touches.length} paths (more than ${mostTouched})`
  const whole = touches.find((path) => /^(?:\.?\/?|(?:\.\/)?\*{1,2}(?:\/\*)?)$/.test(path))
  if (whole !== undefined) return `touches the whole project ("${whole}")`
  if (description.length > longestDescription) return `its description has ${description.length} characters`
  return undefined
}
