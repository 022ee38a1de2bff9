/** When an iteration has ended and its gates have run: exactly one conclusion about it. */

import { alikeAttempts, timesAlike } from '../evolve/alike.ts'
import { hasSeen } from '../evolve/growing-set.ts'
import { noStory } from '../evolve/initial.ts'
import { unreadableIn } from '../evolve/unreadable.ts'
import { isAllPassed, storyNamed, unpassedStories } from '../plan/stories.ts'
import { isProven, judgedResults, proofOfStory, suspicionsToAsk } from '../proof/grade.ts'
import { proofOf } from '../proof/receipt.ts'
import { isLeftOpen } from '../reading/needs-person.ts'
import type { EndedFlight, State } from '../state.ts'
import { sayDuration } from '../text/time.ts'
import { providerWords } from '../types/signal.ts'
import type { Decision, Ended, GateResult, Progress, Signal, Story, StoryId, Verdict } from '../types.ts'
import { gatesFor, isCutShort, isRed, redHash } from './gates.ts'
import { isHeldOutFor } from './held-out.ts'

type Judgement = Extract<Decision, { kind: 'iteration.judged' }>

/** Gates run when there is something to confirm: a flip, a changed tree, a claim that could be true, or a gate that was to be fixed. */
export function needsGates(state: State, flight: EndedFlight): boolean {
  const { ended } = flight
  if (isCutShort(ended) || (gatesFor(state, ended).length === 0 && !isHeldOutFor(state, flight))) return false
  const couldComplete = state.plan === null || isAllPassed(state.plan, state.policy)
  const isMending = flight.story === null && flight.mode === 'fix'
  return (
    ended.flips.length > 0 ||
    hasChanged(state, ended) ||
    isMending ||
    (couldComplete && (claimOf(state, flight) !== null || wordsAloneOf(state, ended) !== null))
  )
}

export const hasChanged = (state: State, ended: Ended): boolean => ended.commits.length > 0 || isOtherContent(state, ended)

const isOtherContent = (state: State, { repo, before = state.repo }: Ended): boolean =>
  repo.tree !== before.tree || repo.dirt !== before.dirt

/** A question without work, and nobody is there: the first is answered in the next prompt, the second asks a person. */
export const hasOnlyAsked = (state: State, ended: Ended): boolean =>
  ended.signals.some((signal) => signal.kind === 'asked') && ended.flips.length === 0 && !hasChanged(state, ended)

export function judge(state: State, flight: EndedFlight): Judgement {
  const { ended } = flight
  const results = judgedResults(state, flight)
  const wholeRed = results.filter((result) => isRed(result) && result.story === undefined)
  const refused = ended.flips.filter((id) => isFlipRefused(ended, id, results))
  const asked = ended.flips.filter((id) => !refused.includes(id) && suspicionsToAsk(state, flight, id).length > 0)
  const passed = ended.flips.filter((id) => !refused.includes(id) && !asked.includes(id))
  const reds = results.filter(isRed)
  const failedGates = reds.map((result) => result.name)
  const alike = timesRed(state, flight, reds)
  const claim = claimOf(state, flight)
  const words = wordsAloneOf(state, ended)
  const openStories = claim === null ? [] : openAfter(state, ended, passed)
  const isRefuted = openStories.length > 0 || wholeRed.length > 0 || refused.length > 0
  const progress = progressOf(state, ended, passed)
  const facts = {
    ended,
    passed,
    refused,
    suspected: asked.map((id) => `${id} (${suspicionsToAsk(state, flight, id)[0]?.words})`),
    failedGates,
    progress,
    claim,
    words,
    isRefuted,
    alike,
    isMending: flight.story === null && flight.mode === 'fix',
    isCheck: flight.mode === 'check',
    hasAskedAgain: hasOnlyAsked(state, ended) && state.asked?.story === flight.story,
  }
  const { verdict, because, asksToAccept } = conclude(facts)
  return {
    kind: 'iteration.judged',
    because,
    iteration: flight.iteration,
    verdict,
    progress,
    passed,
    proven:
      passed.length === 0 ? proofOf(results).by.length > 0 : passed.every((id) => isProven(proofOfStory(state, flight, id))),
    refused,
    ...(asked.length === 0 ? {} : { parked: asked }),
    failedGates,
    ...(alike > 0 && (verdict === 'worked' || verdict === 'failed') ? { alike } : {}),
    claim: claim !== null ? (isRefuted ? 'refused' : 'accepted') : asksToAccept ? 'asked' : 'none',
    openStories,
  }
}

/** How often the story's gates have failed like this, including now; 0: they have not, or a flip was rejected, or it timed out. */
function timesRed({ stories }: State, { story, ended }: EndedFlight, reds: GateResult[]): number {
  if (story === null || reds.length === 0 || ended.flips.length > 0 || (ended.exit !== 'ok' && ended.exit !== 'failed')) return 0
  return timesAlike(stories[story] ?? noStory, redHash(reds)) + 1
}

type DoneAnswer = Extract<Signal, { kind: 'claimed-done' }>

/** A claim that everything is done. Without a plan nothing could contradict plain words, so they do not count. */
function claimOf(state: State, { story, ended }: EndedFlight): DoneAnswer | null {
  const answer = doneAnswerOf(ended)
  if (answer === null) return null
  const own = storyNamed(state.plan, story)
  // An agent with one story talks about that story, unless it sends the promise, which is for everything.
  const isOfStory = own !== undefined && answer.by === 'status-block'
  if ((answer.exitSignal && !isOfStory) || (own?.exitSignal && ended.flips.length === 0)) return answer
  return state.plan !== null && isOftenEnough(state, ended) ? answer : null
}

/** Without a plan: it said often enough in a row that it is done, but never sent the signal. A person must decide. */
function wordsAloneOf(state: State, ended: Ended): DoneAnswer | null {
  const answer = doneAnswerOf(ended)
  return state.plan === null && answer?.exitSignal === false && isOftenEnough(state, ended) ? answer : null
}

/** An explicit one first. An iteration that was cut short has no final message. */
function doneAnswerOf(ended: Ended): DoneAnswer | null {
  if (isCutShort(ended) || ended.exit === 'lost' || ended.exit === 'timeout' || ended.exit === 'circling') return null
  const answers = ended.signals.filter((signal) => signal.kind === 'claimed-done')
  return answers.find((candidate) => candidate.exitSignal) ?? answers[0] ?? null
}

const isOftenEnough = (state: State, ended: Ended): boolean =>
  doneInARow(state, ended) >= state.policy.doneSignals && state.policy.doneSignals > 0

/** Completion answers in a row, including this one. With a plan, an answer that comes with a flip is about that story, not everything. */
export function doneInARow(state: State, ended: Ended): number {
  const isAnswer = ended.signals.some((signal) => signal.kind === 'claimed-done')
  return isAnswer && (state.plan === null || ended.flips.length === 0) ? state.inARow.done + 1 : 0
}

/** Interrupted before its gates, a flip does not pass yet. */
const isFlipRefused = (ended: Ended, id: StoryId, results: GateResult[]): boolean =>
  isCutShort(ended) || results.some((result) => isRed(result) && (result.story === undefined || result.story === id))

function openAfter(state: State, ended: Ended, passed: StoryId[]): StoryId[] {
  const plan = state.plan
  if (plan === null) return []
  const added = (ended.plan?.stories ?? []).filter((story: Story) => storyNamed(plan, story.id) === undefined && !story.skip)
  return [...unpassedStories(plan, state.policy), ...added].map((story) => story.id).filter((id) => !passed.includes(id))
}

/** Content that is new in this run is progress when committed, neutral when uncommitted; repeated content is idle. */
function progressOf(state: State, ended: Ended, passed: StoryId[]): Progress {
  if (passed.length > 0 || ended.trees.some((tree) => !hasSeen(state.seen, treeKey(tree)))) return 'made'
  const isNew = isOtherContent(state, ended) && !hasSeen(state.seen, dirtKey(ended.repo))
  return ended.repo.dirt !== '' && isNew ? 'neutral' : 'idle'
}

export const treeKey = (tree: string): string => `t${tree}`
export const dirtKey = (repo: { tree: string; dirt: string }): string => `d${repo.tree}+${repo.dirt}`

type Facts = {
  ended: Ended
  passed: StoryId[]
  refused: StoryId[]
  suspected: string[]
  failedGates: string[]
  progress: Progress
  alike: number
  claim: { by: string; name?: string } | null
  words: DoneAnswer | null
  isRefuted: boolean
  isMending: boolean
  isCheck: boolean
  hasAskedAgain: boolean
}

function conclude(facts: Facts): { verdict: Verdict; because: string; asksToAccept?: true } {
  const { ended, passed, refused, failedGates, suspected } = facts
  const throttled = ended.signals.find((signal) => signal.kind === 'throttled')
  const blocked = ended.signals.find((signal) => signal.kind === 'blocked')
  // What the user's files are without is not needed for a story that passes.
  const question = ended.signals.find((signal) => signal.kind === 'question' && !(isAboutUsers(signal) && passed.length > 0))
  const passedWords = passed.length > 0 ? `${passed.join(', ')} passed` : ''
  if (ended.exit === 'stopped') return { verdict: 'interrupted', because: 'stopped early' }
  if (ended.shareSpent) return { verdict: 'interrupted', because: `stopped at its share of the budget: ${errorText(ended)}` }
  if (ended.exit === 'over-budget')
    return { verdict: 'interrupted', because: `stopped, because a budget was spent: ${errorText(ended)}` }
  if (ended.exit === 'lost' && facts.isCheck)
    return {
      verdict: 'lost',
      because:
        join(
          passedWords,
          refused.length > 0 ? `${refused.join(', ')} set back: ${failedGates.join(', ')} failed` : '',
          suspectedWords(suspected),
        ) || 'its work could not be brought back',
    }
  if (ended.exit === 'lost')
    return { verdict: 'lost', because: join('Ralph stopped during it', passedWords, suspectedWords(suspected)) }
  const isNothing = passed.length + suspected.length === 0
  if (ended.exit === 'timeout' && isNothing && (throttled?.by === 'unreachable' || throttled?.by === 'overload'))
    return { verdict: 'throttled', because: `${providerWords[throttled.by]}: ${throttled.message}` } // it waited for its provider all the time
  if (ended.exit === 'timeout')
    return { verdict: 'failed', because: join(`timed out after ${sayDuration(ended.durationMs)}`, passedWords) }
  if (ended.exit === 'circling')
    return { verdict: 'failed', because: join(`the agent went in circles: ${errorText(ended)}`, passedWords) }
  if (throttled && isNothing) return { verdict: 'throttled', because: `${providerWords[throttled.by]}: ${throttled.message}` }
  if (blocked) return { verdict: 'blocked', because: `${blocker(blocked)}: ${blocked.reason}` }
  if (question?.kind === 'question')
    return {
      verdict: 'question',
      because: `${isAboutUsers(question) ? 'a person must decide' : 'the agent asks'}: ${question.text}`,
    }
  if (facts.hasAskedAgain) return { verdict: 'question', because: `the agent asks for the second time: ${askedText(ended)}` }
  if (refused.length > 0)
    return { verdict: 'failed', because: `Agent marked ${refused.join(', ')} done, but ${failureOf(failedGates)}` }
  if (suspected.length > 0) return { verdict: 'question', because: join(passedWords, suspectedWords(suspected)) }
  if (passed.length > 0) return { verdict: 'done', because: passedWords }
  if (facts.claim && !facts.isRefuted)
    return { verdict: 'done', because: `completion claimed by ${claimant(facts.claim)}, and nothing contradicts it` }
  if (facts.words !== null && !facts.isRefuted)
    return {
      verdict: 'question',
      because: `${isLeftOpen(facts.words) ? 'the agent sent the done signal, but its words do not say that it is done' : 'the agent says that it is done, but did not send the done signal'} (${facts.words.evidence})`,
      asksToAccept: true,
    }
  const unreadable = unreadableIn(ended)
  if (unreadable) return { verdict: 'unreadable', because: unreadable.message }
  if (facts.isMending && failedGates.length > 0) return { verdict: 'failed', because: `${failedGates.join(', ')} still red` }
  if (facts.alike >= alikeAttempts)
    return { verdict: 'failed', because: `${failedGates.join(', ')} failed the same way ${facts.alike} times` }
  if (ended.exit === 'failed') return { verdict: 'failed', because: errorWords(ended) }
  return { verdict: 'worked', because: workedWords(facts) }
}

const suspectedWords = (suspected: string[]): string =>
  suspected.length === 0 ? '' : `a person must decide about ${suspected.join(', ')}`

/** What stopped a landing; an agent's report has other evidence. */
export const landingEvidence = 'landing'

/** An agent changed the user's uncommitted files. */
export const usersEvidence = 'uncommitted files'

const isAboutUsers = ({ evidence }: { evidence: string }): boolean => evidence === usersEvidence

const blocker = ({ evidence }: { evidence: string }): string =>
  evidence === landingEvidence ? 'its work cannot land' : 'the agent says it is blocked'

const claimant = ({ by, name }: { by: string; name?: string }): string => (name === undefined ? by : `${by} ${name}`)

const askedText = (ended: Ended): string => ended.signals.find((signal) => signal.kind === 'asked')?.text ?? ''

const errorText = (ended: Ended): string => ended.signals.find((signal) => signal.kind === 'error')?.message ?? ''

function errorWords(ended: Ended): string {
  const error = ended.signals.find((signal) => signal.kind === 'error')
  return `the agent failed${ended.exitCode === null ? '' : ` (exit ${ended.exitCode})`}${error?.message ? `: ${error.message}` : ''}`
}

/** The check for weakened tests is nobody's gate, and has a name that only we know. */
function failureOf(gates: string[]): string {
  const others = gates.filter((name) => name !== 'tamper')
  const parts = [
    ...(others.length > 0 ? [`${others.join(', ')} failed`] : []),
    ...(others.length < gates.length ? ['a check was weakened'] : []),
  ]
  return parts.join(' and ')
}

function workedWords({ progress, failedGates }: Facts): string {
  const red = failedGates.length > 0 ? `${failedGates.join(', ')} red` : ''
  if (progress === 'made') return join('new commits', red)
  if (progress === 'neutral') return join('uncommitted changes only', red)
  return join('nothing changed', red)
}

const join = (...words: string[]): string => words.filter((word) => word !== '').join('; ')
