/** The scripted agent: what one iteration will do, decided by chance and the world's temper before it starts. */
import type { Exit, Instant, Reading, ReviewEnded, Signal, StoryId } from '../src/core/types.ts'
import { aReading, aReview } from './builders.ts'
import type { Random } from './random.ts'
import type { Temper } from './scenario.ts'

export type Act = {
  /** What happens to the content, in order. */
  edits: ('good' | 'bad' | 'revert' | 'commit')[]
  flips: StoryId[]
  adds: boolean
  exit: Exit
  signals: Signal[]
  reading: Reading
  workMs: number
  totalMs: number
}

type Situation = {
  /** The story named to the agent, or what it may choose from. */
  named: StoryId | null
  open: StoryId[]
  hasPlan: boolean
  /** An instant around now, for a provider that says when to come back. */
  soon: Instant
}

export function actOf(random: Random, temper: Temper, situation: Situation): Act {
  const workMs = random.int(1_000, 600_000)
  const totalMs = workMs + random.int(100, 300_000)
  const plain: Act = {
    edits: [],
    flips: [],
    adds: false,
    exit: 'ok',
    signals: [],
    reading: aReading({ status: 'in-progress' }),
    workMs,
    totalMs,
  }
  const target = situation.named ?? (situation.open.length > 0 ? random.pick(situation.open) : null)
  const worked = workOf(random, temper, plain, target, situation)
  const ended = endOf(random, temper, worked, situation)
  return random.chance(temper.asks / 4) ? { ...ended, signals: [...ended.signals, namedStop] } : ended
}

function workOf(random: Random, temper: Temper, act: Act, target: StoryId | null, { open, hasPlan }: Situation): Act {
  const own = target === null ? [] : [target]
  if (random.chance(temper.idles)) return { ...act, edits: random.pick([[], [], ['revert', 'commit'], ['revert']]) }
  if (random.chance(temper.lies)) {
    return { ...act, edits: random.pick([[], ['bad'], ['bad', 'commit'], ['bad', 'commit', 'good']]), flips: own }
  }
  if (random.chance(temper.meddles)) {
    const others = open.filter(() => random.chance(0.5))
    return { ...act, edits: ['good', 'commit'], flips: [...new Set([...own, ...others])], adds: random.chance(0.2) }
  }
  if (random.chance(temper.idles))
    return { ...act, edits: random.pick([['good'], ['bad'], ['good', 'commit'], ['bad', 'commit']]) }
  const edits = random.pick<Act['edits']>([
    ['good', 'commit'],
    ['good', 'commit', 'good', 'commit'],
    ['good', 'commit'],
    ['good'],
  ])
  return { ...act, edits, flips: own, ...(hasPlan ? {} : { signals: [claim(true)] }) }
}

function endOf(random: Random, temper: Temper, act: Act, { soon }: Situation): Act {
  if (random.chance(temper.timeouts)) return { ...act, exit: random.pick(['timeout', 'circling'] as const), signals: [] }
  if (random.chance(temper.throttles)) {
    const by = random.pick(['usage-limit', 'rate', 'overload', 'overload', 'unreachable', 'login', 'login'] as const)
    const until = random.chance(0.3) ? { until: soon } : {}
    const half = random.chance(0.5) ? { edits: [], flips: [] } : {}
    return {
      ...act,
      ...half,
      exit: random.pick(['ok', 'failed']),
      signals: [{ kind: 'throttled', by, message: `${by}!`, ...until }],
    }
  }
  if (random.chance(temper.fails)) {
    const half = random.chance(0.6) ? { edits: [], flips: [] } : {}
    return { ...act, ...half, exit: 'failed', signals: [{ kind: 'error', hash: 'e1', message: 'it broke' }] }
  }
  if (random.chance(temper.asks)) {
    const half = random.chance(0.7) ? { edits: [], flips: [] } : {}
    const asking = random.int(1, 4)
    if (asking === 1) return { ...act, ...half, signals: [{ kind: 'blocked', reason: 'no key', evidence: '' }] }
    if (asking === 2) return { ...act, ...half, signals: [{ kind: 'question', text: 'A or B?', evidence: '' }] }
    if (asking === 3) return { ...act, ...half, reading: aReading({ status: 'question' }) }
    return { ...act, ...half, signals: [{ kind: 'unsigned', evidence: '' }] }
  }
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
  if (random.chance(temper.claims)) return { ...act, signals: [claim(random.chance(0.5))] }
  return act
}

/** What a reviewer comes back with, decided before it starts. */
export function reviewOf(
  random: Random,
  temper: Temper,
  asked: Pick<ReviewEnded, 'iteration' | 'review' | 'story' | 'agent'>,
  soon: Instant,
): ReviewEnded {
  const passes = aReview(asked, { durationMs: random.int(100, 300_000) })
  const result = passes.result!
  const without = (more: Partial<ReviewEnded>): ReviewEnded => {
    const { result: _result, ...rest } = passes
    return { ...rest, ...more }
  }
  if (random.chance(temper.throttles)) {
    const by = random.pick(['usage-limit', 'overload', 'unreachable', 'login'] as const)
    const until = random.chance(0.3) ? { until: soon } : {}
    return without({ exit: 'failed', throttled: { kind: 'throttled', by, message: `${by}!`, ...until } })
  }
  if (random.chance(temper.fails)) return without({ problem: 'no JSON in it' })
  if (random.chance(temper.timeouts))
    return { ...passes, exit: 'timeout', result: { ...result, passed: false, ended: 'timeout' } }
  if (random.chance(temper.lies)) return { ...passes, result: { ...result, passed: false, output: 'Missing: the half of it' } }
  if (random.chance(temper.asks)) {
    const calls = { for: random.pick(['blocked', 'question'] as const), text: 'what is meant?' }
    return { ...passes, calls, result: { ...result, passed: false } }
  }
  return passes
}

/** A plugin's, which may come with any end. */
const namedStop: Signal = { kind: 'stop', name: 'quota', reason: 'used up', evidence: '' }

const claim = (exitSignal: boolean): Signal => ({
  kind: 'claimed-done',
  by: exitSignal ? 'promise' : 'keywords',
  exitSignal,
  evidence: '',
})
