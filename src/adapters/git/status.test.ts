import assert from 'node:assert/strict'
import { test } from 'node:test'
import { keptMb } from '../../../test/support/heap.ts'
import { noteOthers } from '../process/other-programs.ts'
import { looksOf, readStatus } from './status.ts'

test('the heads of a hundred looks do not keep what git said with them: each was cut from the whole of it', async () => {
  const untracked = Array.from({ length: 5000 }, (_, at) => `? a/folder/with/a/long/name/and-a-file-${at}.txt\0`).join('')
  const look = async (n: number): Promise<string | null> => {
    const said = `# branch.oid ${String(n).padStart(40, '0')}\0# branch.head main\0${untracked}`
    const { head, changes } = await readStatus(async () => ({ code: 0, out: Buffer.from(said), words: '' }))
    assert.deepEqual([changes.length, changes.at(-1)?.path], [5000, 'a/folder/with/a/long/name/and-a-file-4999.txt'])
    return head
  }
  const kept = await keptMb(async () => {
    const heads: (string | null)[] = []
    for (let n = 0; n < 100; n++) heads.push(await look(n))
    return heads
  })
  assert(kept < 5, `${kept} MB are kept`) // 25 MB where each keeps its own
})

test('a look counts for the next one until somebody commits, stages or switches branches, or a program of others runs', async () => {
  let looks = 0
  let head = 'a'.repeat(40)
  let marks = 'ref: refs/heads/main'
  const said = async () => {
    looks += 1
    return { code: 0, out: Buffer.from(`# branch.oid ${head}\0# branch.head main\0? new.txt\0`), words: '' }
  }
  const { look, lately, moved } = looksOf(
    said,
    async () => head,
    () => marks,
  )
  await lately()
  await look()
  const known = await lately()
  assert.deepEqual([looks, known.changes.map(({ path }) => path)], [2, ['new.txt']])
  const before = head
  head = 'b'.repeat(40)
  moved(before, head)
  assert.deepEqual([(await lately()).head, looks], [head, 2])
  head = 'c'.repeat(40)
  assert.deepEqual([(await lately()).head, looks], [head, 3])
  moved('d'.repeat(40), 'e'.repeat(40)) // on top of another commit than it has seen
  await lately()
  assert.equal(looks, 4)
  noteOthers(1)
  await lately()
  await lately()
  noteOthers(-1)
  await lately()
  assert.equal(looks, 7)
  await lately()
  noteOthers(1)
  noteOthers(-1)
  await lately()
  assert.equal(looks, 8)
  marks = head // detached, at the same commit
  await lately()
  assert.equal(looks, 9)
})
