/** A notice as a push message of ntfy: its own server, or ntfy.sh. */
import type { Notice } from '../../core/notice/notice.ts'
import type { Channel, ChannelOptions } from './notify.ts'
import { type PostTimes, postChannel, wordsIn } from './post.ts'
import { secretIn } from './secret.ts'

export function ntfy(
  {
    'notify.ntfy.url': written,
    'notify.ntfy.token_env': variable,
  }: { 'notify.ntfy.url': string; 'notify.ntfy.token_env': string },
  { env, warn, ...times }: Pick<ChannelOptions, 'env' | 'warn'> & PostTimes,
): Channel | null {
  if (written === '') return null
  const [server, topic] = ntfyPlace(written)
  if (topic === '') {
    warn('! notify.ntfy.url has no topic: no notices go to ntfy. Use an address such as https://ntfy.sh/my-topic')
    return null
  }
  const token = variable === '' ? '' : secretIn({ env, warn }, 'notify.ntfy.token_env', variable, 'ntfy')
  if (token === null) return null
  return postChannel(
    'ntfy',
    {
      receiver: 'ntfy',
      advice: variable === '' ? 'Fix notify.ntfy.url' : `Fix notify.ntfy.url, or check the token in ${variable}`,
      url: server,
      headers: (): Record<string, string> => (token === '' ? {} : { Authorization: `Bearer ${token}` }),
      message: (notice) => ntfyMessage(notice, topic),
      reason: wordsIn('error'),
    },
    times,
  )
}

/** JSON goes to the server itself, and names the topic: headers could not hold every character. */
export function ntfyPlace(written: string): [server: string, topic: string] {
  const url = new URL(written)
  const [topic = '', ...above] = url.pathname.split('/').filter(Boolean).reverse()
  return [
    `${url.origin}/${above
      .reverse()
      .map((part) => `${part}/`)
      .join('')}`,
    decodeURIComponent(topic),
  ]
}

/** Phones make a sound of their own for `high`, and show tags that are names of emoji before the title. */
const ntfyMessage = ({ what, title, text, next, outcome }: Notice, topic: string): object => ({
  topic,
  title,
  message: next === undefined ? text : `${text}\n\nNext: ${next}`,
  priority: needsPerson.includes(what) ? priorities.high : priorities.usual,
  tags: [outcome === 'complete' ? 'white_check_mark' : (tags[what] ?? 'information_source')],
})

const needsPerson = ['blocked', 'decide', 'breaker']
const priorities = { usual: 3, high: 4 }
const tags: Record<string, string> = {
  blocked: 'no_entry',
  decide: 'question',
  breaker: 'warning',
  limit: 'hourglass',
  stop: 'stop_button',
}
