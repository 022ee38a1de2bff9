/** Gates and reviewers: which must check an iteration, and what their results mean together. */
import { countingStories, isAllPassed, storyNamed } from '../plan/stories.ts'
import { type Finding, wordsOf } from '../proof/finding.ts'
import { isUndecided, refusing } from '../proof/findings-of.ts'
import { errorHash, looksLikeError } from '../reading/reading.ts'
import type { AlsoPassed, EndedFlight, State } from '../state.ts'
import type { CheckKind, Ended, Gate, GateResult, Policy, Review, Scope, Story, StoryId } from '../types.ts'

/** The start of a reviewer's result whose answer could not be read. */
export const unreadable = "The reviewer's answer could not be read"

/** Failed, and a reason to reject. */
export const isRed = (result: GateResult): boolean => !result.passed && result.soft !== true && result.tolerated !== true

export const isHeldOut = ({ kind }: GateResult): boolean => kind === 'held-out'

/** Stopped by Ralph before its work was complete: its flips do not pass yet. */
export const isCutShort = (ended: Ended): boolean => ended.exit === 'stopped' || ended.exit === 'over-budget'

/** Gates for this iteration: the run's, those of the stories it flipped, and those of all stories once all pass; soft ones check a flip too. */
export function gatesFor({ policy, plan }: State, ended: Pick<Ended, 'flips' | 'plan'>): Gate[] {
  const flipped = ended.flips.flatMap((id) => storyNamed(ended.plan ?? plan, id) ?? [])
  // A story that was skipped meanwhile no longer counts, but a flip is still checked.
  const others = plan !== null && isAllPassed(plan, policy) ? countingStories(plan, policy) : []
  const own = [...flipped, ...others.filter(({ id }) => !ended.flips.includes(id))].flatMap(gatesOfStory)
  const hard = policy.gates.filter((gate) => gate.soft !== true)
  const soft = ended.flips.length === 0 ? [] : policy.gates.filter((gate) => gate.soft === true)
  return [...hard, ...own, ...soft]
}

const gatesOfStory = ({ id, gates = {} }: Story): Gate[] =>
  Object.entries(gates).map(([name, command]): Gate => ({ name, command, story: id }))

/** Every hard gate of the run. */
export const hardGates = (policy: Policy): Gate[] => policy.gates.filter((gate) => gate.soft !== true)

/** The final check: those, and the own gates of every counting story, which a later story may have broken. */
export const wholeGates = ({ policy, plan }: Pick<State, 'policy' | 'plan'>): Gate[] => [
  ...hardGates(policy),
  ...(plan === null ? [] : countingStories(plan, policy).flatMap(gatesOfStory)),
]

/** The part of the final check that has not passed since the last change. */
export function wholeGatesLeft(state: Pick<State, 'policy' | 'plan' | 'check'>): Gate[] {
  const { check } = state
  const gates = wholeGates(state)
  if (check.phase !== 'green') return gates
  return gates.filter(({ story }) => story !== undefined && check.stories?.includes(story) !== true)
}

/** What a check says about everything: a failing gate of a story that this iteration flipped concerns only that story. `before`: see `check`. */
export function checkAfter(results: GateResult[], flips: StoryId[], before: AlsoPassed = {}): State['check'] {
  if (results.some(({ ended }) => ended === 'stopped')) return { phase: 'due' }
  const whole = results.filter(({ story }) => story === undefined || !flips.includes(story))
  if (whole.some(isRed)) return { phase: 'red', results: whole }
  const reds = results.filter(isRed).map(({ story }) => story)
  const own = results.flatMap(({ story }) => (story === undefined || reds.includes(story) ? [] : [story]))
  const stories = [...new Set([...(before.stories ?? []), ...own])]
  const heldOut = before.heldOut === true || results.some(isHeldOut)
  return { phase: 'green', ...(stories.length === 0 ? {} : { stories }), ...(heldOut ? { heldOut } : {}) }
}

/** The check before the first iteration: records which gates already fail, and which files gates leave. */
export const isBaselineCheck = ({ baseline, policy }: State, iteration: Scope): boolean =>
  iteration === 'whole' && baseline === undefined && hardGates(policy).length > 0

/** All results of an iteration; what was found about the checks is a failing gate of its own if it is a reason to reject. */
export function resultsOf(state: State, flight: EndedFlight): GateResult[] {
  const { gates = [], reviews, ended, hooks } = flight
  const against = refusing(state, flight)
  const tamper = against.length > 0 ? [tamperResult(against)] : []
  const astray = ended.astray === undefined ? [] : [redResult('branch', 'git', ended.astray)]
  return withLanded([...gates, ...reviews, ...tamper, ...astray, ...(hooks?.refused ?? [])], flight)
}

/** Every check that ran for an iteration, including repeated ones. */
export const checksOf = ({ gates = [], reviews, landing = [] }: EndedFlight): GateResult[] => [...gates, ...reviews, ...landing]

/** Parallel work did not fit: the landing's own result, or that of a gate after it. */
export const hasBounced = ({ landing = [] }: EndedFlight): boolean => landing.some(isRed)

/** Of two results of the same gate, the one after the merge counts. */
function withLanded(before: GateResult[], { landing = [] }: EndedFlight): GateResult[] {
  const isAgain = ({ name, story }: GateResult): boolean =>
    landing.some((result) => result.name === name && result.story === story)
  return [...before.filter((result) => !isAgain(result)), ...landing]
}

function tamperResult(against: Finding[]): GateResult {
  const output = `${wordsOf(against).join('\n')}\nRestore the checks, and make the code pass them.`
  return redResult('tamper', 'check for weakened checks', output)
}

/** What rejects a story without being a command of the user. */
export const redResult = (kind: Exclude<CheckKind, 'command' | 'review'>, command: string, output: string): GateResult => ({
  name: kind,
  kind,
  command,
  passed: false,
  exitCode: null,
  ended: 'exited',
  durationMs: 0,
  output,
  outputHash: errorHash(output),
})

/** Failed in the same way before the run began: tolerated if the settings say so. */
export function withTolerance(results: GateResult[], { baseline, policy }: State): GateResult[] {
  if (policy.baseline !== 'tolerate' || baseline === undefined) return results
  return results.map((result): GateResult => {
    const before = baseline.find(({ name }) => name === result.name)
    const isSame =
      !result.passed &&
      result.story === undefined &&
      before?.passed === false &&
      before.exitCode === result.exitCode &&
      errorHash(before.output) === errorHash(result.output)
    return isSame ? { ...result, tolerated: true } : result
  })
}

/** What failed, reduced to what is stable between runs: the error lines, otherwise the last lines. */
export function redHash(results: GateResult[]): string {
  return errorHash(results.map(({ name, output }) => `${name}\n${errorLines(output).join('\n')}`).join('\n'))
}

function errorLines(output: string): string[] {
  const lines = output.split('\n').filter((line) => line.trim() !== '')
  const errors = lines.filter(looksLikeError)
  return errors.length > 0 ? errors : lines.slice(-20)
}

export type ReviewDue = { review: Review; story: StoryId | null; agent: string; again?: string }

/** The next reviewer for a flip that the gates let pass: first its criteria, then its quality. An unreadable answer is requested again once. */
export function reviewDue(state: State, flight: EndedFlight): ReviewDue | null {
  const { ended } = flight
  if (isCutShort(ended) || isUndecided(state, flight)) return null
  const { spec, quality } = state.policy.review
  const results = resultsOf(state, flight)
  for (const story of ended.flips) {
    if (results.some((result) => isRed(result) && (result.story === undefined || result.story === story))) continue
    const asked = [
      ...(spec === undefined ? [] : [['spec', spec] as const]),
      ...(quality === undefined ? [] : [['quality', quality] as const]),
    ]
    for (const [review, agent] of asked) {
      if (flight.reviews.some((result) => result.name === review && result.story === story)) continue
      const unread = flight.unread.findLast((answer) => answer.review === review && answer.story === story)
      return { review, story, agent, ...(unread === undefined ? {} : { again: unread.problem }) }
    }
  }
  return null
}

/** The next final reviewer, by its position in the list: an agent that is named twice reviews twice. */
export function finalDue({ policy, finals, final }: State): ReviewDue | null {
  if (finals.some(isRed)) return null
  const agent = policy.review.final[finals.length]
  if (agent === undefined) return null
  const unread = final.unread.at(-1)
  return { review: 'final', story: null, agent, ...(unread === undefined ? {} : { again: unread.problem }) }
}

export const isFinallyReviewed = ({ policy, finals }: State): boolean =>
  policy.review.final.length === 0 || (finals.length >= policy.review.final.length && !finals.some(isRed))
