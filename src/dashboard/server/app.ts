/** The dashboard's routes: all behind the token, none with a path from outside. */
import { Hono } from 'hono'
import { streamSSE } from 'hono/streaming'
import { EXIT, Failure } from '../../core/failure.ts'
import { type Json, recordOf, textOf } from '../../core/text/json.ts'
import { shownNumber } from '../../views/report/html/words.ts'
import type { CommitData, DiffData, PageRequest } from '../data/shapes.ts'
import type { ChangeFeed } from './changes.ts'
import { admission, cookieName, type Door } from './guard.ts'
import type { OpenPages } from './open-pages.ts'
import { type FeaturePlace, lookUp, type ProjectPlace } from './places.ts'
import type { LogReader } from './reading.ts'
import { type ReadLine, shownSteps, type Transcripts } from './transcripts.ts'

export type AppParts = {
  door: Door
  /** Asked each time, because projects come and go. */
  projects(): ProjectPlace[]
  reader: LogReader
  changes: ChangeFeed
  pages: OpenPages
  /** Does what the page asks, and returns a message for the person. */
  ask(place: FeaturePlace, ask: PageRequest): Promise<string>
  transcripts: Transcripts
  /** Brings a log here, if it is elsewhere. */
  fetchLog(place: FeaturePlace, iteration: number): Promise<void>
  /** How the lines of these agents are read. */
  readerFor(place: FeaturePlace, agents: string[]): Promise<ReadLine>
  /** What these commits changed; missing ones are left out. */
  commits(place: FeaturePlace, ids: string[]): Promise<CommitData[]>
  /** The same, line by line. */
  diff(place: FeaturePlace, ids: string[]): Promise<DiffData>
  /** A file of the page, by name. */
  pageFile(name: 'page.js' | 'page.css'): string
}

export function dashboardApp(parts: AppParts): Hono {
  const { door, projects, reader, changes, pages, ask, transcripts, fetchLog, readerFor, commits, diff, pageFile } = parts
  const app = new Hono()
  const cookie = (): string => `${cookieName(door.port)}=${door.token}; HttpOnly; SameSite=Strict; Path=/`
  app.use(async (c, next) => {
    const { method, url, path } = c.req
    const token = URL.canParse(url) ? new URL(url).searchParams.get('token') : null // an invalid host
    const header = (name: string): string => c.req.header(name) ?? ''
    const bearer = path === '/metrics' && method === 'GET' ? /^Bearer (\S+)$/.exec(header('authorization'))?.[1] : undefined
    const known = { method, host: header('host'), origin: c.req.header('origin') ?? null, cookie: header('cookie'), token }
    const knock = { ...known, ...(bearer === undefined ? {} : { bearer }) }
    const admitted = admission(door, knock, path === '/api/return')
    if ('refused' in admitted) c.res = c.text(`${admitted.refused}\n`, 403)
    else await next()
    for (const [name, value] of Object.entries(headers)) c.res.headers.set(name, value)
    if ('isFirst' in admitted && admitted.isFirst) c.res.headers.append('Set-Cookie', cookie())
  })
  app.onError((error, c) => {
    if (error instanceof Failure) return c.json({ problem: error.message }, 409)
    return c.json({ problem: `The dashboard failed: ${error.message}. Reload the page.` }, 500)
  })
  app.notFound((c) => c.json({ problem: 'Not found. It was renamed or removed, or the address is wrong.' }, 404))

  app.get('/', (c) => c.html(page))
  app.get('/page.js', (c) => c.body(pageFile('page.js'), 200, { 'Content-Type': 'text/javascript; charset=utf-8' }))
  app.get('/page.css', (c) => c.body(pageFile('page.css'), 200, { 'Content-Type': 'text/css; charset=utf-8' }))

  // A page that was open before this start has no token: it asks what to sign, and gets access by a key that it registered before.
  app.get('/api/return', (c) => c.json({ challenge: pages.challenge }))
  app.post('/api/return', async (c) => {
    const { key, signature } = textsIn(await c.req.json().catch(() => null), 'key', 'signature')
    if (!(await pages.isSigned(c.req.header('origin') ?? '', key, signature)))
      return c.json({ problem: 'This page has no access. Open the URL that the dashboard printed.' }, 403)
    c.header('Set-Cookie', cookie())
    return c.json({})
  })
  app.post('/api/page', async (c) => {
    pages.remember(textsIn(await c.req.json().catch(() => null), 'key').key)
    return c.json({})
  })

  app.get('/metrics', (c) =>
    c.body(reader.figures(projects()), 200, { 'Content-Type': 'text/plain; version=0.0.4; charset=utf-8' }),
  )
  app.get('/api/projects', async (c) => {
    const since = { today: instantIn(c.req.query('today')), week: instantIn(c.req.query('week')) }
    return c.json(await reader.overview(projects(), since))
  })
  app.get('/api/runs/:project/:feature', async (c) => {
    const found = placeIn(c.req.param())
    return found === undefined ? c.notFound() : c.json(await reader.run(found.project, found.place))
  })
  app.get('/api/story/:project/:feature', async (c) => {
    const found = placeIn(c.req.param())
    return found === undefined ? c.notFound() : c.json(await reader.story(found.place, c.req.query('story') ?? null))
  })
  app.get('/api/history/:project/:feature', async (c) => {
    const found = placeIn(c.req.param())
    return found === undefined ? c.notFound() : c.json(await reader.history(found.place))
  })
  app.get('/api/iteration/:project/:feature/:number', async (c) => {
    const found = placeIn(c.req.param())
    const entry = found && reader.entry(found.place, found.number)
    return entry ? c.json({ ...entry, stats: await commits(found.place, entry.commits) }) : c.notFound()
  })
  app.get('/api/diff/:project/:feature/:number', async (c) => {
    const found = placeIn(c.req.param())
    const entry = found && reader.entry(found.place, found.number)
    return entry ? c.json(await diff(found.place, entry.commits)) : c.notFound()
  })
  app.get('/api/transcript/:project/:feature/:number', async (c) => {
    const found = placeIn(c.req.param())
    if (found === undefined) return c.notFound()
    const { place, number } = found
    await fetchLog(place, number)
    const { agents = [], startedAt = null } = reader.entry(place, number) ?? {}
    const kept = await transcripts(place, number, () => readerFor(place, agents))
    if (kept !== null) return c.json(shownSteps(kept, c.req.query('search') ?? '', startedAt))
    return c.json({ problem: `Iteration ${number} has no log: it was moved away, or the agent has printed nothing yet.` }, 404)
  })
  app.get('/api/events', (c) =>
    streamSSE(c, async (stream) => {
      const gone = new Promise<void>((resolve) => stream.onAbort(resolve))
      const stop = changes.listen((changed) => {
        void stream.writeSSE({ event: 'changed', data: changed.join(' ') }).catch(() => {})
      })
      const alive = setInterval(() => void stream.writeSSE({ event: 'alive', data: '' }).catch(() => {}), aliveMs).unref()
      await stream.writeSSE({ event: 'changed', data: '' }) // what was missed without a connection
      await gone
      clearInterval(alive)
      stop()
    }),
  )
  /** What a URL names; a number in it must be whole. */
  function placeIn(named: { project: string; feature: string; number?: string }) {
    const number = Number(named.number ?? 0)
    const found = Number.isSafeInteger(number) && number >= 0 ? lookUp(projects(), named.project, named.feature) : undefined
    return found && { ...found, number }
  }
  app.post('/api/request', async (c) => {
    const body = recordOf(await c.req.json().catch(() => null))
    const asked = askIn(recordOf(body['request']))
    if (asked === null) return c.json({ problem: 'Unknown request. Reload the page.' }, 400)
    const { project, feature } = textsIn(body, 'project', 'feature')
    const found = lookUp(projects(), project, feature)
    if (found === undefined) return c.notFound()
    if (found.place.isArchived)
      return c.json({ problem: `${found.place.feature} is archived and cannot be changed any more.` }, 409)
    return c.json({ said: await ask(found.place, asked) })
  })
  return app
}

/** Loads nothing from elsewhere, and no other page may embed or read this one. */
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

const plainKinds = ['start', 'pause', 'resume', 'stop', 'stop-now', 'reset-breaker'] as const

/** Checked here, trusted from here on. */
function askIn({ kind, text, story }: Json): PageRequest | null {
  const plain = plainKinds.find((known) => known === kind)
  if (plain !== undefined) return { kind: plain }
  if ((kind === 'retry' || kind === 'skip') && typeof story === 'string') return { kind, story }
  if (kind === 'accept' && (story === null || typeof story === 'string')) return { kind, story }
  if (typeof text !== 'string') return null
  if (text.length > mostText)
    throw new Failure(
      EXIT.usage,
      `The text is too long: ${shownNumber(text.length)} of at most ${shownNumber(mostText)} characters.`,
    )
  if (kind === 'say' || kind === 'unblock') return { kind, text }
  if (kind === 'answer' && (story === null || typeof story === 'string')) return { kind, text, story }
  return null
}

const mostText = 20_000

/** As the page writes it; empty: since ever. */
const instantIn = (text = ''): string => (/^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(text) ? text : '')

/** Empty if it is not a string. */
function textsIn<K extends string>(given: unknown, ...names: K[]): Record<K, string> {
  const all = recordOf(given)
  return Object.fromEntries(names.map((name) => [name, textOf(all[name])])) as Record<K, string>
}
