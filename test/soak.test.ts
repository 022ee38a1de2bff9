/** A short soak: what must not grow, as far as it can be told without a clock. `npm run soak` is the long one. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openScratch } from '../bench/scratch.ts'
import { soak } from '../bench/soak-run.ts'
import { bounded, isBroken } from '../bench/soak-verdict.ts'

test('in 140 iterations with refusals, failures and false claims, state and files stay bounded', async () => {
  const scratch = openScratch()
  try {
    const { samples, code, outcome, refused, passed } = await soak(scratch, 140, [70, 140], 10)
    assert.deepEqual({ code, outcome, refused, passed }, { code: 1, outcome: 'incomplete', refused: 14, passed: 1 })
    const grown = bounded(samples[0]!, samples[1]!, 10).filter(isBroken)
    assert.deepEqual(grown, [])
  } finally {
    scratch.remove()
  }
})
