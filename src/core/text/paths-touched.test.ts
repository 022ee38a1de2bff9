import assert from 'node:assert/strict'
import { test } from 'node:test'
import { overlap } from './paths-touched.ts'

const meets = (one: string, other: string): boolean => {
  assert.equal(overlap([one], [other]), overlap([other], [one]))
  return overlap([one], [other])
}

test('a file meets itself, and a folder everything in it', () => {
  assert.deepEqual(
    [
      meets('src/a.ts', 'src/a.ts'),
      meets('src/a.ts', './src/a.ts'),
      meets('src', 'src/a.ts'),
      meets('src/', 'src/core/b.ts'),
      meets('/src/core/', 'src'),
    ],
    [true, true, true, true, true],
  )
})

test('neighbours do not meet, also where one name begins like the other', () => {
  assert.deepEqual(
    [meets('src/a.ts', 'src/b.ts'), meets('src', 'src2/a.ts'), meets('src/core', 'src/core.ts'), meets('a', 'b')],
    [false, false, false, false],
  )
})

test('of a pattern what stands before its first wildcard counts: rather one story that waits than two that conflict', () => {
  assert.deepEqual(
    [
      meets('src/*.ts', 'src/core/x.md'),
      meets('src/**/x.ts', 'src'),
      meets('src/co*', 'src/core/x.ts'),
      meets('**', 'anything'),
      meets('src/{a,b}.ts', 'src/c.ts'),
      meets('src/*.ts', 'docs/*.md'),
      meets('src/co*', 'src/run/x.ts'),
    ],
    [true, true, true, true, true, false, false],
  )
})

test('the root meets everything, and nothing named meets nothing', () => {
  assert.deepEqual([meets('.', 'a.ts'), meets('./', 'src'), meets('', 'src')], [true, true, true])
  assert.deepEqual([overlap([], ['src']), overlap(['src'], []), overlap(['a', 'src'], ['b', 'src/x'])], [false, false, true])
})
