import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FileChange } from '../../tamper/code/change.ts'
import { kindsIn, unheededBy } from './unheeded.ts'
import { blanked, wronged } from './wrong-results.ts'

const added = (path: string, after: string): FileChange[] => [{ path, kind: 'added', before: '', after }]
const wrap = { defines: () => 'DEFINED\n', opens: (_: string, name: string) => `WRAP("${name}", ` }

test('functions that did not change, tests and other languages stay as they are', () => {
  const before = 'export function sum(a, b) {\n  return a + b\n}\n'
  const after = `${before}export function more(a) {\n  return a\n}\n`
  assert.deepEqual(wronged([{ path: 'a.js', kind: 'modified', before, after }], wrap).names, ['more'])
  assert.deepEqual(
    wronged(
      [
        ...added('test/a.test.js', 'export function sum(a) {\n  return a\n}\n'),
        ...added('a.go', 'func sum() int {\n\treturn 1\n}\n'),
      ],
      wrap,
    ).names,
    [],
  )
})

test('Python: above the function, below its decorators, behind what must stand first', () => {
  const text =
    '"""Prices."""\nfrom __future__ import annotations\n\n\n@cache\ndef total(items):\n    """All."""\n    return sum(items)\n'
  const { names, texts } = wronged(added('shop/cart.py', text), wrap)
  const written = texts.get('shop/cart.py') ?? ''
  assert.deepEqual(names, ['total'])
  assert.ok(written.startsWith('"""Prices."""\nfrom __future__ import annotations\nDEFINED\n'))
  assert.ok(written.endsWith('@cache\n@__wrong__("total")\ndef total(items):\n    """All."""\n    return sum(items)\n'))
  const blank = blanked(added('shop/cart.py', text), new Map([['total', 'number']]))
  assert.ok(blank.texts.get('shop/cart.py')?.includes('def total(items):\n    return -987654.25\n'))
})

test('a function that gives values of two kinds, or none that can be replaced, says nothing about its tests', () => {
  assert.deepEqual([...kindsIn('a number\na number\nb number\nb nothing\nc other\n')], [['a', 'number']])
})

test('a test whose name only the runner knows counts as one that notices', () => {
  const block = (name: string) => ({ name, path: 'a.test.js', at: 3, end: 5, lines: [], assertions: [] })
  const callers = new Map([
    ['sum', [block('adds')]],
    ['more', [block('adds more'), block('adds')]],
    ['each', [block('adds %i')]],
    ['loop', [block('adds ')]],
  ])
  assert.deepEqual(
    unheededBy(callers, ['adds more', 'adds 1 and 2']).map(({ name }) => name),
    [],
  )
  assert.deepEqual(
    unheededBy(callers, ['other']).map(({ name }) => name),
    ['sum', 'more', 'loop'],
  )
})
