import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { test } from 'node:test'
import { countNow, lowestAfter } from './pids.ts'

test('while the count of pids has not come round, whoever came of a process has a higher one', () => {
  const before = { starts: 1000, last: 499 }
  const lowest = (starts: number, last: number) => lowestAfter(500, before, { starts, last }, 32_768)
  assert.equal(lowest(1010, 510), 500)
  assert.equal(lowest(1010, 320), 0) // it has come round
  assert.equal(lowest(40_000, 600), 0) // it may have come round and passed it again
  assert.equal(lowest(10, 510), 0) // another machine's count
  assert.equal(lowestAfter(500, null, { starts: 1010, last: 510 }, 32_768), 0)
  assert.equal(lowestAfter(500, before, null, 32_768), 0)
  assert.equal(lowestAfter(500, before, { starts: 1010, last: 510 }, 0), 0)
})

test('the kernel counts every start and names the last pid', async () => {
  const before = countNow()!
  const child = spawn('true', { stdio: 'ignore' })
  await once(child, 'exit')
  const now = countNow()!
  assert.ok(now.starts > before.starts)
  assert.ok([0, child.pid].includes(lowestAfter(child.pid!, before)))
})
