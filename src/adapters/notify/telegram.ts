/** A notice as a message of a Telegram bot. */
import type { Notice } from '../../core/notice/notice.ts'
import type { Channel, ChannelOptions } from './notify.ts'
import { type PostTimes, postNotice, wordsIn } from './post.ts'
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
  return {
    name: 'telegram',
    send: (notice, stop) =>
      postNotice(
        {
          receiver: 'Telegram',
          advice: `Check the bot's token in ${variable}, and notify.telegram.chat`,
          url: `${server.replace(/\/+$/, '')}/bot${token}/sendMessage`,
          headers: () => ({ 'Content-Type': 'application/json' }),
          body: JSON.stringify({ chat_id: chat, ...telegramMessage(notice) }),
          reason: wordsIn('description'),
        },
        notice.what,
        stop,
        times,
      ),
  }
}

const telegramMessage = ({ title, text, next }: Notice): object => ({
  text: [
    `<b>${escaped(title)}</b>`,
    ...(text === '' ? [] : [escaped(text)]),
    ...(next === undefined ? [] : [`<b>Next:</b> <code>${escaped(next)}</code>`]),
  ].join('\n\n'),
  parse_mode: 'HTML',
  link_preview_options: { is_disabled: true },
})

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
