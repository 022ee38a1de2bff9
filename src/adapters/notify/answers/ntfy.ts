/** Questions as messages of ntfy; their buttons write to a second topic, which is read here. Whoever may write there may answer. */
import { setTimeout as pause } from 'node:timers/promises'
import { jsonIn, recordOf, textOf } from '../../../core/text/json.ts'
import { lineSplitter } from '../../files/lines.ts'
import { ntfyPlace } from '../ntfy.ts'
import { secretIn } from '../secret.ts'
import { type AnswerChannel, type AnswerOptions, failureOf, shortened } from './channel.ts'

export type NtfySettings = {
  'notify.ntfy.url': string
  'notify.ntfy.token_env': string
  'notify.ntfy.answers': string
  'notify.ntfy.answer_token_env': string
}

/** As many buttons as ntfy shows. */
const mostButtons = 3
const longestLine = 64 * 1024

export function ntfyAnswers(settings: NtfySettings, { env, warn, pauseMs = 5_000 }: AnswerOptions): AnswerChannel | null {
  const { 'notify.ntfy.url': written, 'notify.ntfy.answers': answers, 'notify.ntfy.token_env': variable } = settings
  if (written === '' || answers === '') return null
  if (variable === '') {
    warn('! notify.ntfy.answers needs notify.ntfy.token_env: anybody could write to a topic without access control')
    return null
  }
  const token = secretIn({ env, warn }, 'notify.ntfy.token_env', variable, 'ntfy')
  const writeVariable = settings['notify.ntfy.answer_token_env']
  const writeToken = writeVariable === '' ? '' : secretIn({ env, warn }, 'notify.ntfy.answer_token_env', writeVariable, 'ntfy')
  if (token === null || writeToken === null) return null
  const [server, topic] = ntfyPlace(written)
  const bearer = (key: string): Record<string, string> => (key === '' ? {} : { Authorization: `Bearer ${key}` })
  const choices = new Map<string, string[]>()
  let since = ''

  return {
    name: 'ntfy',
    async ask({ code, title, text, choices: words }) {
      const buttons = words.slice(0, mostButtons).map((word, index) => ({
        ...{ action: 'http', label: shortened(word), url: `${server}${encodeURIComponent(answers)}`, method: 'POST' },
        ...{ headers: bearer(writeToken), body: `${code} ${index}`, clear: true },
      }))
      const hint = `Or write to the topic ${answers}: ${code} <your answer>`
      const body = { topic, title, message: `${text}\n\n${hint}`, priority: 4, tags: ['question'], actions: buttons }
      if (since === '') since = String(Math.floor(Date.now() / 1000)) // what comes before we listen counts too
      try {
        const headers = { 'Content-Type': 'application/json', ...bearer(token) }
        const limit = AbortSignal.timeout(10_000)
        const answer = await fetch(server, {
          method: 'POST',
          headers,
          body: JSON.stringify(body),
          redirect: 'manual',
          signal: limit,
        })
        if (!answer.ok) return `it answered ${answer.status}: ${textOf(recordOf(jsonIn(await answer.text()))['error'])}`
        await answer.body?.cancel()
        choices.set(code, words)
        return null
      } catch (error) {
        return failureOf(error)
      }
    },
    async listen(answered, trouble, stop) {
      const take = async (line: string): Promise<void> => {
        const { event, id, message } = recordOf(jsonIn(line))
        if (event !== 'message') return
        since = textOf(id)
        const [, code = '', words = ''] = /^(\S+)\s+(\S[\s\S]*)$/.exec(textOf(message).trim()) ?? []
        const known = choices.get(code)
        if (known === undefined) return
        const text = /^\d$/.test(words) ? known[Number(words)] : words
        if (text !== undefined) await answered({ code, text, who: `ntfy topic ${answers}` })
      }
      while (!stop.aborted) {
        try {
          const url = `${server}${encodeURIComponent(answers)}/json?since=${encodeURIComponent(since)}`
          const answer = await fetch(url, { headers: bearer(token), redirect: 'manual', signal: stop })
          if (!answer.ok || answer.body === null) throw new Refused(`it answered ${answer.status}`)
          const waiting: string[] = []
          const lines = lineSplitter((line) => waiting.push(line), longestLine)
          for await (const part of answer.body) {
            lines.push(Buffer.from(part))
            for (const line of waiting.splice(0)) await take(line)
          }
          if (!stop.aborted) await pause(pauseMs, undefined, { signal: stop })
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
