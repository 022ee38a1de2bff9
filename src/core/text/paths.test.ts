import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pathInside } from './paths.ts'

test('a path comes to what it names inside the root, or to nothing', () => {
  const paths = ['a/b.ts', './a//b.ts', 'a/../b.ts', '../b.ts', 'a/../../b.ts', '/a', '~/a', '.', '']
  assert.deepEqual(paths.map(pathInside), ['a/b.ts', 'a/b.ts', 'b.ts', null, null, null, null, null, null])
})
