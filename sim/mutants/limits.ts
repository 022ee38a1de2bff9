/** Deliberate bugs in who takes a call while another agent is at its usage limit. */
import type { Mutant } from './mutant.ts'

export const limitMutants: Mutant[] = [
  {
    name: 'nobody takes the calls of an agent at its limit',
    file: 'evolve/usage-limits.ts',
    from: 'const free = candidates.find((agent) => !isLimited(state, agent))',
    to: 'const free = candidates[0]',
  },
  {
    name: 'the first agent is not tried again after its reset',
    file: 'evolve/usage-limits.ts',
    from: 'return until !== undefined && until > at',
    to: 'return until !== undefined',
  },
  {
    name: 'an agent that is not listed for the role takes a call',
    file: 'evolve/usage-limits.ts',
    from: '...(policy.fallback?.[role] ?? [])',
    to: '...(policy.fallback?.[role].length === undefined ? [] : policy.fallback.implementer)',
  },
  {
    name: 'the run waits although another agent is free',
    file: 'evolve/usage-limits.ts',
    from: 'if (candidates.some((agent) => !isLimited(known, agent)))',
    to: 'if (candidates.every((agent) => !isLimited(known, agent)))',
  },
  {
    name: 'the run waits longer than for the first reset',
    file: 'evolve/usage-limits.ts',
    from: '(resetOf(state, one) < resetOf(state, other) ? -1 : 1)',
    to: '(resetOf(state, one) > resetOf(state, other) ? -1 : 1)',
  },
  {
    name: 'a receipt names the agent that was at its limit',
    file: 'evolve/judged.ts',
    from: '      agent: agentOfFlight(state, flight),\n',
    to: '      agent: agentOfFlight(state, { story: flight.story }),\n',
  },
  {
    name: "another agent resumes the named one's session",
    file: 'decide/decide.ts',
    from: ' || session.agent !== instead) return {}',
    to: ') return {}',
  },
  {
    name: 'a limit that is met again right after its reset is not waited for longer',
    file: 'evolve/usage-limits.ts',
    from: 'isMet && !isLimited(state, agent) ? before + 1 : before',
    to: 'before',
  },
]
