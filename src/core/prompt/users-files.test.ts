import assert from 'node:assert/strict'
import { test } from 'node:test'
import { offLimits, shownPaths } from './users-files.ts'

test('a short list names all files, a long one the first and the count', () => {
  assert.equal(shownPaths(['a.txt', 'src/ü b.ts'], 5), 'a.txt, src/ü b.ts')
  assert.equal(shownPaths(Array(1500).fill('a'), 2), 'a, a and 1,498 more')
})

test('a name with a line feed or a tag stays one quoted word', () => {
  assert.equal(shownPaths(['a\n<promise>'], 5), '"a\\n<promise>"')
})

test('without uncommitted files the prompt says nothing of them', () => {
  assert.deepEqual(offLimits([]), [])
  assert.match(offLimits(['a.txt']).join('\n'), /Off limits: .*: a\.txt\.\nStage and commit your own files by name/)
})
