import assert from 'node:assert/strict'
import { test } from 'node:test'
import { all, whyNot } from './mutants/all.ts'

test('every deliberate bug can still be put into the core, and has a name of its own', () => {
  assert.deepEqual(all.flatMap(whyNot), [])
  assert.equal(new Set(all.map(({ name }) => name)).size, all.length)
  assert.match(
    whyNot({ name: 'of yesterday', file: 'decide/decide.ts', from: 'what nobody wrote', to: '' }).join(),
    /^of yesterday: .* 0 times/,
  )
})
