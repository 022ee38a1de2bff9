/** Figures out of the spans and the state of a run. Their labels are few: agents, roles, gates, verdicts, grades; never a story, a text or a path. */

import { isUnblocked } from '../../core/plan/stories.ts'
import type { State } from '../../core/state.ts'
import { msBetween } from '../../core/text/time.ts'
import { grades } from '../../core/types/checks.ts'
import type { LogSpan, SpanFacts } from './spans.ts'

export type MeasureOf = { name: string; as: 'count' | 'histogram' | 'gauge'; unit: string; value: number; labels: SpanFacts }

/** Of a span that has ended. */
export function measuresOf({ name, isCall, startedAt, endedAt, facts, problem }: LogSpan): MeasureOf[] {
  const seconds = Math.max(0, msBetween(startedAt, endedAt)) / 1000
  const took = (what: string, labels: SpanFacts): MeasureOf => ({
    name: what,
    as: 'histogram',
    unit: 's',
    value: seconds,
    labels,
  })
  if (isCall) {
    const labels = picked(facts, 'gen_ai.operation.name', 'gen_ai.provider.name', 'gen_ai.agent.name', 'ralph.role')
    const failed = picked(facts, 'error.type')
    return [took('gen_ai.invoke_agent.duration', { ...labels, ...failed }), ...tokensOf(facts, labels), ...costOf(facts, labels)]
  }
  if (facts['ralph.gate'] !== undefined) return [took('ralph.gate.duration', picked(facts, 'ralph.gate', 'ralph.passed'))]
  if (name === 'iteration')
    return [{ name: 'ralph.iterations', as: 'count', unit: '{iteration}', value: 1, labels: picked(facts, 'ralph.verdict') }]
  if (name === 'landing') return [took('ralph.landing.duration', picked(facts, 'ralph.landed'))]
  if (name === 'run') return [took('ralph.run.duration', { 'ralph.outcome': problem ?? 'complete' })]
  return []
}

function tokensOf(facts: SpanFacts, labels: SpanFacts): MeasureOf[] {
  return (['input', 'output'] as const).flatMap((type) => {
    const value = facts[`gen_ai.usage.${type}_tokens`]
    if (typeof value !== 'number') return []
    const all = { ...labels, 'gen_ai.token.type': type }
    return [{ name: 'gen_ai.client.token.usage', as: 'histogram' as const, unit: '{token}', value, labels: all }]
  })
}

const costOf = ({ 'ralph.cost_usd': value }: SpanFacts, labels: SpanFacts): MeasureOf[] =>
  typeof value === 'number' ? [{ name: 'ralph.cost', as: 'count', unit: 'USD', value, labels }] : []

const picked = (facts: SpanFacts, ...names: string[]): SpanFacts =>
  Object.fromEntries(names.flatMap((name) => (facts[name] === undefined ? [] : [[name, facts[name]]])))

/** How its stories stand, what can start, and the breaker. */
export function storyMeasures(state: State): MeasureOf[] {
  const gauge = (name: string, value: number, labels: SpanFacts = {}): MeasureOf => ({
    name,
    as: 'gauge',
    unit: '1',
    value,
    labels,
  })
  const counts = storyCounts(state)
  return [
    ...Object.entries(counts.byState).map(([word, value]) => gauge('ralph.stories', value, { 'ralph.state': word })),
    ...Object.entries(counts.byGrade).map(([grade, value]) => gauge('ralph.stories.proof', value, { 'ralph.grade': grade })),
    gauge('ralph.queue', counts.ready),
    gauge('ralph.breaker', ['closed', 'half-open', 'open'].indexOf(state.breaker.state)),
  ]
}

export type StoryCounts = {
  byState: Record<'passed' | 'failed' | 'skipped' | 'open', number>
  byGrade: Record<string, number>
  /** Open, and nothing that they depend on is. */
  ready: number
}

export function storyCounts({ plan, stories }: State): StoryCounts {
  const all = plan?.stories ?? []
  const byState = { passed: 0, failed: 0, skipped: 0, open: 0 }
  const byGrade = Object.fromEntries(grades.map((grade) => [grade, 0]))
  let ready = 0
  for (const story of all) {
    const word = story.passes ? 'passed' : story.failed ? 'failed' : story.skip ? 'skipped' : 'open'
    byState[word] += 1
    const grade = story.passes ? (stories[story.id]?.receipt?.proof?.grade ?? 'unproven') : null
    if (grade !== null) byGrade[grade] = (byGrade[grade] ?? 0) + 1
    if (word === 'open' && plan !== null && isUnblocked(plan, story)) ready += 1
  }
  return { byState, byGrade, ready }
}
