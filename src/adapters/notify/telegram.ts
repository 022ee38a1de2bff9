/** A notice as a message of a Telegram bot. */

import type { Notice } from '../../core/notice/notice.ts'
import { inMarkup } from '../../core/text/escape.ts'
import type { Channel, ChannelOptions } from './notify.ts'
import { type PostTimes, postChannel, wordsIn } from './post.ts'
import { secretIn } from './secret.ts'

export type TelegramSettings = {
  'notify.telegram.token_env': string
  'notify.telegram.chat': string
  'notify.telegram.server': string
}

export function telegram(
  settings: TelegramSettings,
  { env, warn, ...times }: Pick<ChannelOptions, 'env' | 'warn'> & PostTimes,
): Channel | null {
  const { 'notify.telegram.token_env': variable, 'notify.telegram.chat': chat, 'notify.telegram.server': server } = settings
  if (variable === '') return null
  const token = secretIn({ env, warn }, 'notify.telegram.token_env', variable, 'Telegram')
  if (token === null) return null
  if (chat === '') {
    warn('! notify.telegram.chat is empty: no notices go to Telegram. Set it to the number of your chat with the bot')
    return null
  }
  return postChannel(
    'telegram',
    {
      receiver: 'Telegram',
      advice: `Check the bot's token in ${variable}, and notify.telegram.chat`,
      url: `${server.replace(/\/+$/, '')}/bot${token}/sendMessage`,
      message: (notice) => ({ chat_id: chat, ...telegramMessage(notice) }),
      reason: wordsIn('description'),
    },
    times,
  )
}

const telegramMessage = ({ title, text, next }: Notice): object => ({
  text: [
    `<b>${inMarkup(title)}</b>`,
    ...(text === '' ? [] : [inMarkup(text)]),
    ...(next === undefined ? [] : [`<b>Next:</b> <code>${inMarkup(next)}</code>`]),
  ].join('\n\n'),
  parse_mode: 'HTML',
  link_preview_options: { is_disabled: true },
})
