/** How a run may end: each outcome needs its reason, the first one in order, and complete is proven after the last change. */
import type { State } from '../../src/core/state.ts'
import type { EventOf, GateResult, Outcome, Scope, StoryId } from '../../src/core/types.ts'
import { isBroken } from '../content.ts'
import { ensure } from '../ensure.ts'
import type { Repository } from '../repository.ts'
import type { BreakerRules } from './breaker.ts'
import type { CallRules } from './calls.ts'
import { type Facts, isCounted, type Rules } from './facts.ts'
import { countingOf, type Others as StartOthers, startable } from './starts.ts'
import { isByContent } from './work.ts'

type Begun = { seq: number; tree: string }
type Asked = { name: string; story?: StoryId | undefined; soft?: true | undefined }

const keyOf = ({ name, story }: Asked): string => `${story ?? ''} ${name}`

type Others = StartOthers & { calls: CallRules; breaker: BreakerRules }

export function endRules(facts: Facts, repository: Repository, others: Others): Rules {
  const { people, calls, breaker, stories } = others
  /** When each check last started, in the repository's count, on what content, and whether it passed. */
  const gateRuns = new Map<string, Begun & { passed: boolean }>()
  const begunAt = new Map<Scope, Begun>()
  let finals: { agent: string; seq: number; passed: boolean }[] = []
  let finalSeq = 0
  let passed = new Set<StoryId>()
  const skipped = new Set<StoryId>()
  let testing = 0
  let unread = 0
  let isClaimed = false
  let isUnmoved = false

  const treeNow = (): string => repository.nameOf(repository.work())
  const begunNow = (): Begun => ({ seq: ++repository.seq, tree: treeNow() })

  /** Results of gates in a worktree count for the project only after the landing. */
  const isElsewhere = (iteration: Scope): boolean => iteration !== 'whole' && facts.started(iteration).worker !== undefined

  const gatesEnded = ({ iteration, results }: EventOf<'gates.ended'>): void => {
    if (isElsewhere(iteration)) return
    const begun = begunAt.get(iteration) ?? { seq: 0, tree: '' }
    for (const result of results) {
      const known = gateRuns.get(keyOf(result))
      if (result.ended === 'stopped' || (known !== undefined && known.seq > begun.seq)) continue
      gateRuns.set(keyOf(result), { ...begun, passed: !facts.isRed(result) })
    }
  }

  /** What was committed was not what they had seen. */
  const gatesAgain = ({ results = [] }: EventOf<'iteration.settled'>): void => {
    const begun = begunNow()
    for (const result of results)
      if (result.ended !== 'stopped') gateRuns.set(keyOf(result), { ...begun, passed: !facts.isRed(result) })
  }

  /** One story alone needs no other proof than its own. */
  const landed = ({ iteration, results }: EventOf<'landing.ended'>): void => {
    if (facts.policy.only === undefined || results.some(facts.isRed)) return
    const before = facts.gates(iteration).filter(({ name }) => !results.some((result) => result.name === name))
    const begun = begunNow()
    for (const result of [...before, ...results]) gateRuns.set(keyOf(result), { ...begun, passed: !facts.isRed(result) })
  }

  const judged = (event: EventOf<'iteration.judged'>): void => {
    const { signals, commits } = facts.ended(event.iteration)
    const isTesting = signals.some(({ kind }) => kind === 'testing-only') && event.passed.length === 0 && commits.length === 0
    testing = isTesting ? testing + 1 : isCounted(event.verdict) ? 0 : testing
    const [unreadable] = signals.filter((signal) => signal.kind === 'unreadable')
    if (event.verdict === 'unreadable') unread = unreadable?.by === 'option' ? 2 : unread + 1
    else if (isCounted(event.verdict)) unread = 0
    isClaimed = event.claim === 'accepted'
    for (const id of event.passed) passed.add(id)
  }

  const mayComplete = (before: State): void => {
    const { policy } = facts
    const gone = countingOf(before.plan ?? { file: '', branch: '', stories: [], marks: 'log' }, facts).filter(
      ({ id }) => !repository.isOnBranch(before.stories[id]?.receipt?.commits ?? []),
    )
    ensure(gone.length === 0, 'complete only with the work of every story on the branch', () => gone.map(({ id }) => id).join())
    const counting = (repository.plan?.stories ?? []).filter(({ id, skip }) =>
      policy.only === undefined ? !skip && !skipped.has(id) : id === policy.only,
    )
    const open = counting.filter((story) => !story.passes).map(({ id }) => id)
    ensure(open.length === 0, 'complete only with every counting story passed', () => open.join(', '))
    const isTold = isClaimed || people.hasAccepted()
    ensure(repository.plan !== null || isTold, 'without a plan complete only on a claim that holds, or a yes')
    // One story alone is complete when it passes: what gates it needed ran when it did.
    if (policy.only !== undefined && !passed.has(policy.only)) return
    const changedSeq = policy.only === undefined ? repository.changedSeq : repository.agentChangedSeq
    // A later story may have broken what an earlier one's own gates saw.
    const own = counting.flatMap(({ id, gates = {} }) => Object.keys(gates).map((name): Asked => ({ name, story: id })))
    const heldOut: Asked[] = policy.proof?.heldOut === undefined || policy.only !== undefined ? [] : [{ name: 'held-out' }]
    const asked = [...policy.gates, ...(policy.only === undefined ? own : []), ...heldOut]
    const unproven = asked.filter(({ name, story, soft }: Asked) => {
      const last = gateRuns.get(keyOf({ name, story }))
      // What an agent did and took back itself has left what the gates saw.
      return soft !== true && (last === undefined || !last.passed || (last.seq < changedSeq && last.tree !== treeNow()))
    })
    ensure(unproven.length === 0, 'complete only with every gate passed after the last change', () =>
      unproven.map(({ name }) => name).join(', '),
    )
    if (policy.only !== undefined) return
    const isStrict = repository.hasGit && policy.baseline === 'strict'
    const isRedOnBranch = isStrict && policy.gates.some(isByContent) && isBroken(repository.committed())
    ensure(!isRedOnBranch, 'complete only with what is on the branch seen green', () => repository.committed().join(' '))
    const heard = finals.filter(({ passed, seq }) => passed && seq > repository.changedSeq).map(({ agent }) => agent)
    // One that is named twice looks twice.
    const silent = policy.review.final.filter((agent) => {
      const at = heard.indexOf(agent)
      if (at >= 0) heard.splice(at, 1)
      return at < 0
    })
    ensure(silent.length === 0, 'complete only with every final reviewer heard after the last change', () => silent.join())
  }

  /** Parked, it ends the run only when nothing else can start. */
  const isQuestion = (before: State): boolean => {
    const waiting = people.waiting()
    if (waiting.length === 0) return false
    if (facts.policy.decide === 'stop' || waiting.includes(null)) return true
    return !canStart(before) || facts.run.used >= facts.policy.maxIterations
  }

  const canStart = ({ plan, check }: State): boolean => {
    if (plan === null) return true
    if (countingOf(plan, facts).every((story) => story.passes)) return check.phase === 'red'
    return startable(plan, facts, others).length > 0
  }

  const reasons = (event: EventOf<'run.ended'>, before: State): Partial<Record<Outcome, boolean>> => {
    const { policy, run } = facts
    return {
      interrupted: facts.life.isStopping,
      'gate-missing': policy.missingTools === 'stop' && run.baseline?.some(isMissing) === true,
      blocked: people.isBlocked(),
      question: isQuestion(before),
      login: calls.logins() > 1,
      'agent-unusable': unread >= 2,
      limited: calls.isLimited(),
      budget: calls.isSpent(event.at),
      'testing-only': policy.testLoops > 0 && testing >= policy.testLoops,
      stuck: breaker.isOpen(),
      'stories-failed': isUnmoved || (before.plan !== null && !canStart(before)),
      incomplete: run.used >= policy.maxIterations,
    }
  }

  const mayEnd = (event: EventOf<'run.ended'>, before: State): void => {
    const { outcome } = event
    ensure(facts.unsettled.size === 0, 'no iteration is in flight at the end of a run')
    ensure(facts.failing === null, 'no story is being put aside at the end of a run')
    ensure(namesOpen(event, before), 'the end of a run names each story with an open reservation')
    const holding = reasons(event, before)
    if (outcome === 'complete') {
      mayComplete(before)
      ensure(holding.interrupted !== true, 'asked to stop, a run ends as interrupted')
      return
    }
    ensure(holding[outcome] === true, 'a run ends for a reason that holds', () => `${outcome}: ${event.because}`)
    const [first] = Object.entries(holding).find(([, holds]) => holds)!
    ensure(first === outcome, 'of several ends the first holds', () => `${outcome}, not ${first}`)
    if (outcome === 'testing-only') return
    const counting = before.plan === null ? [] : countingOf(before.plan, facts)
    const open = counting.filter((story) => !story.passes && !story.failed)
    const used = open.filter(({ id }) => stories.isUsedUp(id)).map(({ id }) => id)
    ensure(used.length === 0, 'a used-up story has failed before the run ends', () => used.join())
  }

  return {
    see(event, before) {
      if (event.kind === 'run.started') {
        ensure(facts.run.isOver, 'a run starts only after the last has ended')
        passed = new Set()
        finals = []
        testing = 0
        unread = 0
        isClaimed = false
        isUnmoved = false
      }
      if (event.kind === 'gates.started') begunAt.set(event.iteration, begunNow())
      if (event.kind === 'gates.ended') gatesEnded(event)
      if (event.kind === 'iteration.settled') gatesAgain(event)
      if (event.kind === 'landing.ended') landed(event)
      if (event.kind === 'review.started' && event.iteration === 'whole') finalSeq = ++repository.seq
      if (event.kind === 'review.ended' && event.iteration === 'whole' && event.result !== undefined)
        finals.push({ agent: event.agent, seq: finalSeq, passed: event.result.passed })
      if (event.kind === 'iteration.judged') judged(event)
      if (event.kind === 'story.skipped') skipped.add(event.story)
      if (event.kind === 'story.retried') skipped.delete(event.story)
      if (event.kind === 'story.put-aside')
        isUnmoved ||= event.problem !== undefined || (before.failing?.isShelved === true && event.how === 'kept')
      if (event.kind === 'run.ended') mayEnd(event, before)
    },
  }
}

/** As shells say it. */
const isMissing = ({ exitCode, soft }: GateResult): boolean => exitCode === 127 && soft !== true

/** By its receipt alone: it passes, and nobody has answered what is suspicious about it. */
function namesOpen({ reserved = [] }: EventOf<'run.ended'>, { plan, stories }: State): boolean {
  const passing = (plan?.stories ?? []).filter(({ passes }) => passes).map(({ id }) => id)
  const open = passing.filter((id) => stories[id]?.receipt?.proof?.reservations.some(({ answer }) => answer === undefined))
  return reserved.join() === open.join()
}
