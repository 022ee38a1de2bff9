/** The dashboard's server: listens, and says at which address. */
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { createAdaptorServer } from '@hono/node-server'
import { EXIT, Failure } from '../../core/failure.ts'
import { type AppParts, dashboardApp } from './app.ts'
import { watchChanges } from './changes.ts'
import { openPages, readKept, writeKept } from './open-pages.ts'
import type { ProjectPlace } from './places.ts'
import { logReader } from './reading.ts'

export type Dashboard = {
  /** With the token; and one that works once, for the browser that we open. */
  url: string
  openUrl: string
  close(): Promise<void>
}

export async function serveDashboard(options: {
  host: string
  /** null: the one that it had last, or any that is free. */
  port: number | null
  projects(): ProjectPlace[]
  ask: AppParts['ask']
  readLog: AppParts['readLog']
  commits: AppParts['commits']
  /** The folder of the page's files, and the file that is kept from one start to the next. */
  files: string
  kept: string
}): Promise<Dashboard> {
  const { host, kept, projects, ask, readLog, commits } = options
  const door = { host, port: 0, token: newToken(), once: newToken() }
  const pageFile: AppParts['pageFile'] = (name) => readFileSync(join(options.files, name), 'utf8')
  const [reader, changes, pages] = [logReader(), watchChanges(projects), openPages(kept)]
  const app = dashboardApp({ door, projects, reader, changes, pages, ask, readLog, commits, pageFile })
  const server = createAdaptorServer({ fetch: app.fetch }) as Server
  const { port: last, keys } = readKept(kept)
  door.port = await listening(server, host, options.port ?? last).catch((problem) => {
    if (options.port !== null || last === 0) throw problem
    return listening(server, host, 0)
  })
  writeKept(kept, { port: door.port, keys })
  const address = `http://${host.includes(':') ? `[${host}]` : host}:${door.port}/`
  return {
    url: `${address}?token=${door.token}`,
    openUrl: `${address}?token=${door.once}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections() // a page that listens would hold it open
      }),
  }
}

const newToken = (): string => randomBytes(32).toString('base64url')

function listening(server: Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.removeAllListeners('error').once('error', (error: NodeJS.ErrnoException) => {
      const why = error.code === 'EADDRINUSE' ? 'something else listens there' : error.message
      reject(new Failure(EXIT.usage, `Cannot listen on ${host}:${port}: ${why}. Name another port with --port, or leave it out.`))
    })
    server.listen(port, host, () => resolve((server.address() as AddressInfo).port))
  })
}
