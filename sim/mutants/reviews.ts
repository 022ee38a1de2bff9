/** Deliberate bugs about later reviews of a story. */
import type { Mutant } from './mutant.ts'

export const reviewMutants: Mutant[] = [
  {
    name: 'a later review may refuse for anything',
    file: 'review/findings.ts',
    from: "isAbout(finding.words, changed) ? 'open' : 'late'",
    to: "isAbout(finding.words, changed) ? 'open' : 'open'",
  },
  {
    name: 'an earlier finding is late when it is found again',
    file: 'review/findings.ts',
    from: ' || open.some(({ id }) => id === finding.id)',
    to: '',
  },
  {
    name: 'what a person dismissed counts again',
    file: 'evolve/dismissed.ts',
    from: '    dismissed,\n',
    to: '',
  },
  {
    name: 'a late finding passes without a word',
    file: 'proof/findings-of.ts',
    from: "standing === 'late'",
    to: "standing === 'none'",
  },
  {
    name: 'a story is checked again while findings are open',
    file: 'evolve/dismissed.ts',
    from: 'const wasLast = open.length === 0 &&',
    to: 'const wasLast = open.length > 0 &&',
  },
  {
    name: 'what was late once counts the next time',
    file: 'evolve/reviewed.ts',
    from: 'open: openFindings(result.findings)',
    to: 'open: result.findings',
  },
]
