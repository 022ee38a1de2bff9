import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import { globSource, matchesGlob } from './glob.ts'

const cases: [pattern: string, matches: string[], others: string[]][] = [
  [
    'test/acceptance/**',
    ['test/acceptance/a.js', 'test/acceptance/b/c.js'],
    ['test/a.js', 'x/test/acceptance/a.js', 'test/acceptance'],
  ],
  ['test/acceptance', ['test/acceptance', 'test/acceptance/b/c.js'], ['test/acceptances/a.js']],
  ['test/acceptance/', ['test/acceptance/a.js'], ['test/acceptance.js']],
  ['/Makefile', ['Makefile'], ['sub/Makefile']],
  ['*.snap', ['a.snap', 'x/y/a.snap'], ['a.snap.js', 'snap']],
  ['**/golden/*.json', ['golden/a.json', 'x/y/golden/a.json'], ['golden/x/a.json', 'golden/ajson']],
  ['a?c.(txt)', ['abc.(txt)', 'x/abc.(txt)'], ['ac.(txt)', 'a/c.(txt)']],
]

test('patterns mean what they mean in .gitignore', () => {
  for (const [pattern, matches, others] of cases) {
    assert.deepEqual(
      matches.filter((path) => !matchesGlob(path, pattern)),
      [],
      pattern,
    )
    assert.deepEqual(
      others.filter((path) => matchesGlob(path, pattern)),
      [],
      pattern,
    )
  }
})

test('grep reads them the same way, below a root with odd characters', () => {
  const root = '/home/me (own)/a+b'
  for (const [pattern, matches, others] of cases)
    for (const path of [...matches, ...others]) {
      const { status } = spawnSync('grep', ['-Eq', globSource(pattern, root)], { input: `${root}/${path}\n` })
      assert.equal(status === 0, matches.includes(path), `${pattern} ${path}`)
    }
})
