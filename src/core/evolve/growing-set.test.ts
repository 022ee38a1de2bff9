import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { hasSeen, nothingSeen, withSeen } from './growing-set.ts'

test('it holds exactly what was added, and what is added leaves the old one as it was', () => {
  fc.assert(
    fc.property(fc.array(fc.string()), fc.array(fc.string()), (first, second) => {
      const before = withSeen(nothingSeen, first)
      const after = withSeen(before, second)
      const all = new Set([...first, ...second])
      assert.equal(before.size, new Set(first).size)
      assert.equal(after.size, all.size)
      for (const key of all) assert.equal(hasSeen(after, key), true)
      for (const key of second) assert.equal(hasSeen(before, key), first.includes(key))
    }),
  )
})

test('adding what is there already gives the same one back', () => {
  const seen = withSeen(nothingSeen, ['a', 'b'])
  assert.equal(withSeen(seen, ['b', 'a']), seen)
})
