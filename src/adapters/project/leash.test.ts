import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { instantOf } from '../../core/text/time.ts'
import { deadline, type FromRun, type FromWorker, heldLeash, holdLeash, leftUntil } from './leash.ts'

const now = () => instantOf(Date.parse('2026-01-09T12:00:00Z'))

/** A worker that says what the test says, and hands each question to it. */
async function worker(t: TestContext, onQuestion: (asked: FromRun, say: (said: FromWorker) => void) => void) {
  const folder = mkdtempSync(join(tmpdir(), 'ralph-leash-'))
  const sockets: Socket[] = []
  const connected = Promise.withResolvers<(said: FromWorker | string) => void>()
  const server = createServer((socket) => {
    sockets.push(socket)
    const say = (said: FromWorker | string): void =>
      void socket.write(`${typeof said === 'string' ? said : JSON.stringify(said)}\n`)
    socket.on('data', (chunk) => onQuestion(JSON.parse(chunk.toString()) as FromRun, say))
    connected.resolve(say)
  })
  const path = join(folder, 's')
  await new Promise<void>((resolve) => server.listen(path, resolve))
  const close = (): void => {
    for (const socket of sockets) socket.destroy()
    server.close()
  }
  t.after(() => {
    close()
    rmSync(folder, { recursive: true })
  })
  return { path, close, connected: connected.promise }
}

test('a run without a worker is on no leash', () => {
  assert.equal(heldLeash({ PATH: '/bin' }), null)
})

test('a call is granted or refused by the worker, and the time to wait is counted by the clock of the run', async (t) => {
  const answers: FromWorker[] = [
    { id: 1, granted: true, waitMs: 0, by: 'rate' },
    { id: 2, granted: false, waitMs: 90_000, by: 'usage-limit' },
  ]
  const asked: FromRun[] = []
  const { path } = await worker(t, (question, say) => {
    asked.push(question)
    say(answers.shift()!)
  })
  const leash = holdLeash(path, () => {})
  assert.deepEqual(await leash.ask('claude', now), { granted: true })
  assert.deepEqual(await leash.ask('codex', now), { granted: false, until: '2026-01-09T12:01:30.000Z', by: 'usage-limit' })
  assert.deepEqual(asked, [
    { id: 1, agent: 'claude' },
    { id: 2, agent: 'codex' },
  ])
})

test('a worker that is gone ends the run, and leaves no question open', async (t) => {
  const lost = Promise.withResolvers<void>()
  const { path, close } = await worker(t, () => close())
  const leash = holdLeash(path, lost.resolve)
  assert.equal(await leash.ask('claude', now), null)
  await lost.promise
  assert.equal(await leash.ask('claude', now), null)
})

test('a worker that no longer renews ends the run when its time is over', async (t) => {
  const lost = Promise.withResolvers<void>()
  const { path, connected } = await worker(t, () => {})
  const leash = holdLeash(path, lost.resolve)
  ;(await connected)({ leftMs: 1 })
  await lost.promise
  assert.equal(await leash.ask('claude', now), null)
})

for (const line of ['null', '[]', '"x"', '{}', '{"leftMs":"9"}', '{"id":1,"granted":"yes","waitMs":0}', '{"id"'])
  test(`a worker that says ${line} is none, and ends the run`, async (t) => {
    const lost = Promise.withResolvers<void>()
    const { path, connected } = await worker(t, () => {})
    const leash = holdLeash(path, lost.resolve)
    ;(await connected)(line)
    await lost.promise
    assert.equal(await leash.ask('claude', now), null)
  })

test('time is over by whichever clock says so first: one stands still in sleep, the other can be set', () => {
  const mono = performance.now()
  const wall = Date.now()
  assert.ok(leftUntil(deadline(10_000)) > 9000)
  assert.ok(leftUntil(deadline(10_000, { mono, wall: wall - 60_000 })) < 0)
  assert.ok(leftUntil(deadline(10_000, { mono: mono - 60_000, wall })) < 0)
})
