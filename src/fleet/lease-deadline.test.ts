import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rightNow, watchLease } from './lease-deadline.ts'
import { tryWhileLeased } from './try-again.ts'

const ago = (ms: number) => {
  const { mono, wall } = rightNow()
  return { mono: mono - ms, wall: wall - ms }
}

test('a lease counts from when it was asked for, without the part in which everything must end', (t) => {
  const watch = watchLease(ago(10_000), 60_000)
  t.after(watch.close)
  assert.ok(watch.leftMs() <= 35_000 && watch.leftMs() > 20_000)
  watch.extend(rightNow(), 60_000)
  assert.ok(watch.leftMs() > 35_000)
  assert.equal(watch.lost.aborted, false)
})

test('whoever comes too late has lost the lease, whatever the database says: a machine that slept begins anew', (t) => {
  const { mono, wall } = rightNow()
  for (const asked of [ago(50_000), { mono, wall: wall - 50_000 }, { mono: mono - 50_000, wall }]) {
    const watch = watchLease(asked, 60_000)
    t.after(watch.close)
    assert.equal(watch.leftMs(), 0)
    watch.extend(rightNow(), 60_000)
    assert.deepEqual([watch.lost.aborted, watch.leftMs()], [true, 0])
  }
})

test('a lease is lost when nobody renews it, and says why once', async () => {
  const watch = watchLease(ago(59_900), 60_000)
  await new Promise((resolve) => watch.lost.addEventListener('abort', resolve))
  watch.lose('another reason')
  assert.equal(watch.lost.reason, 'the lease was not renewed in time')
})

test('what the world refuses is tried again while the lease is held; a mistake of ours is thrown, and after the lease nothing counts', async () => {
  const held = new AbortController()
  const watch = { lost: held.signal }
  let tries = 0
  const sometimes = async (): Promise<string> => {
    tries += 1
    if (tries < 3) throw Object.assign(new Error('connect'), { code: 'ECONNREFUSED' })
    return 'done'
  }
  assert.deepEqual([await tryWhileLeased(sometimes, watch), tries], ['done', 3])
  await assert.rejects(
    tryWhileLeased(async () => assert.fail('syntax'), watch),
    { message: 'syntax' },
  )
  const late = tryWhileLeased(async () => held.abort(), watch)
  assert.equal(await late, null)
  assert.equal(await tryWhileLeased(sometimes, watch), null)
})
