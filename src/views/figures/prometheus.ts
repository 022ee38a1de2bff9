/** The figures of all features as Prometheus reads them. Archived features are counted together, so that labels do not grow forever. */
import type { Ledger } from './ledger.ts'
import { storyCounts } from './measures.ts'

export type LedgerOf = { project: string; feature: string; isArchived: boolean; isLive: boolean; ledger: Ledger }

type Labels = Record<string, string>
type Family = { name: string; type: 'counter' | 'gauge'; help: string; rows: Map<string, number> }

/** Beyond this many features the rest are counted together too. */
const mostFeatures = 200
const together = 'archived'

/** `unread`: how many logs are still to be read; their figures come with a later answer. */
export function prometheusText(all: LedgerOf[], unread = 0): string {
  const families = new Map<string, Family>()
  const add = (name: keyof typeof helps, value: number, labels: Labels): void => {
    const [type, help] = helps[name]
    const family = families.get(name) ?? { name, type, help, rows: new Map() }
    families.set(name, family)
    const key = labelText(labels)
    family.rows.set(key, (family.rows.get(key) ?? 0) + value)
  }
  const shown = new Set(all.filter(({ isArchived }) => !isArchived).slice(0, mostFeatures))
  for (const one of all) {
    const base = { project: one.project, feature: shown.has(one) ? one.feature : together }
    addCounts(one, base, add)
    if (shown.has(one)) addNow(one, base, add)
  }
  add('ralph_logs_unread', unread, {})
  const texts = [...families.values()].map(({ name, type, help, rows }) => {
    const lines = [...rows].map(([labels, value]) => `${name}${labels} ${value}`)
    return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...lines].join('\n')
  })
  return `${texts.join('\n')}\n`
}

type Add = (name: keyof typeof helps, value: number, labels: Labels) => void

/** What only grows. */
function addCounts({ ledger }: LedgerOf, base: Labels, add: Add): void {
  for (const { outcome } of ledger.runs) if (outcome !== null) add('ralph_runs_total', 1, { ...base, outcome })
  for (const { role, verdict, ms, inputTokens, outputTokens, costUsd } of ledger.calls) {
    const labels = { ...base, role }
    add('ralph_calls_total', 1, labels)
    add('ralph_call_seconds_total', ms / 1000, labels)
    add('ralph_tokens_total', inputTokens, { ...labels, type: 'input' })
    add('ralph_tokens_total', outputTokens, { ...labels, type: 'output' })
    if (costUsd === null) add('ralph_calls_without_cost_total', 1, labels)
    else add('ralph_cost_usd_total', costUsd, labels)
    if (verdict !== undefined) add('ralph_iterations_total', 1, { ...base, verdict })
  }
}

/** How things stand. */
function addNow({ ledger: { state }, isLive }: LedgerOf, base: Labels, add: Add): void {
  const { byState, byGrade, ready } = storyCounts(state)
  for (const [word, count] of Object.entries(byState)) add('ralph_stories', count, { ...base, state: word })
  for (const [grade, count] of Object.entries(byGrade)) add('ralph_stories_proof', count, { ...base, grade })
  add('ralph_queue', ready, base)
  add('ralph_live', isLive ? 1 : 0, base)
  add('ralph_waiting', isLive && state.waiting !== undefined ? 1 : 0, base)
  add('ralph_questions_open', state.questions.filter(({ text }) => text === undefined).length, base)
  add('ralph_breaker', ['closed', 'half-open', 'open'].indexOf(state.breaker.state), base)
  add('ralph_run_agent_seconds', state.totals.agentMs / 1000, base)
  add('ralph_run_gate_seconds', state.totals.gateMs / 1000, base)
}

/** Every family, with its type and what it says. */
export const helps = {
  ralph_runs_total: ['counter', 'Runs that ended, by how.'],
  ralph_iterations_total: ['counter', 'Iterations, by verdict.'],
  ralph_calls_total: ['counter', 'Calls of agents, by role.'],
  ralph_call_seconds_total: ['counter', 'Time inside agents, by role.'],
  ralph_tokens_total: ['counter', 'Tokens that agents reported, by role and type.'],
  ralph_cost_usd_total: ['counter', 'Known cost of calls in USD, by role.'],
  ralph_calls_without_cost_total: ['counter', 'Calls with unknown cost, by role.'],
  ralph_stories: ['gauge', 'Stories of the plan, by state.'],
  ralph_stories_proof: ['gauge', 'Stories that pass, by grade of proof.'],
  ralph_queue: ['gauge', 'Open stories that depend on nothing open.'],
  ralph_live: ['gauge', '1 while a run is live.'],
  ralph_waiting: ['gauge', '1 while a live run waits for a limit or a retry.'],
  ralph_questions_open: ['gauge', 'Questions that wait for a person.'],
  ralph_breaker: ['gauge', 'The circuit breaker: 0 closed, 1 half-open, 2 open.'],
  ralph_run_agent_seconds: ['gauge', 'Time inside agents in the last run.'],
  ralph_logs_unread: ['gauge', 'Logs whose figures are still missing here, because they are long.'],
  ralph_run_gate_seconds: ['gauge', 'Time inside gates in the last run.'],
} as const satisfies Record<string, readonly [Family['type'], string]>

const labelText = (labels: Labels): string =>
  Object.keys(labels).length === 0
    ? ''
    : `{${Object.entries(labels)
        .map(([name, value]) => `${name}="${escaped(value)}"`)
        .join(',')}}`

const escaped = (text: string): string => text.slice(0, 100).replace(/[\\"]/g, '\\$&').replaceAll('\n', '\\n')
