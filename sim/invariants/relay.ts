/** Agents that take calls for others: who is at a usage limit, counted a second time from the log alone. */
import { epochMs } from '../../src/core/text/time.ts'
import type { EventOf, Instant, Role, Signal, StoryId } from '../../src/core/types.ts'
import { ensure } from '../ensure.ts'
import type { Facts, Rules } from './facts.ts'

export type RelayRules = Rules & {
  /** A usage limit was met, and another agent may take the call. */
  isRelayed(event: EventOf<'iteration.judged' | 'review.ended' | 'call.refused'>): boolean
}

export function relayRules(facts: Facts): RelayRules {
  let limits = new Map<string, { untilMs: number; times: number }>()
  const requested = new Map<number, { role: Role; agent: string }>()
  const sessions = new Map<StoryId, string>()
  const agents = new Map<number, string>()

  const isListed = (): boolean => facts.policy.fallback !== undefined
  const resetMs = (agent: string): number => limits.get(agent)?.untilMs ?? 0
  const takers = (agent: string, role: Role): string[] => [...new Set([agent, ...(facts.policy.fallback?.[role] ?? [])])]

  /** `named`: by the story, the settings or the role. */
  const mayTake = (named: string, taken: string, role: Role, at: Instant): void => {
    const say = (): string => `${taken} for ${named} as ${role} at ${at}: ${JSON.stringify([...limits])}`
    if (!isListed()) return ensure(taken === named, 'without a list the named agent takes its calls', say)
    const all = takers(named, role)
    ensure(all.includes(taken), 'only a listed agent takes the call of another', say)
    const free = all.find((agent) => resetMs(agent) <= epochMs(at))
    if (free !== undefined) ensure(taken === free, 'the first agent that is not at its limit takes the call', say)
    else
      ensure(
        resetMs(taken) === Math.min(...all.map(resetMs)),
        'if all are at their limit, the one that is back first is next',
        say,
      )
  }

  const namedFor = (story: StoryId | null, plan: { stories: { id: StoryId; agent?: string }[] } | null): string =>
    plan?.stories.find(({ id }) => id === story)?.agent ?? facts.policy.agent

  const met = (agent: string, { until, at }: { until: Instant | undefined; at: Instant }, isMet: boolean): void => {
    if (!isListed()) return
    const atMs = epochMs(at)
    const before = limits.get(agent)?.times ?? 0
    const times = isMet && resetMs(agent) <= atMs ? before + 1 : before
    const toldMs = until === undefined || epochMs(until) <= atMs ? atMs + 3_600_000 : epochMs(until)
    const leastMs = times > 1 ? atMs + Math.min(60_000 * 2 ** (times - 2), 3_600_000) : atMs
    limits.set(agent, { untilMs: Math.max(toldMs, leastMs), times })
  }

  const served = (agent: string, throttled: Throttled | undefined, isCounted: boolean, at: Instant): void => {
    if (throttled?.by === 'usage-limit') met(agent, { until: throttled.until, at }, true)
    else if (throttled === undefined && isCounted && resetMs(agent) <= epochMs(at)) limits.delete(agent)
  }

  const started = (event: EventOf<'iteration.started'>, named: string): void => {
    if (event.mode === 'check') return
    const agent = event.agent ?? named
    ensure(event.agent !== named, 'only another agent than the named one is noted', () => `iteration ${event.iteration}`)
    agents.set(event.iteration, agent)
    mayTake(named, agent, 'implementer', event.at)
    if (event.resume !== undefined && event.story !== null)
      ensure(sessions.get(event.story) === agent, 'a session is resumed by its own agent', () => `${event.story}: ${agent}`)
  }

  return {
    see(event, before, now) {
      switch (event.kind) {
        case 'run.started':
        case 'run.resumed':
          limits = new Map()
          break
        case 'call.requested':
          requested.set(event.call, event)
          break
        case 'call.refused': {
          const { agent = '', role } = requested.get(event.call) ?? {}
          if (event.by === 'usage-limit' && role !== undefined) met(agent, event, false)
          break
        }
        case 'iteration.started':
          started(event, namedFor(event.story, before.plan))
          break
        case 'review.started': {
          const { spec, quality, final } = facts.policy.review
          const named = event.review === 'spec' ? spec : event.review === 'quality' ? quality : undefined
          if (named !== undefined) mayTake(named || facts.policy.agent, event.agent, 'reviewer', event.at)
          else ensure(isListed() || final.includes(event.agent), 'a final reviewer is a named one', () => event.agent)
          break
        }
        case 'learning.started':
        case 'skill.started':
          mayTake(facts.policy.learn?.agent ?? '', event.agent, 'learner', event.at)
          break
        case 'review.ended':
          if (event.exit !== 'stopped') served(event.agent, event.throttled, true, event.at)
          break
        case 'iteration.judged': {
          const agent = agents.get(event.iteration)
          const { signals } = facts.ended(event.iteration)
          if (agent === undefined) break
          const throttled = event.verdict === 'throttled' ? throttledIn(signals) : undefined
          const isCounted = !['lost', 'throttled', 'unreadable', 'interrupted'].includes(event.verdict)
          if (isCounted || throttled !== undefined) served(agent, throttled, isCounted, event.at)
          const story = facts.workedOn(event.iteration)
          if (story !== null) sessions.set(story, agent)
          for (const id of event.passed)
            ensure(
              now.stories[id]?.receipt?.agent === agent,
              'a receipt names the agent that did the work',
              () => `${id}: ${agent}`,
            )
          break
        }
        case 'wait.started':
          if (event.for === 'usage-limit' && isListed() && facts.policy.budget.durationMs === null)
            ensure(
              [...limits.values()].some(({ untilMs }) => untilMs === epochMs(event.until)),
              "the run waits for the reset of one of its agents' limits",
              () => `${event.until}: ${JSON.stringify([...limits])}`,
            )
      }
    },
    isRelayed(event) {
      const { agent = '', role = 'implementer' } =
        event.kind === 'call.refused'
          ? (requested.get(event.call) ?? {})
          : event.kind === 'review.ended'
            ? { agent: event.agent, role: 'reviewer' as const }
            : { agent: agents.get(event.iteration) ?? '' }
      return isListed() && takers(agent, role).some((each) => resetMs(each) <= epochMs(event.at))
    },
  }
}

type Throttled = Extract<Signal, { kind: 'throttled' }>
const throttledIn = (signals: Signal[]): Throttled | undefined => signals.find((signal) => signal.kind === 'throttled')
