/** The dashboard, over a socket: raw requests, right and wrong ones. */
import assert from 'node:assert/strict'
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import fc from 'fast-check'
import { projectPlaces } from '../../src/dashboard/server/places.ts'
import { type Dashboard, serveDashboard } from '../../src/dashboard/server/serve.ts'
import { asBytes, family, scratch } from '../family.ts'
import { mutated, mutatedBytes, mutatedJson, nastyText } from '../nasty.ts'

/** `isBent`: it may be one that the server waits for more of. */
type Knock = { head: string; body: string; hasToken: boolean; isBent: boolean }

/** Stands in files outside of every feature, and must never come out. */
const secret = 'outside-of-every-feature'
const fixture = join(import.meta.dirname, '..', '..', 'test', 'fixtures', 'logs', 'proven.jsonl')

const path = mutated(
  fc.constantFrom(
    '/',
    '/page.js',
    '/page.css',
    '/api/projects',
    '/api/runs/{project}/thing',
    '/api/transcript/{project}/thing/1',
    '/api/transcript/{project}/thing/1?search=a',
    '/api/story/{project}/thing?story=S-1',
    '/api/story/{project}/thing?story=__proto__',
    '/api/history/{project}/thing',
    '/api/diff/{project}/thing/1',
    '/api/projects?today=2026-01-01T00:00:00.000Z&week=x',
    '/api/request',
    '/api/return',
    '/api/page',
    '/api/iteration/{project}/thing/1',
    '/nowhere',
  ),
  ['..', '%2e%2e', '/', '%2f', '%00', '?token=', '//', '\\', 'secret.txt', '%', '%ff', '__proto__', 'archive', '#'],
)
const method = fc.constantFrom('GET', 'GET', 'GET', 'POST', 'POST', 'HEAD', 'PUT', 'DELETE', 'OPTIONS', 'TRACE', 'PATCH', 'BREW')
const header = fc.oneof(
  fc.constantFrom(
    'Cookie: ralph_1=x',
    'Content-Type: application/json',
    'Content-Type: text/plain',
    'Accept-Encoding: gzip',
    'Transfer-Encoding: chunked',
    'Expect: 100-continue',
    'Range: bytes=0-',
    'X-Forwarded-Host: evil.example',
    'Upgrade: websocket',
    'Content-Length: 99999999',
  ),
  nastyText.map((text) => `X-Some: ${text.replaceAll(/[\r\n]/g, '')}`),
)
const ask = fc.record({
  project: fc.constantFrom('{project}', 'x', '..'),
  feature: fc.oneof(fc.constantFrom('thing', '../secret.txt', 'archive'), nastyText),
  request: fc.record({
    kind: fc.constantFrom('say', 'stop', 'pause', 'answer', 'accept', 'start', 'unblock', 'x'),
    text: nastyText,
    story: fc.constantFrom(null, 'S-1'),
  }),
})
const knock = fc.record({
  method,
  path,
  headers: fc.array(header, { maxLength: 3 }),
  body: fc.oneof(ask, mutatedJson(ask)).map((value) => JSON.stringify(value) ?? ''),
  hasToken: fc.boolean(),
  hasHost: fc.boolean(),
  hasOrigin: fc.boolean(),
})

const waiting = /^(Transfer-Encoding|Content-Length|Expect|Upgrade)/i

/** `{host}`, `{project}` and `{token}` are known once it listens. */
const request = knock.map(({ method: how, path: where, headers, body, hasToken, hasHost, hasOrigin }): Knock => {
  const lines = [
    `${how} ${where.replaceAll(/[\s]/g, '') || '/'} HTTP/1.1`,
    ...(hasHost || hasToken ? ['Host: {host}'] : ['Host: evil.example']),
    ...(hasOrigin ? ['Origin: http://{host}'] : []),
    ...(hasToken ? ['Cookie: {token}'] : []),
    ...headers,
    'Connection: close',
    ...(how === 'POST' ? [`Content-Length: ${Buffer.byteLength(body)}`] : []),
  ]
  return {
    head: lines.join('\r\n'),
    body: how === 'POST' ? body : '',
    hasToken,
    isBent: headers.some((line) => waiting.test(line)),
  }
})

export const dashboard = family<Knock>({
  name: 'dashboard',
  what: 'HTTP requests to the dashboard: never a fault, never a file from outside, never an answer without the token',
  weight: 3,
  inputs: fc.oneof(
    { weight: 5, arbitrary: request },
    {
      weight: 1,
      arbitrary: request.chain((one) =>
        mutatedBytes(fc.constant(one.head), ['\r\n', 'Host: {host}\r\n', ' HTTP/1.0', '\0']).map((head) => ({
          ...one,
          head,
          isBent: true,
        })),
      ),
    },
  ),
  async check({ head, body, hasToken, isBent }) {
    const { host, project, cookie } = await served()
    const fill = (text: string) => text.replaceAll('{host}', host).replaceAll('{project}', project).replaceAll('{token}', cookie)
    const printed = await answerTo(
      host,
      Buffer.concat([asBytes(fill(head)), Buffer.from('\r\n\r\n'), Buffer.from(fill(body))]),
      isBent ? 100 : 10_000,
    )
    const answer = printed.replace(/^HTTP\/1\.1 100 Continue\r\n\r\n/, '')
    const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1] ?? 0)
    if (!isBent) assert.notEqual(status, 0, 'no answer')
    assert.ok(status !== 500, `a fault: ${answer.slice(0, 400)}`)
    assert.ok(!answer.includes(secret), 'a file from outside')
    if (!hasToken && !fill(head).includes(cookie)) assertShut(answer, status, project)
    if (status === 200) assert.match(answer, /content-security-policy: default-src 'none'/i)
  },
})

/** Only a page that was open before may ask what to sign, and it gets nothing else. */
function assertShut(answer: string, status: number, project: string): void {
  assert.ok(!/^set-cookie/im.test(answer) && !answer.includes(project), `something without the token: ${answer.slice(0, 400)}`)
  const isRefused = [0, 400, 403, 408, 413, 414, 417, 426, 431, 501, 505].includes(status)
  const body = answer.slice(answer.indexOf('\r\n\r\n') + 4)
  assert.ok(
    isRefused || body === '' || /^\{"(challenge":"[\w-]+|problem":"Page not found[^"]*)"\}$/.test(body),
    `${status} without the token: ${body}`,
  )
}

let server: Promise<{ dashboard: Dashboard; host: string; project: string; cookie: string }> | undefined
const served = () => (server ??= serve())

async function serve() {
  const root = join(scratch(), 'seen')
  const file = (name: string): string => join(root, '.ralph', name)
  mkdirSync(file('thing/logs'), { recursive: true })
  mkdirSync(join(scratch(), 'page'), { recursive: true })
  for (const name of ['secret.txt', 'thing/secret.txt', 'thing/logs/secret.txt', 'archive'])
    writeFileSync(file(name === 'archive' ? 'config.yaml' : name), secret)
  writeFileSync(join(scratch(), 'secret.txt'), secret)
  for (const name of ['page.js', 'page.css']) writeFileSync(join(scratch(), 'page', name), '/* page */')
  copyFileSync(fixture, file('thing/events.jsonl'))
  writeFileSync(file('thing/logs/iteration-001.log'), 'a line\n')
  const dashboard = await serveDashboard({
    ...{
      host: '127.0.0.1',
      port: 0,
      projects: () => projectPlaces([root]),
      files: join(scratch(), 'page'),
      kept: join(scratch(), 'kept.json'),
    },
    ask: async (_, asked) => `Noted: ${asked.kind}.`,
    commits: async () => [],
    diff: async () => ({ files: [], missing: [], isCut: false }),
    fetchLog: async () => {},
    readerFor: async () => (text) => [{ kind: 'said', text, isSub: false }],
    toolsOf: async () => () => '',
  })
  const url = new URL(dashboard.url)
  const cookie = `ralph_${url.port}=${url.searchParams.get('token')}`
  return { dashboard, host: url.host, cookie, project: projectPlaces([root])[0]!.id }
}

/** All that comes until it closes, or for so long. */
function answerTo(host: string, bytes: Buffer, patienceMs: number): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect({ host: host.split(':')[0]!, port: Number(host.split(':')[1]) })
    const chunks: Buffer[] = []
    const end = (): void => {
      clearTimeout(timer)
      socket.destroy()
      resolve(Buffer.concat(chunks).toString('latin1'))
    }
    const timer = setTimeout(end, patienceMs)
    socket.on('data', (chunk) => chunks.push(chunk))
    socket.on('close', end)
    socket.on('error', end)
    socket.write(bytes)
  })
}
