import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Finding } from '../finding.ts'
import type { Reach } from './probes.ts'
import { fromUnreached } from './unreached.ts'

const reach = (line: number, more: Partial<Reach> = {}): Reach => ({ file: 'src/a.js', line, shown: 'x', told: 'value', ...more })

test('each part that no test reaches is told once for its line, and at most three', () => {
  const found = fromUnreached(
    [1, 1, 2, 3, 4].map((line) => reach(line)),
    [],
  )
  assert.deepEqual(
    found.map(({ words }) => words),
    [1, 2, 3].map((line) => `has a result that no test reaches: x in src/a.js (line ${line})`),
  )
})

test('what is known of a file already is not told again', () => {
  const known: Finding[] = [{ rule: 'test-detected', file: 'src/a.js', words: 'asks for NODE_ENV' }]
  const both = [reach(1, { told: 'surroundings', isElse: true }), reach(2, { told: 'equal', isElse: true })]
  assert.deepEqual(
    fromUnreached(both, known).map(({ rule, line }) => [rule, line]),
    [['special-case', 2]],
  )
})
