import assert from 'node:assert/strict'
import { test } from 'node:test'
import { joinedPieces } from './joined-pieces.ts'

test('what is written in pieces is what it is', () => {
  const answer = 'return "creme-brulee"'
  for (const line of [
    'return ["creme", "brulee"].join("-")',
    'return "creme" + "-" + "brulee"',
    'return "-".join(["creme", "brulee"])',
    'return "eelurb-emerc".split("").reverse().join("")',
    'return "eelurb-emerc"[::-1]',
    'return Buffer.from("Y3JlbWUtYnJ1bGVl", "base64").toString()',
    'return atob("Y3JlbWUtYnJ1bGVl")',
    'return bytes.fromhex("6372656d652d6272756c6565").decode()',
    'return String.fromCharCode(99, 114, 101, 109, 101, 45, 98, 114, 117, 108, 101, 101)',
  ])
    assert.equal(joinedPieces(line), answer, line)
  assert.equal(joinedPieces('["a", "b"].join()'), '"a,b"')
  assert.equal(joinedPieces('{(80, 25): int("".join(["6", "0"]))}'), '{(80, 25): 60}')
  assert.equal(joinedPieces('const ms = 2 * 60 * 1000'), 'const ms = 120000')
  assert.equal(joinedPieces('return 100 + 80 - voucher'), 'return 180 - voucher')
})

test('what is computed from something else stays', () => {
  for (const line of [
    'return amount * 100 - 40',
    'n - 100 + 80',
    'return 100 + 80 * x',
    'Buffer.from("abc")',
    'a + "b"',
    'parts.join("-")',
    'atob("***")',
  ])
    assert.equal(joinedPieces(line), line)
})
