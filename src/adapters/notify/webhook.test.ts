import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { receiver } from '../../../test/support/receiver.ts'
import type { Notice } from '../../core/notice/notice.ts'
import { webhook as openWebhook } from './webhook.ts'

const notice: Notice = {
  what: 'stop',
  title: 'Ralph: x: COMPLETE',
  text: 'Grüße',
  feature: 'x',
  run: 'r',
  at: '2026-01-05T08:00:00.000Z',
}

/** A loopback receiver that answers the nth request as told, and keeps what it got. */

const status =
  (code: number, headers = {}) =>
  (response: ServerResponse) =>
    void response.writeHead(code, headers).end()
const quick = { now: () => 1_767_600_000_999, pausesMs: [1, 1, 1], timeoutMs: 60_000 }
type Given = { url: string; secret: string; now(): number; pausesMs: number[]; timeoutMs: number }
const webhook = ({ url, secret, ...times }: Given) =>
  openWebhook(
    { 'notify.webhook.url': url, 'notify.webhook.secret_env': secret === '' ? '' : 'OUR_KEY' },
    { ...times, env: { OUR_KEY: secret }, warn: assert.fail },
  )!
const never = new AbortController().signal
const problem = (host: string, why: string): string =>
  `The webhook at http://${host}/*** did not accept the notice "stop": ${why}. Check its receiver, or fix notify.webhook.url`

test('a notice is posted as JSON with its time, signed over both [R-NOTE-1]', async (t) => {
  const { got, host } = await receiver(t, status(204))
  assert.equal(await webhook({ ...quick, url: `http://${host}/in?a=1`, secret: 'key' }).send(notice, never), null)
  const [{ method, path, headers, body } = assert.fail('nothing came')] = got
  const signature = createHmac('sha256', 'key').update(`1767600000.${body}`).digest('hex')
  assert.deepEqual([method, path, JSON.parse(body), headers['content-type']], ['POST', '/in?a=1', notice, 'application/json'])
  assert.deepEqual([headers['x-ralph-timestamp'], headers['x-ralph-signature']], ['1767600000', `sha256=${signature}`])
})

test('without a key it is unsigned; user and password in the address become a header [R-NOTE-1]', async (t) => {
  const { got, host } = await receiver(t, status(200))
  assert.equal(await webhook({ ...quick, url: `http://me:p%40ss@${host}/`, secret: '' }).send(notice, never), null)
  const { 'x-ralph-signature': signature, authorization } = got[0]!.headers
  assert.deepEqual([signature, authorization], [undefined, `Basic ${Buffer.from('me:p@ss').toString('base64')}`])
})

test('500 is tried three times more, and what comes through in the end has arrived [R-NOTE-1]', async (t) => {
  const { got, host } = await receiver(t, (response, nth) => status(nth < 4 ? 500 : 200)(response))
  assert.equal(await webhook({ ...quick, url: `http://${host}/x`, secret: '' }).send(notice, never), null)
  assert.deepEqual([got.length, new Set(got.map(({ body }) => body)).size], [4, 1])
})

test('a receiver that only answers 500, hangs or refuses is told with the reason, without what may be a key [R-NOTE-1]', async (t) => {
  const broken = await receiver(t, status(500))
  const send = (host: string, timeoutMs = 5000): Promise<string | null> =>
    webhook({ ...quick, timeoutMs, url: `http://me:pw@${host}/hidden`, secret: '' }).send(notice, never)
  assert.equal(await send(broken.host), problem(broken.host, 'it answered 500 (4 tries)'))
  const hanging = await receiver(t, () => {})
  assert.equal(await send(hanging.host, 20), problem(hanging.host, 'no answer within 0.02 s (4 tries)'))
  const gone = createServer().listen(0, '127.0.0.1')
  await once(gone, 'listening')
  const host = `127.0.0.1:${(gone.address() as AddressInfo).port}`
  gone.close()
  await once(gone, 'close')
  assert.equal(await send(host), problem(host, 'connection refused (4 tries)'))
})

test('a redirect is not followed, and what cannot get better is not tried again [R-NOTE-1]', async (t) => {
  const other = await receiver(t, status(200))
  const moved = await receiver(t, status(307, { location: `http://${other.host}/` }))
  const send = (host: string): Promise<string | null> =>
    webhook({ ...quick, url: `http://${host}/x`, secret: '' }).send(notice, never)
  assert.equal(await send(moved.host), problem(moved.host, 'it answered 307, and redirects are not followed (1 try)'))
  const refusing = await receiver(t, status(403))
  assert.equal(await send(refusing.host), problem(refusing.host, 'it answered 403 (1 try)'))
  assert.deepEqual([other.got.length, moved.got.length, refusing.got.length], [0, 1, 1])
})

test('a stop ends a try and a pause at once [R-NOTE-1]', async (t) => {
  const stop = new AbortController()
  const hanging = await receiver(t, () => stop.abort())
  const long = { ...quick, pausesMs: [600_000], timeoutMs: 600_000, secret: '' }
  assert.equal(
    await webhook({ ...long, url: `http://${hanging.host}/x` }).send(notice, stop.signal),
    problem(hanging.host, 'no answer yet (1 try); the run is over'),
  )
  const again = new AbortController()
  const broken = await receiver(t, (response) => {
    response.on('close', () => setImmediate(() => again.abort()))
    status(503)(response)
  })
  const words = await webhook({ ...long, url: `http://${broken.host}/x` }).send(notice, again.signal)
  assert.match(words ?? '', /\(1 try\); the run is over\./)
})
