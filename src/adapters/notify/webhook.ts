/** A notice as a signed POST of JSON, retried where that can help. */

import { createHmac } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { tried } from '../../core/failure.ts'
import { shownAddress } from '../../core/notice/names.ts'
import type { Notice } from '../../core/notice/notice.ts'
import type { Channel, ChannelOptions } from './notify.ts'

type WebhookSettings = { 'notify.webhook.url': string; 'notify.webhook.secret_env': string }
type WebhookOptions = Pick<ChannelOptions, 'env' | 'warn'> & {
  /** Milliseconds since 1970. */
  now?(): number
  /** Between one try and the next. */
  pausesMs?: readonly number[]
  /** Of one try. */
  timeoutMs?: number
}

export function webhook(
  { 'notify.webhook.url': url, 'notify.webhook.secret_env': keyName }: WebhookSettings,
  { env, warn, now = Date.now, pausesMs = [1000, 5000, 15_000], timeoutMs = 10_000 }: WebhookOptions,
): Channel | null {
  if (url === '') return null
  const secret = keyName === '' ? '' : (env[keyName] ?? '')
  if (keyName !== '' && secret === '')
    warn(`! notify.webhook.secret_env names ${keyName}, which is not set: notices are posted unsigned`)
  const target = targetOf(url)
  return {
    name: 'webhook',
    async send(notice, stop) {
      const body = JSON.stringify(notice)
      let tries = 0
      for (let problem = ''; ; ) {
        const pauseMs = tries === 0 ? 0 : pausesMs[tries - 1]
        if (pauseMs === undefined) return words(url, notice, { problem, tries })
        if (pauseMs > 0) await pause(pauseMs, undefined, { signal: stop }).catch(() => {})
        if (stop.aborted) return words(url, notice, { problem, tries, end: 'the run is over' })
        const headers = { ...target.headers, ...signed(body, secret, now()) }
        const answer = await post(target.url, { headers, body, timeoutMs, stop })
        if (answer === null) return null
        tries += 1
        problem = answer.problem
        if (answer.isFinal) return words(url, notice, { problem, tries })
      }
    },
  }
}

/** A receiver that wants to verify a notice computes the same from the received time and body. */
function signed(body: string, secret: string, nowMs: number): Record<string, string> {
  const timestamp = String(Math.floor(nowMs / 1000))
  if (secret === '') return { 'X-Ralph-Timestamp': timestamp }
  const signature = createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex')
  return { 'X-Ralph-Timestamp': timestamp, 'X-Ralph-Signature': `sha256=${signature}` }
}

/** User and password go into a header: fetch rejects a URL with them. */
function targetOf(written: string): { url: string; headers: Record<string, string> } {
  const url = new URL(written)
  const { username, password } = url
  url.username = ''
  url.password = ''
  const headers = { 'Content-Type': 'application/json', 'User-Agent': 'ralph' }
  if (username === '' && password === '') return { url: url.href, headers }
  const basic = Buffer.from(`${decoded(username)}:${decoded(password)}`).toString('base64')
  return { url: url.href, headers: { ...headers, Authorization: `Basic ${basic}` } }
}

const decoded = (text: string): string => tried(() => decodeURIComponent(text), text)

type Post = { headers: Record<string, string>; body: string; timeoutMs: number; stop: AbortSignal }

/** null: accepted. If another try cannot help, the problem is final. */
async function post(
  url: string,
  { headers, body, timeoutMs, stop }: Post,
): Promise<{ problem: string; isFinal: boolean } | null> {
  const signal = AbortSignal.any([stop, AbortSignal.timeout(timeoutMs)])
  try {
    const { status, body: answer } = await fetch(url, { method: 'POST', headers, body, redirect: 'manual', signal })
    await answer?.cancel().catch(() => {})
    if (status >= 200 && status < 300) return null
    const isRedirect = status >= 300 && status < 400
    const problem = `it answered ${status}${isRedirect ? ', and redirects are not followed' : ''}`
    return { problem, isFinal: status < 500 && ![408, 425, 429].includes(status) }
  } catch (error) {
    return { problem: whyNot(error as Error, stop, timeoutMs), isFinal: false }
  }
}

/** Only codes: messages may quote the URL. */
function whyNot(error: Error, stop: AbortSignal, timeoutMs: number): string {
  if (stop.aborted) return 'no answer yet'
  if (error.name === 'TimeoutError') return `no answer within ${timeoutMs / 1000} s`
  const code = (error.cause as { code?: string } | undefined)?.code
  return code === 'ECONNREFUSED' ? 'connection refused' : (code ?? error.name)
}

function words(
  url: string,
  { what }: Notice,
  { problem, tries, end = '' }: { problem: string; tries: number; end?: string },
): string {
  const times = tries === 1 ? '1 try' : `${tries} tries`
  const why = [`${problem === '' ? 'not sent' : problem} (${times})`, end].filter((part) => part !== '').join('; ')
  return `The webhook at ${shownAddress(url)} did not accept the notice "${what}": ${why}. Check its receiver, or fix notify.webhook.url`
}
