import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Filter, noFilter, sectionsOf } from './sections.ts'
import type { OverviewRow } from './shapes.ts'

const rowOf = (feature: string, minute: number, more: Partial<OverviewRow> = {}): OverviewRow => ({
  id: feature,
  feature,
  isArchived: false,
  isLive: false,
  need: null,
  work: [],
  status: {
    state: 'ended',
    outcome: 'complete',
    iteration: 1,
    lastEvent: { at: `2026-01-09T12:0${minute}:00.000Z`, kind: 'run.ended' },
    stories: { complete: 1, total: 1, unproven: 0, reserved: 0 },
  },
  ...more,
})
const asks = { kind: 'question', words: 'Tabs or spaces?' } as const
const projects = [
  {
    id: 'p1',
    name: 'shop',
    path: '/shop',
    features: [
      rowOf('old', 9, { isArchived: true }),
      rowOf('item-10', 1, { cost: { costUsd: 1, unpriced: 0 } }),
      rowOf('item-9', 2, { cost: { costUsd: 2, unpriced: 0 } }),
      rowOf('asks', 3, { need: asks, isLive: true }),
    ],
  },
  { id: 'p2', name: 'app', path: '/app', features: [rowOf('runs', 4, { isLive: true }), rowOf('stuck', 5, { need: asks })] },
]
const shown = (filter: Partial<Filter>) => {
  const { needs, running, rest } = sectionsOf({ projects }, { ...noFilter, ...filter })
  return [needs, running, rest].map((section) => section.map(({ row }) => row.feature).join(' '))
}

test('what needs a person comes first, also if it runs, then what runs, then the rest with the archive last', () => {
  assert.deepEqual(shown({}), ['stuck asks', 'runs', 'item-9 item-10 old'])
})

test('features are sorted by time, by name with its numbers, or by cost', () => {
  assert.deepEqual(shown({ sort: 'name' }), ['asks stuck', 'runs', 'item-9 item-10 old'])
  assert.deepEqual(shown({ sort: 'cost' })[2], 'item-9 item-10 old')
  assert.deepEqual(shown({ sort: 'recent' })[2], 'item-9 item-10 old')
})

test('a search looks at names, projects and questions, for each of its words', () => {
  assert.deepEqual(shown({ text: 'shop 10' }), ['', '', 'item-10'])
  assert.deepEqual(shown({ text: 'SPACES app' }), ['stuck', '', ''])
})

test('a project and a state narrow the list', () => {
  assert.deepEqual(shown({ project: 'p2' }), ['stuck', 'runs', ''])
  assert.deepEqual(shown({ state: 'running' }), ['asks', 'runs', ''])
  assert.deepEqual(shown({ state: 'archived' }), ['', '', 'old'])
  assert.deepEqual(shown({ state: 'needs', project: 'p1' }), ['asks', '', ''])
})
