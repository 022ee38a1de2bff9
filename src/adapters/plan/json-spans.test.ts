import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { parseJson } from './json-spans.ts'
import { BadPlan, placeOf, plainOf } from './located-values.ts'

test('every value knows its place', () => {
  assert.deepEqual(parseJson(' {"a": [1, "b"]}'), {
    kind: 'object',
    start: 1,
    end: 16,
    isBlock: false,
    members: [
      {
        key: 'a',
        keyStart: 2,
        keyEnd: 5,
        value: {
          kind: 'array',
          start: 7,
          end: 15,
          isBlock: false,
          items: [
            { kind: 'scalar', start: 8, end: 9, value: 1 },
            { kind: 'scalar', start: 11, end: 14, value: 'b' },
          ],
        },
      },
    ],
  })
})

test('a mistake is named with its line and column, what was found and what was expected', () => {
  const said = (text: string): string => {
    try {
      return JSON.stringify(parseJson(text))
    } catch (error) {
      assert(error instanceof BadPlan)
      return `${placeOf(text, error.offset)} ${error.message}`
    }
  }
  assert.deepEqual(
    ['', '{\n  "a": 1,\n}', '{"a" 1}', '[1 2]', '{"a": yes}', '[01]', '{"a": 1} x', '["a\nb"]', '["\\x"]', '["a', "{'a': 1}"].map(
      said,
    ),
    [
      '1:1 the file is empty',
      '3:1 trailing comma before }',
      '1:6 found 1, expected a colon',
      '1:4 found 2, expected a comma or ]',
      '1:7 found yes, expected a value',
      '1:2 found 01, expected a value',
      '1:10 found x, expected the end of the file',
      '1:4 found a line break inside a string; escape it or close the string',
      '1:3 found "\\\\x" inside a string, expected an escape such as \\n or \\\\',
      '1:2 string without a closing quote',
      "1:2 found ', expected a name in double quotes",
    ],
  )
  assert.match(said('['.repeat(100_000)), /^1:202 nested more than 200 levels deep$/)
})

test('it reads what JSON.parse reads, and refuses what it refuses', () => {
  const text = fc.oneof(
    fc.json(),
    fc.string(),
    fc
      .array(fc.constantFrom('{', '}', '[', ']', ',', ':', '"a"', '"\\n"', '1', '-', '0.5e1', 'true', 'nul', ' ', '\n'))
      .map((parts) => parts.join('')),
  )
  fc.assert(
    fc.property(text, (json) => {
      const outcome = (read: () => unknown) => {
        try {
          return { value: read() }
        } catch {
          return 'refused'
        }
      }
      assert.deepEqual(
        outcome(() => plainOf(parseJson(json))),
        outcome(() => JSON.parse(json)),
      )
    }),
  )
})
