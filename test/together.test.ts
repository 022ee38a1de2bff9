import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventsOf } from './support/loop.ts'
import { projectFor } from './support/project.ts'

test('several commands at once about different stories lose nothing, neither in the log nor in the plan (T44)', async (t) => {
  const ids = ['S-1', 'S-2', 'S-3', 'S-4']
  const project = projectFor(t, { stories: ids.map((id) => ({ id })) })
  const ended = await Promise.all(ids.map((id) => project.run('skip', id)))
  assert.deepEqual(
    ended.map(({ code, err }) => [code, err]),
    ids.map(() => [0, '']),
  )
  assert.deepEqual(
    eventsOf(project, 'story.skipped')
      .map(({ story }) => story)
      .toSorted(),
    ids,
  )
  assert.deepEqual(
    project.plan().userStories.map(({ id, skip }) => [id, skip]),
    ids.map((id) => [id, true]),
  )
})
