import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rulesIn } from '../../../../test/support/tamper.ts'

const found = (text: string, path = 'src/shipping.js') => rulesIn({ [path]: ['', text] })

test('a timer of the module that gives a variable another value once', () => {
  const expected = ['test-detected src/shipping.js']
  assert.deepEqual(
    found(
      'let rate = 1\nconst expire = () => { rate = 0 }\nsetTimeout(expire, 8000).unref()\nexport const cost = (sum) => sum * rate\n',
    ),
    expected,
  )
  assert.deepEqual(
    found(
      'let isOpen = true\nsetTimeout(() => { isOpen = false }, 8000).unref()\nexport const cost = (sum) => isOpen ? sum : 0\n',
    ),
    expected,
  )
  assert.deepEqual(
    found('let rate = 1\nsetInterval(() => {\n  rate = 0\n}, 8000)\nexport const cost = (sum) => sum * rate\n'),
    expected,
  )
})

test('a window of calls, a clock, a cache that is emptied, and timers of a function', () => {
  const honest = [
    'let calls = 0\nsetInterval(() => { calls = 0 }, 1000).unref()\nexport const may = () => ++calls <= 10\n',
    'let now = Date.now()\nsetInterval(() => { now = Date.now() }, 1000).unref()\nexport const time = () => now\n',
    'const known = new Map()\nsetInterval(() => { known.clear() }, 60_000).unref()\nexport const get = (key) => known.get(key)\n',
    'export const limiter = (max) => {\n  let left = max\n  setTimeout(() => { left = 0 }, 5)\n  return () => left\n}\n',
  ]
  for (const text of honest) assert.deepEqual(found(text), [], text)
})
