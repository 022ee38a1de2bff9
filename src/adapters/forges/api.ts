/** Asks a service's API, through its own program or over HTTP, and says in one place what each refusal means. */
import { execFile } from 'node:child_process'
import { setTimeout as pause } from 'node:timers/promises'
import { EXIT, Failure } from '../../core/failure.ts'
import { isText, jsonIn, recordOf, textOf } from '../../core/text/json.ts'
import { instantOf } from '../../core/text/time.ts'
import { masker } from '../mask/mask.ts'
import { childEnv } from '../process/child-env.ts'

export type GivenEnv = Record<string, string | undefined>

/** What is asked for, as messages say it: 'Issue', and its address for people. */
export type About = { what: string; url: string }
export type ApiRequest = {
  /** Below the API's base, or a full URL on its host. */
  path: string
  method?: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'
  body?: object
  about: About
  /** Statuses besides those of success that the caller handles. */
  handles?: readonly number[]
}
/** `next`: the URL of the next page; empty: none. */
export type ApiAnswer = { status: number; value: unknown; text: string; next: string }
export type Api = {
  host: string
  /** There is a login, which may still be refused. */
  hasLogin: boolean
  /** How to log in, as the start of a sentence that goes on with what the login must be. */
  login: string
  ask(request: ApiRequest): Promise<ApiAnswer>
}

/** One response, whichever way it came. */
export type ApiResponse = { status: number; header(name: string): string; text: string }
export type Sent = { url: string; method: string; body: string | undefined; about: About }
export type Service = Pick<Api, 'host' | 'hasLogin' | 'login'> & {
  base: string
  /** Whose keys are in no message: a service may repeat what it was sent. */
  env: GivenEnv
  /** The variable that may have a wrong address. */
  variable: string
  bring(sent: Sent): Promise<ApiResponse>
}

/** No access for now: the network, the service, or its limit. */
export const limitedExit = 5
const answerMs = 30_000
const againMs = 500
const mostRedirects = 5
const mostBytes = 20_000_000
const mostPages = 20

export function apiOf(service: Service): Api {
  const { host, hasLogin, login, base } = service
  return {
    host,
    hasLogin,
    login,
    async ask({ path, method = 'GET', body, about, handles = [] }) {
      const url = path.startsWith('http') ? path : `${base}/${path}`
      const sent = { url, method, body: body === undefined ? undefined : JSON.stringify(body), about }
      let answer = await service.bring(sent)
      // Asking again changes nothing; sending again might.
      if (answer.status >= 500 && method === 'GET') {
        await pause(againMs)
        answer = await service.bring(sent)
      }
      const { status, text } = answer
      const isGood = (status >= 200 && status < 300) || handles.includes(status)
      if (!isGood) throw refusal(answer, sent, service)
      const value = text === '' ? undefined : handles.includes(status) ? jsonIn(text) : jsonOf(text, sent, service)
      return { status, value, text, next: nextPage(answer, base) }
    },
  }
}

/** Before anything is sent: a host that nobody has a login for learns nothing. */
export function mustBeLoggedIn({ host, login, hasLogin }: Api, what = host): void {
  if (!hasLogin) throw new Failure(EXIT.login, `Not logged in to ${host}. ${login} that may write to ${what}.`)
}

/** All items of a list that comes in pages; `isCut`: there are more than anybody can want. */
export async function listOf(api: Api, request: ApiRequest): Promise<{ items: unknown[]; isCut: boolean }> {
  const items: unknown[] = []
  let path = request.path
  for (let page = 0; page < mostPages && path !== ''; page++) {
    const { value, next } = await api.ask({ ...request, path })
    if (!Array.isArray(value))
      throw new Failure(EXIT.data, `${api.host} answered for ${request.about.url} with something that is not a list.`)
    items.push(...value)
    path = next
  }
  return { items, isCut: path !== '' }
}

/** Over HTTP. A redirect to another host is not followed, or a token would go there. */
export async function fetched(
  { url, method, body, about }: Sent,
  { base, headers }: { base: string; headers: Record<string, string> },
): Promise<ApiResponse> {
  const json: Record<string, string> = body === undefined ? {} : { 'content-type': 'application/json' }
  let at = url
  for (let count = 0; count <= mostRedirects; count++) {
    const answer = await answered(at, { method, headers: { ...headers, ...json }, body: body ?? null }, about)
    if (![301, 302, 303, 307, 308].includes(answer.status)) return answer
    const location = answer.header('location')
    const to = URL.canParse(location, at) ? new URL(location, at) : new URL(at)
    if (to.origin !== new URL(base).origin)
      throw new Failure(
        EXIT.data,
        `${about.url} redirects to another host (${to.host}), which Ralph does not follow. If ${named(about)} has moved, use its new URL.`,
      )
    at = to.href
  }
  throw new Failure(EXIT.data, `${about.url} redirects too many times. If ${named(about)} has moved, use its new URL.`)
}

const named = ({ what }: About): string => `the ${what.toLowerCase()}`

async function answered(url: string, init: RequestInit, about: About): Promise<ApiResponse> {
  try {
    const response = await fetch(url, { ...init, redirect: 'manual', signal: AbortSignal.timeout(answerMs) })
    return { status: response.status, header: (name) => response.headers.get(name) ?? '', text: await response.text() }
  } catch (error) {
    const { name, message, cause } = error as Error & { cause?: Error }
    const why = name === 'TimeoutError' ? `no answer in ${answerMs / 1000} s` : cause?.message || message
    throw new Failure(
      limitedExit,
      `Cannot reach ${new URL(url).host} for ${about.url}: ${why}. Check the connection, then try again.`,
    )
  }
}

/** A program that makes requests with its own login: gh and glab have the same options. */
export type Program = { name: string; path: string; env: GivenEnv; cwd: string }

export async function isLoggedIn(program: Program, host: string): Promise<boolean> {
  return (await ran(program, ['auth', 'status', '--hostname', host])).code === 0
}

/** With the headers, which have the next page and the end of a limit. */
export async function throughProgram(program: Program, host: string, { url, method, body }: Sent): Promise<ApiResponse> {
  const sent = [
    ...(method === 'GET' ? [] : ['--method', method]),
    ...(body === undefined ? [] : ['--header', 'Content-Type: application/json', '--input', '-']),
  ]
  const { out, err } = await ran(program, ['api', '--include', '--hostname', host, ...sent, url], body)
  const head = /^HTTP\/[\d.]+ (\d{3})[^\n]*\n([\s\S]*?)\r?\n\r?\n/.exec(out)
  if (head === null)
    throw new Failure(
      limitedExit,
      `${program.name} failed to reach ${host}: ${firstLine(err) || 'no error message'}. Try again later, or check: ${program.name} auth status`,
    )
  const [whole, status, lines = ''] = head
  const headers = new Map(
    lines
      .split(/\r?\n/)
      .map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  )
  return { status: Number(status), header: (name) => headers.get(name) ?? '', text: out.slice(whole.length) }
}

/** Without prompts. */
export function ran(
  { path, env, cwd }: Program,
  args: string[],
  input?: string,
): Promise<{ code: number; out: string; err: string }> {
  const options = {
    cwd,
    env: { ...childEnv(env), GH_PROMPT_DISABLED: '1', NO_PROMPT: '1', NO_COLOR: '1' },
    timeout: answerMs,
    maxBuffer: mostBytes,
  }
  return new Promise((resolve) => {
    const child = execFile(path, args, options, (error, out, err) =>
      resolve({ code: error === null ? 0 : 1, out, err: masker(env).text(err) }),
    )
    child.stdin?.on('error', () => {}) // it ended without reading: its exit code says why
    child.stdin?.end(input)
  })
}

/** The service's own words for an error. */
export function wordsOf(text: string): string {
  const { message, error, error_description, errorMessages, errors } = recordOf(jsonIn(text))
  const [first] = Array.isArray(errors) ? errors : []
  const detail = isText(first) ? first : textOf(recordOf(first)['message'])
  const main = [message, error_description, error, errorMessages].map(inWords).find((words) => words !== '') ?? ''
  return firstLine([main, detail].filter((part, place, all) => part !== '' && all.indexOf(part) === place).join(': '))
}

/** GitLab and Jira give lists of sentences, or an object of them by field. */
function inWords(value: unknown): string {
  if (isText(value)) return value
  if (Array.isArray(value)) return value.filter(isText).join('; ')
  return Object.entries(recordOf(value))
    .map(([field, words]) => `${field} ${Array.isArray(words) ? words.join(', ') : String(words)}`)
    .join('; ')
}

function refusal(answer: ApiResponse, { method, about }: Sent, { host, login, hasLogin, env }: Service): Failure {
  const { status } = answer
  const { what, url } = about
  const said = masker(env).text(wordsOf(answer.text))
  const words = said === '' ? '' : ` (${said})`
  const may = method === 'GET' ? 'may read it' : 'may write to it'
  const isLimited =
    status === 429 ||
    (status === 403 &&
      (answer.header('x-ratelimit-remaining') === '0' ||
        answer.header('retry-after') !== '' ||
        /rate limit|abuse detection/i.test(said)))
  if (isLimited) {
    const advice = hasLogin ? 'Try again then.' : `Try again then. ${login}, for a higher limit.`
    return new Failure(limitedExit, `Rate limit of ${host} reached${resetIn(answer)}. ${advice}`)
  }
  if (status === 401) return new Failure(EXIT.login, `${host} rejects the login for ${url}${words}. ${login} that is valid.`)
  if (status === 403) return new Failure(EXIT.login, `${host} denies access to ${url}${words}. ${login} that ${may}.`)
  if (status === 404 || status === 410) {
    const advice = hasLogin ? `Check the URL, and whether your login ${may}.` : `If it is private: ${login} that ${may}.`
    return new Failure(EXIT.usage, `${what} not found, or you may not read it: ${url}. ${advice}`)
  }
  if (status >= 500) return new Failure(limitedExit, `${host} failed (status ${status}) for ${url}. Try again later.`)
  return new Failure(EXIT.data, `${host} answered ${status} for ${url}${words}, which Ralph cannot use. Check the URL.`)
}

function resetIn(answer: ApiResponse): string {
  const seconds = Number(answer.header('retry-after'))
  if (seconds > 0) return `; resets in ${seconds} s`
  const at = Number(answer.header('x-ratelimit-reset') || answer.header('ratelimit-reset'))
  return at > 0 && at < 1e11 ? `; resets at ${instantOf(at * 1000)}` : ''
}

function jsonOf(text: string, { about }: Sent, { host, variable }: Service): unknown {
  const value = jsonIn(text)
  if (value !== undefined) return value
  throw new Failure(
    EXIT.data,
    `${host} answered for ${about.url} with something that is not JSON. Try again; if it happens again, check ${variable}.`,
  )
}

const firstLine = (text: string): string => (text.trim().split('\n')[0] ?? '').slice(0, 200)

/** From the header `link`; a URL on another host does not count. */
function nextPage(answer: ApiResponse, base: string): string {
  const next = answer
    .header('link')
    .split(',')
    .find((link) => /;\s*rel="?next"?/.test(link))
  const url = /<([^>]+)>/.exec(next ?? '')?.[1] ?? ''
  return URL.canParse(url) && new URL(url).origin === new URL(base).origin ? url : ''
}

/** From a variable. On this machine a test may listen without TLS. */
export function checkedBase(base: string, variable: string, given: string): string {
  const isLocal = /^http:\/\/(127\.0\.0\.1|localhost|\[::1\])(:\d+)?(\/|$)/.test(base)
  if (base.startsWith('https://') || isLocal) return base
  throw new Failure(EXIT.config, `${variable} is ${JSON.stringify(given)}; expected a URL that starts with https://.`)
}
