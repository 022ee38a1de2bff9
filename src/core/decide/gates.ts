/** Gates and reviewers: which must speak about an iteration, and what their words mean together. */
import { countingStories, isAllPassed, storyNamed } from '../plan/stories.ts'
import { errorHash, looksLikeError } from '../reading/reading.ts'
import type { EndedFlight, State } from '../state.ts'
import type { CheckKind, Ended, Gate, GateResult, Policy, Review, Scope, Story, StoryId } from '../types.ts'

/** How the result of a reviewer begins whose answer could not be read. */
export const unreadable = "The reviewer's answer could not be read"

/** Red, and a reason to refuse. */
export const isRed = (result: GateResult): boolean => !result.passed && result.soft !== true && result.tolerated !== true

/** Ended by us before its work was whole: what it flipped is no pass yet. */
export const isCutShort = (ended: Ended): boolean => ended.exit === 'stopped' || ended.exit === 'over-budget'

/** Gates that this iteration must pass: the run's, and those of the stories it flipped, and of all once all pass; soft ones look at a flip too. */
export function gatesFor({ policy, plan }: State, ended: Pick<Ended, 'flips' | 'plan'>): Gate[] {
  const flipped = ended.flips.flatMap((id) => storyNamed(ended.plan ?? plan, id) ?? [])
  // One that was skipped meanwhile counts no more, but what is flipped is checked.
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

/** The check of the whole: those, and the own gates of every story that counts, which a later story may have broken. */
const wholeGates = ({ policy, plan }: Pick<State, 'policy' | 'plan'>): Gate[] => [
  ...hardGates(policy),
  ...(plan === null ? [] : countingStories(plan, policy).flatMap(gatesOfStory)),
]

/** Of the check of the whole, what has not passed since the last change. */
export function wholeGatesLeft(state: Pick<State, 'policy' | 'plan' | 'check'>): Gate[] {
  const { check } = state
  const gates = wholeGates(state)
  if (check.phase !== 'green') return gates
  return gates.filter(({ story }) => story !== undefined && check.stories?.includes(story) !== true)
}

/** What a check says of the whole: a red gate of a story that this iteration flipped is that story's alone. `before`: see `check`. */
export function checkAfter(results: GateResult[], flips: StoryId[], before: StoryId[] = []): State['check'] {
  if (results.some(({ ended }) => ended === 'stopped')) return { phase: 'due' }
  const whole = results.filter(({ story }) => story === undefined || !flips.includes(story))
  if (whole.some(isRed)) return { phase: 'red', results: whole }
  const reds = results.filter(isRed).map(({ story }) => story)
  const asked = [...before, ...results.flatMap(({ story }) => (story === undefined || reds.includes(story) ? [] : [story]))]
  return asked.length === 0 ? { phase: 'green' } : { phase: 'green', stories: [...new Set(asked)] }
}

/** The check before the first iteration: what is red then is known, and what gates leave then is theirs. */
export const isBaselineCheck = ({ baseline, policy }: State, iteration: Scope): boolean =>
  iteration === 'whole' && baseline === undefined && hardGates(policy).length > 0

/** All that was said about an iteration; a weakened check is a red gate of its own where it is a reason to refuse. */
export function resultsOf({ policy }: State, flight: EndedFlight): GateResult[] {
  const { gates = [], reviews, ended } = flight
  const weakened = ended.weakened ?? []
  const tamper = policy.tamper === 'refuse' && weakened.length > 0 ? [tamperResult(weakened)] : []
  const astray = ended.astray === undefined ? [] : [redResult('branch', 'git', ended.astray)]
  return withLanded([...gates, ...reviews, ...tamper, ...astray], flight)
}

/** Every check that was made for an iteration, also one that was made again after it. */
export const checksOf = ({ gates = [], reviews, landing = [] }: EndedFlight): GateResult[] => [...gates, ...reviews, ...landing]

/** What was done apart did not fit: the landing's own word, or that of a gate after it. */
export const hasBounced = ({ landing = [] }: EndedFlight): boolean => landing.some(isRed)

/** Of two results of the same gate the one after the merge counts. */
function withLanded(before: GateResult[], { landing = [] }: EndedFlight): GateResult[] {
  const isAgain = ({ name, story }: GateResult): boolean =>
    landing.some((result) => result.name === name && result.story === story)
  return [...before.filter((result) => !isAgain(result)), ...landing]
}

function tamperResult(weakened: string[]): GateResult {
  const output = `${weakened.join('\n')}\nPut the checks back as they were, and make the code pass them.`
  return redResult('tamper', 'weakened checks are looked for', output)
}

/** What refuses a story and is no command of the user's. */
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

/** Red in the same way before the run began: tolerated where the settings say so. */
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

/** What failed, without what differs from run to run: the lines that are errors, else the last ones. */
export function redHash(results: GateResult[]): string {
  return errorHash(results.map(({ name, output }) => `${name}\n${errorLines(output).join('\n')}`).join('\n'))
}

export function errorLines(output: string): string[] {
  const lines = output.split('\n').filter((line) => line.trim() !== '')
  const errors = lines.filter(looksLikeError)
  return errors.length > 0 ? errors : lines.slice(-20)
}

export type ReviewDue = { review: Review; story: StoryId | null; agent: string; again?: string }

/** The next reviewer for a flip that the gates let pass: first its criteria, then its quality. An unreadable answer is asked again once. */
export function reviewDue(state: State, flight: EndedFlight): ReviewDue | null {
  const { ended } = flight
  if (isCutShort(ended)) return null
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

/** The next reviewer of the whole, by its place in the list: an agent that is named twice looks twice. */
export function finalDue({ policy, finals, final }: State): ReviewDue | null {
  if (finals.some(isRed)) return null
  const agent = policy.review.final[finals.length]
  if (agent === undefined) return null
  const unread = final.unread.at(-1)
  return { review: 'final', story: null, agent, ...(unread === undefined ? {} : { again: unread.problem }) }
}

export const isFinallyReviewed = ({ policy, finals }: State): boolean =>
  policy.review.final.length === 0 || (finals.length >= policy.review.final.length && !finals.some(isRed))
