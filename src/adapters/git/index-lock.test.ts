import assert from 'node:assert/strict'
import { existsSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { committed } from '../../../test/support/repository.ts'
import { clearLocksUntil } from './index-lock.ts'

test('after a crash of the machine locks from before it are removed, and later ones stay', async () => {
  const { top } = await committed()
  const dir = join(top, '.git')
  const [older, later] = [['index.lock', 'HEAD.lock', 'config.lock', 'refs/heads/main.lock'], ['packed-refs.lock']].map((names) =>
    names.map((name) => join(dir, name)),
  )
  for (const path of [...(older ?? []), ...(later ?? [])]) writeFileSync(path, '')
  const downMs = Date.now() - 60_000
  for (const path of older ?? []) utimesSync(path, downMs / 1000 - 5, downMs / 1000 - 5)
  assert.deepEqual(clearLocksUntil(dir, downMs), older)
  assert.deepEqual((later ?? []).map(existsSync), [true])
})
