/** Usage limits of accounts: which agents are at one, and which of the listed agents takes a call meanwhile. */
import { storyNamed } from '../plan/stories.ts'
import type { Flight, State } from '../state.ts'
import { later } from '../text/time.ts'
import type { AgentLimit } from '../types/results.ts'
import type { Instant, Role, StoryId } from '../types.ts'

/** How long to wait for a limit that does not say when it ends. */
export const unknownResetMs = 3_600_000

/**
 * If a limit continues after its reset, wait longer each time: 1 minute, 2, 4, up to an hour. Calls that hit a limit count for nothing, so
 * they would never end.
 */
export const leastLimitWaitMs = (times: number): number => (times > 1 ? Math.min(60_000 * 2 ** (times - 2), unknownResetMs) : 0)

/** Which agent was named for a call, and for which role; and which of the listed ones takes it. */
type Caller = { agent: string; role: Role }
type Limits = Pick<State, 'policy' | 'agentLimits' | 'at'>

/** The agent that a story names, or the run's own. */
export const namedAgent = ({ plan, policy }: Pick<State, 'plan' | 'policy'>, story: StoryId | null): string =>
  storyNamed(plan, story)?.agent ?? policy.agent

/** Who worked: the named one, or another while that was at its limit. */
export const agentOfFlight = (state: State, { agent, story }: Pick<Flight, 'agent' | 'story'>): string =>
  agent ?? namedAgent(state, story)

/** The named one first, then the listed ones that can do this, in their order. */
const candidatesFor = ({ policy }: Pick<State, 'policy'>, { agent, role }: Caller): string[] => [
  ...new Set([agent, ...(policy.fallback?.[role] ?? [])]),
]

const isLimited = ({ agentLimits, at }: Limits, agent: string): boolean => {
  const until = agentLimits?.[agent]?.until
  return until !== undefined && until > at
}

/** The first that is not at its limit; if all are, the one whose limit ends first. */
export function agentInTurn(state: Limits, caller: Caller): string {
  const candidates = candidatesFor(state, caller)
  const free = candidates.find((agent) => !isLimited(state, agent))
  return free ?? candidates.toSorted((one, other) => (resetOf(state, one) < resetOf(state, other) ? -1 : 1))[0] ?? caller.agent
}

const resetOf = ({ agentLimits }: Limits, agent: string): Instant => agentLimits?.[agent]?.until ?? ''

/** Why a call goes to another agent than the named one; empty: it does not. */
export function insteadWords({ agentLimits }: Pick<State, 'agentLimits'>, named: string, taken: string): string {
  const limit = agentLimits?.[named]
  return named === taken || limit === undefined
    ? ''
    : `; ${taken} instead of ${named}, whose usage limit lasts until ${limit.until}`
}

/** `isMet`: by a call of this run; otherwise another run of this user has met it. */
type Hit = { until?: Instant; message: string; isMet: boolean }

/** An agent is at its limit. With listed agents the run waits only when all of them are. */
export function atUsageLimit(state: State, caller: Caller, { until, message, isMet }: Hit): Pick<State, 'limit' | 'agentLimits'> {
  const kept = limitOfPerson(state)
  const when = until === undefined ? {} : { until }
  if (state.policy.fallback === undefined) return { limit: kept ?? { ...when, message, choice: 'open' } }
  const agentLimits = { ...state.agentLimits, [caller.agent]: limitAfter(state, caller.agent, { ...when, message, isMet }) }
  const known = { ...state, agentLimits }
  const candidates = candidatesFor(state, caller)
  if (candidates.some((agent) => !isLimited(known, agent))) return { limit: kept, agentLimits }
  const first = agentInTurn(known, caller)
  const listed = [...new Set([...state.policy.fallback[caller.role], ...candidates])]
  const all = candidates.length === 1 ? message : `reached by ${listed.join(', ')}; ${first} is available again first`
  return { limit: kept ?? { until: resetOf(known, first), message: all, choice: 'open' }, agentLimits }
}

/** Several workers may meet the same limit: that counts once. */
function limitAfter(state: State, agent: string, { until, message, isMet }: Hit): AgentLimit {
  const { at } = state
  const before = state.agentLimits?.[agent]?.times ?? 0
  const times = isMet && !isLimited(state, agent) ? before + 1 : before
  const reset = until !== undefined && until > at ? until : later(at, unknownResetMs)
  const soonest = later(at, leastLimitWaitMs(times))
  return { until: reset > soonest ? reset : soonest, message, times }
}

/** A call of it was not refused: its limit, if it had one, has passed. */
export function withoutPassedLimit(state: State, agent: string): Pick<State, 'agentLimits'> {
  const { [agent]: passed, ...others } = state.agentLimits ?? {}
  return passed === undefined || isLimited(state, agent) ? {} : { agentLimits: others }
}

/** A pending question about a limit, and the decision to end the run, stay whatever other workers hit meanwhile. */
export const limitOfPerson = ({ limit }: Pick<State, 'limit'>): State['limit'] =>
  limit?.choice === 'asked' || limit?.choice === 'exit' ? limit : undefined
