/** The worker's end of the leash: tells a run how long it may continue, and passes its requests for calls to the database. */
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { lineSplitter } from '../adapters/files/lines.ts'
import type { FromRun, FromWorker } from '../adapters/project/leash.ts'
import { hasTexts, jsonIn } from '../core/text/json.ts'
import type { Fleet } from './database.ts'
import type { LeaseWatch } from './lease-deadline.ts'
import type { Lease } from './leases.ts'
import { oneRow } from './sql.ts'
import { tryWhileLeased } from './try-again.ts'

export type LeashServer = { path: string; close(): void }

export async function serveLeash(fleet: Fleet, lease: Lease, account: string, watch: LeaseWatch): Promise<LeashServer> {
  const folder = mkdtempSync(join(tmpdir(), 'ralph-fleet-')) // short: a socket path has at most 100 characters
  const path = join(folder, 'leash')
  const sockets = new Set<Socket>()
  const send = (socket: Socket, said: FromWorker): void => void (socket.writable && socket.write(`${JSON.stringify(said)}\n`))
  const answer = async (socket: Socket, { id, agent }: FromRun): Promise<void> => {
    const answered = await tryWhileLeased(() => askCall(fleet, lease, `${account}/${agent}`), watch)
    if (answered === null) return
    if (answered.reason === 'lease') return watch.lose('another worker has the feature now')
    const { granted, wait_ms, reason } = answered
    send(socket, { id, granted, waitMs: Number(wait_ms), by: reason === 'usage-limit' ? 'usage-limit' : 'rate' })
  }
  const server: Server = createServer((socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    socket.on('error', () => socket.destroy())
    const lines = lineSplitter((line) => {
      const said = jsonIn(line)
      if (isQuestion(said)) void answer(socket, said)
      else socket.destroy() // not our run
    })
    socket.on('data', lines.push)
    send(socket, { leftMs: watch.leftMs() })
  })
  watch.onExtended(() => {
    for (const socket of sockets) send(socket, { leftMs: watch.leftMs() })
  })
  const close = (): void => {
    server.close()
    for (const socket of sockets) socket.destroy()
    rmSync(folder, { recursive: true, force: true })
  }
  watch.lost.addEventListener('abort', close)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(path, resolve)
  })
  return { path, close }
}

const isQuestion = (value: unknown): value is FromRun => hasTexts(value, 'agent') && typeof value['id'] === 'number'

const askCall = (fleet: Fleet, { key, token }: Lease, account: string) =>
  oneRow<{ granted: boolean; wait_ms: string; reason: string }>(fleet, 'select * from ralph.ask_call($1, $2, $3)', [
    account,
    key,
    token,
  ])
