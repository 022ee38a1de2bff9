import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { test } from 'node:test'
import type { Fleet } from './database.ts'
import { rightNow, watchLease } from './lease-deadline.ts'
import type { Lease } from './leases.ts'
import { serveLeash } from './leash-server.ts'

test('a line that is no question of a run ends its connection, and not the worker', async (t) => {
  const watch = watchLease(rightNow(), 60_000)
  const rows = [{ granted: true, wait_ms: '0', reason: '' }]
  const fleet = { query: () => Promise.resolve(rows) } as unknown as Fleet
  const server = await serveLeash(fleet, { key: 'k', token: 't' } as unknown as Lease, 'account', watch)
  t.after(() => {
    server.close()
    watch.close()
  })
  for (const line of ['null', '[]', '"x"', '{}', '{', '{"id":"1","agent":"claude"}', '{"id":1}']) {
    const socket = connect(server.path)
    socket.resume()
    socket.write(`${line}\n`)
    await once(socket, 'close')
  }
  const socket = connect(server.path)
  await once(socket, 'data') // how long it may go on
  socket.write('{"id":1,"agent":"claude"}\n')
  const [answer] = await once(socket, 'data')
  socket.destroy()
  assert.deepEqual(JSON.parse(String(answer)), { id: 1, granted: true, waitMs: 0, by: 'rate' })
})
