/** Questions in a chat with a Telegram bot, answered by a button or a reply. The bot asks for news (long polling); nothing must reach this machine. */
import { setTimeout as pause } from 'node:timers/promises'
import { type Json, jsonIn, recordOf, textOf } from '../../../core/text/json.ts'
import { secretIn } from '../secret.ts'
import type { TelegramSettings } from '../telegram.ts'
import { type AnswerChannel, type AnswerOptions, failureOf, type GivenAnswer, shortened } from './channel.ts'

/** Seconds for which Telegram holds a request without news. */
const holdSeconds = 25

export function telegramAnswers(
  settings: TelegramSettings & { 'notify.telegram.users': string[] },
  { env, warn, pauseMs = 5_000 }: AnswerOptions,
): AnswerChannel | null {
  const { 'notify.telegram.token_env': variable, 'notify.telegram.chat': chat, 'notify.telegram.users': users } = settings
  if (variable === '' || chat === '') return null
  const token = secretIn({ env, warn }, 'notify.telegram.token_env', variable, 'Telegram')
  if (token === null) return null
  const base = `${settings['notify.telegram.server'].replace(/\/+$/, '')}/bot${token}`
  /** What a message asks, by its number; and the choices of each question. */
  const asked = new Map<string, string>()
  const choices = new Map<string, string[]>()
  let offset = 0

  /** Throws what Telegram says against it. */
  async function call(method: string, body: object, stop?: AbortSignal): Promise<unknown> {
    const limit = AbortSignal.timeout((holdSeconds + 10) * 1000)
    const signal = stop === undefined ? limit : AbortSignal.any([stop, limit])
    const headers = { 'Content-Type': 'application/json' }
    const answer = await fetch(`${base}/${method}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
      redirect: 'manual',
      signal,
    })
    const said = recordOf(jsonIn(await answer.text()))
    if (said['ok'] !== true) throw new Refused(`it answered ${answer.status}: ${textOf(said['description'])}`)
    return said['result']
  }

  const isOurs = (from: unknown, where: unknown): boolean => {
    const { id, username } = recordOf(where)
    const isChat = String(id) === chat || (typeof username === 'string' && `@${username}` === chat)
    return isChat && (users.length === 0 || users.includes(String(recordOf(from)['id'])))
  }
  const whoIs = (from: unknown): string => {
    const { id, username } = recordOf(from)
    return `Telegram user ${typeof username === 'string' ? username : String(id)}`
  }

  /** null: not for us, or from somebody whose word does not count. */
  function answerIn(update: Json): (GivenAnswer & { button?: string }) | null {
    const { callback_query: pressed, message } = recordOf(update)
    if (pressed !== undefined) {
      const { id, from, message: shown, data } = recordOf(pressed)
      const [code = '', index = ''] = textOf(data).split(':')
      const text = choices.get(code)?.[Number(index)]
      if (text === undefined || !isOurs(from, recordOf(shown)['chat'])) return null
      return { code, text, who: whoIs(from), button: textOf(id) }
    }
    const { from, chat: where, text, reply_to_message: repliedTo } = recordOf(message)
    const code = asked.get(String(recordOf(repliedTo)['message_id']))
    const words = textOf(text).trim()
    return code === undefined || words === '' || !isOurs(from, where) ? null : { code, text: words, who: whoIs(from) }
  }

  return {
    name: 'Telegram',
    async ask({ code, title, text, choices: words }) {
      const buttons = words.map((word, index) => [{ text: shortened(word), callback_data: `${code}:${index}` }])
      const markup = buttons.length === 0 ? { force_reply: true } : { inline_keyboard: buttons }
      const hint = buttons.length === 0 ? 'Reply to this message.' : 'Press a button, or reply to this message.'
      try {
        const sent = await call('sendMessage', { chat_id: chat, text: `${title}\n\n${text}\n\n${hint}`, reply_markup: markup })
        asked.set(String(recordOf(sent)['message_id']), code)
        choices.set(code, words)
        return null
      } catch (error) {
        return error instanceof Refused ? error.message : failureOf(error)
      }
    },
    async listen(answered, trouble, stop) {
      while (!stop.aborted) {
        try {
          const query = { offset, timeout: holdSeconds, allowed_updates: ['message', 'callback_query'] }
          const updates = await call('getUpdates', query, stop)
          for (const update of Array.isArray(updates) ? updates : []) {
            offset = Number(recordOf(update)['update_id']) + 1
            const given = answerIn(update)
            if (given === null) continue
            const { button, ...answer } = given
            const said = await answered(answer)
            if (button !== undefined) await call('answerCallbackQuery', { callback_query_id: button }).catch(() => {})
            await call('sendMessage', { chat_id: chat, text: said }).catch(() => {}) // the answer itself is taken
          }
        } catch (error) {
          if (stop.aborted) return
          trouble(error instanceof Refused ? error.message : failureOf(error))
          await pause(pauseMs, undefined, { signal: stop }).catch(() => {})
        }
      }
    },
  }
}

class Refused extends Error {}
