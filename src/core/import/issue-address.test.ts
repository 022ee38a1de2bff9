import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sourceIn } from './issue-address.ts'

test('the address of an issue says its tracker, its place and its id', () => {
  const known = {
    'https://github.com/ann/shop/issues/7': ['github', 'github.com', 'ann/shop', '7'],
    'https://gitlab.com/a/b/shop/-/issues/9': ['gitlab', 'gitlab.com', 'a/b/shop', '9'],
    'https://git.example.org/a/shop/-/work_items/9': ['gitlab', 'git.example.org', 'a/shop', '9'],
    'https://linear.app/acme/issue/ENG-12/store-wishes': ['linear', 'linear.app', '', 'ENG-12'],
    'https://acme.atlassian.net/browse/SHOP-3': ['jira', 'acme.atlassian.net', '', 'SHOP-3'],
    'beads:bd-a1b2': ['beads', '', '', 'bd-a1b2'],
  }
  for (const [text, [tracker, host, repository, id]] of Object.entries(known))
    assert.deepEqual(sourceIn(text), { tracker, host, repository, id })
})

test('anything else is none: a plan of another tool may have a field of that name', () => {
  for (const text of [
    undefined,
    '',
    'US-1',
    'http://github.com/ann/shop/issues/7',
    'https://github.com/ann/shop/pull/7',
    'https://evil.example/browse/x',
    'beads:a b',
    'https://github.com/ann/shop/issues/7\nCloses #8',
  ])
    assert.equal(sourceIn(text), null, text)
})
