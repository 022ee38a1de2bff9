/** The dashboard's door and its answers, without a socket. */

import assert from 'node:assert/strict'
import { appendFileSync, copyFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { tempFolder } from '../../../test/support/folder.ts'
import { EXIT, Failure } from '../../core/failure.ts'
import type { HistoryData, Overview, PageRequest, RunData, StoryData, TranscriptData } from '../data/shapes.ts'
import { dashboardApp } from './app.ts'
import { openPages } from './open-pages.ts'
import { projectPlaces } from './places.ts'
import { logReader } from './reading.ts'
import { transcripts } from './transcripts.ts'

const fixtures = join(dirname(fileURLToPath(import.meta.url)), '..', '..', '..', 'test', 'fixtures', 'logs')
const token = 'the-token'

function dashboard(t: TestContext, host = '127.0.0.1') {
  const root = tempFolder(t)
  const file = (name: string): string => {
    const path = join(root, '.ralph', name)
    mkdirSync(dirname(path), { recursive: true })
    return path
  }
  copyFileSync(join(fixtures, 'proven.jsonl'), file('thing/events.jsonl'))
  writeFileSync(file('secret.txt'), 'outside of every feature')
  const asked: { feature: string; ask: PageRequest }[] = []
  const [project] = projectPlaces([root])
  const door: { host: string; port: number; token: string; once?: string; figures?: string } = {
    host,
    port: 4000,
    token,
    once: 'only-once',
    figures: 'for-prometheus-only',
  }
  const app = dashboardApp({
    door,
    projects: () => [project!],
    reader: logReader(),
    changes: { listen: () => () => {} },
    pages: openPages(join(root, 'dashboard.json')),
    ask: async ({ feature }, ask) => {
      if (ask.kind === 'pause') throw new Failure(EXIT.usage, 'No run of thing is live here.')
      asked.push({ feature, ask })
      return 'Noted.'
    },
    transcripts: transcripts(),
    fetchLog: async () => {},
    readerFor: async () => (text) => [{ kind: 'tool', name: 'Bash', target: text, isSub: false }],
    diff: async (_, ids) => ({ files: [], missing: ids, isCut: false }),
    commits: async (_, ids) => ids.map((id) => ({ id, subject: 'a commit', files: [] })),
    pageFile: (name) => `the text of ${name}`,
  })
  const get = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
    app.request(path, { method, headers: { host: '127.0.0.1:4000', cookie: `ralph_4000=${token}`, ...headers } })
  const post = (body: unknown, headers: Record<string, string> = {}, path = '/api/request') =>
    app.request(path, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: {
        host: '127.0.0.1:4000',
        origin: 'http://127.0.0.1:4000',
        cookie: `ralph_4000=${token}`,
        'content-type': 'application/json',
        ...headers,
      },
    })
  return { project: project!, file, get, post, asked }
}

test('nothing is answered without the token, and the address with it leaves it in a cookie that scripts cannot read', async (t) => {
  const { get } = dashboard(t)
  for (const path of ['/', '/page.js', '/api/projects', '/api/events', '/?token=wrong', '/nowhere'])
    assert.equal((await get(path, { cookie: '' })).status, 403, path)
  assert.equal((await get('/', { cookie: 'ralph_4000=the-tokem' })).status, 403)
  assert.equal((await get('/', { cookie: `ralph_4001=${token}` })).status, 403)
  const first = await get(`/?token=${token}`, { cookie: '' })
  assert.equal(first.status, 200)
  assert.equal(first.headers.get('set-cookie'), `ralph_4000=${token}; HttpOnly; SameSite=Strict; Path=/`)
  assert.equal((await get('/', { cookie: '' }, 'HEAD')).status, 403)
  assert.equal((await get('/', {}, 'HEAD')).status, 200)
  const later = await get('/')
  assert.deepEqual([later.status, later.headers.get('set-cookie')], [200, null])
})

test('the token for figures opens them, and nothing else', async (t) => {
  const { get, post, project } = dashboard(t)
  const asked = { cookie: '', authorization: 'Bearer for-prometheus-only' }
  const figures = await get('/metrics', asked)
  assert.equal(figures.status, 200)
  assert.match(figures.headers.get('content-type') ?? '', /^text\/plain; version=0\.0\.4/)
  assert.match(await figures.text(), /^ralph_stories\{project="[^"]+",feature="thing",state="passed"\} [1-9]/m)
  assert.equal((await get('/metrics', { cookie: '' })).status, 403)
  assert.equal((await get('/metrics', { ...asked, authorization: `Bearer ${token}` })).status, 403)
  assert.equal((await get('/metrics', { ...asked, host: 'evil.example:4000' })).status, 403)
  assert.equal((await get('/metrics')).status, 200) // whoever has the page's token
  for (const path of ['/', '/api/projects', '/api/events']) assert.equal((await get(path, asked)).status, 403, path)
  assert.equal((await post({ project: project.id, feature: 'thing', request: { kind: 'stop' } }, asked)).status, 403)
})

test('the address that a browser is opened with works once', async (t) => {
  const { get } = dashboard(t)
  const first = await get('/?token=only-once', { cookie: '' })
  assert.equal(first.headers.get('set-cookie'), `ralph_4000=${token}; HttpOnly; SameSite=Strict; Path=/`)
  assert.equal((await get('/?token=only-once', { cookie: '' })).status, 403)
})

test('the way back for open pages is barred by host and origin like every other, and leads nowhere without a known key', async (t) => {
  const { get, post } = dashboard(t)
  const without = { cookie: '' }
  const { challenge } = (await (await get('/api/return', without)).json()) as { challenge: string }
  assert.match(challenge, /^[\w-]{43}$/)
  assert.equal((await get('/api/return', { ...without, host: 'evil.example:4000' })).status, 403)
  const key = { key: 'A'.repeat(87), signature: 'AAAA' }
  for (const origin of ['http://127.0.0.1:4000', 'http://evil.example']) {
    const back = await post(key, { ...without, origin }, '/api/return')
    assert.deepEqual([back.status, back.headers.get('set-cookie')], [403, null])
  }
  assert.equal((await post(key, without, '/api/page')).status, 403)
})

test('only the address that it listens on is answered for, whatever a name points at', async (t) => {
  const { get } = dashboard(t)
  const status = async (host: string): Promise<number> => (await get('/api/projects', { host })).status
  for (const host of ['127.0.0.1:4000', 'localhost:4000', '[::1]:4000']) assert.equal(await status(host), 200, host)
  for (const host of [
    'evil.example:4000',
    'w127.0.0.1:4000',
    '[:4000',
    '127.0.0.1:4001',
    '127.0.0.1',
    'localhost',
    '10.0.0.1:4000',
    '',
  ])
    assert.equal(await status(host), 403, host)
  const open = dashboard(t, '0.0.0.0')
  assert.equal((await open.get('/api/projects', { host: '10.0.0.1:4000' })).status, 200)
  assert.equal((await open.get('/api/projects', { host: 'evil.example:4000' })).status, 403)
})

test('what changes something must come from the page itself', async (t) => {
  const { post, project, asked } = dashboard(t)
  const body = { project: project.id, feature: 'thing', request: { kind: 'stop' } }
  for (const origin of ['http://evil.example', 'null', 'https://127.0.0.1:4000', 'http://localhost:4000', ''])
    assert.equal((await post(body, { origin })).status, 403, origin)
  assert.deepEqual(asked, [])
  assert.equal((await post(body)).status, 200)
  assert.deepEqual(asked, [{ feature: 'thing', ask: { kind: 'stop' } }])
})

test('every answer, a refusal too, forbids everything from elsewhere', async (t) => {
  const { get } = dashboard(t)
  for (const cookie of [`ralph_4000=${token}`, '']) {
    const { headers } = await get('/', { cookie })
    assert.match(headers.get('content-security-policy') ?? '', /^default-src 'none'; script-src 'self'; style-src 'self'; /)
    assert.match(headers.get('content-security-policy') ?? '', /form-action 'none'; frame-ancestors 'none'$/)
    assert.equal(headers.get('access-control-allow-origin'), null)
    assert.equal(headers.get('x-content-type-options'), 'nosniff')
    assert.equal(headers.get('cache-control'), 'no-store')
  }
})

test('no path from outside reaches the file system', async (t) => {
  const { get, post, project } = dashboard(t)
  const paths = ['..%2f..', '%2e%2e', 'thing%2f..%2f..', '%2fetc', 'archive', 'thing%00', 'secret.txt', '__proto__']
  for (const path of paths) {
    assert.equal((await get(`/api/runs/${project.id}/${path}`)).status, 404, path)
    for (const what of ['runs', 'story', 'history']) assert.equal((await get(`/api/${what}/${path}/thing`)).status, 404, path)
    for (const what of ['transcript', 'diff', 'iteration'])
      assert.equal((await get(`/api/${what}/${project.id}/thing/${path}`)).status, 404, path)
    const request = { kind: 'say', text: 'x' }
    assert.equal((await post({ project: project.id, feature: decodeURIComponent(path), request })).status, 404, path)
  }
})

test('the overview and the page of a run say what the log says, and follow it', async (t) => {
  const { get, project, file } = dashboard(t)
  const overview = (await (await get('/api/projects')).json()) as Overview
  const [row] = overview.projects[0]!.features
  assert.deepEqual([row?.id, row?.isLive, row?.isArchived], ['thing', false, false])
  const address = `/api/runs/${project.id}/thing`
  const before = (await (await get(address)).json()) as RunData
  assert.ok(before.iterations > 0)
  const history = async () => (await (await get(`/api/history/${project.id}/thing`)).json()) as HistoryData
  const { receipts, lanes } = await history()
  assert.deepEqual(
    receipts.map(({ story }) => story),
    before.stories.filter(({ state }) => state === 'passes').map(({ id }) => id),
  )
  assert.equal(lanes.length, before.iterations)
  const [passed] = receipts
  const story = (await (await get(`/api/story/${project.id}/thing?story=${passed!.story}`)).json()) as StoryData
  assert.deepEqual(story.receipt, passed)
  assert.equal(story.iterations.at(-1)?.iteration, passed!.iteration)
  const at = '2030-01-01T00:00:00.000Z'
  const changed = { at, run: before.status.run, kind: 'breaker.changed', from: 'closed', to: 'open', because: 'three idle' }
  appendFileSync(file('thing/events.jsonl'), `${JSON.stringify(changed)}\n`)
  assert.deepEqual((await history()).breaker.at(-1), { at, from: 'closed', to: 'open', because: 'three idle' })
  const after = (await (await get(address)).json()) as RunData
  assert.equal(after.status.lastEvent?.at, at)
})

test('a log that is damaged says so in its row, and the others are shown', async (t) => {
  const { get, file } = dashboard(t)
  writeFileSync(file('broken/events.jsonl'), 'no event\n{"at":""}\n')
  const { projects } = (await (await get('/api/projects')).json()) as Overview
  const [broken, whole] = projects[0]!.features
  assert.match(broken?.problem ?? '', /events\.jsonl:1: this line is not JSON\./)
  assert.equal(whole?.problem, undefined)
})

test('a feature that has gone to the archive is found there, and nothing can be asked of it', async (t) => {
  const { get, post, project, file } = dashboard(t)
  copyFileSync(join(fixtures, 'proven.jsonl'), file('archive/2026-01-09-gone/events.jsonl'))
  const run = (await (await get(`/api/runs/${project.id}/gone`)).json()) as RunData
  assert.deepEqual([run.id, run.feature, run.isArchived, run.isLive], ['archive:2026-01-09-gone', 'gone', true, false])
  const refused = await post({ project: project.id, feature: 'gone', request: { kind: 'say', text: 'x' } })
  assert.deepEqual([refused.status, await refused.json()], [409, { problem: 'gone is archived and cannot be changed any more.' }])
})

test('of a long transcript the end is shown, of a search its beginning, and only what is new is read', async (t) => {
  const { get, project, file } = dashboard(t)
  const path = file('thing/logs/iteration-002.log')
  writeFileSync(path, Array.from({ length: 1000 }, (_, index) => `step ${index + 1}\n`).join(''))
  const transcript = async (search: string) => {
    const { steps, ...rest } = (await (
      await get(`/api/transcript/${project.id}/thing/2?search=${search}`)
    ).json()) as TranscriptData
    return {
      ...rest,
      first: steps[0]?.number,
      last: steps.at(-1)?.number,
      isTimed: steps.map(({ at }) => at !== null).includes(true),
    }
  }
  assert.deepEqual(await transcript(''), { total: 1000, isCut: true, first: 600, last: 999, isTimed: false })
  assert.deepEqual(await transcript('step'), { total: 1000, isCut: true, first: 0, last: 399, isTimed: false })
  assert.deepEqual(await transcript('STEP%20999'), { total: 1, isCut: false, first: 998, last: 998, isTimed: false })
  appendFileSync(path, 'step 1001\nstep 10')
  assert.deepEqual(await transcript(''), { total: 1001, isCut: true, first: 601, last: 1000, isTimed: true })
  appendFileSync(path, '02\n')
  assert.deepEqual(await transcript('1002'), { total: 1, isCut: false, first: 1001, last: 1001, isTimed: true })
  writeFileSync(path, 'another\n')
  assert.deepEqual(await transcript(''), { total: 1, isCut: false, first: 0, last: 0, isTimed: false })
  assert.equal((await get(`/api/transcript/${project.id}/thing/9`)).status, 404)
})

test('what the page asks is checked, and a refusal says why', async (t) => {
  const { post, project, asked } = dashboard(t)
  const ask = (request: unknown) => post({ project: project.id, feature: 'thing', request })
  for (const wrong of [
    null,
    {},
    { kind: 'say' },
    { kind: 'skip', text: 'x' },
    { kind: 'retry', story: null },
    { kind: 'answer', text: 'x' },
    { kind: 'say', text: 7 },
  ])
    assert.equal((await ask(wrong)).status, 400, JSON.stringify(wrong))
  assert.equal((await post('no object')).status, 400)
  const long = await ask({ kind: 'say', text: 'x'.repeat(20_001) })
  const tooLong = { problem: 'The text is too long: 20,001 of at most 20,000 characters.' }
  assert.deepEqual([long.status, await long.json()], [409, tooLong])
  const odd = { toString: 1 }
  assert.equal((await post({ project: odd, feature: odd, request: { kind: 'stop' } })).status, 404)
  const paused = await ask({ kind: 'pause' })
  assert.deepEqual([paused.status, await paused.json()], [409, { problem: 'No run of thing is live here.' }])
  assert.deepEqual(asked, [])
  const answered = await ask({ kind: 'answer', text: 'tabs', story: null, more: 1 })
  assert.deepEqual([answered.status, await answered.json()], [200, { said: 'Noted.' }])
  assert.equal((await ask({ kind: 'skip', story: 'S-1' })).status, 200)
  assert.deepEqual(asked, [
    { feature: 'thing', ask: { kind: 'answer', text: 'tabs', story: null } },
    { feature: 'thing', ask: { kind: 'skip', story: 'S-1' } },
  ])
})
