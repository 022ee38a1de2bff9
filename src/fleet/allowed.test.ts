import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isAllowedBy } from './allowed.ts'

test('a worker takes what its patterns name, to the letter, and nothing beside it', () => {
  const isAllowed = isAllowedBy(['git@github.com:us/*', 'https://git.example/one.git'])
  const allowed = ['git@github.com:us/app.git', 'https://git.example/one.git']
  const refused = [
    'git@github.com:them/app.git',
    'git@github-com:us/app.git',
    'https://git.example/one.git/',
    'https://evil.example/?https://git.example/one.git',
    'git@github.com:us/../them/app.git',
    '',
  ]
  assert.deepEqual([...allowed, ...refused].filter(isAllowed), allowed)
})
