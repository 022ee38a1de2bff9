/** What must hold in every world, checked event by event against the log and the simulated project, not against the core's own word. */
import { evolve } from '../src/core/evolve.ts'
import { initialState } from '../src/core/initial.ts'
import type { State } from '../src/core/state.ts'
import type { Event, EventOf, GateResult, Policy, StoryId } from '../src/core/types.ts'
import { ensure } from './ensure.ts'
import type { Repository } from './repository.ts'
import { isCounted, isNext, isOurs } from './rules.ts'

export type Checker = {
  /** Takes one written event; throws a Violation. */
  see(event: Event): void
  /** The fold of what was written. */
  state(): State
  /** Another process goes on: what the last one was doing is over. */
  newLife(): void
  /** The user withdraws a pass, or gives one. */
  userSetPass(story: StoryId, passes: boolean): void
}

export function checkerOf(repository: Repository): Checker {
  let state = initialState
  const run = { isOver: true, used: 0, idle: 0, passed: new Set<StoryId>(), trees: new Set<string>() }
  const life = { isStopping: false, isPausing: false, isWaiting: false, isOpen: false, gated: new Set<number>() }
  const calls = { requested: new Set<number>(), granted: new Set<number>(), spent: new Set<number>() }
  const taken = new Set<string>()
  const reopened = new Set<StoryId>()
  const skipped = new Set<StoryId>()
  const refused = new Set<StoryId>()
  const results = new Map<number, GateResult[]>()
  const reviews = new Map<number, GateResult[]>()
  const unread = new Map<string, number>()
  let lastIteration = 0

  const see = (event: Event): void => {
    if ('id' in event && event.id !== undefined) {
      if (taken.has(event.id)) {
        const same = evolve(state, event)
        ensure(same === state, 'the same request twice is one', () => event.kind)
        return
      }
      taken.add(event.id)
    }
    const before = state
    state = evolve(before, event)
    beforehand(before, event)
    tally(event)
    afterwards(before, state, event)
  }

  /** What an event may be, given all that came before it. */
  const beforehand = (before: State, event: Event): void => {
    if (isOurs(event)) ensure(!run.isOver, 'nothing is decided after the end of a run', () => event.kind)
    if (event.kind === 'call.granted') {
      ensure(calls.requested.has(event.call), 'a call is granted only if asked for', () => `call ${event.call}`)
      ensure(!calls.granted.has(event.call), 'a call is granted once', () => `call ${event.call}`)
    }
    if (event.kind === 'call.requested') {
      ensure(!calls.requested.has(event.call), 'a call is asked for once', () => `call ${event.call}`)
      ensure(!life.isWaiting, 'no call is asked for while waiting')
    }
    if (event.kind === 'iteration.started') mayStart(before, event)
    if (event.kind === 'review.started') mayReview(event)
    if (event.kind === 'wait.started') ensure(event.until > event.at, 'no wait for the past', () => event.until)
    if (event.kind === 'gates.started' && event.iteration > 0)
      ensure(!life.gated.has(event.iteration), 'gates run once for an iteration', () => `iteration ${event.iteration}`)
    if (event.kind === 'iteration.judged') mayJudge(before, event)
    if (event.kind === 'run.ended') mayEnd(before, event)
  }

  /** A flip stands only on green gates, and falls only by a red one or a stop. */
  const mayJudge = (before: State, event: EventOf<'iteration.judged'>): void => {
    const found = [...(results.get(event.iteration) ?? []), ...(reviews.get(event.iteration) ?? [])]
    const isGreen = (name: string, story?: StoryId): boolean =>
      found.some((result) => result.name === name && result.story === story && (result.passed || isTolerated(before, result)))
    for (const id of event.passed) {
      const own = Object.keys(repository.story(id)?.gates ?? {})
      const red = [
        ...hard(before.policy).filter((name) => !isGreen(name)),
        ...own.filter((name) => !isGreen(name, id)),
        ...(before.policy.review.spec !== undefined && !isGreen('spec', id) ? ['spec'] : []),
      ]
      ensure(red.length === 0, 'a story passes only on green gates', () => `${id}: ${red.join(', ')}`)
    }
    for (const id of event.refused) {
      const isRed = found.some((result) => !result.passed && (result.story === undefined || result.story === id))
      const isUnread = (unread.get(`${event.iteration} ${id}`) ?? 0) > 1
      ensure(isRed || isUnread || event.verdict === 'interrupted', 'a story is refused only by a red gate or a stop', () => id)
    }
  }

  const mayReview = (event: EventOf<'review.started'>): void => {
    const say = (): string => `iteration ${event.iteration}`
    ensure(!life.isWaiting, 'no review while waiting', say)
    ensure(calls.granted.has(event.call) && !calls.spent.has(event.call), 'each review has its own granted call', say)
    const red = (results.get(event.iteration) ?? []).filter(
      (result) => !result.passed && result.story === undefined && !result.soft,
    )
    ensure(event.iteration === 0 || red.every((result) => isTolerated(state, result)), 'no review on a red gate', say)
  }

  const mayStart = (before: State, event: EventOf<'iteration.started'>): void => {
    const { policy } = before
    const say = (): string => `iteration ${event.iteration}`
    ensure(!life.isOpen, 'no start while the breaker is open', say)
    ensure(!life.isStopping, 'no start after a request to stop', say)
    ensure(!life.isPausing, 'no start while paused', say)
    ensure(!life.isWaiting, 'no start while waiting', say)
    ensure(before.blocked === undefined, 'no start while blocked', say)
    ensure(calls.granted.has(event.call) && !calls.spent.has(event.call), 'each iteration has its own granted call', say)
    ensure(event.iteration === lastIteration + 1, 'iteration numbers rise by one', say)
    ensure(before.flights.length < policy.workers, 'one iteration per worker', say)
    ensure(
      before.flights.every((flight) => flight.story !== event.story),
      'one iteration per story',
      say,
    )
    ensure(
      run.used + before.flights.filter((flight) => !flight.judged).length < policy.maxIterations,
      'iterations stay in their limit',
      say,
    )
    const patience = policy.maxStuck + policy.workers - 1
    ensure(policy.maxStuck === 0 || run.idle < patience, 'idle iterations open the breaker', () => `${run.idle} in a row`)
    if (event.story !== null && before.plan !== null)
      ensure(isNext(before.plan, before, event.story), 'the next story is the first that can start', say)
  }

  const mayEnd = (before: State, event: EventOf<'run.ended'>): void => {
    const { policy } = before
    ensure(before.flights.length === 0, 'no iteration is in flight at the end of a run')
    if (event.outcome === 'interrupted') ensure(life.isStopping, 'interrupted only if asked to stop')
    if (life.isStopping) ensure(event.outcome === 'interrupted', 'asked to stop, a run ends as interrupted', () => event.outcome)
    if (event.outcome === 'incomplete') ensure(run.used >= policy.maxIterations, 'incomplete only if the iterations are used up')
    if (event.outcome === 'stuck') ensure(life.isOpen, 'stuck only with an open breaker')
    if (event.outcome === 'complete') {
      const open = openStories(policy)
      ensure(open.length === 0, 'complete only with every counting story passed', () => open.join(', '))
      const redGates = ungated(policy)
      ensure(redGates.length === 0, 'complete only with every gate passed after the last change', () => redGates.join(', '))
    }
    for (const id of refused)
      ensure(repository.story(id)?.passes !== true, 'a refused story is open in the plan file at the end', () => id)
  }

  const openStories = (policy: Policy): StoryId[] =>
    (repository.plan?.stories ?? [])
      .filter((story) => (policy.only === undefined ? !story.skip && !skipped.has(story.id) : story.id === policy.only))
      .filter((story) => !story.passes)
      .map((story) => story.id)

  /** One story alone is complete when it passes: what gates it needed ran when it did. */
  const ungated = (policy: Policy): string[] => {
    if (policy.only !== undefined && !run.passed.has(policy.only)) return []
    const changedSeq = policy.only === undefined ? repository.changedSeq : repository.agentChangedSeq
    const isUnproven = (name: string): boolean => {
      const last = repository.lastRuns.get(name)
      return last === undefined || !(last.passed || isTolerated(state, { name } as GateResult)) || last.startedSeq < changedSeq
    }
    return hard(policy).filter(isUnproven)
  }

  const hard = (policy: Policy): string[] => policy.gates.filter((gate) => !gate.soft).map((gate) => gate.name)

  /** Red before the run in the same way, where that is allowed. In this world a gate is red in one way only. */
  const isTolerated = ({ policy, baseline }: State, { name, story }: GateResult): boolean =>
    policy.baseline === 'tolerate' && story === undefined && baseline?.some((gate) => gate.name === name && !gate.passed) === true

  const tally = (event: Event): void => {
    switch (event.kind) {
      case 'review.started':
        calls.spent.add(event.call)
        break
      case 'review.ended':
        if (event.result) reviews.set(event.iteration, [...(reviews.get(event.iteration) ?? []), event.result])
        if (event.problem) {
          const key = `${event.iteration} ${event.story}`
          unread.set(key, (unread.get(key) ?? 0) + 1)
        }
        break
      case 'run.started':
        ensure(run.isOver, 'a run starts only after the last has ended')
        Object.assign(run, { isOver: false, used: 0, idle: 0, passed: new Set(), trees: new Set([event.repo.tree]) })
        break
      case 'run.ended':
        run.isOver = true
        break
      case 'call.requested':
        calls.requested.add(event.call)
        break
      case 'call.granted':
        calls.granted.add(event.call)
        break
      case 'iteration.started':
        calls.spent.add(event.call)
        lastIteration = event.iteration
        break
      case 'gates.started':
        life.gated.add(event.iteration)
        break
      case 'gates.ended':
        repository.recordGates(event.iteration, event.results)
        results.set(event.iteration, event.results)
        break
      case 'iteration.judged':
        judged(event)
        break
      case 'iteration.settled':
        run.trees.add(event.repo.tree)
        break
      case 'story.failed':
        run.idle = 0
        break
      case 'story.skipped':
        skipped.add(event.story)
        break
      case 'story.retried':
        skipped.delete(event.story)
        break
      case 'breaker.changed':
        life.isOpen = event.to === 'open'
        if (event.from === 'open') run.idle = 0
        break
      case 'breaker.reset':
        life.isOpen = false
        run.idle = 0
        break
      case 'stop.requested':
        life.isStopping = true
        break
      case 'pause.requested':
        life.isPausing = true
        break
      case 'resume.requested':
        life.isPausing = false
        break
      case 'wait.started':
        life.isWaiting = true
        break
      case 'wait.ended':
        life.isWaiting = false
        break
    }
  }

  const judged = (event: EventOf<'iteration.judged'>): void => {
    if (isCounted(event.verdict)) run.used++
    for (const id of event.passed) {
      run.passed.add(id)
      refused.delete(id)
      reopened.delete(id)
    }
    for (const id of event.refused) refused.add(id)
    const ended = state.last!.ended
    const isNew = event.passed.length > 0 || ended.trees.some((tree) => !run.trees.has(tree))
    ensure(
      isNew === (event.progress === 'made'),
      'progress is new content or a pass',
      () => `iteration ${event.iteration}: ${event.progress}`,
    )
    for (const tree of [...ended.trees, ended.repo.tree]) run.trees.add(tree)
    const hasOwnCount = ended.reading.status === 'question' || ended.signals.some((signal) => signal.kind === 'testing-only')
    const isPlainIdle = event.verdict === 'worked' && event.progress === 'idle' && !hasOwnCount
    run.idle = isPlainIdle ? run.idle + 1 : 0
  }

  /** What an event may do to the state. */
  const afterwards = (before: State, now: State, event: Event): void => {
    ensure(
      run.isOver || now.used === run.used,
      'used iterations are those whose verdict counts',
      () => `${now.used} of ${run.used}`,
    )
    ensure(now.used <= Math.max(now.policy.maxIterations, before.used), 'iterations stay in their limit', () => `${now.used}`)
    if (before.plan !== now.plan) neverReopens(before, now)
    if (before.tell !== now.tell) keepsNotes(before, now, event)
    if (event.kind === 'iteration.judged') countersAfter(before, now, event)
  }

  const neverReopens = (before: State, now: State): void => {
    for (const story of now.plan?.stories ?? []) {
      if (story.passes) ensure(now.stories[story.id]?.receipt !== undefined, 'a story that passes has a receipt', () => story.id)
      const did = before.plan?.stories.find((candidate) => candidate.id === story.id)?.passes === true
      ensure(!did || story.passes || reopened.has(story.id), 'a passed story never reopens by itself', () => story.id)
    }
  }

  /** A note goes only when an iteration that started after it has a verdict that counts, or when there are too many. */
  const keepsNotes = (before: State, now: State, event: Event): void => {
    for (const note of before.tell) {
      if (now.tell.includes(note) || now.tell.length === 20) continue
      ensure(event.kind === 'iteration.judged' && isCounted(event.verdict), 'a note stays until it was seen', () => note.text)
      const at = noteSeen.get(note) ?? 0
      ensure(
        event.kind === 'iteration.judged' && event.iteration > at,
        'a note stays until an iteration started after it',
        () => note.text,
      )
    }
    for (const note of now.tell) if (!noteSeen.has(note)) noteSeen.set(note, lastIteration)
  }
  const noteSeen = new Map<State['tell'][number], number>()

  const countersAfter = (before: State, now: State, event: EventOf<'iteration.judged'>): void => {
    const say = (): string => `iteration ${event.iteration}: ${event.verdict}`
    const isPerson = event.verdict === 'blocked' || event.verdict === 'question'
    for (const [id, story] of Object.entries(now.stories)) {
      const was = before.stories[id]
      const isSame = story.attempts === (was?.attempts ?? 0) && story.failedAttempts === (was?.failedAttempts ?? 0)
      if (isPerson || !isCounted(event.verdict)) ensure(isSame, 'only a real attempt counts as one', say)
      const { maxAttempts } = now.policy
      if (maxAttempts > 0)
        ensure(
          story.failedAttempts <= Math.max(maxAttempts, was?.failedAttempts ?? 0),
          'failed attempts stay in their limit',
          () => id,
        )
    }
    if (now.last?.ended.signals.some((signal) => signal.kind === 'stop'))
      ensure(now.blocked !== undefined, 'a named stop blocks', say)
    if (!isCounted(event.verdict))
      ensure(
        now.breaker.counts['no-progress'].times === before.breaker.counts['no-progress'].times,
        'what was nobody’s fault leaves the breaker alone',
        say,
      )
  }

  return {
    see,
    state: () => state,
    newLife: () => Object.assign(life, { isStopping: false, isPausing: false, isWaiting: false, gated: new Set() }),
    userSetPass(story, passes) {
      refused.delete(story)
      if (passes) reopened.delete(story)
      else reopened.add(story)
    },
  }
}
