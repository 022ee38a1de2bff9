import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hiddenSince, ignoredAtStart, madeByGates } from './hidden-files.ts'

test('what is ignored since the run began is hidden, but for dependencies and what lies in a folder that was ignored before', () => {
  const known = ['dist/', '.env']
  const now = ['dist/', 'dist/new.js', '.env', 'gen/', 'app.local', 'node_modules/', 'a/node_modules/', 'src/__pycache__/']
  assert.deepEqual(hiddenSince(known, now), ['gen/', 'app.local'])
})

test('a run of before this was written has hidden nothing', () => {
  assert.deepEqual(hiddenSince(undefined, ['gen/']), [])
})

test('what an earlier run’s iterations have hidden is not the user’s in the next run', () => {
  const atStart = ignoredAtStart(['gen/', 'dist/', 'node_modules/'], { hidden: ['gen/'] })
  assert.deepEqual([atStart, hiddenSince(atStart, ['gen/', 'dist/'])], [['dist/'], ['gen/']])
})

test('what an earlier run’s iteration has hidden is not taken for made by the gates, whatever git names it now', () => {
  const state = { ignored: ['dist/'], hidden: ['gen/', 'out/lib.sh'] }
  assert.deepEqual(madeByGates(state, ['dist/', 'gen/', 'gen/lib.sh', 'out/', 'report.txt']), ['report.txt'])
})

test('where earlier iterations have hidden more than is listed, only what the run before knew is the user’s, and nothing is made by gates', () => {
  const state = { ignored: ['dist/'], hidden: Array.from({ length: 500 }, (_, i) => `${i}.tmp`) }
  assert.deepEqual([ignoredAtStart(['dist/', 'zz.sh'], state), madeByGates(state, ['zz.sh'])], [['dist/'], []])
})
