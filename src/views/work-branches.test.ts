import assert from 'node:assert/strict'
import { test } from 'node:test'
import { after, aPlan, aPolicy, aRepo, aStory, runStarted } from '../../sim/builders.ts'
import { whereWork } from './work-branches.ts'

test('the work of a run is on its branch; outside git there is no branch, whatever the plan says', () => {
  const plan = aPlan([aStory('A')], { branch: 'feature/shop' })
  const work = (repo = aRepo('t0')): string | null => whereWork(after([runStarted(plan, aPolicy(), repo)]))
  assert.deepEqual([work(), work({ ...aRepo('t0'), head: null })], ['feature/shop', null])
})
