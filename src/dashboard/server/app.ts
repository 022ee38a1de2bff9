/** The dashboard's answers to its page: every one behind the token, none with a path from outside. */
import { Hono } from 'hono'
import { streamSSE } from 'hono/streaming'
import { Failure } from '../../core/failure.ts'
import type { Changes } from './changes.ts'
import type { Ask } from './data.ts'
import { admission, cookieName, type Door } from './guard.ts'
import { logLines, type ReadLines } from './log-lines.ts'
import type { Place, ProjectPlace } from './places.ts'
import { lookUp, type Reader } from './reading.ts'

export type Parts = {
  door: Door
  /** Asked each time: projects come and go. */
  projects(): ProjectPlace[]
  reader: Reader
  changes: Changes
  /** Does what the page asks, and gives the words for the person who asked. */
  ask(place: Place, ask: Ask): Promise<string>
  /** The log of an iteration as people read it, line by line. */
  readLog(place: Place, iteration: number): ReadLines
  /** A file of the page, by its name. */
  pageFile(name: 'page.js' | 'page.css'): string
}

export function dashboardApp({ door, projects, reader, changes, ask, readLog, pageFile }: Parts): Hono {
  const app = new Hono()
  app.use(async (c, next) => {
    const { method, url } = c.req
    const token = new URL(url).searchParams.get('token')
    const header = (name: string): string => c.req.header(name) ?? ''
    const knock = { method, host: header('host'), origin: c.req.header('origin') ?? null, cookie: header('cookie'), token }
    const admitted = admission(door, knock)
    if ('refused' in admitted) c.res = c.text(`${admitted.refused}\n`, 403)
    else await next()
    for (const [name, value] of Object.entries(headers)) c.res.headers.set(name, value)
    if ('isFirst' in admitted && admitted.isFirst) {
      const cookie = `${cookieName(door.port)}=${door.token}; HttpOnly; SameSite=Strict; Path=/`
      c.res.headers.append('Set-Cookie', cookie)
    }
  })
  app.onError((error, c) => {
    if (error instanceof Failure) return c.json({ problem: error.message }, 409)
    return c.json({ problem: `A fault of the dashboard itself: ${error.message}. Load the page again.` }, 500)
  })
  app.notFound((c) => c.json({ problem: 'There is nothing at this address. Go back to the overview.' }, 404))

  app.get('/', (c) => c.html(page))
  app.get('/page.js', (c) => c.body(pageFile('page.js'), 200, { 'Content-Type': 'text/javascript; charset=utf-8' }))
  app.get('/page.css', (c) => c.body(pageFile('page.css'), 200, { 'Content-Type': 'text/css; charset=utf-8' }))

  app.get('/api/projects', (c) => c.json(reader.overview(projects())))
  app.get('/api/runs/:project/:feature', (c) => {
    const found = lookUp(projects(), c.req.param('project'), c.req.param('feature'))
    return found === undefined ? c.notFound() : c.json(reader.run(found.project, found.place))
  })
  app.get('/api/log/:project/:feature/:iteration', async (c) => {
    const found = lookUp(projects(), c.req.param('project'), c.req.param('feature'))
    const iteration = Number(c.req.param('iteration'))
    if (found === undefined || !Number.isSafeInteger(iteration) || iteration < 0) return c.notFound()
    const lines = await logLines(readLog(found.place, iteration), c.req.query('search') ?? '')
    if (lines !== null) return c.json(lines)
    return c.json({ problem: `Iteration ${iteration} has no log: it was moved away, or nothing was printed yet.` }, 404)
  })
  app.get('/api/events', (c) =>
    streamSSE(c, async (stream) => {
      const gone = new Promise<void>((resolve) => stream.onAbort(resolve))
      const stop = changes.listen(() => void stream.writeSSE({ event: 'changed', data: '' }).catch(() => {}))
      const alive = setInterval(() => void stream.writeSSE({ event: 'alive', data: '' }).catch(() => {}), aliveMs).unref()
      await stream.writeSSE({ event: 'changed', data: '' }) // whatever was missed while there was no connection
      await gone
      clearInterval(alive)
      stop()
    }),
  )
  app.post('/api/request', async (c) => {
    const body = (await c.req.json().catch(() => null)) as { project?: unknown; feature?: unknown; request?: unknown } | null
    const asked = askIn(body?.request)
    if (asked === null) return c.json({ problem: 'This is nothing that can be asked of a run. Load the page again.' }, 400)
    const found = lookUp(projects(), String(body?.project), String(body?.feature))
    if (found === undefined) return c.notFound()
    if (found.place.isArchived)
      return c.json({ problem: `${found.place.feature} is in the archive: nothing can be asked of it any more.` }, 409)
    return c.json({ said: await ask(found.place, asked) })
  })
  return app
}

/** Nothing from elsewhere is ever loaded, and no other page may show or read this one. */
const headers = {
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Cache-Control': 'no-store',
}

const aliveMs = 15_000

const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Ralph</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/page.css">
<script type="module" src="/page.js"></script>
</head>
<body><div id="page"><noscript>The dashboard needs JavaScript. Without it: ralph status, ralph report.</noscript></div></body>
</html>
`

const plainKinds = ['pause', 'resume', 'stop', 'stop-now', 'reset-breaker'] as const

/** Parsed here, trusted from here on. */
function askIn(given: unknown): Ask | null {
  const { kind, text, story } = (given ?? {}) as { kind?: unknown; text?: unknown; story?: unknown }
  const plain = plainKinds.find((known) => known === kind)
  if (plain !== undefined) return { kind: plain }
  if (typeof text !== 'string' || text.length > mostText) return null
  if (kind === 'say' || kind === 'unblock') return { kind, text }
  if (kind === 'answer' && (story === null || typeof story === 'string')) return { kind, text, story }
  return null
}

const mostText = 20_000
