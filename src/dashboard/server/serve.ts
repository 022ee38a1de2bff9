/** The dashboard's server: listens, and reports its URL. */
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { createAdaptorServer } from '@hono/node-server'
import { EXIT, Failure } from '../../core/failure.ts'
import { partsStyle } from '../../views/report/shared/style.ts'
import { type AppParts, dashboardApp } from './app.ts'
import { watchChanges } from './changes.ts'
import { openPages, readKept, writeKept } from './open-pages.ts'
import type { ProjectPlace } from './places.ts'
import { logReader, type ToolsOf } from './reading.ts'
import { transcripts } from './transcripts.ts'

export type Dashboard = {
  /** With the token; and one that works once, for the browser that Ralph opens. */
  url: string
  openUrl: string
  close(): Promise<void>
}

export async function serveDashboard(options: {
  host: string
  /** The bearer token for /metrics; undefined: only the page's own. */
  figures?: string | undefined
  /** null: the last port, or any free one. */
  port: number | null
  projects(): ProjectPlace[]
  ask: AppParts['ask']
  fetchLog: AppParts['fetchLog']
  readerFor: AppParts['readerFor']
  toolsOf: ToolsOf
  commits: AppParts['commits']
  diff: AppParts['diff']
  /** The folder of the page's files, and the file that is kept between starts. */
  files: string
  kept: string
}): Promise<Dashboard> {
  const { host, figures, kept, projects, toolsOf, ask, fetchLog, readerFor, commits, diff } = options
  const door = { host, port: 0, token: newToken(), once: newToken(), ...(figures === undefined ? {} : { figures }) }
  // Read now: after an update of Ralph the files are those of another version.
  const [script, style] = ['page.js', 'page.css'].map((name) => readFileSync(join(options.files, name), 'utf8'))
  const pageFile: AppParts['pageFile'] = (name) => (name === 'page.css' ? `${partsStyle}${style}` : (script ?? ''))
  const [reader, changes, pages] = [logReader(toolsOf), watchChanges(projects), openPages(kept)]
  const shown = { reader, changes, pages, transcripts: transcripts() }
  const app = dashboardApp({ door, projects, ...shown, ask, fetchLog, readerFor, commits, diff, pageFile })
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
        server.closeAllConnections() // an open page would keep it alive
      }),
  }
}

const newToken = (): string => randomBytes(32).toString('base64url')

function listening(server: Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.removeAllListeners('error').once('error', (error: NodeJS.ErrnoException) => {
      const why = error.code === 'EADDRINUSE' ? 'the port is in use' : error.message
      reject(new Failure(EXIT.usage, `Cannot listen on ${host}:${port}: ${why}. Use another --port, or omit it.`))
    })
    server.listen(port, host, () => resolve((server.address() as AddressInfo).port))
  })
}
