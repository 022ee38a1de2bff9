import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Usage } from '../types.ts'
import { type Price, withPrice } from './price.ts'

test('a cost that the agent tells stands; tokens are priced by kind; without a price or tokens it stays unknown [R-LIM-5]', () => {
  const prices: Record<string, Price> = {
    m: { input: 1, output: 10, cache_read: 0.1, cache_write: 2 },
    plain: { input: 1, output: 10 },
  }
  const usage = {
    inputTokens: 1_000_000,
    outputTokens: 100_000,
    costUsd: null,
    cacheReadTokens: 500_000,
    cacheWriteTokens: 100_000,
  }
  const costOf = (more: Partial<Usage>, model: string, settings = { prices, model: 'plain' }) =>
    withPrice({ ...usage, ...more }, model, { settings }).costUsd
  assert.equal(costOf({ costUsd: 3 }, 'm'), 3)
  assert.equal(costOf({}, 'm'), 0.4 + 1 + 0.05 + 0.2)
  assert.equal(costOf({}, 'a model without a price'), 2) // by the model of the settings
  assert.equal(costOf({}, 'm', { prices: {}, model: '' }), null)
  assert.equal(costOf({ inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 }, 'm'), null)
})
