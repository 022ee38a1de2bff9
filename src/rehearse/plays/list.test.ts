import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import test from 'node:test'
import { rehearsePage, rehearsePath } from '../../../tools/docs.ts'
import { playList } from './list.ts'

test('each play has its own id, and a name that fits into its column', () => {
  assert.equal(new Set(playList.map(({ id }) => id)).size, playList.length)
  assert.deepEqual(
    playList.filter(({ name }) => name.length > 38).map(({ name }) => name),
    [],
  )
})

test('plays of a group are listed together', () => {
  const groups = playList.map(({ group }) => group)
  assert.deepEqual(
    groups.filter((group, index) => group !== groups[index - 1]),
    [...new Set(groups)],
  )
})

test('docs/rehearse.md lists the plays as they are (else run: node tools/docs.ts)', () => {
  assert.equal(readFileSync(rehearsePath, 'utf8'), rehearsePage())
})
