/** Watches a running call: circles, silence, budgets and the context window. It may end the call early. */

import { envelopesNow, limitsIn, openSpending } from '../../adapters/project/spending.ts'
import { budgetsOf, envelopeWords } from '../../core/decide/budget.ts'
import { withPrice } from '../../core/figures/price.ts'
import type { Entry, Transcript } from '../../core/reading/transcript.ts'
import { circling, emptyWatch, watchAfter } from '../../core/reading/watch.ts'
import { longestTimerMs, sayDuration } from '../../core/text/time.ts'
import type { Scope, Usage } from '../../core/types.ts'
import type { Agent } from '../../ports.ts'
import { noticed } from '../noticed.ts'
import type { Deed, Work } from '../parts.ts'

export type Watching = {
  /** A budget depends on what the call has used so far. */
  isUsageWatched: boolean
  /** Aborted by the outer stop, or by this watch. */
  stop: AbortSignal
  entry(entry: Entry, transcript: Transcript): void
  /** Something was printed. */
  heard(): void
  /** What the whole call has taken: it counts for the day and the month, also if the run is killed. */
  spent(usage: Usage): void
  /** Why this watch ended the call; null: it did not. */
  ended(): { exit: 'circling' | 'over-budget'; because: string } | null
  close(): void
}

/** Usage of each running call, by iteration. */
export type CallsUnderWay = Map<Scope, Usage>
/** How much each model takes, as a result said it: known from the end of the first call on. */
export type ContextWindows = Map<string, number>
type UsageEntry = Extract<Entry, { kind: 'usage' }>

export function watchCall(
  world: Pick<Work, 'settings' | 'state' | 'now' | 'home'> & { calls: CallsUnderWay; windows: ContextWindows },
  { iteration, agent, model }: { iteration: Scope; agent: Pick<Agent, 'name' | 'contextWindow'>; model: string },
  { state, report, stop: outer }: Deed,
): Watching {
  const { settings, calls, windows } = world
  const inner = new AbortController()
  let end: ReturnType<Watching['ended']> = null
  let watch = emptyWatch
  let heardAt = performance.now()
  let context = 0
  let isContextTold = false
  let hasEnded = false
  const timers: NodeJS.Timeout[] = []
  const finish = (exit: 'circling' | 'over-budget', because: string): void => {
    if (inner.signal.aborted || hasEnded) return // an agent that is done is judged by its work
    end = { exit, because }
    inner.abort()
  }
  const passOn = (): void => inner.abort()
  outer.addEventListener('abort', passOn)
  if (outer.aborted) passOn()

  const idleMs = settings['watch.idle_minutes'] * 60_000
  if (idleMs > 0) {
    const look = (): void => {
      if (performance.now() - heardAt >= idleMs) finish('circling', `no output for ${sayDuration(idleMs)}`)
    }
    timers.push(setInterval(look, Math.min(idleMs / 4, 5_000)))
  }
  const time = budgetsOf({ ...state, at: world.now() }).find(({ which }) => which === 'time')
  if (time) {
    const leftMs = Math.min(longestTimerMs, Math.max(0, time.limit - time.used))
    timers.push(setTimeout(() => finish('over-budget', `time budget reached: ${time.words}`), leftMs))
  }

  const spending = openSpending(world.home, agent.name, world.now)
  const checkBudgets = (usage: Usage): void => {
    calls.set(iteration, usage)
    if (!hasEnded) spending.soFar(usage)
    const envelope = envelopesNow(world.home, agent.name, limitsIn(settings), world.now()).find(
      ({ usedUsd, limitUsd }) => usedUsd >= limitUsd,
    )
    if (envelope) finish('over-budget', `${envelopeWords(envelope)}; resets at ${envelope.until}`)
    const latest = world.state()
    const { totals } = latest
    const sum = (of: (usage: Usage) => number): number => [...calls.values()].reduce((all, used) => all + of(used), 0)
    const now = {
      ...totals,
      inputTokens: totals.inputTokens + sum((used) => used.inputTokens),
      outputTokens: totals.outputTokens + sum((used) => used.outputTokens),
      costUsd: totals.costUsd + sum((used) => used.costUsd ?? 0),
    }
    const spent = budgetsOf({ ...latest, totals: now }).find(({ which, used, limit }) => which !== 'time' && used >= limit)
    if (spent) finish('over-budget', spent.words)
  }
  const checkContext = ({ contextTokens = context, contextWindow }: UsageEntry, model: string): void => {
    context = contextTokens
    if (contextWindow !== undefined) windows.set(model, contextWindow)
    const percent = settings['watch.context_percent']
    const size = windows.get(model) ?? assumedWindow(agent, context)
    if (isContextTold || percent === 0 || size === undefined) return
    const share = Math.round((100 * context) / size)
    if (share < percent) return
    isContextTold = true
    report(noticed('context-near', `the context window is ${share} % full`))
  }

  return {
    isUsageWatched:
      Object.values(limitsIn(settings)).some((limit) => limit !== null) || budgetsOf(state).some(({ which }) => which !== 'time'),
    stop: inner.signal,
    entry(entry, transcript) {
      watch = watchAfter(watch, entry)
      const circle = circling(watch, settings['watch.repeat_threshold'])
      if (circle !== null) finish('circling', circle)
      hasEnded ||= entry.kind === 'end'
      if (entry.kind !== 'usage') return
      const usage = withPrice(entry.usage, transcript.model, { settings, asked: model })
      queueMicrotask(() => checkBudgets(usage)) // the last count comes just before the end itself
      checkContext(entry, transcript.model)
    },
    heard() {
      heardAt = performance.now()
    },
    spent: spending.ended,
    ended: () => end,
    close() {
      calls.delete(iteration)
      outer.removeEventListener('abort', passOn)
      for (const timer of timers) clearTimeout(timer)
    },
  }
}

/** A model that has taken more than this takes more. */
const assumedWindow = ({ contextWindow }: Pick<Agent, 'contextWindow'>, context: number): number | undefined =>
  contextWindow !== undefined && context <= contextWindow ? contextWindow : undefined
