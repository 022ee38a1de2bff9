import assert from 'node:assert/strict'
import { test } from 'node:test'
import { currentPage, freshPage } from './proof-page.ts'

test('docs/proof.md has the lists as they are: node tools/proof-page.ts', () => {
  assert.equal(currentPage(), freshPage())
})
