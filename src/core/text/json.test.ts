import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hasTexts, isListOf, isRecord, isText, jsonIn, numberOf, recordOf, recordsIn, textOf } from './json.ts'

const values = [undefined, null, true, 0, Number.NaN, 'x', [], ['x'], [{ a: 1 }, null], {}, { a: 1 }]

test('a text that is no JSON is undefined, which no JSON is', () => {
  assert.deepEqual(['', '{', 'x', 'undefined', '{"a":}'].map(jsonIn), Array(5).fill(undefined))
  assert.deepEqual(['null', '[]', '{"a":[1]}'].map(jsonIn), [null, [], { a: [1] }])
})

test('each checker takes what is of its kind, and nothing else', () => {
  assert.deepEqual(values.filter(isRecord), [{}, { a: 1 }])
  assert.deepEqual(values.map(recordOf), [...Array(10).fill({}), { a: 1 }])
  assert.deepEqual(values.flatMap(recordsIn), [{ a: 1 }])
  assert.deepEqual(
    values.filter((value) => isListOf(value, isText)),
    [[], ['x']],
  )
  assert.deepEqual(
    [null, [], 'ab', { a: 'x' }, { a: 'x', b: 1 }, { a: '', b: 'y' }].map((value) => hasTexts(value, 'a', 'b')),
    [...Array(5).fill(false), true],
  )
  assert.deepEqual(values.map(textOf).filter(Boolean), ['x'])
  assert.deepEqual(
    values.map(numberOf).filter((value) => value !== undefined),
    [0],
  )
})
