import assert from 'node:assert/strict'
import { test } from 'node:test'
import { blocksOfStory, examplesIn } from './story-examples.ts'

const said = (text: string): string[] =>
  examplesIn(text).map(({ name, args, expected, isError }) => `${name}(${args}) ${isError ? 'fails' : `gives ${expected}`}`)

test('the calls that a story writes out, with what they give', () => {
  assert.deepEqual(
    said(`slug("A b") is "a-b", slug("c") must be "c" and \`week("2024-01-01")\` gives 1.
sum([1, 2], { by: 3 }) => 6; sum([]) == 0 (nothing)
parse("9-3") raises ValueError, and parse("") throws a RangeError`),
    [
      'slug("A b") gives "a-b"',
      'slug("c") gives "c"',
      'week("2024-01-01") gives 1',
      'sum([1, 2], { by: 3 }) gives 6',
      'sum([]) gives 0',
      'parse("9-3") fails',
      'parse("") fails',
    ],
  )
})

test('what was, what is only part of something, and what is no value', () => {
  assert.deepEqual(
    said(`Today slug("A") is "A"
slug("A") was "A"
if slug("a") is "a", nothing happens
slug(text) gives "a"
price(200) is 180 % of it
price(200) is 180 + vat
price() is 5
cart.price(3) is 5
new Cart(3) is "a"
slug("a") does not throw
slug("a") throws no error`),
    [],
  )
})

test('the function is where a test imports it from, or where a changed source defines it', () => {
  const tests = [{ path: 'test/a.test.js', text: "import { slug } from '../src/a.js'\n" }]
  const sources = [{ path: 'src/b.js', text: 'export function week(text) {\n  return 1\n}\n' }]
  const text = 'slug("a") is "a"\nweek("b") is 2\nother("c") is 3'
  assert.deepEqual(
    blocksOfStory(text, { tests, sources }, 'javascript').map(({ file, imports }) => ({ file, imports })),
    [
      { file: 'test/a.test.js', imports: { slug: { module: '../src/a.js', member: 'slug' } } },
      { file: 'package.json', imports: { week: { module: './src/b.js', member: 'week' } } },
    ],
  )
  const python = [{ path: 'src/shop/codes.py', text: 'def other(text):\n    return 3\n' }]
  assert.deepEqual(
    blocksOfStory(text, { tests: [], sources: python }, 'python').map(({ imports }) => imports),
    [{ other: { module: 'shop.codes', member: 'other' } }],
  )
})
