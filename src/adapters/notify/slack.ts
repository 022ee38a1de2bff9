/** A notice as a message in Slack, through an incoming webhook. */

import type { Notice } from '../../core/notice/notice.ts'
import { inMarkup } from '../../core/text/escape.ts'
import type { Channel, ChannelOptions } from './notify.ts'
import { type PostTimes, postChannel } from './post.ts'
import { addressIn } from './secret.ts'

export function slack(
  { 'notify.slack.url_env': variable }: { 'notify.slack.url_env': string },
  { env, warn, ...times }: Pick<ChannelOptions, 'env' | 'warn'> & PostTimes,
): Channel | null {
  if (variable === '') return null
  const url = addressIn({ env, warn }, 'notify.slack.url_env', variable, 'Slack')
  if (url === null) return null
  return postChannel(
    'slack',
    {
      receiver: 'Slack',
      advice: `Check the incoming webhook in ${variable}`,
      url,
      message: slackMessage,
      reason: (answer) => /^[a-z_]{3,60}$/.exec(answer.trim())?.[0] ?? '', // as in "no_service"
    },
    times,
  )
}

/**
 * `text` is what a phone shows in its notification; the blocks are what the channel shows. Unescaped, an agent's words could call everybody in the
 * channel: <!channel>.
 */
function slackMessage({ title, text, next }: Notice): object {
  const section = (words: string): object => ({ type: 'section', text: { type: 'mrkdwn', text: words } })
  return {
    text: inMarkup(title),
    blocks: [
      { type: 'header', text: { type: 'plain_text', text: title.slice(0, 150), emoji: false } },
      ...(text === '' ? [] : [section(bounded(inMarkup(text)))]),
      ...(next === undefined ? [] : [section(bounded(`*Next:* ${inMarkup(next)}`))]),
    ],
    unfurl_links: false,
  }
}

/** Slack refuses longer ones; half an entity would be shown as it is. */
export const bounded = (text: string): string => (text.length <= 3000 ? text : `${text.slice(0, 2999).replace(/&[a-z]*$/, '')}…`)
