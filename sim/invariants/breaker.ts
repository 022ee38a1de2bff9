/** The circuit breaker, counted a second time: it is open exactly when one of its rules applies. */
import type { State } from '../../src/core/state.ts'
import { ruleNames } from '../../src/core/types/words.ts'
import type { BreakerState, Event, EventOf, Policy, Rule, StoryId } from '../../src/core/types.ts'
import { ensure } from '../ensure.ts'
import { type Facts, isCounted, type Rules } from './facts.ts'

export type BreakerRules = Rules & { isOpen(): boolean }

const none = (): Record<Rule, number> => Object.fromEntries(ruleNames.map((rule) => [rule, 0])) as Record<Rule, number>

export function breakerRules(facts: Facts): BreakerRules {
  let counts = none()
  let state: BreakerState = 'closed'
  let openedAt = ''
  let by: Rule | undefined
  /** Errors of the last iteration, and how often each occurred in a row. */
  let streaks = new Map<string, number>()
  let said = ''
  let failure = { hash: '', stories: '' }
  let words: number[] = []
  /** Stories that an agent called done without a mark and without work. */
  const saidDone = new Set<StoryId>()

  /** Rules that opened it and are being tried again. */
  const trying = new Set<Rule>()

  const set = (rule: Rule, times: number): void => {
    counts[rule] = times
    if (times === 0) trying.delete(rule)
  }

  const judged = ({ iteration, verdict, progress, passed, refused, alike }: EventOf<'iteration.judged'>): void => {
    if (!isCounted(verdict)) {
      // A kill does not undo what passed.
      if (passed.length > 0) for (const rule of ruleNames) set(rule, 0)
      if (passed.length > 0) [streaks, failure] = [new Map(), { hash: '', stories: '' }]
      return
    }
    const ended = facts.ended(iteration)
    const signals = facts.signals(iteration)
    const { maxStuck, declinePercent } = facts.policy
    const { story } = facts.started(iteration)
    const isSaidDone = ended.signals.some(({ kind }) => kind === 'claimed-done') && ended.flips.length === 0
    const isExcused = story !== null && isSaidDone && verdict === 'worked' && progress === 'idle' && !saidDone.has(story)
    if (isExcused) saidDone.add(story)
    if (passed.length > 0) failure = { hash: '', stories: '' }
    if (passed.length > 0) set('stories-alike', 0)
    if (progress === 'made') set('no-progress', 0)
    // A request for a person is nobody's fault; testing only has its own end.
    const isAside = ['blocked', 'question'].includes(verdict) || ended.reading.status === 'question'
    if (isAside || signals.some(({ kind }) => kind === 'testing-only')) return
    if (progress === 'idle' && verdict !== 'done' && refused.length === 0 && !isExcused) counts['no-progress']++
    const errors = signals.filter((signal) => signal.kind === 'error')
    const isNamed = facts.started(iteration).story !== null
    const isCircling = ended.exit === 'circling' && isNamed
    // Words about a gate that fails the same way, and circles, belong to the story.
    const isStorys = errors.length > 0 && (isCircling || ((alike ?? 0) > 1 && errors.every((each) => each.in !== undefined)))
    const reds = isNamed || passed.length + refused.length > 0 ? [] : facts.reds(iteration)
    const gates = reds.length === 0 ? undefined : `gates ${reds.map(({ name, output }) => `${name} ${output}`).join()}`
    const isFruitless = progress !== 'made' && verdict !== 'done'
    const isSaidAgain =
      maxStuck > 0 && isFruitless && refused.length === 0 && ended.saidHash !== undefined && ended.saidHash === said
    const other = gates ?? (isSaidAgain ? `said ${ended.saidHash}` : undefined)
    const own = errors.length > 0 ? errors.map(({ hash }) => hash) : other === undefined ? [] : [other]
    if (verdict === 'done') streaks = new Map()
    else if (!isStorys) streaks = new Map(own.map((key) => [key, (streaks.get(key) ?? 0) + 1]))
    set('same-error', Math.max(0, ...streaks.values()))
    said = ended.saidHash ?? ''
    const isDeclining = isFruitless && words.length >= 3 && declinePercent > 0
    const isShort = isDeclining && ended.outputChars < (median(words) * (100 - declinePercent)) / 100
    set('output-decline', isShort ? counts['output-decline'] + 1 : 0)
    words = [...words, ended.outputChars].slice(-5)
    const isDenied = isFruitless && signals.some(({ kind }) => kind === 'permission-denied')
    set('permission-denied', isDenied ? counts['permission-denied'] + 1 : 0)
  }

  /** Tried again, it is still one story. */
  const failed = ({ hash, story }: EventOf<'story.failed'>): void => {
    set('no-progress', 0)
    const isAlike = hash !== '' && hash === failure.hash && failure.stories !== story
    set('stories-alike', isAlike ? counts['stories-alike'] + 1 : 1)
    failure = { hash, stories: isAlike ? `${failure.stories}, ${story}` : story }
  }

  const full = (): Rule[] =>
    ruleNames.filter((rule) => limitOf(rule, facts.policy) > 0 && counts[rule] >= limitOf(rule, facts.policy))
  const near = (): Rule[] =>
    ruleNames.filter((rule) => {
      const limit = limitOf(rule, facts.policy)
      const isSign = rule === 'stories-alike' ? by === rule : counts[rule] > 0 || trying.has(rule)
      return limit > 0 && counts[rule] === limit - 1 && isSign
    })

  const changed = (event: EventOf<'breaker.changed'>): void => {
    const say = (): string => `${event.from} to ${event.to}: ${JSON.stringify(counts)}`
    ensure(event.from === state, 'the breaker changes from where it is', say)
    if (event.from === 'open') {
      const minutes = (Date.parse(event.at) - Date.parse(openedAt)) / 60_000
      const { cooldownMinutes } = facts.policy
      ensure(cooldownMinutes > 0 && minutes >= cooldownMinutes, 'an open breaker tries again only after its cooldown', say)
      ensure(event.to === 'half-open' && event.rule !== undefined, 'an open breaker tries again half open', say)
      if (counts[event.rule!] > 0) trying.add(event.rule!) // else another worker's progress has closed it meanwhile
      const left = Math.max(0, limitOf(event.rule!, facts.policy) - 1)
      const worst = [...streaks].find(([, times]) => times === Math.max(...streaks.values()))
      if (event.rule === 'same-error') streaks = new Map([[worst?.[0] ?? '', left]])
      counts[event.rule!] = left
    } else {
      const to = full().length > 0 ? 'open' : near().length > 0 ? 'half-open' : 'closed'
      ensure(event.to === to, 'the breaker stands where its counts put it', () => `${to}, not ${say()}`)
    }
    state = event.to
    by = event.rule
    if (event.to === 'open') openedAt = event.at
  }

  const reset = (): void => {
    counts = none()
    state = 'closed'
    by = undefined
    streaks = new Map()
    said = ''
    failure = { hash: '', stories: '' }
    trying.clear()
    words = []
  }

  const mayStart = (event: EventOf<'iteration.started'>): void => {
    const say = (): string => `iteration ${event.iteration}: ${JSON.stringify(counts)}`
    ensure(state !== 'open', 'no start while the breaker is open', say)
    ensure(full().length === 0, 'the breaker opens when one of its rules is due', say)
    ensure((state === 'half-open') === near().length > 0, 'the breaker is half open one short of a threshold', say)
    ensure(state === 'closed' || event.shift !== '', 'a half-open breaker asks for another way', say)
  }

  const see = (event: Event): void => {
    if (event.kind === 'iteration.started' && event.mode !== 'check') mayStart(event)
    if (event.kind === 'iteration.judged') judged(event)
    if (event.kind === 'story.failed') failed(event)
    if (event.kind === 'story.retried') saidDone.delete(event.story)
    if (event.kind === 'breaker.changed') changed(event)
    if (event.kind === 'breaker.reset') reset()
  }

  return {
    see(event, _before: State, now: State) {
      see(event)
      ensure(now.breaker.state === state, 'the breaker is where its last change put it', () => `${now.breaker.state}, ${state}`)
      if (event.kind !== 'iteration.judged') return
      const counted = Object.fromEntries(ruleNames.map((rule) => [rule, now.breaker.counts[rule].times]))
      ensure(
        JSON.stringify(counted) === JSON.stringify(counts),
        'the breaker counts what counts against a run',
        () => `${JSON.stringify(counted)}, ${JSON.stringify(counts)}`,
      )
    },
    isOpen: () => state === 'open',
  }
}

function limitOf(rule: Rule, policy: Policy): number {
  if (rule === 'no-progress') return policy.maxStuck
  if (rule === 'same-error') return policy.sameError
  if (rule === 'permission-denied') return policy.maxDenied
  if (rule === 'output-decline') return policy.declinePercent > 0 ? 2 : 0
  return 2
}

function median(numbers: number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b)
  const half = Math.floor(sorted.length / 2)
  return sorted.length % 2 === 1 ? sorted[half]! : (sorted[half - 1]! + sorted[half]!) / 2
}
