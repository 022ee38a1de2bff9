/** What the log says, collected by plain code: the common ground of the invariants. */

import type { Finding } from '../../src/core/proof/finding.ts'
import type { State } from '../../src/core/state.ts'
import type { Event, EventOf, GateResult, Instant, Policy, Scope, Signal, StoryId, Verdict } from '../../src/core/types.ts'
import { aPolicy } from '../builders.ts'

/** One idea of what must hold. It sees each event before it is added to the facts, with the core's state before and after. */
export type Rules = { see(event: Event, before: State, now: State): void; newLife?(): void }

export type Facts = {
  run: { isOver: boolean; startedAt: Instant; used: number; baseline: GateResult[] | null; isResumed: boolean }
  policy: Policy
  /** Of this process: a request to stop or pause it, a wait that it is in. */
  life: { isStopping: boolean; isStoppingNow: boolean; isPausing: boolean; isWaiting: boolean }
  /** Iterations whose agent is at work, whose reviewer is, that are not judged yet, and not settled yet. */
  working: Set<number>
  reviewing: Set<number>
  examining: Set<number>
  unjudged: Set<number>
  unsettled: Set<number>
  lastIteration: number
  /** A failed story whose work is being put aside. */
  failing: StoryId | null
  started(iteration: number): EventOf<'iteration.started'>
  /** The story that was named to it, or the one that it picked and flipped. */
  workedOn(iteration: number): StoryId | null
  ended(iteration: number): EventOf<'iteration.ended'>
  /** The last word of each gate: after the landing, if there was one. */
  gates(iteration: number): GateResult[]
  /** The same before a landing, and what they saw. */
  checked(iteration: number): GateResult[]
  content(iteration: number): string | undefined
  /** Which of its gates passed on a content on which they had failed. */
  flaky(iteration: number): GateResult[]
  /** How its landing came out. */
  landed(iteration: number): EventOf<'landing.ended'> | undefined
  /** Time in its gates, also of words that were overtaken. */
  gatesMs(iteration: number): number
  reviews(iteration: number): EventOf<'review.ended'>[]
  /** The agent's, and what reviewers called a person for. */
  signals(iteration: number): Signal[]
  /** Gates and reviewers that are a reason to refuse, in order, with what they say. */
  reds(iteration: number): Red[]
  isRed(result: GateResult): boolean
  /** What is suspicious about a flip, and no person has said yes to, in words. */
  suspicions(iteration: number, story: StoryId): string[]
  /** What was found about its checks, and refuses its flips. */
  against(iteration: number): Finding[]
  /** A person answered what was suspicious about a story when this iteration asked. */
  accept(story: StoryId, iteration: number, isYes: boolean): void
  take(event: Event): void
  newLife(): void
}

export type Red = { name: string; story?: StoryId | null; output: string }

export const isCounted = (verdict: Verdict): boolean => !['lost', 'throttled', 'unreadable', 'interrupted'].includes(verdict)
export const isAttempt = (verdict: Verdict): boolean => ['done', 'worked', 'failed'].includes(verdict)

export function factsOf(): Facts {
  const starts = new Map<number, EventOf<'iteration.started'>>()
  const ends = new Map<number, EventOf<'iteration.ended'>>()
  const gates = new Map<number, GateResult[]>()
  const contents = new Map<number, string | undefined>()
  const tookMs = new Map<number, number>()
  const again = new Set<Scope>()
  const failedOn = new Map<string, string[]>()
  /** What people have said yes to, by story. */
  const accepted = new Map<StoryId, Set<string>>()
  const secondRuns = new Map<number, GateResult[]>()
  const reviews = new Map<number, EventOf<'review.ended'>[]>()
  const landings = new Map<number, EventOf<'landing.ended'>>()
  const examinations = new Map<number, EventOf<'examination.ended'>>()
  const swapped = new Set<number>()
  const refusals = new Map<number, Red[]>()
  let judgedIn: EventOf<'gates.ended'>['judgedIn']

  /** A person said so in this run. */
  let mayStayRed = false
  const facts: Facts = {
    run: { isOver: true, startedAt: '', used: 0, baseline: null, isResumed: false },
    policy: aPolicy(),
    life: { isStopping: false, isStoppingNow: false, isPausing: false, isWaiting: false },
    working: new Set(),
    reviewing: new Set(),
    examining: new Set(),
    unjudged: new Set(),
    unsettled: new Set(),
    lastIteration: 0,
    failing: null,
    started: (iteration) => starts.get(iteration)!,
    workedOn(iteration) {
      const flips = ends.get(iteration)?.flips ?? []
      return starts.get(iteration)!.story ?? (flips.length === 1 ? flips[0]! : null)
    },
    ended: (iteration) => ends.get(iteration)!,
    gates(iteration) {
      const after = landings.get(iteration)?.results ?? []
      const isOvertaken = (result: GateResult): boolean =>
        after.some(({ name, story }) => name === result.name && story === result.story)
      return [...(gates.get(iteration) ?? []).filter((result) => !isOvertaken(result)), ...after]
    },
    checked: (iteration) => gates.get(iteration) ?? [],
    content: (iteration) => contents.get(iteration),
    flaky: (iteration) => secondRuns.get(iteration) ?? [],
    landed: (iteration) => landings.get(iteration),
    gatesMs: (iteration) =>
      (landings.get(iteration)?.results ?? []).reduce((sum, { durationMs }) => sum + durationMs, tookMs.get(iteration) ?? 0),
    reviews: (iteration) => reviews.get(iteration) ?? [],
    signals: (iteration) => [
      ...ends.get(iteration)!.signals,
      ...facts.reviews(iteration).flatMap(({ calls, result }): Signal[] => {
        if (calls === undefined || result === undefined) return []
        return calls.for === 'blocked'
          ? [{ kind: 'blocked', reason: calls.text, evidence: '' }]
          : [{ kind: 'question', text: calls.text, evidence: '' }]
      }),
    ],
    reds(iteration) {
      const { astray } = ends.get(iteration) ?? {}
      const against = facts.against(iteration)
      return [
        ...facts.gates(iteration).filter(facts.isRed),
        ...reviewReds(facts.reviews(iteration)),
        ...(against.length === 0 ? [] : [{ name: 'tamper', output: against.map(({ words }) => words).join() }]),
        ...(astray === undefined ? [] : [{ name: 'branch', output: astray }]),
        ...(refusals.get(iteration) ?? []),
      ]
    },
    suspicions(iteration, story) {
      const { findings = [], checks = [] } = ends.get(iteration) ?? {}
      const { oldChecks, newChecks } = examinations.get(iteration) ?? {}
      const isCleared = oldChecks !== undefined && !oldChecks.isMissing && oldChecks.failing.length === 0
      const isFailing = oldChecks !== undefined && !oldChecks.isMissing && oldChecks.failing.length > 0
      const words = [
        ...findings
          .filter(({ isCertain, isBeyondChecks, file }) => {
            const stays = isBeyondChecks === true || (file !== undefined && !checks.includes(file))
            return isCertain !== true && (!isCleared || stays)
          })
          .map((finding) => finding.words),
        ...(isFailing ? ['old checks'] : []),
        ...(newChecks?.passing === undefined ? [] : ['not shown']),
        ...facts
          .reviews(iteration)
          .flatMap(({ result }) =>
            result?.passed === true
              ? (result.findings ?? []).flatMap(({ standing, words }) => (standing === 'late' ? [words] : []))
              : [],
          ),
        ...facts.flaky(iteration).map(({ name, flaky }) => `flaky ${name} ${flaky}`),
      ]
      return words.filter((each) => !accepted.get(story)?.has(each))
    },
    against(iteration) {
      const { findings: known = [], flips = [], checks = [] } = ends.get(iteration) ?? {}
      const findings: Finding[] = swapped.has(iteration)
        ? [...known, { rule: 'written-while-checked', words: 'swapped', isCertain: true }]
        : known
      const { tamper, proof } = facts.policy
      const certain = findings.filter(({ isCertain }) => isCertain)
      if (tamper !== 'refuse' && proof?.suspicion !== 'refuse') return certain
      const isAsked =
        proof !== undefined && proof.crossExamine !== 'off' && (proof.crossExamine === 'always' || checks.length > 0)
      const isExaminable = isAsked && flips.length > 0 && judgedIn !== undefined && gates.has(iteration)
      const examination = examinations.get(iteration)
      if (tamper !== 'refuse' && isExaminable && examination === undefined) return certain
      const { oldChecks, newChecks } = examination ?? {}
      const isKept = ({ isCertain, isBeyondChecks }: Finding): boolean => isCertain === true || isBeyondChecks === true
      const unshown: Finding[] = newChecks?.passing === undefined ? [] : [{ rule: 'not-shown', words: 'new tests show nothing' }]
      if (oldChecks === undefined || oldChecks.isMissing) return [...findings, ...unshown]
      if (oldChecks.failing.length === 0) return [...(tamper === 'refuse' ? findings : findings.filter(isKept)), ...unshown]
      const failing: Finding = { rule: 'old-checks-fail', words: `the old checks fail: ${oldChecks.failing.join()}` }
      return [...findings, failing, ...unshown]
    },
    accept(story, iteration, isYes) {
      accepted.delete(story)
      if (isYes) accepted.set(story, new Set(facts.suspicions(iteration, story)))
    },
    isRed: (result) => !result.passed && result.soft !== true && !isTolerated(facts, result),
    take(event) {
      switch (event.kind) {
        case 'run.started':
          judgedIn = undefined
          failedOn.clear()
          facts.policy = event.policy
          mayStayRed = false
          facts.run = { isOver: false, startedAt: event.at, used: 0, baseline: null, isResumed: false }
          break
        case 'run.resumed':
          facts.policy = mayStayRed ? tolerating(event.policy) : event.policy
          facts.run.isResumed = true
          break
        case 'run.ended':
          facts.run.isOver = true
          break
        case 'iteration.started':
          starts.set(event.iteration, event)
          facts.lastIteration = event.iteration
          facts.working.add(event.iteration)
          facts.unjudged.add(event.iteration)
          facts.unsettled.add(event.iteration)
          break
        case 'agent.returned':
          // Where spending is limited, an agent counts until it is known what it spent.
          if (facts.policy.budget.costUsd === null && facts.policy.budget.tokens === null) facts.working.delete(event.iteration)
          break
        case 'iteration.ended':
          ends.set(event.iteration, event)
          facts.working.delete(event.iteration)
          break
        case 'review.started':
          if (event.iteration !== 'whole') facts.reviewing.add(event.iteration)
          break
        case 'examination.started':
          facts.examining.add(event.iteration)
          break
        case 'examination.ended':
          facts.examining.delete(event.iteration)
          examinations.set(event.iteration, event)
          break
        case 'landing.ended': {
          const before = landings.get(event.iteration)?.results ?? []
          for (const result of event.results)
            for (const was of before)
              if (result.passed && !was.passed && isSameGate(was, result))
                secondRuns.set(event.iteration, [...facts.flaky(event.iteration), { ...result, flaky: failingIn(was.output) }])
          landings.set(event.iteration, event)
          break
        }
        case 'gates.started':
          if (event.again) again.add(event.iteration)
          else again.delete(event.iteration)
          break
        case 'gates.ended':
          judgedIn = event.judgedIn ?? judgedIn
          if (event.asked === 'tolerate') mayStayRed = true
          if (mayStayRed) facts.policy = tolerating(facts.policy)
          if (event.asked === 'quit') facts.life.isStopping = facts.life.isStoppingNow = true
          if (event.iteration !== 'whole' && event.written !== undefined) swapped.add(event.iteration)
          for (const result of event.results) {
            const key = gateKey(event.content, result)
            if (result.soft || result.ended === 'stopped' || event.content === undefined) continue
            const before = failedOn.get(key)
            const first = facts.checked(event.iteration as number).find((earlier) => isSameGate(earlier, result))
            if (!result.passed) failedOn.set(key, [...new Set([...(before ?? []), ...failingIn(result.output)])])
            else if (before !== undefined && event.iteration !== 'whole')
              secondRuns.set(event.iteration, [
                ...facts.flaky(event.iteration),
                { ...result, flaky: again.has(event.iteration) ? failingIn(first?.output ?? '') : before },
              ])
          }
          if (event.iteration !== 'whole') takeGates(event, event.iteration)
          else if (event.results.every(({ ended }) => ended !== 'stopped'))
            facts.run.baseline ??= event.results.filter(({ name }) => name !== 'held-out') // none was known before the run
          break
        case 'review.ended':
          if (event.iteration === 'whole') break
          reviews.set(event.iteration, [...facts.reviews(event.iteration), event])
          facts.reviewing.delete(event.iteration)
          break
        case 'iteration.judged':
          if (isCounted(event.verdict)) facts.run.used++
          facts.unjudged.delete(event.iteration)
          break
        case 'iteration.settled':
          facts.unsettled.delete(event.iteration)
          break
        case 'story.retried':
          accepted.delete(event.story)
          break
        case 'story.failed':
        case 'story.shelved':
          facts.failing = event.story
          break
        case 'story.put-aside':
          facts.failing = null
          break
        case 'stop.requested':
          facts.life.isStopping = true
          facts.life.isStoppingNow ||= event.now
          break
        case 'pause.requested':
          facts.life.isPausing = true
          break
        case 'resume.requested':
          facts.life.isPausing = false
          break
        case 'hook.ended':
          if (event.how === 'refused' && event.iteration !== 'whole' && event.hook !== 'before.iteration')
            refusals.set(event.iteration, [{ name: event.hook, output: event.reason }])
          break
        case 'wait.started':
          facts.life.isWaiting = true
          break
        case 'wait.ended':
          facts.life.isWaiting = false
          break
      }
    },
    newLife() {
      facts.reviewing.clear()
      facts.examining.clear()
      facts.life = { isStopping: false, isStoppingNow: false, isPausing: false, isWaiting: false }
    },
  }
  /** Of gates that ran once more, a green word on the same content counts; otherwise the first stays. */
  const takeGates = ({ results, content }: EventOf<'gates.ended'>, iteration: number): void => {
    const tookNow = results.reduce((sum, { durationMs }) => sum + durationMs, 0)
    if (!again.delete(iteration)) {
      gates.set(iteration, results)
      contents.set(iteration, content)
      tookMs.set(iteration, tookNow)
      return
    }
    tookMs.set(iteration, (tookMs.get(iteration) ?? 0) + tookNow)
    const isSame = content !== undefined && content === contents.get(iteration)
    const after = facts.checked(iteration).map((first) => {
      const now = results.find((result) => isSameGate(result, first))
      return now !== undefined && (now.ended === 'stopped' || (now.passed && isSame)) ? now : first
    })
    // The held-out check runs only once the gates pass: then it is only in the second run.
    const more = results.filter((result) => !facts.checked(iteration).some((first) => isSameGate(result, first)))
    gates.set(iteration, [...after, ...more])
  }
  return facts
}

export const isSameGate = (one: Pick<GateResult, 'name' | 'story'>, other: Pick<GateResult, 'name' | 'story'>): boolean =>
  one.name === other.name && one.story === other.story

/** The tests that a simulated gate names. */
export const failingIn = (output: string): string[] => [...output.matchAll(/✖ (\w+)/g)].map(([, test]) => test!)

export const gateKey = (content: string | undefined, { name, story, command }: GateResult): string =>
  `${content} ${story ?? ''} ${name} ${command}`

const tolerating = (policy: Policy): Policy => ({ ...policy, baseline: 'tolerate', missingTools: undefined })

/** Red before the run in the very same way, where that is allowed. */
const isTolerated = ({ policy, run }: Facts, { name, story, exitCode, output }: GateResult): boolean =>
  policy.baseline === 'tolerate' &&
  story === undefined &&
  run.baseline?.some((was) => was.name === name && !was.passed && was.exitCode === exitCode && was.output === output) === true

/** A reviewer for quality warns; an answer that could not be read twice is a refusal. */
function reviewReds(reviews: EventOf<'review.ended'>[]): Red[] {
  const hard = reviews.filter(({ review }) => review !== 'quality')
  return hard.flatMap(({ review, story, result, problem }, at): Red[] => {
    if (result !== undefined) return result.passed ? [] : [{ name: review, story, output: result.output }]
    const isSecond = hard.slice(0, at).some((other) => other.problem !== undefined && other.story === story)
    return problem !== undefined && isSecond ? [{ name: review, story, output: `unread: ${problem}` }] : []
  })
}
