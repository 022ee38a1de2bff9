import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Entry } from '../reading/transcript.ts'
import { isWritten, noteWrite, noWrites } from './written-files.ts'

const tool = (name: string, target: string): Entry => ({ kind: 'tool', name, target, isSub: false })

const seen = (...entries: Entry[]) => {
  const writes = noWrites()
  for (const entry of entries) noteWrite(writes, entry)
  return (path: string): boolean => isWritten(writes, path)
}

test('an edit counts for its file, by its path from anywhere, and for no other', () => {
  const isIn = seen(tool('Edit', '/home/me/shop/src/a.txt'), tool('write_file', 'b.txt'))
  assert.deepEqual(['src/a.txt', 'b.txt', 'c.txt', 'other/a.txt'].map(isIn), [true, true, false, false])
})

test('a command counts if it may write and names the file', () => {
  const commands = ['sed -i s/a/b/ "src/a.txt"', 'cat b.txt', 'echo x >> c.txt', 'git checkout -- d.txt', 'mv e.txt src/e2.txt']
  const isIn = seen(...commands.map((command) => tool('Bash', command)))
  const files = ['src/a.txt', 'b.txt', 'c.txt', 'd.txt', 'e.txt', 'src/e2.txt', 'f.txt']
  assert.deepEqual(files.filter(isIn), ['src/a.txt', 'c.txt', 'd.txt', 'e.txt', 'src/e2.txt'])
})

test('what is read or said is not written', () => {
  const isIn = seen(tool('Read', 'a.txt'), { kind: 'said', text: 'I will write a.txt', isSub: false })
  assert.equal(isIn('a.txt'), false)
})
