import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PageStory } from './shapes.ts'
import { storiesShown, storyCounts } from './story-filter.ts'

const story = (id: string, title: string, state: PageStory['state']) => ({ id, title, state })
const stories = [
  story('S-1', 'Log in', 'passes'),
  story('S-2', 'Log out', 'failed'),
  story('S-3', 'Sign up', 'failed'),
  story('S-4', 'Log files', 'open'),
]

test('stories are found by words and by state, in the order of the plan', () => {
  const ids = (text: string, only: Parameters<typeof storiesShown>[2]) => storiesShown(stories, text, only).map(({ id }) => id)
  assert.deepEqual(ids('', 'all'), ['S-1', 'S-2', 'S-3', 'S-4'])
  assert.deepEqual(ids('', 'failed'), ['S-2', 'S-3'])
  assert.deepEqual(ids('LOG', 'failed'), ['S-2'])
  assert.deepEqual(ids('out s-2', 'all'), ['S-2'])
  assert.deepEqual(ids('', 'asks'), [])
})

test('only states that a story is in are offered, and the chosen one', () => {
  assert.deepEqual(storyCounts(stories, 'asks'), [
    { only: 'all', count: 4 },
    { only: 'asks', count: 0 },
    { only: 'failed', count: 2 },
    { only: 'open', count: 1 },
    { only: 'passes', count: 1 },
  ])
  assert.deepEqual(storyCounts([], 'all'), [{ only: 'all', count: 0 }])
})
