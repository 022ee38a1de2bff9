/** The scripted agent: what one iteration will do, decided by chance and the world's temper before it starts. */
import { unknownUsage } from '../src/core/figures/price.ts'
import type { Mutation, Survivor } from '../src/core/proof/mutants/mutation.ts'
import type { State } from '../src/core/state.ts'
import { later } from '../src/core/text/time.ts'
import type { Examination, HookEnded, Reading, ReviewEnded } from '../src/core/types/results.ts'
import type { BaselineAnswer, Decision, Ended, Envelope, EventOf, Exit, Instant, Signal, StoryId } from '../src/core/types.ts'
import { aReading, aReview } from './builders.ts'
import type { Edit } from './checkout.ts'
import type { Luck } from './places.ts'
import type { Random } from './random.ts'
import type { Temper } from './scenario.ts'

export type Act = {
  /** What happens to the content, in order. */
  edits: Edit[]
  flips: StoryId[]
  /** Its commits are not on its branch. */
  isAstray: boolean
  /** It changes tests in a way about which nothing is found. */
  isTesting: boolean
  /** A story of this priority; true: of any. */
  adds: boolean | number
  exit: Exit
  signals: Signal[]
  reading: Reading
  workMs: number
  totalMs: number
  told: Pick<Ended, 'outputChars' | 'usage' | 'tools' | 'summary' | 'saidHash' | 'session' | 'sessionCostUsd' | 'shareSpent'>
}

export type Situation = {
  iteration: number
  /** The agent's story, or what it may choose from. */
  named: StoryId | null
  open: StoryId[]
  hasPlan: boolean
  hasBudget: boolean
  /** Its part of the budgets of money. */
  shareUsd?: number
  /** The agent's own session, if it resumes one. */
  session?: string
  /** A time around now, for a provider that says when to come back. */
  soon: Instant
}

/** Decides the result of each call and of chance: the world's temper, or a script. */
export type Players = {
  act(situation: Situation): Act
  review(asked: ReviewAsked, soon: Instant): ReviewEnded
  /** What a cross-examination shows. */
  examination(): Omit<Examination, 'durationMs'>
  /** What mutants show. */
  mutation(): Omit<Mutation, 'durationMs'>
  /** How many lessons a story taught, or why its answer could not be read. */
  lessons(story: StoryId): number | string
  /** All lessons so far, and the categories that need a skill. */
  gathered(): { lessons: number; due: string[] }
  /** When a call is refused: until when, and by whom. */
  refusal(now: Instant): Pick<EventOf<'call.refused'>, 'until' | 'by' | 'envelopes'> | null
  /** When it is granted: what is spent of the user's budgets over all runs. */
  envelopes(now: Instant): Pick<EventOf<'call.granted'>, 'envelopes'>
  /** About gates that are red before the first iteration; undefined: nobody is asked. */
  baselineAnswer(state: State): BaselineAnswer | undefined
  limitChoice(): { choice: 'wait' | 'exit'; by: 'user' | 'silence' }
  /** A commit hook refuses, or changes the commit. */
  refusesCommit(): boolean
  changesCommit(): boolean
  landing(story: StoryId): Luck
  hook(started: Extract<Decision, { kind: 'hook.started' }>): Pick<HookEnded, 'how' | 'reason'>
  /** A story's worktree cannot be updated. */
  isBehind(story: StoryId): boolean
}

type ReviewAsked = Pick<ReviewEnded, 'iteration' | 'review' | 'story' | 'agent'>

export function playersBy(random: Random, temper: () => Temper): Players {
  return {
    act: (situation) => actOf(random, temper(), situation),
    review: (asked, soon) => reviewOf(random, temper(), asked, soon),
    examination: () => examinationOf(random, temper()),
    mutation: () =>
      random.pick<Omit<Mutation, 'durationMs'>>([
        noMutant,
        { tried: 3, killed: 3, survivors: [] },
        { tried: 3, killed: 1, survivors: [survivor] },
      ]),
    lessons: () => (random.chance(temper().mumbles) ? 'no JSON' : random.int(0, 3)),
    gathered: () => ({ lessons: 3, due: ['testing', 'build'].slice(0, random.int(0, 2)) }),
    refusal: (now) => {
      if (!random.chance(temper().refusals)) return null
      if (random.chance(0.1)) return spentDay(later(now, random.int(1, 86_400_000)))
      return { until: later(now, random.int(-1_000, 600_000)), by: random.pick(['rate', 'usage-limit']) }
    },
    envelopes: (now) =>
      random.chance(temper().refusals) ? { envelopes: [aDay(random.pick([0.5, 0.8, 0.95]), later(now, 3_600_000))] } : {},
    baselineAnswer: ({ policy }) =>
      policy.onLimit === 'ask' ? random.pick(['continue', 'tolerate', 'quit'] as const) : undefined,
    limitChoice: () => ({ choice: random.pick(['wait', 'exit'] as const), by: 'user' }),
    refusesCommit: () => random.chance(temper().fails),
    changesCommit: () => random.chance(temper().fails),
    landing: () =>
      random.chance(temper().conflicts) ? random.pick(['conflict', 'conflict', 'broken', 'broken', 'blocked'] as const) : 'good',
    isBehind: () => random.chance(temper().conflicts),
    hook: ({ hook }) => {
      if (hook.startsWith('before.') && random.chance(temper().vetoes)) return { how: 'refused', reason: 'not now' }
      return { how: random.pick(['done', 'done', 'failed', 'timeout', 'missing'] as const), reason: '' }
    },
  }
}

const aDay = (usedUsd: number, until: Instant): Envelope => ({ which: 'day', usedUsd, limitUsd: 1, until, unknown: 0 })
const spentDay = (until: Instant): Pick<EventOf<'call.refused'>, 'until' | 'by' | 'envelopes'> => ({
  until,
  by: 'budget',
  envelopes: [aDay(1.25, until)],
})

const survivor: Survivor = { file: 'a.ts', line: 1, before: 'a > b', after: 'a >= b' }
const noMutant = { tried: 0, killed: 0, survivors: [], problem: 'no changed line could be mutated' }

function examinationOf(random: Random, { weakens }: Temper): Omit<Examination, 'durationMs'> {
  if (random.chance(0.1)) return { problem: 'timed out' }
  const isMissing = random.chance(0.2) ? { isMissing: true as const } : {}
  const failing = random.pick([[], ['adds']])
  const passing = failing.length === 0 && random.chance(weakens) ? { passing: ['test/a.test.js'] } : {}
  return {
    oldChecks: { failing: random.chance(weakens) ? ['adds'] : [], ...isMissing },
    newChecks: { failing, ...isMissing, ...passing },
  }
}

function actOf(random: Random, temper: Temper, situation: Situation): Act {
  const workMs = random.int(1_000, 600_000)
  const totalMs = workMs + random.int(100, 300_000)
  const plain: Act = {
    edits: [],
    flips: [],
    isAstray: random.chance(temper.strays),
    isTesting: random.chance(0.3),
    adds: false,
    exit: 'ok',
    signals: [],
    reading: aReading({ status: 'in-progress' }),
    workMs,
    totalMs,
    told: toldBy(random, temper, situation),
  }
  const target = situation.named ?? (situation.open.length > 0 ? random.pick(situation.open) : null)
  const worked = careless(random, temper, workOf(random, temper, plain, target, situation))
  const ended = withDenials(random, temper, endOf(random, temper, worked, situation))
  return random.chance(temper.asks / 4) ? { ...ended, signals: [...ended.signals, namedStop] } : ended
}

function careless(random: Random, temper: Temper, act: Act): Act {
  if (temper.careless === 0 || !random.chance(temper.careless)) return act
  const edits = act.edits.map((edit): Edit => (edit === 'commit' && random.chance(0.5) ? 'take' : edit))
  return { ...act, edits: random.chance(0.3) ? ['discard', ...edits] : edits }
}

/** How much it says, and its cost: shrinking words, and always the same words, are a bad sign. */
function toldBy(random: Random, temper: Temper, { session }: Situation): Act['told'] {
  const isSame = random.chance(temper.idles)
  const outputChars = random.chance(temper.mumbles) ? random.int(0, 200) : random.int(600, 1400)
  const usage = {
    inputTokens: random.int(1, 20),
    outputTokens: random.int(1, 10),
    costUsd: random.chance(0.05) ? null : random.int(0, 3) / 64,
  }
  return {
    outputChars,
    usage: outputChars % 101 === 0 ? unknownUsage : usage, // without chance: the seeds of known bugs keep their worlds
    ...(random.chance(0.5) ? { tools: random.int(0, 30) } : {}),
    summary: isSame ? 'as before' : '',
    ...(random.chance(0.2) ? {} : { saidHash: isSame ? 'same' : `s${random.int(1, 1_000_000)}` }),
    ...(random.chance(0.3) ? {} : { session: session ?? `session-${random.int(1, 1_000_000)}` }),
  }
}

function workOf(random: Random, temper: Temper, act: Act, target: StoryId | null, { open, hasPlan }: Situation): Act {
  const own = target === null ? [] : [target]
  if (random.chance(temper.idles)) return { ...act, edits: random.pick<Edit[]>([[], [], ['revert', 'commit'], ['revert']]) }
  if (temper.repeats > 0 && random.chance(temper.repeats)) return { ...act, flips: own }
  if (random.chance(temper.toils)) return { ...act, edits: random.pick(toil) }
  if (random.chance(temper.weakens)) {
    const edits = random.pick<Edit[]>([
      ['weak'],
      ['good', 'weak', 'commit'],
      ['bad', 'weak', 'commit'],
      ['good', 'cheat', 'commit'],
    ])
    return { ...act, edits, flips: random.chance(0.8) ? own : [] }
  }
  if (random.chance(temper.lies)) {
    return { ...act, edits: random.pick<Edit[]>([[], ['bad'], ['bad', 'commit'], ['bad', 'commit', 'good']]), flips: own }
  }
  if (random.chance(temper.meddles)) {
    const others = open.filter(() => random.chance(0.5))
    return { ...act, edits: ['good', 'commit'], flips: [...new Set([...own, ...others])], adds: random.chance(0.2) }
  }
  if (random.chance(temper.idles))
    return { ...act, edits: random.pick<Edit[]>([['good'], ['bad'], ['good', 'commit'], ['bad', 'commit']]) }
  const edits = random.pick<Edit[]>([['good', 'commit'], ['good', 'commit', 'good', 'commit'], ['good', 'commit'], ['good']])
  return { ...act, edits, flips: own, ...(hasPlan ? {} : { signals: [claim(true)] }) }
}

/** Work that is not marked as done: failing again and again, or honestly slow. */
const toil: Edit[][] = [['bad', 'commit'], ['bad', 'commit'], ['bad', 'commit'], ['bad'], ['good', 'commit']]

function endOf(random: Random, temper: Temper, act: Act, { soon, hasBudget, shareUsd }: Situation): Act {
  if (random.chance(temper.timeouts)) return cutOff(random, act)
  if (shareUsd !== undefined && random.chance(Math.max(temper.timeouts, 0.1))) {
    const usage = { ...act.told.usage, costUsd: shareUsd + random.int(0, 1) / 64 } // with the request in flight
    return { ...act, exit: 'over-budget', signals: [anError('share')], told: { ...act.told, usage, shareSpent: true } }
  }
  if (hasBudget && random.chance(temper.timeouts)) return { ...act, exit: 'over-budget', signals: [anError('budget')] }
  if (random.chance(temper.throttles)) {
    const by = random.pick([
      ...(['usage-limit', 'rate', 'overload', 'overload', 'unreachable', 'login', 'login'] as const),
      ...(['lines', 'lines', 'option'] as const),
    ])
    if (by === 'lines' || by === 'option') return unreadable(random, act, by)
    const until = random.chance(0.3) ? { until: soon } : {}
    return {
      ...halfOf(random, act, 0.5),
      exit: random.pick(['ok', 'failed']),
      signals: [{ kind: 'throttled', by, message: `${by}!`, ...until }],
    }
  }
  if (random.chance(temper.fails / 2))
    return {
      ...act,
      signals: [...act.signals, { ...anError(random.pick(['e1', 'e1', 'e3'])), in: random.pick(['words', 'tool']) }],
    }
  if (random.chance(temper.fails))
    return { ...halfOf(random, act, 0.6), exit: 'failed', signals: [anError(random.pick(['e1', 'e1', 'e1', 'e2']))] }
  if (random.chance(temper.asks)) return asking(random, halfOf(random, act, 0.7))
  if (random.chance(temper.tests)) {
    const edits = random.chance(0.2) ? act.edits : []
    return {
      ...act,
      edits,
      flips: [],
      signals: [{ kind: 'testing-only', evidence: '' }],
      reading: aReading({ status: 'testing' }),
    }
  }
  if (random.chance(temper.claims))
    return { ...act, signals: [random.chance(0.3) ? claim(true, 'status-block') : claim(!random.chance(temper.wordy))] }
  return act
}

/** An agent of another version: what it did counts, but nothing is known of what it said. */
function unreadable(random: Random, act: Act, by: 'lines' | 'option'): Act {
  const done = by === 'option' ? { ...act, edits: [], flips: [] } : halfOf(random, act, 0.5)
  return { ...done, exit: by === 'option' ? 'failed' : 'ok', signals: [{ kind: 'unreadable', by, message: `${by}?` }] }
}

const halfOf = (random: Random, act: Act, probability: number): Act =>
  random.chance(probability) ? { ...act, edits: [], flips: [] } : act

/** Timeout, circles, or time spent waiting for a provider that never answered. */
function cutOff(random: Random, act: Act): Act {
  const how = random.int(1, 5)
  if (how < 3) return { ...act, exit: 'timeout', signals: [] }
  if (how < 5) return { ...act, exit: 'circling', signals: [anError('circle')] }
  return { ...act, exit: 'timeout', signals: [{ kind: 'throttled', by: 'overload', message: 'overload!' }] }
}

function asking(random: Random, act: Act): Act {
  switch (random.int(1, 5)) {
    case 1:
      return { ...act, signals: [{ kind: 'blocked', reason: 'no key', evidence: '' }] }
    case 2:
      return {
        ...act,
        signals: [{ kind: 'question', text: 'A or B?', ...(random.chance(0.5) ? { proposal: aProposal } : {}), evidence: '' }],
      }
    case 3:
      return { ...act, reading: aReading({ status: 'question' }), signals: [{ kind: 'asked', text: 'A or B?', evidence: '' }] }
    case 4:
      return { ...act, reading: aReading({ status: 'question' }), edits: [], flips: [], signals: [asked] }
    default:
      return { ...act, signals: [{ kind: random.pick(['unsigned', 'unclear'] as const), evidence: '' }] }
  }
}

const withDenials = (random: Random, temper: Temper, act: Act): Act =>
  random.chance(temper.denials) ? { ...act, signals: [...act.signals, { kind: 'permission-denied', tool: 'Bash' }] } : act

/** A reviewer's result, decided before it starts. */
function reviewOf(random: Random, temper: Temper, asked: ReviewAsked, soon: Instant): ReviewEnded {
  const durationMs = random.int(100, 300_000)
  const costUsd = random.chance(0.05) ? null : random.int(0, 3) / 64
  const passes = aReview(asked, { durationMs, usage: { inputTokens: 20, outputTokens: 2, costUsd } })
  const result = { ...passes.result!, durationMs }
  const { result: _result, ...silent } = passes
  if (random.chance(temper.throttles)) {
    const by = random.pick(['usage-limit', 'overload', 'unreachable', 'login'] as const)
    const until = random.chance(0.3) ? { until: soon } : {}
    return { ...silent, exit: 'failed', throttled: { kind: 'throttled', by, message: `${by}!`, ...until } }
  }
  if (random.chance(temper.fails)) return { ...silent, problem: random.pick(['no JSON in it', 'not one of the words']) }
  if (random.chance(temper.timeouts))
    return { ...passes, exit: 'timeout', result: { ...result, passed: false, ended: 'timeout', output: 'too long' } }
  if (random.chance(temper.lies)) return { ...passes, result: { ...result, passed: false, output: 'Missing: the half of it' } }
  if (random.chance(temper.asks)) {
    const calls = { for: random.pick(['blocked', 'question'] as const), text: 'what is meant?' }
    return { ...passes, calls, result: { ...result, passed: false, output: 'what is meant?' } }
  }
  return { ...passes, result }
}

/** From a plugin, which may come with any end. */
const namedStop: Signal = { kind: 'stop', name: 'quota', reason: 'used up', evidence: '' }

const aProposal = { before: 'it is 3', after: 'it is 4' }
const asked: Signal = { kind: 'asked', text: 'Shall I?', evidence: '' }

const anError = (hash: string): Extract<Signal, { kind: 'error' }> => ({ kind: 'error', hash, message: `it broke: ${hash}` })

const claim = (
  exitSignal: boolean,
  by: 'promise' | 'status-block' | 'keywords' = exitSignal ? 'promise' : 'keywords',
): Signal => ({
  kind: 'claimed-done',
  by,
  exitSignal,
  evidence: '',
})

/** When a provider will be available again: a while ago, now, or within the hour. */
export function resetMs(random: Random): number {
  const ms = random.int(-60_000, 3_600_000)
  return ms % 3 === 0 ? Math.min(ms, 30_000) : ms
}
