/** Each story's own count: attempts, equal failures, shifts, time, sessions; and when it has failed for good. */
import { judgedFlight } from '../../src/core/evolve/flights.ts'
import type { State } from '../../src/core/state.ts'
import type { EventOf, StoryId } from '../../src/core/types.ts'
import { ensure } from '../ensure.ts'
import type { Repository } from '../repository.ts'
import type { CandidateRules } from './candidates.ts'
import { type Facts, isAttempt, isCounted, type Red, type Rules } from './facts.ts'
import { isBeaten } from './verdicts.ts'

export type StoryRules = Rules & {
  /** Its attempts, shifts or time are used up. */
  isUsedUp(id: StoryId): boolean
}

type Ledger = {
  attempts: number
  failed: number
  /** How often it failed with which error; and how often gates failed with which error since they passed, without a flip. */
  failures: Map<string, number>
  reds: Map<string, number>
  /** The last failure, and whether its attempt had a strategy shift. */
  last: { key: string; wasShift: boolean; wasCut: boolean }
  lastFailed: boolean
  shifts: number
  spentMs: number
  isSlow: boolean
  /** `agent`: whose, if another stood in for the named one. */
  session: { id: string; atMs: number; agent: string | undefined } | null
  /** The last three refusals, which a flaky gate may give back. */
  past: PastRefusal[]
}

/** `content`: what the gates saw, if they alone refused it. */
type PastRefusal = { key: string; content?: string | undefined; reds: Red[]; isUnfinished: boolean; isCut: boolean }

/** Three times the same, and once more after each of two strategy shifts. */
const runaway = 5

function fail(ledger: Ledger, key: string, wasShift: boolean, wasCut: boolean): void {
  ledger.failed++
  ledger.failures.set(key, (ledger.failures.get(key) ?? 0) + 1)
  ledger.last = { key, wasShift, wasCut }
}

const dayMs = 24 * 3_600_000

export function storyRules(facts: Facts, candidates: CandidateRules, repository: Repository): StoryRules {
  const ledgers = new Map<StoryId, Ledger>()
  const of = (id: StoryId): Ledger => {
    const known = ledgers.get(id) ?? {
      attempts: 0,
      failed: 0,
      failures: new Map(),
      reds: new Map(),
      last: { key: '', wasShift: false, wasCut: false },
      lastFailed: false,
      shifts: 0,
      spentMs: 0,
      isSlow: false,
      session: null,
      past: [],
    }
    ledgers.set(id, known)
    return known
  }

  const timesOf = ({ failures, reds }: Ledger, key: string): number => (failures.get(key) ?? 0) + (reds.get(key) ?? 0)
  const timesAlike = (ledger: Ledger): number => (ledger.lastFailed ? timesOf(ledger, ledger.last.key) : 0)

  const isUsedUp = (id: StoryId): boolean => {
    const ledger = of(id)
    const { maxAttempts, storyMs } = facts.policy
    if (candidates.hasLeft(id)) return storyMs.hard > 0 && ledger.spentMs >= storyMs.hard
    const isHardStop = ledger.shifts === 2 && ledger.last.wasShift && timesAlike(ledger) >= 3
    return (
      (maxAttempts > 0 && ledger.failed >= maxAttempts) ||
      timesAlike(ledger) >= runaway ||
      isHardStop ||
      (storyMs.hard > 0 && ledger.spentMs >= storyMs.hard)
    )
  }

  const started = (event: EventOf<'iteration.started'>): void => {
    const { story, shift, shifts, resume } = event
    const say = (): string => `iteration ${event.iteration} on ${story}`
    if (story === null) {
      ensure(resume === undefined && shifts === 0, 'an iteration without a story has no past', say)
      return
    }
    const ledger = of(story)
    const isDue = timesAlike(ledger) >= 3 && ledger.shifts < 2
    const worst = Math.max(0, ...[...ledger.failures.keys(), ...ledger.reds.keys()].map((key) => timesOf(ledger, key)))
    ensure(
      worst < runaway || event.candidate !== undefined,
      'no story is tried on when one failure has come five times, flip or not',
      () => `${say()}: ${worst}`,
    )
    const beside = [...facts.unjudged].filter((iteration) => facts.started(iteration).story === story).length
    ensure(event.attempt === ledger.attempts + 1 + beside, 'an attempt is numbered by those before it', say)
    const { maxAttempts, bestOf = 1, pick } = facts.policy
    const isLast = maxAttempts > 0 && ledger.failed + 1 >= maxAttempts
    const isWanted = repository.story(story)?.bestOf ?? (isLast ? bestOf : 1)
    const isPossible = isWanted > 1 && pick === 'ralph' && repository.hasGit
    ensure(
      !isPossible || event.candidate !== undefined,
      'the last attempt is several, and so is any of a story that asks for it',
      say,
    )
    if (event.mode === 'check') return // no agent is asked for anything
    ensure(
      shifts === ledger.shifts + (isDue ? 1 : 0),
      'a shift comes after three failures alike, twice at most',
      () => `${say()}: ${shifts} after ${ledger.shifts}, ${timesAlike(ledger)} alike`,
    )
    ensure(!isDue || shift !== '', 'a shift says why', say)
    ensure(
      event.mode === (isFix(ledger) && event.candidate === undefined ? 'fix' : 'implement'),
      'a fix comes after a refusal',
      () => `${say()}: ${event.mode}`,
    )
    const isFresh = facts.policy.session === 'fresh' || shift !== '' || event.candidate !== undefined
    const isOld = ledger.session === null || Date.parse(event.at) >= ledger.session.atMs + dayMs
    const isAnothers = ledger.session?.agent !== event.agent
    const session = isFresh || isOld || isAnothers ? undefined : ledger.session!.id
    ensure(resume === session, 'a session goes on inside a story, for a day', () => `${say()}: ${resume}, not ${session}`)
  }

  const refused = new Set<StoryId>()
  const isFix = (ledger: Ledger): boolean => [...refused].some((id) => ledgers.get(id) === ledger)

  const judged = (event: EventOf<'iteration.judged'>, before: State): void => {
    const { iteration, verdict } = event
    const ended = facts.ended(iteration)
    const own = facts.started(iteration)
    const worked = facts.workedOn(iteration)
    const isShift = own.story !== null && own.shifts > of(own.story).shifts
    const reds = facts.reds(iteration)
    const error = facts.signals(iteration).find((signal) => signal.kind === 'error')
    const key = reds.length > 0 ? reds.map(({ name, output }) => `${name}: ${output}`).join() : (error?.hash ?? ended.exit)
    const checked = facts.checked(iteration)
    const isByGates = reds.every((red) => checked.some((result) => (result as Red) === red))
    const content = isByGates ? facts.content(iteration) : undefined
    for (const id of new Set([
      ...(own.story === null ? [] : [own.story]),
      ...event.passed,
      ...event.refused,
      ...(event.parked ?? []),
    ])) {
      const ledger = of(id)
      if (isAttempt(verdict)) giveBack(ledger, iteration)
      const isOwn = id === worked
      const story = before.plan?.stories.find((candidate) => candidate.id === id)
      const isOut = story?.failed !== undefined || (story?.skip === true && id !== facts.policy.only)
      const isRefused = event.refused.includes(id) && verdict === 'failed'
      const isCutOff = !isBeaten(event) && id === own.story && (ended.exit === 'timeout' || ended.exit === 'circling')
      const isUnflipped = id === own.story && reds.length > 0 && ended.flips.length === 0 && !isCutOff && ended.exit !== 'lost'
      const alike = isUnflipped && isAttempt(verdict) ? timesOf(ledger, key) + 1 : 0
      ensure(
        (event.alike ?? 0) === alike,
        'gates that fail alike without a flip are counted',
        () => `${id}: ${event.alike}, ${alike}`,
      )
      const isAlike = alike >= 3 && !isOut
      const isFailed = isCounted(verdict) && !isOut && (isRefused || isCutOff || isAlike)
      if (alike > 0 && !isFailed && !isOut) ledger.reds.set(key, (ledger.reds.get(key) ?? 0) + 1)
      if (isAlike) {
        const { maxAttempts } = facts.policy
        ledger.failed = Math.max(ledger.failed, Math.min(alike, maxAttempts || alike) - 1)
        ledger.failures.set(key, alike - 1)
        ledger.reds.delete(key)
      }
      if (isFailed) fail(ledger, key, isShift, isCutOff)
      const isGreenNow = isOwn && checked.length > 0 && reds.length === 0
      if (isGreenNow) ledger.past = ledger.past.filter(({ isUnfinished }) => !isUnfinished)
      if (isFailed || (alike > 0 && !isOut)) remember(ledger, { key, content, reds, isUnfinished: !isFailed, isCut: isCutOff })
      const isGreen = isOwn && facts.gates(iteration).some(({ ended: how }) => how !== 'stopped') && reds.length === 0
      if (isGreen) ledger.reds.clear()
      if (isAttempt(verdict)) {
        ledger.attempts++
        ledger.lastFailed = isFailed
        if (isRefused || isAlike) refused.add(id)
        else refused.delete(id)
        if (isOwn) ledger.shifts = own.shifts
      }
      if (!isOwn) continue
      if (isCounted(verdict)) ledger.spentMs += ended.durationMs + checksMs(facts, iteration)
      const goesOn = ['worked', 'blocked', 'question'].includes(verdict) && ended.exit === 'ok'
      const session = { atMs: Date.parse(event.at), agent: own.agent }
      ledger.session = goesOn && ended.session !== undefined ? { ...session, id: ended.session } : null
    }
  }

  /** git refused the commit, or gates fail on it: what passed does not, and that is a failure too, unless the gates were stopped. */
  const withdrawn = (event: EventOf<'iteration.settled'>, before: State): void => {
    const flight = judgedFlight(before, event.iteration)
    if (event.results?.some(({ ended }) => ended === 'stopped')) return
    const reds = (event.results ?? []).filter(facts.isRed).map(({ name, output }) => `${name}: ${output}`)
    for (const id of flight?.judged.passed ?? []) {
      const key = reds.length > 0 ? reds.join() : `commit: ${event.problem}`
      fail(of(id), key, flight!.isShift, false)
      remember(of(id), { key, reds: [], isUnfinished: false, isCut: false })
      of(id).lastFailed = true
      refused.add(id)
    }
  }

  const remember = (ledger: Ledger, refusal: PastRefusal): void => {
    ledger.past = [...ledger.past, refusal].slice(-3)
  }

  /** The gates that refused it are flaky: they pass now on the same content. */
  const giveBack = (ledger: Ledger, iteration: number): void => {
    const isFlaky = ({ name, story }: Red): boolean =>
      facts.flaky(iteration).some((result) => result.name === name && result.story === story)
    const content = facts.content(iteration)
    const back = ledger.past.filter(
      (refusal) =>
        content !== undefined &&
        refusal.content === content &&
        refusal.reds.length > 0 &&
        refusal.reds.every(isFlaky) &&
        !refusal.isUnfinished &&
        !refusal.isCut,
    )
    for (const { key } of back) ledger.failures.set(key, Math.max(0, (ledger.failures.get(key) ?? 0) - 1))
    ledger.failed = Math.max(0, ledger.failed - back.length)
    ledger.past = ledger.past.filter((refusal) => !back.includes(refusal))
  }

  const agree = (now: State): void => {
    for (const [id, story] of Object.entries(now.stories)) {
      const { attempts, failed, shifts, spentMs } = of(id)
      const said = `${story.attempts} ${story.failedAttempts} ${story.shifts} ${story.spentMs}`
      const counted = `${attempts} ${failed} ${shifts} ${spentMs}`
      ensure(said === counted, 'attempts, failures, shifts and time are counted right', () => `${id}: ${said} / ${counted}`)
    }
  }

  return {
    see(event, before, now) {
      if (event.kind === 'iteration.started') started(event)
      if (event.kind === 'iteration.judged') judged(event, before)
      if (event.kind === 'iteration.settled' && event.problem !== undefined) withdrawn(event, before)
      if (event.kind === 'iteration.judged' || event.kind === 'iteration.settled') agree(now)
      if (event.kind === 'story.failed') {
        const story = before.plan?.stories.find(({ id }) => id === event.story)
        const isSkipped = story?.skip === true && story.id !== facts.policy.only
        const isOpen = story !== undefined && !story.passes && !story.failed && !isSkipped
        ensure(isOpen && isUsedUp(event.story), 'a story fails only when it is used up', () => event.story)
        const isCut = of(event.story).last.wasCut
        ensure(event.hash === '' || !isCut, 'time that ran out, or circles, are no error of two stories', () => event.story)
        const busy = [...facts.unsettled].map((iteration) => facts.workedOn(iteration))
        ensure(!busy.includes(event.story), 'a story fails only when its last iteration is settled', () => event.story)
      }
      if (event.kind === 'story.slow') {
        const { soft } = facts.policy.storyMs
        const ledger = of(event.story)
        ensure(soft > 0 && ledger.spentMs >= soft && !ledger.isSlow, 'a slow story is told of once', () => event.story)
        ledger.isSlow = true
      }
      if (event.kind === 'story.retried') {
        ledgers.delete(event.story)
        refused.delete(event.story)
      }
    },
    isUsedUp,
  }
}

/** Reviews count if they answered, or failed to for the second time. */
function checksMs(facts: Facts, iteration: number): number {
  const reviews = facts.reviews(iteration)
  const spoke = reviews.filter(({ result, problem, review, story }, at) => {
    const isUnread = (other: (typeof reviews)[number]): boolean =>
      other.problem !== undefined && other.review === review && other.story === story
    return result !== undefined || (problem !== undefined && reviews.slice(0, at).some(isUnread))
  })
  return spoke.reduce((sum, { durationMs }) => sum + durationMs, facts.gatesMs(iteration))
}
