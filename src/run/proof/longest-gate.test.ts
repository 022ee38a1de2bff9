import assert from 'node:assert/strict'
import { test } from 'node:test'
import { longestMs } from './longest-gate.ts'

test('a cross-examined gate gets twenty times what it took, at least 30 seconds, and no limit of its own if it never ran', () => {
  const longest = longestMs([
    { name: 'tests', durationMs: 200 },
    { name: 'slow', durationMs: 60_000 },
  ])
  assert.deepEqual(
    ['tests', 'slow', 'other'].map((name) => longest({ name })),
    [30_000, 1_200_000, Number.POSITIVE_INFINITY],
  )
})
