/** Questions in a Slack channel, answered by a button or in the thread. Answers come over a WebSocket that we open (socket mode); nothing must reach this machine. */

import { setTimeout as pause } from 'node:timers/promises'
import { inMarkup } from '../../../core/text/escape.ts'
import { type Json, jsonIn, recordOf, textOf } from '../../../core/text/json.ts'
import { secretIn } from '../secret.ts'
import { bounded } from '../slack.ts'
import { type AnswerChannel, type AnswerOptions, failureOf, type GivenAnswer, shortened } from './channel.ts'
import { type Link, LinkBroken, openLink, type Received } from './slack-link.ts'

export type SlackSettings = {
  'notify.slack.app_token_env': string
  'notify.slack.bot_token_env': string
  'notify.slack.channel': string
  'notify.slack.users': string[]
  'notify.slack.server': string
}

/** As many buttons as Slack takes in one block. */
const mostButtons = 25

export function slackAnswers(
  settings: SlackSettings,
  { env, warn, pauseMs = 5_000, freshMs = 300_000 }: AnswerOptions & { freshMs?: number },
): AnswerChannel | null {
  const { 'notify.slack.app_token_env': appVariable, 'notify.slack.bot_token_env': botVariable } = settings
  const { 'notify.slack.channel': channel, 'notify.slack.users': users } = settings
  if (appVariable === '' || botVariable === '' || channel === '') return null
  const appToken = secretIn({ env, warn }, 'notify.slack.app_token_env', appVariable, 'Slack')
  const botToken = secretIn({ env, warn }, 'notify.slack.bot_token_env', botVariable, 'Slack')
  if (appToken === null || botToken === null) return null
  const base = settings['notify.slack.server'].replace(/\/+$/, '')
  /** What was asked, by its channel and time stamp, which no other message has. */
  const asked = new Map<string, { code: string; words: string[]; place: Place; isAnswered: boolean }>()
  /** Replies that were looked at: after a reconnection they are read again. */
  const seen = new Set<string>()

  /** Throws what Slack says against it. */
  async function call(method: string, body: Record<string, string>, stop?: AbortSignal): Promise<Json> {
    const limit = AbortSignal.timeout(15_000)
    const token = method === 'apps.connections.open' ? appToken : botToken
    const answer = await fetch(`${base}/${method}`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams(body).toString(),
      redirect: 'manual',
      signal: stop === undefined ? limit : AbortSignal.any([stop, limit]),
    })
    const said = recordOf(jsonIn(await answer.text()))
    if (said['ok'] !== true) throw new Refused(`${method} answered ${answer.status}: ${textOf(said['error'])}`)
    return said
  }

  const isOurs = (user: string): boolean => user !== '' && (users.length === 0 || users.includes(user))

  /** null: not for us, or from somebody whose word does not count. */
  function pressIn(payload: Json): (GivenAnswer & { place: Place }) | null {
    const { type, user, container, actions } = recordOf(payload)
    if (type !== 'block_actions' || !Array.isArray(actions)) return null
    const { channel_id: where, message_ts: ts } = recordOf(container)
    const question = asked.get(keyOf(textOf(where), textOf(ts)))
    const [code = '', index = ''] = textOf(recordOf(actions[0])['value']).split(':')
    const text = question?.words[Number(index)]
    const { id, username } = recordOf(user)
    if (question === undefined || question.code !== code || text === undefined || !isOurs(textOf(id))) return null
    return { code, text, who: `Slack user ${textOf(username) || textOf(id)}`, place: question.place }
  }

  function replyIn(event: unknown, where: string): (GivenAnswer & { place: Place }) | null {
    const { type, subtype, bot_id: bot, user, text, ts, thread_ts: thread } = recordOf(event)
    const question = asked.get(keyOf(where, textOf(thread)))
    const stamp = keyOf(where, textOf(ts))
    // Edits, notices of Slack and what bots write, this one too, are no answers.
    if (type !== 'message' || subtype !== undefined || bot !== undefined || question === undefined || ts === thread) return null
    if (seen.has(stamp)) return null
    seen.add(stamp)
    const words = unescaped(textOf(text)).trim()
    if (words === '' || !isOurs(textOf(user))) return null
    return { code: question.code, text: words, who: `Slack user ${textOf(user)}`, place: question.place }
  }

  return {
    name: 'Slack',
    async ask({ code, title, text, choices: words }) {
      const buttons = words.slice(0, mostButtons).map((word, index) => ({
        ...{ type: 'button', action_id: `${code}:${index}`, value: `${code}:${index}` },
        text: { type: 'plain_text', text: shortened(word), emoji: false },
      }))
      const hint = buttons.length === 0 ? 'Reply in the thread.' : 'Press a button, or reply in the thread.'
      const shown = (is: string): object => ({ type: 'section', text: { type: 'plain_text', text: is, emoji: false } })
      const blocks = [
        { type: 'header', text: { type: 'plain_text', text: title.slice(0, 150), emoji: false } },
        shown(bounded(text)),
        ...(buttons.length === 0 ? [] : [{ type: 'actions', elements: buttons }]),
        shown(hint),
      ]
      try {
        const body = { channel, text: inMarkup(title), blocks: JSON.stringify(blocks), unfurl_links: 'false' }
        const { channel: where, ts } = recordOf(await call('chat.postMessage', body))
        const place = { channel: textOf(where), ts: textOf(ts) }
        asked.set(keyOf(place.channel, place.ts), { code, words, place, isAnswered: false })
        return null
      } catch (error) {
        return reasonOf(error)
      }
    },
    async listen(answered, trouble, stop) {
      let posted: Promise<unknown> = Promise.resolve()
      const take = async (given: (GivenAnswer & { place: Place }) | null): Promise<void> => {
        if (given === null) return
        const { place, ...answer } = given
        const said = await answered(answer)
        const question = asked.get(keyOf(place.channel, place.ts))
        if (question !== undefined) question.isAnswered = true
        // The answer itself is taken, and Slack waits 3 seconds for our word on it, so this comes beside.
        const words = { channel: place.channel, thread_ts: place.ts, text: inMarkup(said) }
        posted = posted.then(() => call('chat.postMessage', words)).catch(() => {})
      }
      // One after the other: two people may answer at the same moment.
      let turn = Promise.resolve()
      const inTurn = (work: () => Promise<void>): Promise<void> => {
        turn = turn.then(work)
        return turn
      }
      const received = ({ type, payload }: Received): Promise<void> => {
        if (type === 'interactive') return inTurn(() => take(pressIn(payload)))
        const event = recordOf(recordOf(payload)['event'])
        return type === 'events_api' ? inTurn(() => take(replyIn(event, textOf(event['channel'])))) : Promise.resolve()
      }
      /** Replies that were written while no connection was open: Slack does not send them later. */
      const catchUp = async (): Promise<void> => {
        for (const { place, isAnswered } of [...asked.values()]) {
          if (isAnswered) continue
          const { messages } = recordOf(await call('conversations.replies', place, stop))
          for (const message of Array.isArray(messages) ? messages : []) await inTurn(() => take(replyIn(message, place.channel)))
        }
      }
      let link: Link | null = null
      while (!stop.aborted) {
        try {
          const address = textOf(recordOf(await call('apps.connections.open', {}, stop))['url'])
          const next = await openLink(address, base, received, { stop, freshMs })
          link?.close() // only now: what comes meanwhile still arrives over the older one
          link = next
          await catchUp().catch((error: unknown) => {
            if (!stop.aborted) trouble(`replies written while disconnected cannot be read: ${reasonOf(error)}`)
          })
          const why = await link.over
          if (why === null || stop.aborted) continue
          trouble(why)
        } catch (error) {
          if (stop.aborted) break
          trouble(reasonOf(error))
        }
        await pause(pauseMs, undefined, { signal: stop }).catch(() => {})
      }
      link?.close()
      await turn
      await posted
    },
  }
}

type Place = { channel: string; ts: string }
const keyOf = (channel: string, ts: string): string => `${channel} ${ts}`

class Refused extends Error {}
const reasonOf = (error: unknown): string =>
  error instanceof Refused || error instanceof LinkBroken ? error.message : failureOf(error)

/** Slack escapes these three in what people write. */
const unescaped = (text: string): string => text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&')
