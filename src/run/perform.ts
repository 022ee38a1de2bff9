/** Carries out each kind of decision, and reports its result. */

import { turns } from '../adapters/process/one-at-a-time.ts'
import { isBaselineCheck } from '../core/decide/gates.ts'
import { endedFlight, judgedFlight, placeOfFlight } from '../core/evolve/flights.ts'
import { Failure } from '../core/failure.ts'
import { isAllPassed } from '../core/plan/stories.ts'
import type { JudgedFlight, State } from '../core/state.ts'
import { scopeOf } from '../core/types/words.ts'
import type { Decision, Report, Reporter, Scope } from '../core/types.ts'
import { putAside } from './failure/put-aside.ts'
import { runIteration } from './iteration/iteration.ts'
import { noteSeen } from './iteration/judge-commit.ts'
import { answerForBranch } from './iteration/own-branch.ts'
import { askAtLimit, requestCall, waitUntil } from './iteration/request-call.ts'
import { restoreOwn } from './iteration/restore-ralph-files.ts'
import { runReview } from './iteration/review.ts'
import { lookAtBaseline, settle } from './iteration/settle.ts'
import { bringBackUsers, keepUsers } from './iteration/users-files.ts'
import { noticed } from './noticed.ts'
import { makeAhead } from './parallel/make-worktree.ts'
import { worldOf } from './parallel/worktree.ts'
import { leavePlace } from './parallel/worktrees.ts'
import type { Deed } from './parts.ts'
import { askAboutBaseline } from './people/ask-baseline.ts'
import { runCheck } from './people/check-accepted.ts'
import { endWithoutAgent } from './preflight/left-by-kill.ts'
import { checkAll } from './proof/held-out.ts'
import { noteGateWrites } from './proof/ignored-files.ts'
import { repoNow } from './repo-now.ts'
import type { World } from './world.ts'

export type Performer = {
  perform(decision: Decision, state: State): void
  /** Settles an iteration that was judged before a kill. */
  settleAgain(flight: JudgedFlight, state: State): void
  /** Puts the work of a failed story aside if a kill came in between. */
  failAgain(failed: Parameters<typeof putAside>[1], state: State): void
  /** Resolves when nothing is running any more. */
  idle(): Promise<void>
  stopAll(): void
}

type Stoppable = Scope | 'wait'

export function performer(world: World, report: Reporter, fault: (error: unknown) => void): Performer {
  const stops = new Map<Stoppable, AbortController>()
  const underWay = new Set<Promise<void>>()
  const start = (deed: () => Promise<void>): void => {
    const promise = deed().catch(fault)
    underWay.add(promise)
    promise.finally(() => underWay.delete(promise))
  }
  /** Also of what has not begun yet: its stop waits for it. */
  const stopOf = (what: Stoppable): AbortController => {
    const controller = stops.get(what) ?? new AbortController()
    stops.set(what, controller)
    return controller
  }
  const pushInTurn = turns()
  const deedOf = (what: Stoppable, state: State): Deed => ({ state, report, stop: stopOf(what).signal })
  /** The end of an action in which other programs ran: first undoes what they did to Ralph's files. */
  const done = async (iteration: Scope, fact: Report): Promise<void> => {
    await restoreOwn(world, iteration, report)
    report(fact)
  }
  const settleFlight = (flight: JudgedFlight, state: State, isAgain: boolean): void =>
    start(async () => {
      const settled = await settle(world, flight, { ...deedOf(flight.iteration, state), isAgain })
      stops.delete(flight.iteration)
      const fact = { kind: 'iteration.settled' as const, iteration: flight.iteration, ...settled }
      // Without a commit of work, neither a hook nor a gate ran: Ralph's own files are committed without them, right after they were restored.
      if (settled.commits.length > 0 || settled.results !== undefined || flight.worker !== undefined)
        await done(flight.iteration, fact)
      else report(fact)
      if (flight.worker !== undefined && flight.story !== null) {
        const place = placeOfFlight({ ...flight, story: flight.story })
        await leave(world, flight.judged.passed.length > 0 ? place : null, report)
      }
      if (flight.judged.passed.length > 0 && world.settings['git.push'] === 'story')
        await pushInTurn(() => pushWork(world, report))
      tidyLogs(world, flight.iteration)
      if (flight.iteration % iterationsPerTidying === 0) world.git?.tidy()
    })

  const failStory = (failed: Parameters<typeof putAside>[1], state: State): void =>
    start(async () =>
      done(scopeOf(state.iteration), { kind: 'story.put-aside', ...(await putAside(world, failed, state, report)) }),
    )

  const perform = (decision: Decision, state: State): void => {
    switch (decision.kind) {
      case 'call.requested':
        return start(() => requestCall(world, decision, { state, report }))
      case 'iteration.started':
        return start(async () => {
          const deed = deedOf(decision.iteration, state)
          const { story, mode } = decision
          if (mode === 'check' && story === null) return report(await endWithoutAgent(world, decision.iteration, deed))
          const work =
            mode === 'check' && story !== null
              ? (place: World) => runCheck(place, { ...decision, story }, deed)
              : (place: World, stop = deed.stop) => runIteration(place, decision, { ...deed, stop })
          const ended =
            decision.worker === undefined || story === null
              ? await work(world)
              : await (await import('./parallel/iteration.ts')).runApart(world, { ...decision, story }, deed, work)
          const fact = { kind: 'iteration.ended' as const, ...ended }
          // The agent's own changes are undone already: only plugins have run since.
          const isUndone = mode !== 'check' && decision.worker === undefined && world.settings['plugins'].length === 0
          if (isUndone) report(fact)
          else await done(decision.iteration, fact)
        })
      case 'iteration.stopping':
        return stopOf(decision.iteration).abort()
      case 'gates.started':
        return start(async () => {
          const here = await worldOf(world, decision.iteration, state)
          const deed = deedOf(decision.iteration, state)
          if (here.place === undefined) await keepUsers(world, deed)
          const flight = endedFlight(state, decision.iteration)
          if (flight !== undefined && !decision.again) noteSeen(here, flight)
          const results = await checkAll(here, decision, deed)
          await restoreOwn(here, decision.iteration, report, gatesOf(decision.iteration))
          if (here.place === undefined) await bringBackUsers(world, decision.iteration, deed)
          const isBaseline = isBaselineCheck(state, decision.iteration)
          if (isBaseline) noteGateWrites(world, { ...state, ...results })
          const left = isBaseline ? await lookAtBaseline(world, state) : {}
          const isOpen = isBaseline && !isAllPassed(state.plan, state.policy)
          const asked = isOpen ? await askAboutBaseline(world, results.results, deed.stop) : undefined
          const answer = asked === undefined ? {} : { asked }
          await done(decision.iteration, { kind: 'gates.ended', iteration: decision.iteration, ...results, ...left, ...answer })
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
      case 'examination.started':
        return start(async () => {
          const { examine } = await import('./proof/examine.ts')
          const here = await worldOf(world, decision.iteration, state)
          const examination = await examine(here, decision.iteration, deedOf(decision.iteration, state))
          await done(decision.iteration, { kind: 'examination.ended', iteration: decision.iteration, ...examination })
        })
      case 'mutants.started':
        return start(async () => {
          const { tryMutants } = await import('./proof/mutants.ts')
          const here = await worldOf(world, decision.iteration, state)
          const mutation = await tryMutants(here, decision, deedOf(decision.iteration, state))
          await done(decision.iteration, { kind: 'mutants.ended', iteration: decision.iteration, ...mutation })
        })
      case 'landing.started':
        return start(async () => {
          const { land } = await import('./parallel/landing.ts')
          const landing = await land(world, decision, deedOf(decision.iteration, state))
          await done(decision.iteration, { kind: 'landing.ended', ...landing })
        })
      case 'learning.started':
      case 'gathering.started':
      case 'skill.started':
      case 'lesson.retired':
      case 'skill.retired':
        return start(async () => {
          const { performLearning } = await import('./learning/perform.ts')
          const ended = await performLearning(world, decision, deedOf('whole', state))
          if (ended !== null) await done(scopeOf(state.iteration), ended)
        })
      case 'worktree.requested':
        return start(async () =>
          report({ kind: 'worktree.ready', story: decision.story, ...(await makeAhead(world, decision.story)) }),
        )
      case 'story.failed':
      case 'story.shelved':
        return failStory(decision, state)
      case 'wait.started':
        return start(() => waitUntil(world.screen, decision, deedOf('wait', state)))
      case 'limit.asked':
        return start(() => askAtLimit(world.ask, decision, deedOf('wait', state)))
      case 'hook.started':
        return start(async () => {
          const { runHook } = await import('./people/hooks.ts')
          const here = await worldOf(world, decision.iteration, state)
          const ended = await runHook(here, decision, deedOf('whole', state))
          if (here.place !== undefined) await restoreOwn(here, decision.iteration, report, `the hook ${decision.hook}`)
          await restoreOwn(world, decision.iteration, report, `the hook ${decision.hook}`)
          const repo = state.flights.length === 0 ? { repo: await repoNow(world) } : {}
          report({ kind: 'hook.ended', ...ended, ...repo })
        })
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

const gatesOf = (iteration: Scope): string => (iteration === 'whole' ? 'the gates' : `the gates of iteration ${iteration}`)

/** Its work is on the branch: its worktree is no longer needed. */
async function leave(world: World, place: string | null, report: Reporter): Promise<void> {
  const kept = await leavePlace(world, place)
  if (kept !== null) report(noticed('worktree-kept', `could not remove the worktree or branch of a landed story: ${kept.error}`))
}

/** While the next iteration works, so without hooks. A kill loses nothing: the next push takes it along. */
async function pushWork({ git, branch }: World, report: Reporter): Promise<void> {
  if (git === null || branch === null) return
  const { pushBranch } = await import('./finish/branch-to-push.ts')
  await pushBranch(git, branch, false).catch((error: unknown) => {
    if (!(error instanceof Failure)) throw error
    report(noticed('push-failed', `${branch} could not be pushed: ${error.message}`))
  })
}

/** Ralph's own commits never make git pack, and an agent need not make any. */
const iterationsPerTidying = 200

/** During the next iteration, and failures do not matter: the next chance comes soon. */
function tidyLogs({ logs, settings }: Pick<World, 'logs' | 'settings'>, iteration: number): void {
  const keep = settings['logs.keep']
  if (iteration > keep) import('../adapters/logs/compress-old.ts').then((old) => old.compressOldLogs(logs, keep)).catch(() => {})
}
