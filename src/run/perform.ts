/** Decision to deed: each kind of decision is carried out here, and its end comes back as a report. */
import { askForCall } from '../adapters/project/rate-limit.ts'
import { isBaselineCheck } from '../core/decide/gates.ts'
import { endedFlight, judgedFlight } from '../core/evolve/flights.ts'
import { isAnybodyAtWork } from '../core/plan/questions.ts'
import type { JudgedFlight, State } from '../core/state.ts'
import { longestTimerMs, msBetween } from '../core/text/time.ts'
import type { Decision, Report, Reporter, StoryId } from '../core/types.ts'
import { putAside } from './failure/put-aside.ts'
import { runGates } from './iteration/gates.ts'
import { runIteration } from './iteration/iteration.ts'
import { judgedWithout, noteSeen } from './iteration/judge-commit.ts'
import { answerForBranch } from './iteration/own-branch.ts'
import { restoreOwn } from './iteration/restore-files.ts'
import { runReview } from './iteration/review.ts'
import { lookAtBaseline, settle } from './iteration/settle.ts'
import { bringBackUsers, keepUsers } from './iteration/users-files.ts'
import { worldOf } from './parallel/worktree.ts'
import { leavePlace } from './parallel/worktrees.ts'
import type { Deed } from './parts.ts'
import { checked } from './preflight/resume.ts'
import type { World } from './world.ts'

export type Performer = {
  perform(decision: Decision, state: State): void
  /** Settles an iteration that was judged before a kill. */
  settleAgain(flight: JudgedFlight, state: State): void
  /** Puts the work of a failed story aside where a kill came between. */
  failAgain(failed: Parameters<typeof putAside>[1], state: State): void
  /** Resolves when nothing is under way any more. */
  idle(): Promise<void>
  stopAll(): void
}

export function performer(world: World, report: Reporter, fault: (error: unknown) => void): Performer {
  const stops = new Map<number, AbortController>()
  const underWay = new Set<Promise<void>>()
  const start = (deed: () => Promise<void>): void => {
    const promise = deed().catch(fault)
    underWay.add(promise)
    promise.finally(() => underWay.delete(promise))
  }
  const stopFor = (iteration: number): AbortSignal => {
    const controller = stops.get(iteration) ?? new AbortController()
    stops.set(iteration, controller)
    return controller.signal
  }
  const deedOf = (iteration: number, state: State): Deed => ({ state, report, stop: stopFor(iteration) })
  /** The end of a deed in which other programs ran: what they did to our files is undone first. */
  const done = async (iteration: number, fact: Report): Promise<void> => {
    await restoreOwn(world, iteration, report)
    report(fact)
  }
  const settleFlight = (flight: JudgedFlight, state: State, isAgain: boolean): void =>
    start(async () => {
      const settled = await settle(world, flight, { ...deedOf(flight.iteration, state), isAgain })
      stops.delete(flight.iteration)
      await done(flight.iteration, { kind: 'iteration.settled', iteration: flight.iteration, ...settled })
      if (flight.worker !== undefined) await leave(world, flight.judged.passed.length > 0 ? flight.story : null, report)
      tidyLogs(world, flight.iteration)
      if (flight.iteration % iterationsPerTidying === 0) world.git?.tidy()
    })

  const failStory = (failed: Parameters<typeof putAside>[1], state: State): void =>
    start(async () => done(state.iteration, { kind: 'story.put-aside', ...(await putAside(world, failed, state, report)) }))

  const perform = (decision: Decision, state: State): void => {
    switch (decision.kind) {
      case 'call.requested':
        return start(() => requestCall(world, decision, state, report))
      case 'iteration.started':
        return start(async () => {
          const deed = deedOf(decision.iteration, state)
          const { story } = decision
          if (decision.mode === 'check') return report(await checked(world, decision.iteration, deed))
          const ended =
            decision.worker === undefined || story === null
              ? await runIteration(world, decision, deed)
              : await (await import('./parallel/iteration.ts')).runApart(world, { ...decision, story }, deed)
          await done(decision.iteration, { kind: 'iteration.ended', ...ended })
        })
      case 'iteration.stopping':
        return stops.get(decision.iteration)?.abort()
      case 'gates.started':
        return start(async () => {
          const here = await worldOf(world, decision.iteration, state)
          const deed = deedOf(decision.iteration, state)
          if (here.place === undefined) await keepUsers(world, deed)
          const flight = endedFlight(state, decision.iteration)
          if (flight !== undefined) noteSeen(here, flight)
          const seen = await runGates(here, decision.iteration, decision.gates, deed)
          const results = await judgedWithout(here, decision, seen, deed)
          await restoreOwn(here, decision.iteration, report, gatesOf(decision.iteration))
          if (here.place === undefined) await bringBackUsers(world, decision.iteration, deed)
          const left = isBaselineCheck(state, decision.iteration) ? await lookAtBaseline(world, state) : {}
          await done(decision.iteration, { kind: 'gates.ended', iteration: decision.iteration, results, ...left })
        })
      case 'iteration.judged': {
        const flight = judgedFlight(state, decision.iteration)
        if (flight !== undefined) settleFlight(flight, state, false)
        return
      }
      case 'review.started':
        return start(async () => {
          const here = await worldOf(world, decision.iteration, state)
          const ended = await runReview(here, decision, deedOf(decision.iteration, state))
          await done(decision.iteration, { kind: 'review.ended', ...ended })
        })
      case 'landing.started':
        return start(async () => {
          const { land } = await import('./parallel/landing.ts')
          const landing = await land(world, decision, deedOf(decision.iteration, state))
          await done(decision.iteration, { kind: 'landing.ended', ...landing })
        })
      case 'learning.started':
        return start(async () => {
          const { runLearning } = await import('./learning/learn.ts')
          const learning = await runLearning(world, decision, deedOf(0, state))
          await done(state.iteration, { kind: 'learning.ended', ...learning })
        })
      case 'gathering.started':
        return start(async () => {
          const { commitLearned, gatherAll } = await import('./learning/gather.ts')
          const { due, ...gathered } = await gatherAll(world)
          const what = decision.patterns ? { patterns: decision.patterns, due: [] } : { due }
          const repo = await commitLearned(world, state.users, report)
          await done(state.iteration, { kind: 'gathering.ended', ...gathered, ...what, repo })
        })
      case 'skill.started':
        return start(async () => {
          const [{ runSkill }, { commitLearned, nameSkills }] = await Promise.all([
            import('./learning/learn.ts'),
            import('./learning/gather.ts'),
          ])
          const ended = await runSkill(world, decision, deedOf(0, state))
          const problems = await nameSkills(world.root, world.settings['learn.skill_threshold'])
          for (const detail of problems) report({ kind: 'noticed', what: 'skills-unnamed', detail, tell: false })
          const repo = await commitLearned(world, state.users, report)
          await done(state.iteration, { kind: 'skill.ended', ...ended, repo })
        })
      case 'lesson.retired':
        return start(async () => {
          const { markLesson } = await import('../adapters/learning/learnings.ts')
          await markLesson(world.root, decision.lesson, 'retired').catch((error: Error) =>
            report({
              kind: 'noticed',
              what: 'lesson-unmarked',
              detail: `${decision.lesson} could not be marked: ${error.message}`,
              tell: false,
            }),
          )
          world.lessons.known = null
        })
      case 'skill.retired':
        return start(async () => {
          const [{ retireSkill }, { commitLearned }] = await Promise.all([
            import('../adapters/learning/skills.ts'),
            import('./learning/gather.ts'),
          ])
          const { problem, path } = retireSkill(world.root, decision.skill, decision.because)
          if (problem !== undefined) report({ kind: 'noticed', what: 'skill-stays', detail: `${path} ${problem}`, tell: false })
          const nothing = { usage: { inputTokens: 0, outputTokens: 0, costUsd: 0 }, durationMs: 0 }
          const repo = await commitLearned(world, state.users, report)
          await done(state.iteration, {
            kind: 'skill.ended',
            category: decision.skill,
            agent: '',
            path,
            isNew: false,
            isRetired: true,
            ...nothing,
            repo,
          })
        })
      case 'story.failed':
      case 'story.shelved':
        return failStory(decision, state)
      case 'wait.started':
        return start(() => wait(world.screen, decision, deedOf(-1, state)))
      case 'limit.asked':
        return start(() => askAtLimit(world, decision, report, stopFor(-1)))
      case 'branch.asked':
        return start(async () => report({ kind: 'branch.answered', ...(await answerForBranch(world, state)) }))
      case 'budget.warned':
      case 'story.slow':
      case 'breaker.changed':
      case 'run.paused':
      case 'run.ended':
        return // the views show them; the command ends the run
    }
  }
  return {
    perform,
    failAgain: (failed, state) => failStory(failed, state),
    settleAgain: (flight, state) => settleFlight(flight, state, true),
    idle: async () => {
      while (underWay.size > 0) await Promise.all(underWay)
    },
    stopAll: () => {
      for (const controller of stops.values()) controller.abort()
    },
  }
}

const gatesOf = (iteration: number): string => (iteration === 0 ? 'the gates' : `the gates of iteration ${iteration}`)

/** Its work is on the branch: its worktree has done its duty. */
async function leave(world: World, story: StoryId | null, report: Reporter): Promise<void> {
  const kept = await leavePlace(world, story)
  if (kept !== null)
    report({
      kind: 'noticed',
      what: 'worktree-kept',
      detail: `a worktree of a story that has landed, or its branch, could not be removed: ${kept.error}`,
      tell: false,
    })
}

/** Our own commits never make git pack, and an agent need not make any. */
const iterationsPerTidying = 200

/** Beside the next iteration, and at no cost if it fails: the next time comes soon. */
function tidyLogs({ logs, settings }: World, iteration: number): void {
  const keep = settings['logs.keep']
  if (iteration > keep) import('../adapters/logs/compress-old.ts').then((old) => old.compressOldLogs(logs, keep)).catch(() => {})
}

/**
 * Edits of the user, to the plan and to decide.txt, are taken up before the next story is chosen: where nobody is at work they are the
 * user's, and else they could be anybody's. Then rate and usage limits are asked.
 */
async function requestCall(
  world: World,
  decision: Extract<Decision, { kind: 'call.requested' }>,
  state: State,
  report: Reporter,
): Promise<void> {
  if (isAnybodyAtWork(state)) await restoreOwn(world, state.iteration, report)
  else await takeEdits(world, state, report)
  const answer = world.leash
    ? await world.leash.ask(decision.agent, world.now)
    : askForCall(world.home, {
        limitPerHour: world.settings['defaults.rate_limit_per_hour'],
        agent: decision.agent,
        now: world.now,
      })
  if (answer === null) return // its worker has lost the lease: the run is being ended
  if (answer.granted && answer.note !== undefined)
    report({ kind: 'noticed', what: 'calls-restarted', detail: answer.note, tell: false })
  if (answer.granted) report({ kind: 'call.granted', call: decision.call })
  else report({ kind: 'call.refused', call: decision.call, until: answer.until, by: answer.by })
}

async function takeEdits(world: World, state: State, report: Reporter): Promise<void> {
  const edits = await world.plan.userEdits()
  if (edits !== null && 'plan' in edits) report({ kind: 'plan.changed', plan: edits.plan })
  if (edits !== null && 'problem' in edits)
    report({ kind: 'noticed', what: 'plan-unreadable', detail: edits.problem, tell: false })
  for (const typed of world.own.decide.typed(state)) report(typed)
}

/** Half a minute to answer: whoever is not there does not want to wait for somebody who is. */
const atLimit = { keys: { w: 'wait', e: 'end' }, timeoutMs: 30_000 }

async function askAtLimit(
  world: World,
  decision: Extract<Decision, { kind: 'limit.asked' }>,
  report: Reporter,
  stop: AbortSignal,
): Promise<void> {
  const until = decision.until === undefined ? 'for an hour' : `until ${decision.until}`
  const answer = await world.ask(`${decision.because}. Wait ${until}, or end here?`, atLimit, stop)
  if (stop.aborted) return
  if (answer === null) report({ kind: 'limit.answered', choice: 'exit', by: 'silence' })
  else report({ kind: 'limit.answered', choice: answer === 'w' ? 'wait' : 'exit', by: 'user' })
}

function wait(
  screen: World['screen'],
  decision: Extract<Decision, { kind: 'wait.started' }>,
  { state, report, stop }: Deed,
): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  screen.waiting(decision.until, decision.because)
  const over = (): void => {
    clearTimeout(timer)
    stop.removeEventListener('abort', over)
    screen.waiting(null, '')
    if (!stop.aborted) report({ kind: 'wait.ended' })
    resolve()
  }
  // Where that is too short, the call is refused and waited for once more.
  const timer = setTimeout(over, Math.min(longestTimerMs, Math.max(0, msBetween(state.at, decision.until))))
  stop.addEventListener('abort', over)
  return promise
}
