/** The quality of a plan without any model: what an agent would stumble over, worst first. */
import { type LintFinding, type LintInput, lintRules } from './finding.ts'
import { gateFindings } from './gates.ts'
import { relationFindings } from './relations.ts'
import { sizeFindings } from './size.ts'
import { wordingFindings } from './wording.ts'

/** For a plan without errors: of a broken one nobody knows what its stories are. */
export const lintStories = (input: LintInput): LintFinding[] => [
  ...sizeFindings(input),
  ...wordingFindings(input.stories),
  ...relationFindings(input.stories),
  ...gateFindings(input),
]

const severities = ['error', 'warning', 'note']

/** Errors before warnings before notes, then by rule, then by place. */
export const worstFirst = <F extends LintFinding>(findings: F[]): F[] =>
  findings.toSorted(
    (one, other) =>
      severities.indexOf(one.severity) - severities.indexOf(other.severity) ||
      lintRules.indexOf(one.rule) - lintRules.indexOf(other.rule) ||
      one.offset - other.offset,
  )
