/** A notice as a signed POST of JSON. */
import { createHmac } from 'node:crypto'
import { tried } from '../../core/failure.ts'
import type { Channel, ChannelOptions } from './notify.ts'
import { type PostTimes, postChannel } from './post.ts'

type WebhookSettings = { 'notify.webhook.url': string; 'notify.webhook.secret_env': string }

export function webhook(
  { 'notify.webhook.url': url, 'notify.webhook.secret_env': keyName }: WebhookSettings,
  { env, warn, ...times }: Pick<ChannelOptions, 'env' | 'warn'> & PostTimes,
): Channel | null {
  if (url === '') return null
  const secret = keyName === '' ? '' : (env[keyName] ?? '')
  if (keyName !== '' && secret === '')
    warn(`! notify.webhook.secret_env names ${keyName}, which is not set: notices are posted unsigned`)
  const target = targetOf(url)
  return postChannel(
    'webhook',
    {
      receiver: 'The webhook',
      advice: 'Check its receiver, or fix notify.webhook.url',
      url: target.url,
      headers: (nowMs, body) => ({ ...target.headers, ...signed(body, secret, nowMs) }),
      message: (notice) => notice,
    },
    times,
  )
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
  const headers = { 'User-Agent': 'ralph' }
  if (username === '' && password === '') return { url: url.href, headers }
  const basic = Buffer.from(`${decoded(username)}:${decoded(password)}`).toString('base64')
  return { url: url.href, headers: { ...headers, Authorization: `Basic ${basic}` } }
}

const decoded = (text: string): string => tried(() => decodeURIComponent(text), text)
