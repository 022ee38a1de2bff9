/** A notice as a message in Discord, through a webhook of the channel. */
import type { Notice } from '../../core/notice/notice.ts'
import type { Channel, ChannelOptions } from './notify.ts'
import { type PostTimes, postChannel, wordsIn } from './post.ts'
import { addressIn } from './secret.ts'

export function discord(
  { 'notify.discord.url_env': variable }: { 'notify.discord.url_env': string },
  { env, warn, ...times }: Pick<ChannelOptions, 'env' | 'warn'> & PostTimes,
): Channel | null {
  if (variable === '') return null
  const url = addressIn({ env, warn }, 'notify.discord.url_env', variable, 'Discord')
  if (url === null) return null
  return postChannel(
    'discord',
    {
      receiver: 'Discord',
      advice: `Check the webhook in ${variable}`,
      url,
      message: discordMessage,
      reason: wordsIn('message'),
    },
    times,
  )
}

/** `allowed_mentions`: otherwise an agent's words could call everyone. */
const discordMessage = ({ title, text, next, feature, at, what }: Notice): object => ({
  embeds: [
    {
      title: title.slice(0, 256),
      description: escaped(text),
      color: colors[what] ?? plainColor,
      ...(next === undefined ? {} : { fields: [{ name: 'Next', value: escaped(next).slice(0, 1024) }] }),
      footer: { text: feature },
      timestamp: at,
    },
  ],
  allowed_mentions: { parse: [] },
})

/** Yellow: it waits for a person; red: something is wrong. */
const colors: Record<string, number> = { blocked: 0xd29922, decide: 0xd29922, limit: 0xd29922, breaker: 0xcf222e }
const plainColor = 0x57606a

const escaped = (text: string): string => text.replace(/[\\*_~`|>#[\]()-]/g, '\\$&')
