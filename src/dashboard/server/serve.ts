/** The dashboard's server: listens, and says at which address. */
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { createAdaptorServer } from '@hono/node-server'
import { EXIT, Failure } from '../../core/failure.ts'
import { dashboardApp, type Parts } from './app.ts'
import { watchChanges } from './changes.ts'
import { type ProjectPlace, projectPlaces } from './places.ts'
import { logReader } from './reading.ts'

export type Dashboard = {
  /** With the token; and one that works once, for the browser that we open. */
  url: string
  openUrl: string
  close(): Promise<void>
}

export async function serveDashboard(options: {
  host: string
  port: number
  roots(): string[]
  ask: Parts['ask']
  readLog: Parts['readLog']
  /** The folder of the page's files. */
  pages: string
}): Promise<Dashboard> {
  const door = { host: options.host, port: options.port, token: newToken(), once: newToken() }
  const projects = (): ProjectPlace[] => projectPlaces(options.roots())
  const pageFile: Parts['pageFile'] = (name) => readFileSync(join(options.pages, name), 'utf8')
  const { ask, readLog } = options
  const parts = { door, projects, reader: logReader(), changes: watchChanges(projects), ask, readLog, pageFile }
  const server = createAdaptorServer({ fetch: dashboardApp(parts).fetch }) as Server
  door.port = await listening(server, options.host, options.port)
  const address = `http://${options.host.includes(':') ? `[${options.host}]` : options.host}:${door.port}/`
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
    server.once('error', (error: NodeJS.ErrnoException) => {
      const why = error.code === 'EADDRINUSE' ? 'something else listens there' : error.message
      reject(new Failure(EXIT.usage, `Cannot listen on ${host}:${port}: ${why}. Name another port with --port, or leave it out.`))
    })
    server.listen(port, host, () => resolve((server.address() as AddressInfo).port))
  })
}
