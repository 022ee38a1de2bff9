import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findingsIn } from '../../../../test/support/tamper.ts'

const queue =
  'export class Queue {\n  push(value) {\n    this.items.push(value)\n  }\n\n  pop() {\n    return this.items.shift()\n  }\n}\n'
const found = (tests: string, source = queue, path = 'test/queue.test.js'): string[] =>
  findingsIn({ 'src/queue.js': [null, source], [path]: [null, tests] }).flatMap(({ rule, words }) =>
    rule === 'mock-changed' ? [words] : [],
  )
const calls = "test('order', () => {\n  assert.equal(new Own().pop(), 2)\n})\n"
const sub = (method: string): string => `class Own extends Queue {\n  ${method}() {\n    return super.pop()\n  }\n}\n${calls}`

test('a class of the tests that overrides the method they call, and a prototype that they change', () => {
  assert.deepEqual(found(sub('pop')), [
    'replaces Own.pop() by code of its tests, which then test that code, in test/queue.test.js (line 2)',
  ])
  const patch =
    'global.prepare = (Kind) => {\n  Kind.prototype.push = function (value) {\n    this.items.unshift(value)\n  }\n}\n'
  assert.deepEqual(found(patch, queue, 'test/setup.js'), [
    'replaces Kind.prototype.push() by code of its tests, which then test that code, in test/setup.js (line 2)'.replace(
      '.prototype',
      '',
    ),
  ])
})

test('a method of the tests alone, one that is meant to be overridden, and one that only the code calls', () => {
  assert.deepEqual(found(sub('peek')), [])
  assert.deepEqual(found(sub('pop'), queue.replace('return this.items.shift()', "throw new Error('not here')")), [])
  assert.deepEqual(found(sub('pop').replace('new Own().pop()', 'drain(new Own())')), [])
})
