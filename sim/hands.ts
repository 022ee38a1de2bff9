/** The simulated hands of one process: carries decisions out in the simulated project, and reports their results. */
import { isBaselineCheck, isRed, withTolerance } from '../src/core/decide/gates.ts'
import { openClaims } from '../src/core/decide/hand-marked.ts'
import { concernsNobody } from '../src/core/decide/parallel/parallel.ts'
import { dirtKey } from '../src/core/decide/verdict.ts'
import { endedFlight, flightOf, placeOfFlight } from '../src/core/evolve/flights.ts'
import { foundAmong } from '../src/core/evolve/users-files.ts'
import { dueFor, isAccepted } from '../src/core/plan/questions.ts'
import { isAllPassed } from '../src/core/plan/stories.ts'
import { isToolMissing } from '../src/core/proof/missing-tool.ts'
import type { Flight, State } from '../src/core/state.ts'
import { later } from '../src/core/text/time.ts'
import type { BaselineAnswer, Decision, Ended, Exit, GateResult, Plan, Repo, Report, Scope, StoryId } from '../src/core/types.ts'
import { type Act, type Players, resetMs } from './agent.ts'
import { anEnd, aReading, aResult, aStory } from './builders.ts'
import { heldOutOn } from './checkout.ts'
import type { Clock } from './clock.ts'
import { added, type Content, filesOf } from './content.ts'
import { examinersOf, hooksOf, learnerOf, mutatorsOf, reviewersOf } from './judges.ts'
import { landingsOf } from './landings.ts'
import { doneIn, type Place } from './places.ts'
import type { Random } from './random.ts'
import type { Repository } from './repository.ts'
import type { Temper } from './scenario.ts'
import { settlingOf } from './settling.ts'

export type Hands = {
  perform(decision: Decision, state: State): void
  /** Reports an iteration that the last process left in flight. */
  lose(flight: Flight, state: State): void
  /** Continues putting a failed story aside after a kill. */
  putAside(story: StoryId, branch: string, reason: string, state: State): void
}

export type Reach = {
  random: Random
  clock: Clock
  repository: Repository
  temper(): Temper
  players: Players
  gatesMs: number
  isAlive(): boolean
  state(): State
  report(fact: Report): void
  isKilledHere(): boolean
}

/** `content`: a name of what the gates saw. */
type Gated = { results: GateResult[]; content?: string }

const isInGit = ({ repo }: State): boolean => repo.head !== null

/** Now and then a process that nobody finds puts other code into the folder of the gates, and takes it away again. */
function isSwapped(iteration: Scope, now: State): boolean {
  const { ended } = (iteration === 'whole' ? undefined : endedFlight(now, iteration)) ?? {}
  return ended !== undefined && ended.iteration % 7 === 0 && ended.flips.length > 0 && ended.checks === undefined
}

export function handsOf(reach: Reach): Hands {
  const { random, clock, repository, temper, players, gatesMs, isAlive, state, report, isKilledHere } = reach
  const { places } = repository
  const working = new Map<
    number,
    {
      act: Act
      story: StoryId | null
      before: Repo
      plan: Plan | null
      skills: string[]
      place: Place | undefined
      isBack: boolean
    }
  >()
  const gating = new Map<Scope, Gated>()
  const gated = new Set<Scope>()
  const baselines = new Set<Scope>()

  /** Later, if this process is still alive; a kill may come just before. */
  const soon = (ms: number, act: () => void): void => clock.after(ms, () => void (isKilledHere() || act()), isAlive)
  const landings = landingsOf(reach, soon, gated)
  const settle = settlingOf(reach, gated)
  const learner = learnerOf(reach, soon)
  const reviewers = reviewersOf(reach, soon)
  const examiners = examinersOf(reach, soon)
  const mutators = mutatorsOf(reach, soon)
  const hooks = hooksOf(reach, soon)

  const perform = (decision: Decision, now: State): void => {
    switch (decision.kind) {
      case 'call.requested':
        // Other runs may hold the lock of the call counter for a while.
        soon(random.int(1, random.chance(0.1) ? 300_000 : 50), () => report(answerTo(decision.call)))
        break
      case 'iteration.started':
        if (decision.mode !== 'check') startAgent(decision, now)
        else if (decision.story === null) soon(random.int(1, 100), () => check(decision.iteration, state()))
        else soon(random.int(1, 100), () => checkStory(decision.iteration, decision.story!, state()))
        break
      case 'iteration.stopping':
        soon(random.int(1, 3_000), () => stop(decision.iteration))
        break
      case 'gates.started':
        gating.set(decision.iteration, gatesOf(decision, now))
        gated.add(decision.iteration)
        if (isBaselineCheck(now, decision.iteration)) baselines.add('whole')
        soon(random.int(100, gatesMs), () => endGates(decision.iteration))
        break
      case 'iteration.judged':
        soon(random.int(1, 100), () => settle(decision))
        break
      case 'review.started':
        reviewers.start(decision)
        break
      case 'examination.started':
        examiners.start(decision.iteration)
        break
      case 'mutants.started':
        mutators.start(decision.iteration)
        break
      case 'landing.started':
        landings.start(decision, now)
        break
      case 'story.shelved':
      case 'story.failed':
        soon(random.int(1, 1_000), () => putAside(decision.story, decision.branch, decision.because, now))
        break
      case 'learning.started':
      case 'gathering.started':
      case 'skill.started':
      case 'skill.retired':
        learner.start(decision)
        break
      case 'wait.started':
        soon(Date.parse(decision.until) - clock.nowMs(), () => report({ kind: 'wait.ended' }))
        break
      case 'limit.asked':
        soon(random.int(1, 30_000), () => report({ kind: 'limit.answered', ...players.limitChoice() }))
        break
      case 'hook.started':
        hooks.start(decision)
        break
      case 'worktree.requested': {
        const made = (): void => report({ kind: 'worktree.ready', story: decision.story, ...places.make(decision.story) })
        clock.after(1 + (clock.nowMs() % 20), made, isAlive) // without chance: the seeds of known bugs keep their worlds
        break
      }
      case 'branch.asked':
        soon(random.int(1, 1_000), () => answerForBranch())
        break
      case 'lesson.retired':
      case 'budget.warned':
      case 'story.slow':
      case 'breaker.changed':
      case 'run.paused':
      case 'run.ended':
        break
    }
  }

  /** Where they prove something, they run without the user's uncommitted files; at the end, on the committed state only. */
  const gatesOf = ({ iteration, gates, heldOut }: Extract<Decision, { kind: 'gates.started' }>, now: State): Gated => {
    const flight = endedFlight(now, iteration)
    const isRefused = (result: GateResult): boolean => withTolerance([result], now).some(isRed)
    const withHeldOut = (results: GateResult[], content: Content): GateResult[] =>
      heldOut ? heldOutOn(content, results, flight?.ended.flips ?? [], isRefused) : results
    const on = (content?: Content, seen?: string): Gated => ({
      results: withHeldOut(repository.runGates(gates, random, content), content ?? judged),
      ...(seen === undefined ? {} : { content: seen }),
    })
    const hasHard = gates.some(({ soft }) => soft !== true)
    const inCheckout = (content: Content): Gated => on(content, repository.nameOf(content))
    const place = placeOf(iteration, now)
    const judged = place?.work() ?? (flight === undefined ? repository.committed() : repository.without(now.users))
    if (isBaselineCheck(now, iteration)) return isInGit(now) ? inCheckout(repository.committed()) : on()
    const isOfWhole = now.baseline !== undefined || isAllPassed(now.plan, now.policy) || isAccepted(now)
    const isProof = flight === undefined ? isOfWhole : flight.story === null || flight.ended.flips.length > 0
    if (isProof && hasHard && now.judgedIn === 'clean') return inCheckout(judged)
    return on(place?.work(), isProof ? dirtKey(flight?.ended.repo ?? now.repo) : undefined)
  }

  /** Stories that passed but are not on the branch are reopened, first in the plan file. */
  const answerForBranch = (): void => {
    const { plan, stories } = state()
    const gone = (plan?.stories ?? []).filter(
      ({ id, passes }) => passes && !repository.isOnBranch(stories[id]?.receipt?.commits ?? []),
    )
    for (const { id } of gone) repository.setStory(id, { passes: false })
    if (isKilledHere()) return
    const missing = gone.map(({ id }) => ({ story: id, because: 'its commits are gone' }))
    report({ kind: 'branch.answered', missing, repo: repository.now() })
  }

  const answerTo = (call: number): Report => {
    const refusal = players.refusal(clock.now())
    return refusal === null
      ? { kind: 'call.granted', call, ...players.envelopes(clock.now()) }
      : { kind: 'call.refused', call, ...refusal }
  }

  /** Where a flight's agent works, if not in the project itself. */
  const placeOf = (iteration: Scope, now: State): Place | undefined => {
    const flight = flightOf(now, iteration)
    return flight?.worker === undefined ? undefined : places.of(placeOfFlight({ ...flight, story: flight.story! }))
  }

  const startAgent = (decision: Extract<Decision, { kind: 'iteration.started' }>, now: State): void => {
    const { iteration, story, worker } = decision
    const stories = now.plan?.stories ?? []
    const met = (id: StoryId): boolean => stories.some((other) => other.id === id && (other.passes || other.skip))
    const open = stories.filter((other) => !other.passes && !other.failed)
    const choice = temper().meddles > 0 ? open : open.filter((other) => !other.skip && other.dependsOn.every(met))
    const act = players.act({
      iteration,
      named: story,
      open: choice.map((other) => other.id),
      hasPlan: repository.plan !== null,
      hasBudget: Object.values(now.policy.budget).some((limit) => limit !== null),
      ...(decision.maxUsd === undefined ? {} : { shareUsd: decision.maxUsd }),
      ...(decision.resume === undefined ? {} : { session: decision.resume }),
      soon: later(clock.now(), resetMs(random)),
    })
    const place =
      worker === undefined
        ? undefined
        : places.ready(placeOfFlight({ ...decision, story: story! }), iteration, players.isBehind(story!))
    if (worker === undefined) {
      findUsers(iteration, story, now)
      repository.keepUsers()
    }
    const worked = {
      act,
      story,
      place,
      before: repository.now(),
      plan: repository.planCopy(),
      skills: [...repository.skills],
      isBack: false,
    }
    working.set(iteration, worked)
    for (const due of dueFor(now, story)) report({ kind: 'criterion.amended', ...due })
    const shelf = story === null ? undefined : now.stories[story]?.shelf
    if (shelf !== undefined) repository.bringShelf(story!, shelf.branch, place)
    soon(act.workMs, () => void (working.has(iteration) && work(iteration, act, story, place)))
    const lookMs = place !== undefined && concernsNobody(act) ? random.int(1, 60_000) : 0
    if (lookMs > 0)
      soon(act.totalMs, () => {
        if (!working.has(iteration)) return
        worked.isBack = true
        report({ kind: 'agent.returned', iteration })
      })
    soon(act.totalMs + lookMs, () => void (working.has(iteration) && end(iteration, act.exit)))
  }

  /** What no iteration has left is the user's, whenever it appeared. */
  const findUsers = (iteration: number, story: StoryId | null, now: State): void => {
    const files = foundAmong(now, repository.dirty(), [])
    repository.saveMore(story, [...now.users, ...files])
    if (files.length > 0) report({ kind: 'users.found', iteration, files })
  }

  const work = (iteration: number, act: Act, story: StoryId | null, place: Place | undefined): void => {
    const by = story ?? (act.flips.length === 1 ? act.flips[0]! : null)
    if (place === undefined) repository.lastLogged = iteration
    if (act.isAstray && place === undefined) repository.leaveBranch(iteration)
    for (const edit of act.edits) {
      if (place?.isBehind && edit === 'good') places.resolve(place)
      ;(place ?? repository).edit(edit, by, random)
    }
    for (const id of act.flips) {
      if (place === undefined) repository.setStory(id, { passes: true })
      else place.flips.add(id)
      if (place !== undefined && id !== story) places.of(id)?.flips.add(id) // where the other one's agent may be running
    }
    if (place === undefined && act.adds !== false && repository.plan !== null && repository.plan.stories.length < 10)
      repository.plan.stories.push(
        aStory(`N${repository.plan.stories.length + 1}`, { priority: act.adds === true ? random.int(1, 4) : act.adds }),
      )
  }

  const end = (iteration: number, exit: Exit): void => {
    const { act, story, before, plan, skills, place } = working.get(iteration)!
    working.delete(iteration)
    const isCut = exit === 'stopped'
    report({
      kind: 'iteration.ended',
      ...withChecks(
        place === undefined
          ? endedOf(iteration, story, state(), before, plan)
          : endedApart(iteration, place, state(), isCut ? [] : act.signals),
        act.isTesting,
      ),
      ...act.told,
      ...(skills.length === 0 ? {} : { skills }),
      exit,
      exitCode: exit === 'ok' ? 0 : exit === 'failed' ? 1 : null,
      signals: isCut ? [] : act.signals,
      reading: isCut ? aReading() : act.reading,
      durationMs: act.totalMs,
    })
  }

  /** No agent runs: gates and reviewers check what the user marked as done. */
  const check = (iteration: number, now: State): void => {
    const usage = { inputTokens: 0, outputTokens: 0, costUsd: 0 }
    findUsers(iteration, null, now)
    const ended = { ...endedOf(iteration, null, state(), now.repo), flips: openClaims(now), usage }
    report({ kind: 'iteration.ended', ...withChecks(ended, false), exit: 'lost', exitCode: null, durationMs: 0, outputChars: 0 })
  }

  /** The same for a story that a person accepted: what it has done is brought back where it waited, and marked done. Safe to repeat. */
  const checkStory = (iteration: number, story: StoryId, now: State): void => {
    const { worker, candidate } = flightOf(now, iteration)!
    const place = worker === undefined ? undefined : leftPlace(placeOfFlight({ story, candidate }), iteration)
    if (place === undefined) {
      findUsers(iteration, story, now)
      repository.keepUsers()
    }
    const shelf = state().stories[story]?.shelf
    const isThere = shelf === undefined || repository.bringShelf(story, shelf.branch, place)
    if (isKilledHere()) return
    const left = place === undefined ? endedOf(iteration, story, state(), now.repo) : endedApart(iteration, place, state(), [])
    const usage = { inputTokens: 0, outputTokens: 0, costUsd: 0 }
    const ended = { ...left, flips: isThere ? [story] : [], usage }
    report({ kind: 'iteration.ended', ...withChecks(ended, false), exit: 'lost', exitCode: null, durationMs: 0, outputChars: 0 })
  }

  const lose = (flight: Flight, before: State): void => {
    const { iteration, story, worker } = flight
    if (flight.mode === 'check') return story === null ? check(iteration, before) : checkStory(iteration, story, before)
    // Its agent has written nothing: what nobody knows of is the user's.
    if (worker === undefined && repository.lastLogged !== iteration) findUsers(iteration, story, before)
    report({
      kind: 'iteration.ended',
      ...withChecks(
        worker === undefined
          ? endedOf(iteration, story, state(), before.repo)
          : endedApart(iteration, leftPlace(placeOfFlight({ ...flight, story: story! }), iteration), before, []),
        false,
      ),
      exit: 'lost',
      exitCode: null,
      usage: { inputTokens: 0, outputTokens: 0, costUsd: null },
      durationMs: 0,
      outputChars: 0,
    })
  }

  /** The kill may have come before it was ready. */
  const leftPlace = (key: string, iteration: number): Place => {
    const place = places.of(key)
    return place?.iteration === iteration ? place : places.ready(key, iteration, false)
  }

  /** What is cross-examined: of a flip, the tests that changed. */
  const withChecks = (ended: Ended, isTesting: boolean): Ended =>
    ended.flips.length > 0 && (isTesting || ended.findings?.some(({ file }) => file !== undefined))
      ? { ...ended, checks: ['test/a.test.js'] }
      : ended

  /** The current state, after forbidden edits to the plan were corrected. `known`: the plan before the agent; absent: none. */
  const endedOf = (iteration: number, story: StoryId | null, now: State, before: Repo, known?: Plan | null): Ended => {
    repository.takeOut(before.head)
    const astray = repository.comeHome(iteration)
    repository.bringBack()
    const dirty = repository.dirty()
    const taken = now.users.filter((file) => !dirty.includes(file))
    const repo = repository.now()
    const flipped = (repository.plan?.stories ?? [])
      .filter((candidate) => candidate.passes && now.plan?.stories.find(({ id }) => id === candidate.id)?.passes !== true)
      .map((candidate) => candidate.id)
    const wrong = now.policy.pick === 'agent' ? [] : flipped.filter((id) => id !== story)
    const isEdited = known !== undefined && JSON.stringify(known) !== JSON.stringify(repository.plan)
    for (const id of wrong) repository.setStory(id, { passes: false })
    const plan = isEdited ? repository.planCopy() : null
    const flips = now.policy.pick === 'agent' ? flipped : flipped.filter((id) => id === story)
    const findings = repository.findings(
      story !== null && flips.includes(story) ? repository.contentAt(beginningOf(story, now)) : null,
    )
    return anEnd(iteration, {
      repo,
      ...repository.since(before),
      ...(astray === null ? {} : { astray }),
      uncommitted: dirty.filter((file) => !now.users.includes(file)),
      ...(taken.length === 0 ? {} : { taken }),
      ...(findings.length === 0 ? {} : { findings }),
      flips,
      repairs: wrong.map((id) => `${id} was not this iteration's story`),
      ...(plan === null ? {} : { plan }),
    })
  }

  const beginningOf = (story: StoryId, now: State): string | null => {
    const begun = now.stories[story]?.begun
    return begun === undefined ? now.repo.head : begun.commit
  }

  /** The same in its own worktree, where the plan is a copy. */
  const endedApart = (iteration: number, place: Place, now: State, signals: Ended['signals']): Ended => {
    const { story, before, flips } = place
    const { came, went } = doneIn(place)
    // Another agent's, if nothing was done for it and its agent does not mention it.
    if (came.length + went.length === 0 && !signals.some(({ kind }) => kind === 'claimed-done')) flips.delete(story)
    const isPassing = (id: StoryId): boolean => now.plan?.stories.find((each) => each.id === id)?.passes === true
    const wrong = [...flips].filter((id) => id !== story && !isPassing(id))
    for (const id of wrong) flips.delete(id)
    const isFlipped = flips.has(story) && !isPassing(story)
    const findings = place.findings(isFlipped ? place.base.content : null)
    const [committed, left] = [place.last().content, place.work()]
    return anEnd(iteration, {
      repo: place.now(),
      before,
      ...place.since(before),
      ...(place.key === story ? {} : { lines: came.length + went.length }),
      uncommitted: filesOf([...added(committed, left), ...added(left, committed)]),
      ...(findings.length === 0 ? {} : { findings }),
      flips: isFlipped ? [story] : [],
      repairs: wrong.map((id) => `${id} was not this iteration's story`),
    })
  }

  /** Moves the work of a failed story to its branch; safe to repeat. */
  const putAside = (story: StoryId, branch: string, reason: string, now: State): void => {
    const isFailed = state().plan?.stories.find(({ id }) => id === story)?.failed !== undefined
    if (isFailed) repository.mark(story, { failed: { branch, reason, at: now.at } })
    if (isKilledHere()) return
    const isShelved = now.failing?.isShelved === true
    const { isSaved = false, isApart = false, commits = [], candidates = [] } = now.stories[story] ?? {}
    const open = candidates.findIndex(({ isOut }) => !isOut)
    if (!isApart && !repository.hasBranch(branch)) findUsers(now.iteration, story, now)
    const isUnsaved = isShelved && !isSaved && !repository.hasBranch(branch)
    const isKept = !isUnsaved || !random.chance(temper().fails / 3) // git may fail
    if (isUnsaved && isKept) repository.save(story, now.left, now.stories[story]?.begunWith?.users ?? [])
    const moved = isApart
      ? repository.putPlaceAside(placeOfFlight({ story, candidate: open < 0 ? undefined : open + 1 }), branch)
      : repository.putAside(story, branch, isSaved || (isShelved && isKept), commits)
    if (isKilledHere()) return
    const isJammed = moved.how === 'kept' && random.chance(temper().fails)
    report({
      kind: 'story.put-aside',
      story,
      branch: moved.how === 'kept' ? '' : branch,
      ...(isJammed ? { problem: 'a merge is open' } : {}),
      ...moved,
      repo: repository.now(),
    })
  }

  const stop = (iteration: Scope): void => {
    if (iteration === 'whole') learner.stop()
    else {
      if (working.get(iteration)?.isBack === false) end(iteration, 'stopped')
      landings.stop(iteration)
    }
    reviewers.stop(iteration)
    examiners.stop(iteration)
    mutators.stop(iteration)
    hooks.stop(iteration)
    const gates = gating.get(iteration)
    if (gates === undefined) return
    const { name = 'tests', kind = 'command', story } = gates.results.at(-1) ?? {}
    const stopped = aResult(name, false, { kind, ended: 'stopped', exitCode: null, ...(story === undefined ? {} : { story }) })
    gating.set(iteration, { ...gates, results: [...gates.results.slice(0, -1), stopped] })
    endGates(iteration)
  }

  /** Somebody at the terminal is asked before any call is made, unless the gates cannot run at all. */
  const answerAbout = (results: GateResult[]): { asked?: BaselineAnswer } => {
    const { plan, policy } = state()
    const isStopped = results.some(({ ended }) => ended === 'stopped')
    if (policy.baseline !== 'strict' || isStopped || isAllPassed(plan, policy) || !results.some(isRed)) return {}
    if (results.some(isToolMissing)) return {}
    const asked = players.baselineAnswer(state())
    return asked === undefined ? {} : { asked }
  }

  const endGates = (iteration: Scope): void => {
    const gates = gating.get(iteration)
    gating.delete(iteration)
    const isBaseline = baselines.delete(iteration)
    const asked = isBaseline && gates !== undefined ? answerAbout(gates.results) : {}
    const left = isBaseline ? { repo: repository.now(), ...(isInGit(state()) ? { judgedIn: 'clean' as const } : {}) } : {}
    const swapped =
      temper().weakens > 0 && isSwapped(iteration, state()) ? { written: [{ file: 'src/a.js', isBack: true as const }] } : {}
    if (gates !== undefined) report({ kind: 'gates.ended', iteration, ...gates, ...left, ...swapped, ...asked })
  }

  return { perform, lose, putAside }
}
