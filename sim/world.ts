/** A seed makes a world: the real loop with simulated hands, killed and resumed, until its runs have ended. */
import { noBudget } from '../src/core/decide/budget.ts'
import { decide } from '../src/core/decide/decide.ts'
import { claimsAmong, isCheckable } from '../src/core/decide/hand-marked.ts'
import { evolve } from '../src/core/evolve/evolve.ts'
import { hasEnded } from '../src/core/evolve/flights.ts'
import { initialState } from '../src/core/evolve/initial.ts'
import { asKnownNow, asLogged } from '../src/core/evolve/older-events.ts'
import { leftAmong } from '../src/core/evolve/users-files.ts'
import { exitCode } from '../src/core/exit-codes.ts'
import { openQuestions } from '../src/core/plan/questions.ts'
import { holderOf } from '../src/core/plan/stories.ts'
import type { State } from '../src/core/state.ts'
import { epochMs } from '../src/core/text/time.ts'
import type { Decision, Event, Outcome, Policy, Report, Story, StoryId } from '../src/core/types.ts'
import { type Loop, startLoop } from '../src/loop.ts'
import { type Players, playersBy } from './agent.ts'
import { startOfTime } from './builders.ts'
import { type Clock, clockFrom } from './clock.ts'
import { ensure, Violation } from './ensure.ts'
import { type Hands, handsOf } from './hands.ts'
import { checkerOf } from './invariants.ts'
import { type Random, randomFrom } from './random.ts'
import { agentsFile, type Repository, repositoryWith } from './repository.ts'
import { calm, type Scenario, scenarioOf } from './scenario.ts'
import { requestOf } from './user.ts'

export type Journey = { log: string[]; outcomes: Outcome[]; exits: number[]; kills: number; iterations: number }

/** More steps than this in one run mean that it would never end. */
const maxSteps = 3000

/** One process of Ralph: from its start until the run has ended or it was killed. */
type Life = { isAlive: boolean; loop: Loop; hands: Hands; fault: unknown }

export function journeyOf(seed: number, watch: (event: Event) => void = () => {}): Promise<Journey> {
  const random = randomFrom(seed)
  return worldOf({ scenario: scenarioOf(random), random, watch }).travel()
}

/** `script`: plays instead of chance, decides whether Ralph is killed at a possible point, and gets the reports of its hands. */
type Stage = { scenario: Scenario; random: Random; watch(event: Event): void; script?: Script }
export type Script = {
  players(clock: Clock, tell: (fact: Report) => void): Players
  isKillDue(): boolean
  hears(fact: Report): Report
}

export type SimulatedWorld = { repository: Repository; oneRun(name: string): Promise<State>; travel(): Promise<Journey> }

export function worldOf({ scenario, random, watch, script }: Stage): SimulatedWorld {
  const repository = repositoryWith(scenario.plan, scenario.hasGit)
  const clock = clockFrom(epochMs(startOfTime))
  const checker = checkerOf(repository)
  const log: string[] = []
  let fold = { lines: 0, state: initialState }
  const outcomes: Outcome[] = []
  const exits: number[] = []
  const inbox: Report[] = []
  let { policy, temper, kills } = scenario
  let killed = 0
  let requests = 0
  let life: Life | null = null
  let run = ''
  /** Marked done by the user after a kill, and recognised as such. */
  const byHand = new Set<StoryId>()
  let pointsLeft = Number.POSITIVE_INFINITY
  const tell = (fact: Report): void => {
    inbox.push(fact)
    readInbox()
  }
  const players = script?.players(clock, tell) ?? playersBy(random, () => temper)

  const write = (events: Event[]): void => {
    for (const event of events) {
      log.push(JSON.stringify(asLogged(event)))
      watch(event)
      checker.see(event)
      // In one step with its decision: no kill comes in between.
      if (event.kind === 'iteration.started' && event.saves) save(event.story)
    }
  }

  const save = (story: StoryId | null): void => {
    const { left, stories } = checker.state()
    if (story === null) repository.save(null, [], [])
    else repository.save(story, left, stories[story]?.begunWith?.users ?? [])
  }

  const isWritten = (decision: Decision): boolean =>
    log.slice(-5).some((line) => line.endsWith(JSON.stringify(asLogged(decision)).slice(1)))

  /** Counts the possible points for a kill; kills at the chosen one. */
  const isKilledHere = (): boolean => {
    if (life === null || !life.isAlive || !(script?.isKillDue() ?? --pointsLeft <= 0)) return false
    life.isAlive = false
    kills--
    killed++
    pointsLeft = Number.POSITIVE_INFINITY
    return true
  }

  /** The state as the next process will find it. What was folded once is not folded again: nothing of the log ever changes. */
  const folded = (): State => {
    const added = log.slice(fold.lines).map((line) => asKnownNow(JSON.parse(line) as Event))
    fold = { lines: log.length, state: added.reduce(evolve, fold.state) }
    return fold.state
  }

  const beginLife = (state: State): Life => {
    pointsLeft = kills > 0 && random.chance(0.8) ? random.int(1, 70) : Number.POSITIVE_INFINITY
    const hands = handsOf({
      random,
      clock,
      repository,
      temper: () => temper,
      players,
      gatesMs: scenario.gatesMs,
      isAlive: () => begun.isAlive,
      state: () => begun.loop.state(),
      report: (fact) => begun.loop.report(script?.hears(fact) ?? fact),
      isKilledHere,
    })
    const begun: Life = { isAlive: true, hands, fault: undefined, loop: undefined as unknown as Loop }
    begun.loop = startLoop(state, {
      run,
      now: clock.now,
      append(events) {
        const isTorn = isKilledHere()
        write(isTorn ? events.slice(0, random.int(0, events.length)) : events)
        if (isTorn) throw new Killed()
      },
      perform(decision: Decision, now: State) {
        if (isKilledHere()) throw new Killed()
        ensure(isWritten(decision), 'a decision is written before it is carried out', () => decision.kind)
        hands.perform(decision, now)
        if (decision.kind === 'run.paused') sendLater({ kind: 'resume.requested', id: `wake-${clock.nowMs()}` }, 3_600_000)
      },
      show() {
        if (isKilledHere()) throw new Killed()
      },
    })
    begun.loop.ended.catch((error: unknown) => {
      if (!(error instanceof Killed)) begun.fault = error
    })
    life = begun
    return begun
  }

  /** The user may run it with another number of workers. */
  const otherWorkers = (): void => {
    if (random.chance(0.15)) policy = { ...policy, workers: random.int(1, 3) }
  }

  const start = (): void => {
    const begun = beginLife(folded())
    const repo = repository.now()
    const dirty = repository.dirty()
    const left = leftAmong(begun.loop.state(), dirty, repository.committedSince(begun.loop.state().repo))
    const plan = repository.planCopy()
    const branch = scenario.hasGit ? { branch: 'main' } : {}
    begun.loop.report({
      kind: 'run.started',
      log: 1,
      feature: 'x',
      plan,
      policy,
      repo,
      dirty,
      ...(left.length === 0 ? {} : { left }),
      ...branch,
      pid: 1,
    })
    readInbox()
  }

  /** What the program does after a kill: fold the log, say so, report what was lost, finish what was judged. */
  const resume = (): void => {
    checker.newLife()
    const state = folded()
    ensure(JSON.stringify(state) === JSON.stringify(checker.state()), 'the log gives the state back after a kill')
    if (state.run !== run) {
      start() // not even the first line was written
      return
    }
    if (state.outcome !== undefined) return
    otherWorkers()
    const begun = beginLife(state)
    const plan = repository.planCopy()
    const claims = putBackStrays(state)
    byHand.clear()
    const marked = claims.length === 0 ? {} : { claims }
    begun.loop.report({ kind: 'run.resumed', log: 1, plan, policy, repo: state.repo, pid: 2, ...marked })
    for (const flight of state.flights) {
      if (!begun.isAlive) return
      if (!hasEnded(flight)) begun.hands.lose(flight, state)
      else if (flight.phase === 'judged') begun.hands.perform(flight.judged, state)
    }
    if (!begun.isAlive) return
    if (state.failing !== undefined) begun.hands.putAside(state.failing.story, state.failing.branch, 'again', state)
    if (!begun.isAlive) return
    readInbox()
  }

  /** A pass in the file without a receipt that no iteration in flight can have left: set back, and checked if it counts as the user's word. */
  const putBackStrays = (state: State): StoryId[] => {
    const strays = (repository.plan?.stories ?? []).filter(({ id, passes }) => {
      const isLeft = state.flights.some(
        (flight) =>
          flight.worker === undefined &&
          (hasEnded(flight) ? flight.ended.flips.includes(id) : flight.story === null || flight.story === id),
      )
      return passes && state.stories[id]?.receipt === undefined && !isLeft
    })
    const claims = claimsAmong(
      state,
      { policy, plan: repository.plan },
      strays.map(({ id }) => id),
      (id) => byHand.has(id),
    )
    const isGiven = (id: StoryId): boolean => claims.includes(id) && !isCheckable(policy, repository.plan, id)
    for (const { id } of strays) if (!isGiven(id)) repository.setStory(id, { passes: false })
    return claims
  }

  const readInbox = (): void => {
    while (life?.isAlive && life.loop.state().outcome === undefined && inbox.length > 0) {
      const fact = inbox[0]!
      if (fact.kind === 'story.skipped') repository.mark(fact.story, { skip: true })
      if (fact.kind === 'story.retried') repository.mark(fact.story, { skip: false, failed: undefined })
      life.loop.report(fact)
      if (life.isAlive) inbox.shift() // killed before: it is found again
    }
  }

  const sendLater = (fact: Report, withinMs: number): void => {
    clock.after(random.int(1, withinMs), () => tell(fact))
  }

  /** The user edits the plan file while nothing is in flight, or makes a request through the inbox. */
  const plan = (acts: number): void => {
    for (let i = 0; i < acts; i++) {
      clock.after(random.int(1, 7_200_000), () => {
        if (random.chance(0.2)) {
          editPlan()
          return
        }
        if (random.chance(scenario.userWrites) && !isAgentHere()) repository.userAdds()
        const fact = requestOf(random, `u${++requests}`, repository, { busy: busyStories(), stories: checker.state().stories })
        if ('id' in fact && random.chance(0.2)) sendLater(fact, 600_000) // the same once more
        tell(fact)
      })
    }
  }

  /** The user's own changes, while no run could take them for an agent's. */
  const userWrites = (): void => {
    if (random.chance(scenario.userWrites)) repository.userWrites(random.chance(0.2), false)
    if (random.chance(scenario.userWrites / 3)) repository.userCommits()
    if (random.chance(scenario.userWrites / 3)) repository.userRewinds()
  }

  /** In the project itself: what is written while an agent works, or its work moves, could be anybody's. */
  const isAgentHere = (): boolean => {
    const { flights, failing } = checker.state()
    return failing !== undefined || flights.some((flight) => flight.worker === undefined && !hasEnded(flight))
  }

  const busyStories = (): StoryId[] =>
    (life?.loop.state().flights ?? []).map((flight) => flight.story).filter((story) => story !== null)

  const editPlan = (): void => {
    if (!life?.isAlive || life.loop.state().outcome !== undefined || life.loop.state().flights.length > 0) return
    if (repository.plan === null) return
    const story = random.pick(repository.plan.stories)
    if (random.chance(0.5)) repository.setStory(story.id, { priority: random.int(1, 4) })
    else {
      repository.setStory(story.id, { passes: !story.passes })
      checker.userSetPass(story.id, story.passes)
    }
    life.loop.report({ kind: 'plan.changed', plan: repository.planCopy()! })
  }

  /** The user continues where the run was killed, and marks a story as done. */
  const finishByHand = (): void => {
    const open = repository.plan?.stories.filter(({ passes, failed }) => !passes && !failed) ?? []
    if (open.length === 0) return
    const { id } = random.pick(open)
    repository.setStory(id, { passes: true })
    if (random.chance(0.8)) byHand.add(id) // if nobody saw the run die, it could be anybody's mark
  }

  const oneRun = async (name: string): Promise<State> => {
    run = name
    checker.newLife()
    otherWorkers()
    start()
    for (let steps = 0; checker.state().run !== run || checker.state().outcome === undefined; steps++) {
      await null // lets a bug of the loop surface
      if (life?.fault !== undefined) throw life.fault
      if (life?.isAlive === false) {
        life = null
        if (random.chance(scenario.userWrites)) repository.userWrites(random.chance(0.5), isAgentHere()) // nobody watched meanwhile
        if (random.chance(scenario.userWrites / 2)) finishByHand()
        clock.after(random.int(1_000, 7_200_000), resume)
      } else if (life !== null) {
        ensure(decide(life.loop.state()).length === 0, 'the core has nothing to add to its own answers')
        checker.mayWait()
      }
      ensure(steps < maxSteps, 'a run ends within bounded steps')
      ensure(clock.step(), 'a run never hangs')
    }
    await null
    if (life?.fault !== undefined) throw life.fault
    const state = checker.state()
    if (life?.isAlive)
      ensure(JSON.stringify(life.loop.state()) === JSON.stringify(state), 'the fold of the log is the live state')
    ensure(JSON.stringify(folded()) === JSON.stringify(state), 'the log read back gives the live state')
    if (life !== null) life.isAlive = false
    outcomes.push(state.outcome!.outcome)
    exits.push(exitCode(state.outcome!.outcome, state.stop))
    return state
  }

  /** What a person does after a run has stopped, with commands that write to the log themselves. */
  const tidyUp = (isThorough: boolean): void => {
    const say = (fact: Report): void => write([{ at: clock.now(), run, ...fact }])
    const wants = (): boolean => isThorough || random.chance(0.7)
    const state = checker.state()
    if (state.blocked !== undefined && wants()) say({ kind: 'unblocked', note: random.pick(['', 'the key is there now']) })
    for (const { story } of openQuestions(state))
      if (wants())
        say({ kind: 'question.answered', text: random.pick(['A', 'yes', 'accept']), ...(random.chance(0.5) ? { story } : {}) })
    if (isThorough || (state.breaker.state !== 'closed' && wants())) say({ kind: 'breaker.reset' })
    for (const { id, failed } of state.plan?.stories ?? []) if (failed !== undefined && wants()) retry(id)
  }

  const retry = (story: StoryId): void => {
    repository.mark(story, { skip: false, failed: undefined })
    write([{ at: clock.now(), run, kind: 'story.retried', story }])
  }

  /** Faults off: an honest agent and passable gates must finish every story. */
  const live = async (): Promise<void> => {
    inbox.length = 0
    clock.forget()
    tidyUp(true)
    repository.isCalm = true
    temper = calm
    kills = 0
    // Ralph never commits the user's uncommitted files: a fix in the same file would never be on the branch.
    const { users, left } = checker.state()
    const isUsers = users.includes(agentsFile) || (repository.dirty().includes(agentsFile) && !left.includes(agentsFile))
    if (isUsers) repository.userCommits()
    // Nobody is there to be asked, and what is suspicious stays in the content.
    const { proof } = policy
    const asksNobody = proof?.suspicion === 'ask' ? { proof: { ...proof, suspicion: 'reserve' as const } } : {}
    policy = { ...policy, only: undefined, onLimit: 'wait', ...asksNobody } satisfies Policy
    const first = await calmRun('calm')
    const stuck = unmovedStory(first)
    if (stuck !== null) repository.setStory(stuck, { skip: false })
    const retried = [...(stuck === null ? [] : [stuck]), ...failedUntried(first)]
    for (const story of retried) retry(story)
    if (retried.length > 0) await calmRun('retried')
    const { outcome, because } = checker.state().outcome!
    ensure(outcome === 'complete', 'without faults a run completes', () => `${outcome}: ${because}`)
  }

  /** Earlier runs ended between the last failure that a story may have and the decision to fail it: only a person can give it another attempt. */
  const failedUntried = ({ plan, stories }: State): StoryId[] => {
    const tried = (id: StoryId): boolean =>
      log.some((line) => line.includes('"run":"calm","kind":"iteration.started"') && line.includes(`"story":"${id}"`))
    return (plan?.stories ?? [])
      .filter(({ id, failed }) => failed !== undefined && (stories[id]?.failedAttempts ?? 0) > 0 && !tried(id))
      .map(({ id }) => id)
  }

  const calmRun = async (name: string): Promise<State> => {
    // A story whose commits the user removed from the branch is done again.
    const isGone = (id: StoryId): boolean => !repository.isOnBranch(checker.state().stories[id]?.receipt?.commits ?? [])
    const todo = repository.plan?.stories.filter(({ id, passes }) => !passes || isGone(id))
    const candidatesOf = ({ id, bestOf = 1 }: Story): number =>
      Math.max(bestOf, checker.state().stories[id]?.candidates?.length ?? 1)
    const open = todo?.reduce((sum, story) => sum + candidatesOf(story), 0) ?? 1
    const limits = { maxIterations: open + 2, maxStuck: 2, maxAttempts: 99, storyMs: { soft: 0, hard: 0 }, budget: noBudget }
    policy = { ...policy, ...limits } satisfies Policy
    const state = await oneRun(name)
    ensure(state.used <= open + 1, 'without faults each story takes one iteration', () => `${state.used} for ${open}`)
    return state
  }

  return {
    repository,
    oneRun,
    async travel() {
      try {
        for (let i = 1; i <= scenario.runs; i++) {
          userWrites()
          plan(scenario.userActs)
          await oneRun(`r${i}`)
          clock.pass(random.chance(0.1) ? 100_000_000 : random.int(1, 7_200_000))
          tidyUp(false)
        }
        await live()
      } catch (error) {
        if (error instanceof Violation) throw error
        throw new Violation(`fault: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`)
      }
      return { log, outcomes, exits, kills: killed, iterations: checker.state().iteration }
    },
  }
}

class Killed extends Error {}

/** Skipped before the run, with work that cannot be moved to a branch: the run says so and ends, and only a person can decide. */
function unmovedStory(state: State): StoryId | null {
  const { unmoved, used, plan } = state
  const holder = unmoved === undefined || used > 0 ? null : holderOf(state)
  return plan?.stories.some(({ id, skip }) => id === holder && skip) === true ? holder : null
}
