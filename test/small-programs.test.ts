/** The scripted agent and the plugins' process start once per call: they load what they need, not Ralph. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { test } from 'node:test'
import { ralphProgram } from './support/project.ts'

const dist = join(ralphProgram, '..', '..', 'dist')
const mostBytes = 40_000

for (const program of ['player.js', 'plugin-host.js'])
  test(`${program} loads less than ${mostBytes / 1000} KB, so that it starts almost as fast as Node itself`, () => {
    const sizes = loaded(program)
    const total = [...sizes.values()].reduce((sum, size) => sum + size, 0)
    assert.ok(total < mostBytes, JSON.stringify(Object.fromEntries(sizes)))
  })

/** Each file that a program imports at its start, with its size. */
function loaded(name: string, seen = new Map<string, number>()): Map<string, number> {
  const text = readFileSync(join(dist, name), 'utf8')
  seen.set(name, text.length)
  for (const [, path = ''] of text.matchAll(/\b(?:from|import)\s*"\.\/([^"]+)"/g))
    if (!seen.has(basename(path))) loaded(basename(path), seen)
  return seen
}
