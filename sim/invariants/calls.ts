/** Calls, their cost, and an unavailable provider: each call requested and granted once, no budget exceeded, retries that end. */
import { epochMs } from '../../src/core/text/time.ts'
import type { Envelope, Event, EventOf, Role, Scope, Signal, Usage } from '../../src/core/types.ts'
import { ensure } from '../ensure.ts'
import { type Facts, isCounted, type Rules } from './facts.ts'
import type { RelayRules } from './relay.ts'

export type CallRules = Rules & {
  isSpent(at: string): boolean
  /** Rejected logins in a row. */
  logins(): number
  /** The provider is unavailable, or at its limit, and no retry is left. */
  isLimited(): boolean
}

const pausesMs = [5_000, 15_000, 60_000, 300_000, 900_000]
type Throttled = Extract<Signal, { kind: 'throttled' }>

type Reason = 'nothing' | 'retry' | 'login' | 'limit' | 'rate'
/** `due`: what must be waited for before the next start; `until`: from the provider, or from the call counter. */
type Away = {
  retries: number
  logins: number
  /** Waits in a row for a usage limit that our own calls hit; and whether one was hit since the last wait. */
  limitWaits: number
  isMet: boolean
  due: Reason
  /** Why a call was last refused, even if it has been waited for. */
  last: Reason
  until: string
  isExit: boolean
  /** A person is asked about a limit, or has chosen to end. */
  isAsked: boolean
  isToEnd: boolean
}
const notAway: Away = {
  retries: 0,
  logins: 0,
  limitWaits: 0,
  isMet: false,
  due: 'nothing',
  last: 'nothing',
  until: '',
  isExit: false,
  isAsked: false,
  isToEnd: false,
}

export function callRules(facts: Facts, relay: RelayRules): CallRules {
  const roles = new Map<number, Role>()
  const granted = new Set<number>()
  const used = new Set<number>()
  const noCalls = (): Record<Role, number> => ({ implementer: 0, reviewer: 0, learner: 0 })
  let calls = noCalls()
  const nothing = {
    costUsd: 0,
    tokens: 0,
    reviewUsd: 0,
    lessonUsd: 0,
    priced: 0,
    counted: 0,
    isOver: false,
    isWork: false,
    isSilent: false,
    unpriced: 0,
  }
  let spent = { ...nothing }
  let away = notAway
  let usageOf = new Map<number, Usage>()
  let envelopes: Envelope[] = []
  /** What each running call may take; undefined: all that is left. */
  const shares = new Map<Scope, number | undefined>()

  /** Workers that run together must not take more than is left, however late they say what they took. */
  const mayTake = ({ iteration, maxUsd, kind }: EventOf<'iteration.started' | 'review.started'>): void => {
    shares.delete(iteration) // its agent has ended
    const { costUsd } = facts.policy.budget
    const open = [...usageOf.values()].reduce((sum, usage) => sum + (usage.costUsd ?? 0), spent.costUsd)
    const say = (): string => `${kind}, iteration ${iteration}, $${maxUsd} of $${costUsd}, $${open} spent`
    if (costUsd !== null && facts.policy.workers > 1) {
      const others = [...shares.values()]
      const isAlone = others.length === 0
      ensure(isAlone || maxUsd !== undefined, 'no call beside others may take all that is left', say)
      ensure(!others.includes(undefined), 'nothing starts beside a call that may take all that is left', say)
      const sum = others.reduce<number>((all, share = 0) => all + share, (maxUsd ?? 0) + open)
      ensure(sum <= costUsd + 1e-6, 'running calls together may take no more than is left', say)
    }
    shares.set(iteration, maxUsd)
  }

  const isSpent = (at: string): boolean => {
    const { costUsd, tokens, durationMs } = facts.policy.budget
    const open = [...usageOf.values()]
    const known = open.reduce((sum, usage) => sum + (usage.costUsd ?? 0), spent.costUsd)
    const words = open.reduce((sum, usage) => sum + usage.inputTokens + usage.outputTokens, spent.tokens)
    const unpriced = open.reduce(
      (sum, usage) => sum + (usage.costUsd === null ? usage.inputTokens + usage.outputTokens : 0),
      spent.unpriced,
    )
    const cost = known + (words === unpriced ? 0 : (known * unpriced) / (words - unpriced)) // at the price of the other tokens
    return (
      envelopes.some(({ usedUsd, limitUsd, until }) => usedUsd >= limitUsd && until > at) ||
      (costUsd !== null && cost >= costUsd) ||
      (tokens !== null && words >= tokens) ||
      (durationMs !== null && epochMs(at) - epochMs(facts.run.startedAt) >= durationMs)
    )
  }

  const spend = ({ costUsd, inputTokens, outputTokens }: Usage): void => {
    spent.costUsd += costUsd ?? 0
    spent.tokens += inputTokens + outputTokens
    if (costUsd !== null) spent.priced++
    else spent.unpriced += inputTokens + outputTokens
    if (inputTokens + outputTokens > 0 || costUsd === 0) spent.counted++
  }

  /** An agent has worked, and no call has reported what a budget is about. */
  const isUntold = (): boolean => {
    const { costUsd, tokens } = facts.policy.budget
    const isSilent = spent.counted === 0 || spent.isSilent
    return (
      spent.isWork &&
      (((costUsd !== null || envelopes.length > 0) && (spent.priced === 0 || spent.isSilent)) || (tokens !== null && isSilent))
    )
  }

  const mayStart = (
    event: EventOf<'iteration.started' | 'review.started' | 'learning.started' | 'skill.started'>,
    role: Role,
  ): void => {
    const say = (): string => `${event.kind}, call ${event.call}`
    const isOwn = granted.has(event.call) && !used.has(event.call) && roles.get(event.call) === role
    ensure(isOwn, 'each start has its own granted call', say)
    ensure(!facts.life.isWaiting, 'no start while waiting', say)
    ensure(!isSpent(event.at), 'no start after a budget is spent', say)
    ensure(role !== 'implementer' || !isUntold(), 'no start under a budget that nothing is reported for', say)
    const isDue = away.due !== 'nothing' && (away.due !== 'rate' || away.until > event.at)
    ensure(!isDue, 'no start before the wait for a provider that is away', say)
    ensure(away.logins < 2, 'no start after a login was refused twice', say)
    ensure(!away.isToEnd, 'no start after a person said to end at a limit', say)
    // Another worker's rejected login, or a usage limit that was waited for, has its own end.
    const isOther = away.last === 'login' || away.last === 'limit'
    const isBounded = away.retries <= facts.policy.maxRetries || isOther || facts.run.isResumed
    ensure(isBounded, 'retries stay in their limit', say)
    used.add(event.call)
    calls[role]++
  }

  const waits = (event: EventOf<'wait.started'>): void => {
    ensure(event.until > event.at, 'no wait for the past', () => event.until)
    const isEnd = event.for === 'usage-limit' && away.due === 'limit' && away.isExit
    ensure(!isEnd && !away.isToEnd, 'no wait for a limit that is to end the run')
    const { durationMs } = facts.policy.budget
    const endMs = durationMs === null ? Number.POSITIVE_INFINITY : epochMs(facts.run.startedAt) + durationMs
    ensure(epochMs(event.until) <= endMs, 'no wait goes on after the time of the run is up', () => event.until)
    const pauseMs = epochMs(event.until) - epochMs(event.at)
    const usualMs = pausesMs[Math.min(Math.max(away.retries, away.logins, 1), 5) - 1]!
    if (event.for === 'retry' && away.until <= event.at && durationMs === null)
      ensure(
        Math.abs(pauseMs - usualMs) <= usualMs * 0.2 + 1,
        'a retry comes after its pause, give or take a fifth',
        () => `${pauseMs}`,
      )
    const isAlone = facts.policy.fallback === undefined
    const limitWaits = event.for === 'usage-limit' && away.isMet && isAlone ? away.limitWaits + 1 : away.limitWaits
    if (limitWaits > away.limitWaits && limitWaits > 1 && durationMs === null)
      ensure(pauseMs >= 60_000, 'a usage limit that is met again after its reset is waited for longer', () => `${pauseMs}`)
    away = { ...away, due: 'nothing', limitWaits, isMet: away.isMet && event.for !== 'usage-limit' }
  }

  /** `isRelayed`: at this usage limit another agent takes the calls. */
  const served = (throttled: Throttled | undefined, isCounted: boolean, isRelayed = false): void => {
    const { by, until = '' } = isRelayed && throttled?.by === 'usage-limit' ? {} : (throttled ?? {})
    const isPassing = by !== undefined && by !== 'login' && by !== 'usage-limit'
    const due = by === undefined ? 'nothing' : by === 'usage-limit' ? 'limit' : by === 'login' ? 'login' : 'retry'
    away = {
      ...away,
      retries: isPassing ? away.retries + 1 : isCounted ? 0 : away.retries,
      logins: by === 'login' ? away.logins + 1 : isCounted ? 0 : away.logins,
      limitWaits: by !== 'usage-limit' && isCounted ? 0 : away.limitWaits,
      isMet: by === 'usage-limit' || (away.isMet && !isCounted),
      due,
      last: due,
      until,
      isExit: by === 'usage-limit' && facts.policy.onLimit === 'exit',
    }
  }

  const judged = (event: EventOf<'iteration.judged'>): void => {
    usageOf.delete(event.iteration)
    const { usage, exit, signals, shareSpent } = facts.ended(event.iteration)
    if (facts.started(event.iteration).mode !== 'check') spend(usage) // no agent was called
    spent.isOver = exit === 'over-budget' && shareSpent !== true
    spent.isSilent = exit === 'ok' && usage.inputTokens + usage.outputTokens === 0 && usage.costUsd === null
    spent.isWork = ['ok', 'timeout', 'circling'].includes(exit) && event.verdict !== 'throttled'
    const throttled = signals.find((signal) => signal.kind === 'throttled')
    if (event.verdict === 'throttled') ensure(throttled !== undefined, 'throttled only by the provider')
    if (event.verdict === 'throttled') served(throttled, false, relay.isRelayed(event))
    else if (isCounted(event.verdict)) served(undefined, true)
  }

  const reviewed = (event: EventOf<'review.ended'>): void => {
    spend(event.usage)
    spent.reviewUsd += event.usage.costUsd ?? 0
    if (event.exit !== 'stopped') served(event.throttled, true, relay.isRelayed(event))
  }

  const learned = (usage: Usage): void => {
    spend(usage)
    spent.lessonUsd += usage.costUsd ?? 0
  }

  const requested = (event: EventOf<'call.requested'>): void => {
    ensure(!roles.has(event.call), 'a call is asked for once', () => `call ${event.call}`)
    ensure(!facts.life.isWaiting, 'no call is asked for while waiting')
    ensure(facts.failing === null, 'no call is asked for while a story is being put aside')
    ensure(!isSpent(event.at), 'no call is asked for after a budget is spent', () => `call ${event.call}`)
    roles.set(event.call, event.role)
  }

  const isGranted = (event: EventOf<'call.granted'>): void => {
    const role = roles.get(event.call)
    ensure(role !== undefined && !granted.has(event.call), 'a call is granted once, if asked for', () => `call ${event.call}`)
    granted.add(event.call)
    envelopes = event.envelopes ?? []
  }

  const refused = (event: EventOf<'call.refused'>): void => {
    const { by, until, call } = event
    envelopes = event.envelopes ?? []
    if (by === 'budget') return ensure(isSpent(event.at), 'a call is refused for a budget only if it is spent')
    if (roles.get(call) === 'learner') return // nobody waits for a lesson
    if (by === 'usage-limit' && relay.isRelayed(event)) return
    // Asked for before the provider was away for good: the run ends all the same.
    if (away.due === 'retry' && away.retries > facts.policy.maxRetries) return
    const isLimit = by === 'usage-limit'
    const due = isLimit ? 'limit' : 'rate'
    away = { ...away, due, last: isLimit ? due : away.last, until, isExit: isLimit && facts.policy.onLimit === 'exit' }
  }

  /** If the limit has passed meanwhile, "wait" has nothing left to wait for. */
  const answered = ({ choice, at }: EventOf<'limit.answered'>): void => {
    away = { ...away, isAsked: false }
    if (choice === 'exit') away = { ...away, isExit: true, isToEnd: true }
    else if (away.until !== '' && away.until <= at) away = { ...away, due: 'nothing' }
  }

  const see = (event: Event): void => {
    if (event.kind === 'call.requested') requested(event)
    if (event.kind === 'call.granted') isGranted(event)
    if (event.kind === 'call.refused') refused(event)
    if (event.kind === 'limit.asked') {
      ensure(!away.isAsked && !away.isToEnd, 'a person is asked about a limit once')
      away = { ...away, isAsked: true }
    }
    if (event.kind === 'limit.answered') answered(event)
    if (event.kind === 'iteration.started' && event.mode !== 'check') {
      mayStart(event, 'implementer')
      mayTake(event)
    }
    if (event.kind === 'review.started') {
      mayStart(event, 'reviewer')
      mayTake(event)
    }
    if (event.kind === 'learning.started' || event.kind === 'skill.started') mayStart(event, 'learner')
    if (event.kind === 'learning.ended' || (event.kind === 'skill.ended' && event.isRetired !== true)) learned(event.usage)
    if (event.kind === 'iteration.ended') usageOf.set(event.iteration, event.usage)
    if (event.kind === 'iteration.ended' || event.kind === 'review.ended') shares.delete(event.iteration)
    if (event.kind === 'iteration.judged') judged(event)
    if (event.kind === 'review.ended') reviewed(event)
    if (event.kind === 'wait.started') waits(event)
    if (event.kind === 'run.resumed') away = { ...away, due: 'nothing', isAsked: false, isToEnd: false }
    if (event.kind === 'run.started' || event.kind === 'run.resumed') {
      envelopes = []
      shares.clear()
    }
  }

  return {
    see(event, _before, now) {
      see(event)
      if (event.kind === 'run.started') {
        calls = noCalls()
        spent = { ...nothing }
        away = notAway
        usageOf = new Map()
      }
      if (event.kind !== 'run.ended') return
      const { byRole, costUsd, inputTokens, outputTokens, calls: all } = now.totals
      const isSame = (Object.keys(calls) as Role[]).every((role) => byRole[role].calls === calls[role])
      ensure(isSame && all === calls.implementer + calls.reviewer + calls.learner, 'calls by role add up', () =>
        JSON.stringify(byRole),
      )
      ensure(near(costUsd, spent.costUsd) && inputTokens + outputTokens === spent.tokens, 'what was spent adds up')
      ensure(near(byRole.reviewer.costUsd, spent.reviewUsd), 'what reviewers cost adds up')
      ensure(near(byRole.learner.costUsd, spent.lessonUsd), 'what learners cost adds up')
      const sum = byRole.implementer.costUsd + byRole.reviewer.costUsd + byRole.learner.costUsd
      ensure(near(sum, costUsd), 'cost by role adds up')
    },
    isSpent: (at) => spent.isOver || isUntold() || isSpent(at),
    logins: () => away.logins,
    isLimited: () =>
      away.isToEnd || (away.due === 'limit' && away.isExit) || (away.due === 'retry' && away.retries > facts.policy.maxRetries),
  }
}

const near = (one: number, other: number): boolean => Math.abs(one - other) < 1e-6
