import assert from 'node:assert/strict'
import { test } from 'node:test'
import { after, aPlan, aStory, runStarted } from '../../../sim/builders.ts'
import { noStory } from '../../core/evolve/initial.ts'
import type { World } from '../world.ts'
import { beginningOf, forgetStale } from './checkpoint.ts'

test('the beginning of a story that has none to go back to is forgotten before it could be mistaken for a new one; another stays', async () => {
  const saved = new Set(['thing/A', 'thing/B'])
  const forget = async (...keys: string[]): Promise<void> => {
    for (const key of keys) saved.delete(key)
  }
  const world = { feature: 'thing', git: { forget } } as unknown as World
  const state = after([runStarted(aPlan([aStory('A'), aStory('B'), aStory('C')]))])
  await forgetStale(world, { ...state, stories: { A: { ...noStory, isSaved: true } } })
  assert.deepEqual([...saved], [beginningOf(world, 'A')])
})
