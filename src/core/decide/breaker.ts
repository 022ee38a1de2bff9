/** The circuit breaker: what counts against a run, and its state. */
import type { Breaker, Count, JudgedFlight, State } from '../state.ts'
import { later } from '../text/time.ts'
import { ruleNames } from '../types/words.ts'
import type { BreakerState, Ended, EventOf, Instant, Policy, Rule, StoryId, Verdict } from '../types.ts'

const none: Count = { times: 0, iterations: [], key: '', words: '' }

export const closedBreaker: Breaker = {
  state: 'closed',
  counts: countsOf(() => none),
  words: [],
  said: { hash: '', iteration: 0 },
  errors: [],
  changedAt: '',
  because: '',
}

type Judged = EventOf<'iteration.judged'>

/**
 * After an iteration. What was not the agent's fault (a limit, a kill, a stop) changes nothing; a story that passed anyway resets every
 * count. An excused iteration was not idle.
 */
export function breakerAfter(
  { breaker, policy }: Pick<State, 'breaker' | 'policy'>,
  flight: JudgedFlight,
  redHash: string,
  isExcused: boolean,
): Breaker {
  const { ended, judged } = flight
  if (withoutFault.includes(judged.verdict))
    return judged.passed.length === 0 ? breaker : { ...breaker, counts: closedBreaker.counts, errors: [] }
  const isOfWork = isWork(flight)
  const errors = isOfWork ? errorsAfter(breaker, flight, policy, redHash) : breaker.errors
  const isIdle = isIdling(flight) && !isExcused
  const isBarren = judged.progress !== 'made' && judged.verdict !== 'done' // a claim that nothing contradicts ends the work in few words
  const seen: Seen = { breaker, ended, judged, policy, errors, isIdle, isBarren }
  const counts = countsOf((rule) => {
    const { onlyWork, after } = rules[rule]
    return onlyWork && !isOfWork ? breaker.counts[rule] : after(breaker.counts[rule], seen)
  })
  if (!isOfWork) return { ...breaker, counts }
  const said = { hash: ended.saidHash ?? '', iteration: judged.iteration }
  return { ...breaker, counts, words: [...breaker.words, ended.outputChars].slice(-5), said, errors }
}

const withoutFault: Verdict[] = ['lost', 'throttled', 'unreadable', 'interrupted']

/** A story failed: its own failures were not idle iterations; the same error in the previous story means that the stories are not the cause. */
export function breakerAfterFailure(breaker: Breaker, story: StoryId, hash: string): Breaker {
  const before = breaker.counts['stories-alike']
  const isAlike = hash !== '' && before.key === hash && before.words !== story // tried again, it is still one story
  const alike = {
    times: isAlike ? before.times + 1 : 1,
    iterations: [],
    key: hash,
    words: isAlike ? `${before.words}, ${story}` : story,
  }
  return { ...breaker, counts: { ...breaker.counts, 'no-progress': none, 'stories-alike': alike } }
}

const oneMore = (count: Count, iteration: number, key = '', words = ''): Count => ({
  times: count.times + 1,
  iterations: [...count.iterations, iteration].slice(-10),
  key,
  words,
})

/** A gate's rejection belongs to its story; a claim that nothing contradicts ends the work. */
const isIdling = ({ ended, judged }: JudgedFlight): boolean =>
  judged.progress === 'idle' && judged.verdict !== 'done' && judged.refused.length === 0 && isWork({ ended, judged })

/** Work, good or bad. A question is nobody's fault; testing only has its own count and end. */
function isWork({ ended, judged: { verdict } }: Pick<JudgedFlight, 'ended' | 'judged'>): boolean {
  if (verdict === 'blocked' || verdict === 'question' || ended.reading.status === 'question') return false
  return ended.signals.every((signal) => signal.kind !== 'testing-only')
}

/**
 * The agent's own error, with or without progress: from its program, its last message, or its last tool result. The same last message again,
 * without progress, counts too, unless idling is allowed or a gate has rejected the work: that belongs to the story. Failing gates without a
 * named story belong to nobody else.
 */
function errorsAfter(breaker: Breaker, { story, ended, judged }: JudgedFlight, policy: Policy, redHash: string): Count[] {
  const again = (key: string, words: string): Count =>
    oneMore(breaker.errors.find((each) => each.key === key) ?? none, judged.iteration, key, words)
  if (judged.verdict === 'done') return [] // its work counts, whatever it said about it
  const errors = ended.signals.filter((signal) => signal.kind === 'error')
  // A gate that fails the same way again counts against its story: the agent's words about it are not a second reason.
  const isStorys = (judged.alike ?? 0) > 1 || (ended.exit === 'circling' && story !== null)
  if (isStorys && errors.length > 0 && errors.every((error) => error.in !== undefined || ended.exit === 'circling'))
    return breaker.errors
  if (errors.length > 0) return errors.map(({ hash, message }) => again(hash, message))
  const isNobodys = story === null && redHash !== '' && judged.passed.length + judged.refused.length === 0
  if (isNobodys) return [again(`gates ${redHash}`, `${judged.failedGates.join(', ')} failed`)]
  const isSaidAgain =
    policy.maxStuck > 0 &&
    judged.progress !== 'made' &&
    judged.refused.length === 0 &&
    ended.saidHash !== undefined &&
    ended.saidHash === breaker.said.hash
  return isSaidAgain ? [again(`${saidKey}${ended.saidHash}`, `it repeats: ${ended.summary.slice(0, 200)}`)] : []
}

/** Of a count: the same last message, and no error. */
const saidKey = 'said '

/** Fewer iterations do not show what is usual. */
const fewest = 3

function isShort(chars: number, words: number[], percent: number): boolean {
  if (percent === 0 || words.length < fewest) return false
  const middle = words.length / 2
  const [low = 0, high = low] = words.toSorted((a, b) => a - b).slice(Math.ceil(middle) - 1, Math.floor(middle) + 1)
  return chars * 100 < ((low + high) / 2) * (100 - percent)
}

/** What a rule may use to count an iteration. */
type Seen = {
  breaker: Breaker
  ended: Ended
  judged: Judged
  policy: Policy
  errors: Count[]
  isIdle: boolean
  isBarren: boolean
}

/** Everything about a rule: views, the schema and the counters use this. */
type BreakerRule = {
  /** 0: the rule is off. */
  threshold(policy: Policy): number
  /** Its count after an iteration. `onlyWork`: iterations without work leave it unchanged. */
  after(count: Count, seen: Seen): Count
  onlyWork?: true
  label: string
  short: string
  words(count: Count, policy: Policy): string
  /** Why it closes again. */
  over: string
}

const rules: Record<Rule, BreakerRule> = {
  'no-progress': {
    label: 'No progress',
    after: (count, { judged, isIdle }) => (judged.progress === 'made' ? none : isIdle ? oneMore(count, judged.iteration) : count),
    short: 'no progress',
    threshold: (policy) => policy.maxStuck,
    words: () => 'without progress',
    over: 'progress was made, or the stuck story failed',
  },
  'same-error': {
    label: 'Same error',
    onlyWork: true,
    after: (_, { errors }) => errors.reduce((most, each) => (each.times > most.times ? each : most), none),
    short: 'the same error',
    threshold: (policy) => policy.sameError,
    words: () => 'with the same error',
    over: 'that error did not occur again',
  },
  'output-decline': {
    label: 'Short answers',
    onlyWork: true,
    after: (count, { breaker, ended, judged, policy, isBarren }) =>
      isBarren && isShort(ended.outputChars, breaker.words, policy.declinePercent) ? oneMore(count, judged.iteration) : none,
    short: 'much less output than before',
    threshold: (policy) => (policy.declinePercent === 0 ? 0 : 2),
    words: (_, policy) => `without progress in which the agent wrote ${policy.declinePercent} % less than before`,
    over: 'the agent made progress or writes more again',
  },
  'permission-denied': {
    label: 'Denied tools',
    onlyWork: true,
    after(count, { ended, judged, isBarren }) {
      const tools = ended.signals.flatMap((signal) => (signal.kind === 'permission-denied' ? [signal.tool] : []))
      return isBarren && tools.length > 0 ? oneMore(count, judged.iteration, '', tools.join(', ')) : none
    },
    short: 'denied tools',
    threshold: (policy) => policy.maxDenied,
    words: (count) => `without progress in which the agent was not allowed to use ${count.words}`,
    over: 'the agent made progress or was denied nothing',
  },
  'stories-alike': {
    short: 'stories fail alike',
    label: 'Same failure',
    after: (count, { judged }) => (judged.passed.length > 0 ? none : count), // a failed story adds to it
    threshold: () => 2,
    words: () => '',
    over: 'a story passed',
  },
}

function countsOf(count: (rule: Rule) => Count): Record<Rule, Count> {
  return Object.fromEntries(ruleNames.map((rule) => [rule, count(rule)])) as Record<Rule, Count>
}

export const breakerLabel = (rule: Rule): string => rules[rule].label
export const breakerThreshold = (rule: Rule, policy: Policy): number => rules[rule].threshold(policy)

/**
 * The state by the counters: one below a threshold is half open, at the threshold open. An open breaker stays open until it is reset or has
 * cooled down.
 */
export function breakerDue(
  breaker: Breaker,
  policy: Policy,
  at: Instant,
): { to: BreakerState; because: string; rule?: Rule } | null {
  if (breaker.state === 'open') {
    const isCooled = policy.cooldownMinutes > 0 && at >= later(breaker.changedAt, policy.cooldownMinutes * 60_000)
    const because = `${policy.cooldownMinutes} minutes of cooldown are over: trying once`
    return isCooled ? { to: 'half-open', because, ...(breaker.by === undefined ? {} : { rule: breaker.by }) } : null
  }
  const full = ruleNames.find((rule) => isOpening(breaker, rule, policy))
  if (full !== undefined) return { to: 'open', because: countWords(breaker.counts[full], full, policy), rule: full }
  const near = ruleNames.find((rule) => isNear(breaker, rule, policy))
  if (near !== undefined)
    return breaker.state === 'half-open'
      ? null
      : { to: 'half-open', because: countWords(breaker.counts[near], near, policy), rule: near }
  return breaker.state === 'closed' ? null : { to: 'closed', because: closingWords(breaker, policy) }
}

function isOpening({ counts }: Breaker, rule: Rule, policy: Policy): boolean {
  const threshold = breakerThreshold(rule, policy)
  return threshold > 0 && counts[rule].times >= threshold
}

/** One failed story is not enough, unless two of them had opened it before; nor are zero, unless it tries again after OPEN. */
function isNear({ counts, by }: Breaker, rule: Rule, policy: Policy): boolean {
  const threshold = breakerThreshold(rule, policy)
  const { times, iterations } = counts[rule]
  const isSign = rule === 'stories-alike' ? by === rule : times > 0 || iterations.length > 0
  return threshold > 0 && times === threshold - 1 && isSign
}

function countWords(count: Count, rule: Rule, policy: Policy): string {
  if (rule === 'stories-alike') return `two stories in a row failed with the same error: ${count.words}`
  const which =
    count.iterations.length > 0
      ? ` (${count.iterations.length === 1 ? 'iteration' : 'iterations'} ${count.iterations.join(', ')})`
      : ''
  const error = rule === 'same-error' && count.words !== '' ? `: ${count.words.slice(0, 200)}` : ''
  return `${count.times} of ${breakerThreshold(rule, policy)} iterations in a row ${rules[rule].words(count, policy)}${which}${error}`
}

/** If counted idling, or a rule, no longer applies, the settings have changed. */
function closingWords({ by, counts }: Breaker, policy: Policy): string {
  if (by === undefined) return 'nothing counted'
  const isAllowed = breakerThreshold(by, policy) === 0 || (by === 'no-progress' && counts[by].times > 0)
  return isAllowed ? 'the settings now allow more' : rules[by].over
}

/** An iteration's counts, as n of a threshold: every bad one is reported. */
export function countedAgainst({ counts }: Breaker, policy: Policy, iteration: number): string[] {
  return ruleNames.flatMap((rule) => {
    const threshold = breakerThreshold(rule, policy)
    const { times, iterations, key } = counts[rule]
    if (threshold === 0 || iterations.at(-1) !== iteration) return []
    // The first time there is nothing to compare an error with; an answer is counted when it comes again.
    const what = key.startsWith(saidKey) ? 'the same answer' : rule === 'same-error' && times === 1 ? 'error' : rules[rule].short
    return [`${what} (${times} of ${threshold})`]
  })
}

export function breakerChanged(breaker: Breaker, change: EventOf<'breaker.changed'>, policy: Policy): Breaker {
  const { by: _by, ...rest } = breaker
  const rule = change.rule
  // Trying again after OPEN: one more of the same kind opens it at once.
  const isTrial = change.from === 'open' && change.to === 'half-open' && rule !== undefined
  const times = isTrial ? Math.max(0, breakerThreshold(rule, policy) - 1) : 0
  const counts = isTrial ? { ...breaker.counts, [rule]: { ...breaker.counts[rule], times } } : breaker.counts
  return {
    ...rest,
    ...(rule === undefined ? {} : { by: rule }),
    state: change.to,
    counts,
    ...(isTrial && rule === 'same-error' ? { errors: [counts[rule]] } : {}),
    changedAt: change.at,
    because: change.because,
  }
}
