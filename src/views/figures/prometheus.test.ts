import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { asKnownNow } from '../../core/evolve/older-events.ts'
import { knownJson } from '../../core/text/json.ts'
import type { Event } from '../../core/types.ts'
import { ledgerOf } from './ledger.ts'
import { helps, prometheusText } from './prometheus.ts'

const root = join(import.meta.dirname, '..', '..', '..')
const eventsIn = (name: string): Event[] =>
  readFileSync(join(root, 'test', 'fixtures', 'logs', `${name}.jsonl`), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => asKnownNow(knownJson<Event>(line)))
const events = eventsIn('proven')
const ledger = ledgerOf(events)
const one = { project: 'shop', feature: 'login', isArchived: false, isLive: true, ledger }

/** Rows of the text format, by name and labels. */
const rowsOf = (text: string): Map<string, number> =>
  new Map(
    text
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'))
      .map((line) => {
        const [, name = '', value = ''] = /^(\w+(?:\{.*\})?) (\S+)$/.exec(line) ?? []
        return [name, Number(value)]
      }),
  )

test('what Prometheus reads agrees with the ledger', () => {
  const rows = rowsOf(prometheusText([one], 2))
  const base = 'project="shop",feature="login"'
  const calls = ledger.calls.filter(({ role }) => role === 'implementer')
  assert.equal(rows.get(`ralph_calls_total{${base},role="implementer"}`), calls.length)
  assert.equal(
    rows.get(`ralph_tokens_total{${base},role="implementer",type="input"}`),
    calls.reduce((sum, { inputTokens }) => sum + inputTokens, 0),
  )
  const passed = ledger.state.plan!.stories.filter(({ passes }) => passes).length
  assert.ok(passed > 0)
  assert.equal(rows.get(`ralph_stories{${base},state="passed"}`), passed)
  const graded = [...rows].filter(([name]) => name.startsWith('ralph_stories_proof{')).reduce((sum, [, value]) => sum + value, 0)
  assert.equal(graded, passed)
  assert.equal(rows.get(`ralph_live{${base}}`), 1)
  assert.equal(rows.get('ralph_logs_unread'), 2)
  assert.ok([...rows.values()].every(Number.isFinite))
})

test('a counter never falls while the log grows: Prometheus would take that for a restart', () => {
  const isCounter = ([row]: [string, number]): boolean => helps[/^\w+/.exec(row)?.[0] as keyof typeof helps][0] === 'counter'
  for (const all of ['proven', 'troubled', 'planless'].map(eventsIn)) {
    let before = new Map<string, number>()
    for (let length = 1; length <= all.length; length++) {
      const rows = rowsOf(prometheusText([{ ...one, ledger: ledgerOf(all.slice(0, length)) }]))
      const now = new Map([...rows].filter(isCounter))
      const fallen = [...before].filter(([name, value]) => (now.get(name) ?? 0) < value)
      assert.deepEqual(fallen, [], `after event ${length}, ${all[length - 1]?.kind}`)
      before = now
    }
  }
})

test('labels do not grow with archived features, and no text breaks a line', () => {
  const archived = ['a', 'b', 'c'].map((feature) => ({ ...one, feature, isArchived: true, isLive: false }))
  const odd = { ...one, feature: 'a"b\\c\nd' }
  const text = prometheusText([...archived, odd])
  const features = new Set([...text.matchAll(/feature="((?:[^"\\]|\\.)*)"/g)].map(([, name]) => name))
  assert.deepEqual([...features].sort(), ['a\\"b\\\\c\\nd', 'archived'])
  const runs = [...rowsOf(text)].filter(([name]) => name.startsWith('ralph_runs_total{project="shop",feature="archived"'))
  assert.equal(
    runs.reduce((sum, [, count]) => sum + count, 0),
    3 * ledger.runs.length,
  )
  assert.ok(ledger.runs.length > 0)
})

test('docs/grafana.json asks for figures that exist, and docs/telemetry.md names each', () => {
  const docs = join(root, 'docs')
  const dashboard = knownJson<{ panels: { targets: { expr: string }[] }[] }>(readFileSync(join(docs, 'grafana.json'), 'utf8'))
  const asked = dashboard.panels.flatMap(({ targets }) => targets.flatMap(({ expr }) => expr.match(/\bralph_\w+/g) ?? []))
  assert.deepEqual([...new Set(asked)].sort(), Object.keys(helps).sort())
  const page = readFileSync(join(docs, 'telemetry.md'), 'utf8')
  assert.deepEqual(
    Object.keys(helps).filter((name) => !page.includes(`\`${name}\``)),
    [],
  )
})
