import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { withoutLines } from './without-lines.ts'

const beginnings = ['{"type":"again"', '{"t":']

function filtered(pieces: string[]): string {
  let out = ''
  const filter = withoutLines(beginnings, (bytes) => {
    out += bytes.toString('latin1')
  })
  for (const piece of pieces) filter.push(Buffer.from(piece, 'latin1'))
  filter.end()
  return out
}

test('lines with such a beginning are gone, and every other byte is as it was', () => {
  assert.equal(filtered(['a\n{"type":"again","x":1}\n{"type":"new"}\n\n{"t":2}\nlast']), 'a\n{"type":"new"}\n\nlast')
})

test('it is the same however the bytes are cut', () => {
  const line = fc.oneof(
    fc.constantFrom(...beginnings.map((text) => `${text} rest`)),
    fc.constantFrom('', '{', '{"type":"agai', 'x'),
    fc.string({ unit: 'binary-ascii', maxLength: 30 }).map((text) => text.replaceAll('\n', '')),
  )
  fc.assert(
    fc.property(
      fc.array(line, { maxLength: 12 }),
      fc.array(fc.nat(400), { maxLength: 12 }),
      fc.boolean(),
      (lines, cuts, isEnded) => {
        const text = lines.join('\n') + (isEnded ? '\n' : '')
        const places = [...new Set([0, ...cuts.map((cut) => Math.min(cut, text.length)), text.length])].sort((a, b) => a - b)
        const pieces = places.slice(1).map((place, n) => text.slice(places[n], place))
        const kept = text
          .split(/(?<=\n)/)
          .filter((each) => !beginnings.some((beginning) => each.startsWith(beginning)))
          .join('')
        assert.equal(filtered(pieces), kept)
      },
    ),
    { numRuns: 500 },
  )
})
