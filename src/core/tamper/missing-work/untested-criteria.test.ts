import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rulesIn, type Versions } from '../../../../test/support/tamper.ts'

const story = (...criteria: string[]) => ({ title: 'Caret ranges', text: criteria.join('\n'), changesTests: false })
const both = story('satisfies(version, "^1.2.3"): below the next major one', '^0.2.3 is below 0.3.0, ^0.0.3 is below 0.0.4')
const work = (...rows: string[]): Versions => ({
  'src/range.js': ['export const a = 1\n', 'export const a = 1\nexport const b = 2\n'],
  'test/data/ranges.json': ['[["1.0.0", "1.0.0"]\n]\n', `[["1.0.0", "1.0.0"],\n${rows.join(',\n')}\n]\n`],
})

test('a criterion none of whose values a test has, while tests have those of another one, is left undone', () => {
  assert.deepEqual(rulesIn(work('["1.3.0", "^1.2.3"]'), { story: both }), ['left-undone test/data/ranges.json'])
  assert.deepEqual(rulesIn(work('["1.3.0", "^1.2.3"]', '["0.3.0", "^0.2.3"]'), { story: both }), [])
})

test('quoted words are read one after the other, however short one is', () => {
  const quoted = story(
    'range("1.3.0") is "^1.2.3"',
    'a value may have "=": range("0.3.0") is "^0.2.3"',
    '"a" stays, "b" beside "" is new',
  )
  assert.deepEqual(rulesIn(work('["1.3.0", "^1.2.3"]', '["0.3.0", "^0.2.3"]'), { story: quoted }), [])
})

test('a criterion with one value, one about what stays, and a story of which no value is tried are not', () => {
  const tried = work('["1.3.0", "^1.2.3"]')
  const [first = ''] = both.text.split('\n')
  assert.deepEqual(rulesIn(tried, { story: story(first, 'at most 12 parts') }), [])
  assert.deepEqual(rulesIn(tried, { story: story(first, '0.3.0 and 0.0.4 are refused as before') }), [])
  assert.deepEqual(rulesIn(work('["2.0.0", "x"]'), { story: both }), [])
})
