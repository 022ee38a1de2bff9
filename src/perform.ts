/** Decision to deed: each kind of decision is carried out here, and its end comes back as a report. */
import { askForCall } from './adapters/calls.ts'
import { runGate } from './adapters/gates.ts'
import type { Flight, State } from './core/state.ts'
import { longestTimerMs, msBetween } from './core/time.ts'
import type { Decision, EventOf, Gate, GateResult, Report } from './core/types.ts'
import { logPath, runIteration } from './run/iteration.ts'
import { commitOwnFiles, settle } from './run/settle.ts'
import { runTag, type World } from './run/world.ts'

export type Performer = {
  perform(decision: Decision, state: State): void
  /** Settles an iteration that was judged before a kill. */
  settleAgain(flight: Flight, state: State): void
  /** Resolves when nothing is under way any more. */
  idle(): Promise<void>
  stopAll(): void
}

export function performer(world: World, report: (report: Report) => void, fault: (error: unknown) => void): Performer {
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
  const settleFlight = (flight: Flight, judged: EventOf<'iteration.judged'>, state: State, isAgain: boolean): void =>
    start(async () => {
      const settled = await settle(world, flight, judged, state, report, isAgain)
      stops.delete(flight.iteration)
      report({ kind: 'iteration.settled', iteration: flight.iteration, ...settled })
    })

  const perform = (decision: Decision, state: State): void => {
    switch (decision.kind) {
      case 'call.requested':
        return start(() => requestCall(world, decision, report))
      case 'iteration.started':
        return start(async () => {
          const ended = await runIteration(world, decision, state, report, stopFor(decision.iteration))
          report({ kind: 'iteration.ended', ...ended })
        })
      case 'iteration.stopping':
        return stops.get(decision.iteration)?.abort()
      case 'gates.started':
        return start(async () => {
          const results = await runGates(world, decision.iteration, decision.gates, stopFor(decision.iteration))
          if (decision.iteration > 0) await undoGateEdits(world, decision.iteration, report)
          report({ kind: 'gates.ended', iteration: decision.iteration, results })
        })
      case 'iteration.judged': {
        const flight = state.flights.find((candidate) => candidate.iteration === decision.iteration)
        if (flight?.judged) settleFlight(flight, flight.judged, state, false)
        return
      }
      case 'story.failed':
        return start(async () => {
          await world.plan.setFailed(decision.story, { branch: '', reason: decision.because, at: state.at })
          await commitOwnFiles(world, `chore(ralph): ${decision.story} failed`, report)
        })
      case 'wait.started':
        return start(() => wait(world, decision, state, report, stopFor(-1)))
      case 'limit.asked':
        return start(() => askAtLimit(world, decision, report, stopFor(-1)))
      case 'budget.warned':
      case 'breaker.changed':
      case 'run.paused':
      case 'run.ended':
        return // the views show them; the command ends the run
    }
  }
  return {
    perform,
    settleAgain: (flight, state) => flight.judged && settleFlight(flight, flight.judged, state, true),
    idle: async () => {
      while (underWay.size > 0) await Promise.all(underWay)
    },
    stopAll: () => {
      for (const controller of stops.values()) controller.abort()
    },
  }
}

/** Edits of the user are taken up before the next story is chosen; then rate and usage limits are asked. */
async function requestCall(
  world: World,
  decision: Extract<Decision, { kind: 'call.requested' }>,
  report: (report: Report) => void,
): Promise<void> {
  const edits = await world.plan.userEdits()
  if (edits !== null && 'plan' in edits) report({ kind: 'plan.changed', plan: edits.plan })
  if (edits !== null && 'problem' in edits)
    report({ kind: 'noticed', what: 'plan-unreadable', detail: edits.problem, tell: false })
  const answer = askForCall(world.home, {
    limitPerHour: world.settings['defaults.rate_limit_per_hour'],
    agent: decision.agent,
    now: world.now(),
  })
  if (answer.granted) report({ kind: 'call.granted', call: decision.call })
  else report({ kind: 'call.refused', call: decision.call, until: answer.until, by: answer.by })
}

async function runGates(world: World, iteration: number, gates: Gate[], stop: AbortSignal): Promise<GateResult[]> {
  const results: GateResult[] = []
  const [, hardMinutes] = world.settings['gates.tests_minutes']
  for (const gate of gates) {
    world.screen.gate(gate)
    const result = await runGate(gate, {
      cwd: world.root,
      env: world.env,
      tag: runTag(world, iteration),
      timeoutMs: hardMinutes! * world.settings['defaults.timeout_multiplier'] * 60_000,
      graceMs: world.settings['process.grace_seconds'] * 1000,
      keep: world.settings['process.keep'],
      logPath: logPath(world, iteration),
      mask: world.mask,
      stop,
    })
    results.push(gate.story === undefined ? result : { ...result, story: gate.story })
    if (result.ended === 'stopped') break
  }
  return results
}

/** A gate says whether a story passes; it does not write it into the plan. */
async function undoGateEdits(world: World, iteration: number, report: (report: Report) => void): Promise<void> {
  const copy = await world.plan.gateEdits(iteration)
  if (copy === null) return
  const where = copy === '' ? '' : ` (the copy is in ${world.label}/${copy})`
  report({
    kind: 'noticed',
    what: 'plan-restored',
    detail: `the plan was changed while the gates of iteration ${iteration} ran, and was put back${where}`,
    tell: true,
  })
}

/** Half a minute to answer: whoever is not there does not want to wait for somebody who is. */
async function askAtLimit(
  world: World,
  decision: Extract<Decision, { kind: 'limit.asked' }>,
  report: (report: Report) => void,
  stop: AbortSignal,
): Promise<void> {
  const until = decision.until === undefined ? 'for an hour' : `until ${decision.until}`
  const answer = await world.ask(`${decision.because}. Wait ${until}, or end here?`, { w: 'wait', e: 'end' }, 30_000, stop)
  if (stop.aborted) return
  if (answer === null) report({ kind: 'limit.answered', choice: 'exit', by: 'silence' })
  else report({ kind: 'limit.answered', choice: answer === 'w' ? 'wait' : 'exit', by: 'user' })
}

function wait(
  world: World,
  decision: Extract<Decision, { kind: 'wait.started' }>,
  state: State,
  report: (report: Report) => void,
  stop: AbortSignal,
): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  world.screen.waiting(decision.until, decision.because)
  const over = (): void => {
    clearTimeout(timer)
    stop.removeEventListener('abort', over)
    world.screen.waiting(null, '')
    if (!stop.aborted) report({ kind: 'wait.ended' })
    resolve()
  }
  // Where that is too short, the call is refused and waited for once more.
  const timer = setTimeout(over, Math.min(longestTimerMs, Math.max(0, msBetween(state.at, decision.until))))
  stop.addEventListener('abort', over)
  return promise
}
