import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { collectGarbageSoon, usedBytes } from './garbage.ts'

test('garbage that V8 would keep for long is collected while an agent works', async () => {
  collectGarbageSoon()
  await pause(100) // it notes how much there is before
  const before = usedBytes()
  makeGarbage()
  const withGarbage = usedBytes()
  assert.ok(withGarbage - before > 15_000_000, `${withGarbage - before} bytes of garbage`)
  collectGarbageSoon()
  await pause(100)
  assert.ok(usedBytes() - before < 5_000_000, `${usedBytes() - before} bytes are left`)
})

function makeGarbage(): void {
  Array.from({ length: 300_000 }, (_, index) => ({ index, text: `${index}` }))
}
