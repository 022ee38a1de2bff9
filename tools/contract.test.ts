/** Each requirement of docs/contract.md has a test that names it, and each ID that is named anywhere is there. */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

const root = join(import.meta.dirname, '..')
const idsIn = (patterns: string[]): Set<string> =>
  new Set(
    globSync(patterns, { cwd: root }).flatMap((path) => readFileSync(join(root, path), 'utf8').match(/\bR-[A-Z]+-\d+\b/g) ?? []),
  )
const defined = new Set(
  Array.from(readFileSync(join(root, 'docs', 'contract.md'), 'utf8').matchAll(/^\| (R-[A-Z]+-\d+) \|/gm), ([, id = '']) => id),
)

test('every requirement has a test with its ID', () => {
  const tested = idsIn([
    'src/**/*.test.{ts,tsx}',
    'sim/**/*.test.ts',
    'fuzz/**/*.test.ts',
    'test/**/*.test.ts',
    'tools/**/*.test.ts',
  ])
  assert.notEqual(defined.size, 0)
  assert.deepEqual(
    [...defined].filter((id) => !tested.has(id)),
    [],
  )
})

test('every ID that code, tests and pages name is in docs/contract.md', () => {
  const named = idsIn(['*.md', '{src,sim,fuzz,test,tools,bench}/**/*.{ts,tsx}', 'docs/**/*.md'])
  assert.deepEqual(
    [...named].filter((id) => !defined.has(id)),
    [],
  )
})
