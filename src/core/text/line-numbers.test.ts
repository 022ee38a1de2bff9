import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { lineNumbers } from './line-numbers.ts'

test('the line of a place is one more than the line ends before it', () => {
  const texts = fc.array(fc.constantFrom('a', 'b', '\n')).map((parts) => parts.join(''))
  fc.assert(
    fc.property(texts, (text) => {
      const lineAt = lineNumbers(text)
      for (let at = 0; at <= text.length; at++) assert.equal(lineAt(at), text.slice(0, at).split('\n').length)
    }),
  )
})
