import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { comparison, comparisonWords } from './compare.ts'

test('fewer than five on a side: it says so, and no figure [R-LEARN-5]', () => {
  const compared = comparison([1, 2, 3, 4], [1, 2, 3, 4, 5, 6])
  assert.equal(comparisonWords(compared), 'not enough stories to compare (4 with, 6 without)')
})

test('a clear difference has an interval that leaves out 0', () => {
  const compared = comparison([8, 9, 10, 11, 12, 10], [18, 19, 20, 21, 22, 20])
  assert.equal(comparisonWords(compared), '-50 % (95 %: -59 to -41 %)')
})

test('a difference that chance explains is called that', () => {
  assert.match(comparisonWords(comparison([10, 30, 20, 5, 40], [12, 28, 22, 9, 35])), /, could be chance$/)
})

test('samples that do not spread at all are compared without a fault', () => {
  assert.equal(comparisonWords(comparison([5, 5, 5, 5, 5], [5, 5, 5, 5, 5])), '0 % (95 %: 0 to 0 %), could be chance')
})

test('the same sample twice never differs for sure', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 1000 }), { minLength: 5, maxLength: 40 }), (values) => {
      const compared = comparison(values, values)
      assert.ok(compared.kind === 'told' && compared.percent.low <= 0 && compared.percent.high >= 0)
    }),
  )
})
