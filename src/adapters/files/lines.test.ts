import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { lineSplitter } from './lines.ts'

function linesOf(chunks: Buffer[], maxBytes?: number): [string, boolean][] {
  const lines: [string, boolean][] = []
  const splitter = lineSplitter((line, isCut) => lines.push([line, isCut]), maxBytes)
  for (const chunk of chunks) splitter.push(chunk)
  splitter.end()
  return lines
}
const whole = (...lines: string[]) => lines.map((line) => [line, false])

test('lines end with LF or CRLF, and the last one needs no end', () => {
  assert.deepEqual(linesOf([Buffer.from('a\r\n\nb\rc\n'), Buffer.from('d')]), whole('a', '', 'b\rc', 'd'))
  assert.deepEqual(linesOf([Buffer.from('a\n')]), whole('a'))
  assert.deepEqual(linesOf([]), [])
})

test('a character cut between chunks is whole again, and bytes that are no text survive as a mark', () => {
  const bytes = Buffer.from('é\0\n')
  assert.deepEqual(linesOf([bytes.subarray(0, 1), bytes.subarray(1)]), whole('é\0'))
  assert.deepEqual(linesOf([Buffer.from([0xff, 0x61, 10])]), whole('\ufffda'))
})

test('a line that is too long comes once, cut, and the next is whole', () => {
  const chunks = ['xxxx', 'xxxx', 'x\nnext\n'].map((text) => Buffer.from(text))
  assert.deepEqual(linesOf(chunks, 6), [
    ['xxxxxx', true],
    ['next', false],
  ])
  assert.deepEqual(linesOf([Buffer.from('123456\n1234567\n')], 6), [
    ['123456', false],
    ['123456', true],
  ])
})

test('where the bytes are cut makes no difference', () => {
  const byte = fc.constantFrom(10, 13, 0x61, 0x62, 0xc3, 0xa9, 0, 0xff)
  fc.assert(
    fc.property(
      fc.array(byte, { maxLength: 60 }),
      fc.array(fc.nat(60)),
      fc.integer({ min: 1, max: 12 }),
      (bytes, cuts, maxBytes) => {
        const buffer = Buffer.from(bytes)
        const at = [0, ...cuts.map((cut) => Math.min(cut, buffer.length)).sort((a, b) => a - b), buffer.length]
        const chunks = at.slice(1).map((end, index) => buffer.subarray(at[index], end))
        assert.deepEqual(linesOf(chunks, maxBytes), linesOf([buffer], maxBytes))
      },
    ),
  )
})
