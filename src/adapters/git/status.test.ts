import assert from 'node:assert/strict'
import { test } from 'node:test'
import { keptMb } from '../../../test/support/heap.ts'
import { readStatus } from './status.ts'

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
