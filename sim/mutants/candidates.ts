/** Deliberate bugs in what several attempts on one story are, and in which of them lands. */
import type { Mutant } from './mutant.ts'

export const candidateMutants: Mutant[] = [
  {
    name: 'the last attempt is one',
    file: 'decide/parallel/candidates.ts',
    from: '(policy.bestOf ?? 1) : 1)',
    to: '1 : 1)',
  },
  {
    name: 'every attempt is several',
    file: 'decide/parallel/candidates.ts',
    from: 'if (maxAttempts === 0) return false',
    to: 'if (maxAttempts > 0) return true',
  },
  {
    name: 'one candidate too many',
    file: 'decide/parallel/candidates.ts',
    from: 'if (known.length < wanted && isAffordable(state, known)) return known.length + 1',
    to: 'if (known.length <= wanted && isAffordable(state, known)) return known.length + 1',
  },
  {
    name: 'another candidate starts while one lands',
    file: 'decide/parallel/candidates.ts',
    from: "if (own.some(hasLanding)) return 'none'",
    to: '',
  },
  {
    name: 'a story fails before all its candidates had their turn',
    file: 'decide/escalation.ts',
    from: 'if (hasCandidatesLeft(state, id)) return',
    to: 'if (maxAttempts < 0) return',
  },
  {
    name: 'candidates begin with failed work in the repository',
    file: 'decide/parallel/candidates.ts',
    from: '(known?.isApart === true || holderOf(state) === id)',
    to: 'known?.isApart === true',
  },
  {
    name: 'the first that passes lands',
    file: 'decide/parallel/best-of.ts',
    from: '!== flight.iteration || (!isLast && mayAddCandidate(state, story))',
    to: '!== flight.iteration',
  },
  {
    name: 'a candidate lands while another is under way',
    file: 'decide/parallel/best-of.ts',
    from: 'if (rivals.length < own.length) return true',
    to: '',
  },
  {
    name: 'the larger change lands',
    file: 'decide/parallel/best-of.ts',
    from: 'lines: ended.lines ?? Number.POSITIVE_INFINITY',
    to: 'lines: -(ended.lines ?? Number.POSITIVE_INFINITY)',
  },
  {
    name: 'waiting candidates wait forever',
    file: 'decide/decide.ts',
    from: '&& !isUnderWay(state) ? decided(state, true) : next',
    to: '&& !isUnderWay(state) ? next : next',
  },
  {
    name: 'a beaten candidate passes too',
    file: 'decide/decide.ts',
    from: 'if (lost !== null) return lost',
    to: '',
  },
  {
    name: 'a failed candidate is tried again',
    file: 'evolve/judged.ts',
    from: '{ ...known, isOut: true as const }',
    to: 'known',
  },
  {
    name: 'a story that passed still has candidates',
    file: 'evolve/settled.ts',
    from: '      candidates: undefined,\n',
    to: '',
  },
]
