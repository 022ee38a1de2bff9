import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { forTerminal } from './for-terminal.ts'

test('words, line ends, tabs and our own colours pass; what a terminal would obey is shown as its number', () => {
  assert.equal(forTerminal('a\tb\n\u001b[32mgood\u001b[0m'), 'a\tb\n\u001b[32mgood\u001b[0m')
  assert.equal(forTerminal('\u001b]52;c;eA==\u0007'), '\\u001b]52;c;eA==\\u0007')
  assert.equal(forTerminal('\u001b[8mhidden \u009b2J \u202eback \r'), '\\u001b[8mhidden \\u009b2J \\u202eback \\u000d')
  const own = ['\u0007', '\r\u001b[J', '\u001b[?7l', '\u001b[?7h\r']
  assert.deepEqual(own.map(forTerminal), own)
})

test('JSON means the same afterwards, whatever is in it', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => assert.equal(JSON.parse(forTerminal(JSON.stringify(text))), text)),
  )
})
