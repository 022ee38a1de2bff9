import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { tried } from '../../core/failure.ts'
import { parseJson } from './json-spans.ts'
import { rescanned } from './rescan.ts'
import type { Scan } from './scan.ts'
import { scanTree } from './structured.ts'

const scanOf = (text: string): Scan => scanTree('prd.json', text, parseJson(text))

const planOf = (stories: object[], indent: number): string =>
  JSON.stringify({ feature: 'x', userStories: stories, description: 'after' }, null, indent)

const story = (id: string, more: object = {}) => ({
  id,
  title: `The story ${id}`,
  acceptanceCriteria: ['It works', `${id} is tested`],
  priority: 1,
  passes: false,
  notes: '',
  ...more,
})

const rows = fc
  .uniqueArray(fc.constantFrom('S-1', 'S-2', 'S-3', 'S-4', 'S-5'), { minLength: 1 })
  .map((ids) => ids.map((id, index) => story(id, index > 0 && index % 2 === 0 ? { dependsOn: [ids[index - 1]] } : {})))

const pieces = [
  '',
  'true',
  'x',
  '"',
  '}',
  '{',
  ',',
  ' ',
  '\n',
  '\\',
  '12',
  'S-2',
  '"notes": "n", ',
  '"skip": true, ',
  ']',
  'null',
  '"priority"',
]

test('a plan that differs in one place is read from the earlier scan as it is read on its own, or as a whole', () => {
  let reused = 0
  fc.assert(
    fc.property(
      fc.record({
        rows,
        indent: fc.constantFrom(0, 2),
        at: fc.nat({ max: 10_000 }),
        removed: fc.integer({ min: 0, max: 8 }),
        put: fc.constantFrom(...pieces),
      }),
      ({ rows: stories, indent, at, removed, put }) => {
        const before = planOf(stories, indent)
        const from = at % before.length
        const after = before.slice(0, from) + put + before.slice(from + removed)
        const found = rescanned({ text: before, scan: scanOf(before) }, after)
        if (found === null) return
        reused += 1
        assert.deepEqual(
          found,
          tried(() => scanOf(after), null),
        )
      },
    ),
    { numRuns: 3000, seed: 1 },
  )
  assert(reused > 300, `only ${reused} of 3000 were read from the earlier scan`)
})

test('the other stories stay the same objects, at their new places', () => {
  const before = planOf([story('S-1'), story('S-2'), story('S-3')], 2)
  const after = before.replace(/("id": "S-2"[^}]*"passes": )false/, '$1true')
  const scan = scanOf(before)
  const found = rescanned({ text: before, scan }, after)
  assert.deepEqual(found, scanOf(after))
  assert.deepEqual(
    found?.entries.map((entry, index) => entry.story === scan.entries[index]?.story),
    [true, false, true],
  )
})

test('a story without a priority gets its own from all the others: the plan is read as a whole', () => {
  const before = planOf([story('S-1'), story('S-2', { priority: null }), story('S-3')], 2)
  assert.equal(rescanned({ text: before, scan: scanOf(before) }, before.replace('"priority": 1', '"priority": 7')), null)
})
