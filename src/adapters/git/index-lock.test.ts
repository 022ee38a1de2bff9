import assert from 'node:assert/strict'
import { existsSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { committed } from '../../../test/support/repository.ts'
import { clearLocksOf, clearLocksUntil, clearRefLocks } from './index-lock.ts'

test('after a crash of the machine locks from before it are removed, and later ones stay', async () => {
  const { top } = await committed()
  const dir = join(top, '.git')
  const [older, later] = [
    ['index.lock', 'HEAD.lock', 'ORIG_HEAD.lock', 'config.lock', 'refs/heads/main.lock'],
    ['packed-refs.lock', 'ralph.lock'],
  ].map((names) => names.map((name) => join(dir, name)))
  for (const path of [...(older ?? []), ...(later ?? [])]) writeFileSync(path, '')
  const downMs = Date.now() - 60_000
  for (const path of older ?? []) utimesSync(path, downMs / 1000 - 5, downMs / 1000 - 5)
  utimesSync(join(dir, 'ralph.lock'), downMs / 1000 - 5, downMs / 1000 - 5)
  assert.deepEqual(clearLocksUntil(dir, downMs).toSorted(), older?.toSorted())
  assert.deepEqual((later ?? []).map(existsSync), [true, true])
})

test('the lock of ORIG_HEAD, without which nothing can land, goes if a landing was killed then, and is named otherwise', async () => {
  const { top } = await committed()
  const dir = join(top, '.git')
  const lock = join(dir, 'ORIG_HEAD.lock')
  writeFileSync(lock, '')
  const madeMs = Date.now()
  const [{ stuck }, others] = await Promise.all([clearRefLocks(dir), clearLocksOf(dir, madeMs - 120_000)])
  assert.match(stuck ?? '', /ORIG_HEAD\.lock exists/)
  assert.deepEqual(others, [])
  assert.deepEqual(await clearLocksOf(dir, madeMs), [lock])
})
