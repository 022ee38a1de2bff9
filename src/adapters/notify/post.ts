/** Posts a notice over HTTP, and tries again where that can help. */
import { setTimeout as pause } from 'node:timers/promises'
import { shownAddress } from '../../core/notice/names.ts'
import type { Notice } from '../../core/notice/notice.ts'
import { jsonIn, recordOf, textOf } from '../../core/text/json.ts'
import type { Channel } from './notify.ts'

/** Milliseconds; `now` since 1970, `timeoutMs` of one try. */
export type PostTimes = { now?(): number; pausesMs?: readonly number[]; timeoutMs?: number }

type Receiver = {
  /** As in "The webhook at <address> did not accept …". */
  receiver: string
  /** What a person can do about a failure. */
  advice: string
  url: string
  /** Besides the type of the content; asked before each try. */
  headers?(nowMs: number, body: string): Record<string, string>
  message(notice: Notice): object
  /** The receiver's own words for a refusal, from its answer; '': it gives none. Only asked of receivers whose answers are known. */
  reason?(answer: string): string
}

/** A channel that posts each notice as JSON. */
export const postChannel = (name: string, receiver: Receiver, times: PostTimes): Channel => ({
  name,
  send: (notice, stop) => postNotice({ ...receiver, body: JSON.stringify(receiver.message(notice)) }, notice.what, stop, times),
})

type Posting = Omit<Receiver, 'message'> & { body: string }

/** null: accepted. Otherwise why not, and what to do. `what`: the notice's name. */
async function postNotice(
  posting: Posting,
  what: string,
  stop: AbortSignal,
  { now = Date.now, pausesMs = [1000, 5000, 15_000], timeoutMs = 10_000 }: PostTimes = {},
): Promise<string | null> {
  const words = (problem: string, tries: number, end = ''): string => {
    const times = tries === 1 ? '1 try' : `${tries} tries`
    const why = [`${problem === '' ? 'not sent' : problem} (${times})`, end].filter((part) => part !== '').join('; ')
    return `${posting.receiver} at ${shownAddress(posting.url)} did not accept the notice "${what}": ${why}. ${posting.advice}`
  }
  let tries = 0
  for (let problem = '', askedMs = 0; ; ) {
    const pauseMs = tries === 0 ? 0 : pausesMs[tries - 1]
    if (pauseMs === undefined) return words(problem, tries)
    const waitMs = Math.max(pauseMs, Math.min(askedMs, longestAskedMs))
    if (waitMs > 0) await pause(waitMs, undefined, { signal: stop }).catch(() => {})
    if (stop.aborted) return words(problem, tries, 'the run is over')
    const refused = await post(posting, now(), { timeoutMs, stop })
    if (refused === null) return null
    tries += 1
    problem = refused.problem
    askedMs = refused.waitMs
    if (refused.isFinal) return words(problem, tries)
  }
}

/** A refusal's own words, where answers are JSON with such a field. */
export const wordsIn =
  (field: string) =>
  (answer: string): string =>
    textOf(recordOf(jsonIn(answer))[field])

/** A receiver that is too busy may say when to come back. */
const longestAskedMs = 30_000

/** Long enough for a refusal in words. */
const longestAnswer = 4096

/** `isFinal`: another try cannot help. `waitMs`: how long the receiver asks to wait. */
type Refused = { problem: string; isFinal: boolean; waitMs: number }

async function post(
  { url, headers: added, body, reason }: Posting,
  nowMs: number,
  { timeoutMs, stop }: { timeoutMs: number; stop: AbortSignal },
): Promise<Refused | null> {
  const signal = AbortSignal.any([stop, AbortSignal.timeout(timeoutMs)])
  try {
    const headers = { 'Content-Type': 'application/json', ...added?.(nowMs, body) }
    const answer = await fetch(url, { method: 'POST', headers, body, redirect: 'manual', signal })
    const { status } = answer
    if (status >= 200 && status < 300) {
      await answer.body?.cancel().catch(() => {})
      return null
    }
    const said = reason === undefined ? '' : reason((await answer.text().catch(() => '')).slice(0, longestAnswer))
    if (reason === undefined) await answer.body?.cancel().catch(() => {})
    const isRedirect = status >= 300 && status < 400
    const problem = `it answered ${status}${isRedirect ? ', and redirects are not followed' : ''}${said === '' ? '' : ` (${said})`}`
    const waitMs = 1000 * (Number(answer.headers.get('retry-after') ?? 0) || 0)
    return { problem, isFinal: status < 500 && ![408, 425, 429].includes(status), waitMs }
  } catch (error) {
    return { problem: whyNot(error as Error, stop, timeoutMs), isFinal: false, waitMs: 0 }
  }
}

/** Only codes: messages may quote the URL. */
function whyNot(error: Error, stop: AbortSignal, timeoutMs: number): string {
  if (stop.aborted) return 'no answer yet'
  if (error.name === 'TimeoutError') return `no answer within ${timeoutMs / 1000} s`
  const code = (error.cause as { code?: string } | undefined)?.code
  return code === 'ECONNREFUSED' ? 'connection refused' : (code ?? error.name)
}
