/** Reads an issue from GitHub: through `gh` if it is installed and logged in, else from the REST API, with a token if there is one. */
import { execFile } from 'node:child_process'
import { EXIT, Failure } from '../../core/failure.ts'
import type { Issue } from '../../core/import/issue.ts'
import { isRecord, isText, type Json, jsonIn, recordOf, recordsIn, textOf } from '../../core/text/json.ts'
import { instantOf } from '../../core/text/time.ts'
import { childEnv } from '../process/child-env.ts'
import { findProgram } from '../process/program.ts'

type Env = Record<string, string | undefined>

/** The parts of an issue's address. */
export type IssueAddress = { url: string; host: string; owner: string; name: string; number: number }

/** Throws a Failure that says what is wrong. */
export async function fetchIssue(address: IssueAddress, env: Env, cwd: string): Promise<{ issue: Issue; warnings: string[] }> {
  const ask = await asker(address, env, cwd)
  const path = `repos/${address.owner}/${address.name}/issues/${address.number}`
  const { value } = await ask(path)
  const first = issueIn(value, address)
  const { comments, warnings } = await commentsOf(ask, `${path}/comments?per_page=100`, address)
  return { issue: { ...first, comments }, warnings }
}

export function issueAddress(text: string): IssueAddress {
  const expected = 'expected the URL of an issue, such as https://github.com/owner/name/issues/7'
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url?.protocol !== 'https:') throw new Failure(EXIT.usage, `--from-issue is ${JSON.stringify(text)}; ${expected}.`)
  const [, owner, name, kind, number] = /^\/([\w.-]+)\/([\w.-]+)\/(issues|pull)\/([1-9]\d{0,9})\/?$/.exec(url.pathname) ?? []
  if (kind === 'pull') throw new Failure(EXIT.usage, `${text} is a pull request; ${expected}.`)
  if (!owner || !name || !number) throw new Failure(EXIT.usage, `--from-issue is ${JSON.stringify(text)}; ${expected}.`)
  return { url: `https://${url.host}/${owner}/${name}/issues/${number}`, host: url.host, owner, name, number: Number(number) }
}

/** One response, whichever way it came. */
type Answer = { status: number; header(name: string): string; text: string }
/** A path below the API's base, or a full URL on its host. Returns the JSON, and the URL of the next page. */
type AskApi = (path: string) => Promise<{ value: unknown; next: string }>

const limitedExit = 5
const answerMs = 30_000
const mostRedirects = 5
const mostPages = 20
const mostBytes = 20_000_000

async function asker(address: IssueAddress, env: Env, cwd: string): Promise<AskApi> {
  const api = apiOf(address, env)
  const isUsual = api.base === usualBase(address.host)
  const gh = isUsual ? await ghThatWorks(address, env, cwd) : null
  const bring =
    gh === null ? (url: string) => fetched(url, api, address) : (url: string) => throughGh(gh, url, address, { env, cwd })
  return async (path) => {
    const url = path.startsWith('http') ? path : `${api.base}/${path}`
    const answer = await bring(url)
    if (answer.status !== 200) throw refusal(answer, address, gh !== null || api.token !== '')
    return { value: jsonOf(answer.text, address), next: nextPage(answer, api.base) }
  }
}

const usualBase = (host: string): string => {
  if (host === 'github.com') return 'https://api.github.com'
  return host.endsWith('.ghe.com') ? `https://api.${host}` : `https://${host}/api/v3`
}

/** A token is only sent to the host that it is for. */
function apiOf({ host }: IssueAddress, env: Env): { base: string; token: string } {
  const server = env['GITHUB_SERVER_URL'] ?? ''
  const own = URL.canParse(server) ? new URL(server).host : 'github.com'
  const given = env['GITHUB_API_URL'] ?? ''
  const base = given !== '' && host === own ? given.replace(/\/+$/, '') : usualBase(host)
  const isLocal = /^http:\/\/(127\.0\.0\.1|localhost|\[::1\])(:\d+)?(\/|$)/.test(base)
  if (!base.startsWith('https://') && !isLocal)
    throw new Failure(EXIT.config, `GITHUB_API_URL is ${JSON.stringify(given)}; expected a URL that starts with https://.`)
  const isEnterprise = host !== 'github.com' && (host === env['GH_HOST'] || host === own)
  const names = isEnterprise ? ['GH_ENTERPRISE_TOKEN', 'GITHUB_ENTERPRISE_TOKEN'] : []
  const all = host === 'github.com' || host === own ? [...names, 'GITHUB_TOKEN', 'GH_TOKEN'] : names
  return { base, token: all.map((name) => env[name]?.trim() ?? '').find((token) => token !== '') ?? '' }
}

async function ghThatWorks({ host }: IssueAddress, env: Env, cwd: string): Promise<string | null> {
  const gh = findProgram('gh', cwd, env)
  if (gh === null) return null
  const { code } = await ran(gh, ['auth', 'status', '--hostname', host], env, cwd)
  return code === 0 ? gh : null
}

/** With the headers, which have the next page and the end of a limit. */
async function throughGh(
  gh: string,
  url: string,
  { host }: IssueAddress,
  { env, cwd }: { env: Env; cwd: string },
): Promise<Answer> {
  const { out, err } = await ran(gh, ['api', '--include', '--hostname', host, url], env, cwd)
  const head = /^HTTP\/[\d.]+ (\d{3})[^\n]*\n([\s\S]*?)\r?\n\r?\n/.exec(out)
  if (head === null)
    throw new Failure(
      limitedExit,
      `gh failed to reach ${host}: ${firstLine(err) || 'no error message'}. Try again later, or check: gh auth status`,
    )
  const [whole, status, lines = ''] = head
  const headers = new Map(
    lines
      .split(/\r?\n/)
      .map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  )
  return { status: Number(status), header: (name) => headers.get(name) ?? '', text: out.slice(whole.length) }
}

function ran(program: string, args: string[], env: Env, cwd: string): Promise<{ code: number; out: string; err: string }> {
  const options = {
    cwd,
    env: { ...childEnv(env), GH_PROMPT_DISABLED: '1', NO_COLOR: '1' },
    timeout: answerMs,
    maxBuffer: mostBytes,
  }
  return new Promise((resolve) =>
    execFile(program, args, options, (error, out, err) => resolve({ code: error === null ? 0 : 1, out, err })),
  )
}

async function fetched(url: string, { base, token }: { base: string; token: string }, address: IssueAddress): Promise<Answer> {
  const headers = {
    accept: 'application/vnd.github+json',
    'x-github-api-version': '2022-11-28',
    'user-agent': 'ralph-proven',
    ...(token === '' ? {} : { authorization: `Bearer ${token}` }),
  }
  let at = url
  for (let count = 0; count <= mostRedirects; count++) {
    const answer = await answered(at, headers, address)
    if (![301, 302, 303, 307, 308].includes(answer.status)) return answer
    const location = answer.header('location')
    const to = URL.canParse(location, at) ? new URL(location, at) : new URL(at)
    if (to.origin !== new URL(base).origin)
      throw new Failure(
        EXIT.data,
        `${address.url} redirects to another host (${to.host}), which Ralph does not follow. If the issue has moved, use its new URL.`,
      )
    at = to.href
  }
  throw new Failure(EXIT.data, `${address.url} redirects too many times. If the issue has moved, use its new URL.`)
}

async function answered(url: string, headers: Record<string, string>, address: IssueAddress): Promise<Answer> {
  try {
    const response = await fetch(url, { headers, redirect: 'manual', signal: AbortSignal.timeout(answerMs) })
    return { status: response.status, header: (name) => response.headers.get(name) ?? '', text: await response.text() }
  } catch (error) {
    const { name, message, cause } = error as Error & { cause?: Error }
    const why = name === 'TimeoutError' ? `no answer in ${answerMs / 1000} s` : cause?.message || message
    throw new Failure(
      limitedExit,
      `Cannot reach ${new URL(url).host} for ${address.url}: ${why}. Check the connection, then try again.`,
    )
  }
}

function refusal(answer: Answer, { url, host }: IssueAddress, hasLogin: boolean): Failure {
  const { status } = answer
  const said = firstLine(textOf(recordOf(jsonIn(answer.text))['message']))
  const words = said === '' ? '' : ` (${said})`
  const login =
    host === 'github.com'
      ? 'Log in with "gh auth login", or set GITHUB_TOKEN to one'
      : `Log in with "gh auth login --hostname ${host}", or set GH_HOST=${host} and GH_ENTERPRISE_TOKEN to one`
  const isLimited =
    status === 429 || (status === 403 && (answer.header('x-ratelimit-remaining') === '0' || /rate limit/i.test(said)))
  if (isLimited) {
    const advice = hasLogin ? 'Try again then.' : `Try again then. ${login}, for a higher limit.`
    return new Failure(limitedExit, `Rate limit of ${host} reached${resetIn(answer)}. ${advice}`)
  }
  if (status === 401) return new Failure(EXIT.login, `${host} rejects the login for ${url}${words}. ${login} that is valid.`)
  if (status === 403) return new Failure(EXIT.login, `${host} denies access to ${url}${words}. ${login} that may read it.`)
  if (status === 404 || status === 410) {
    const advice = hasLogin
      ? 'Check the URL, and whether your login may read it.'
      : `If it is private: ${login} that may read it.`
    return new Failure(EXIT.usage, `Issue not found, or you may not read it: ${url}. ${advice}`)
  }
  if (status >= 500) return new Failure(limitedExit, `${host} failed (status ${status}) for ${url}. Try again later.`)
  return new Failure(EXIT.data, `${host} answered ${status} for ${url}${words}, which Ralph cannot use. Check the URL.`)
}

function resetIn(answer: Answer): string {
  const seconds = Number(answer.header('retry-after'))
  if (seconds > 0) return `; resets in ${seconds} s`
  const at = Number(answer.header('x-ratelimit-reset'))
  return at > 0 && at < 1e11 ? `; resets at ${instantOf(at * 1000)}` : ''
}

function jsonOf(text: string, { url, host }: IssueAddress): unknown {
  const value = jsonIn(text)
  if (value !== undefined) return value
  throw new Failure(
    EXIT.data,
    `${host} answered for ${url} with something that is not JSON. Try again; if it happens again, check GITHUB_API_URL.`,
  )
}

const firstLine = (text: string): string => (text.trim().split('\n')[0] ?? '').slice(0, 200)

/** From the header `link`; a URL on another host does not count. */
function nextPage(answer: Answer, base: string): string {
  const next = answer
    .header('link')
    .split(',')
    .find((link) => /;\s*rel="?next"?/.test(link))
  const url = /<([^>]+)>/.exec(next ?? '')?.[1] ?? ''
  return URL.canParse(url) && new URL(url).origin === new URL(base).origin ? url : ''
}

const authorIn = (fields: Json): string => textOf(recordOf(fields['user'])['login']) || 'ghost'

function issueIn(value: unknown, address: IssueAddress): Omit<Issue, 'comments'> {
  if (!isRecord(value) || textOf(value['title']) === '' || typeof value['number'] !== 'number')
    throw new Failure(
      EXIT.data,
      `${address.host} answered for ${address.url} with something that is not an issue. Check the URL.`,
    )
  if (value['pull_request']) throw new Failure(EXIT.usage, `${address.url} is a pull request. Use the URL of an issue.`)
  const labels = Array.isArray(value['labels']) ? value['labels'] : []
  return {
    url: address.url,
    repository: `${address.owner}/${address.name}`,
    number: address.number,
    title: textOf(value['title']),
    body: textOf(value['body']),
    author: authorIn(value),
    isOpen: value['state'] !== 'closed',
    labels: labels.map((label) => (isText(label) ? label : textOf(recordOf(label)['name']))).filter((name) => name !== ''),
  }
}

async function commentsOf(
  ask: AskApi,
  path: string,
  address: IssueAddress,
): Promise<{ comments: Issue['comments']; warnings: string[] }> {
  const comments: Issue['comments'] = []
  let next = path
  for (let page = 0; page < mostPages && next !== ''; page++) {
    const answer = await ask(next)
    if (!Array.isArray(answer.value))
      throw new Failure(
        EXIT.data,
        `${address.host} answered for the comments of ${address.url} with something that is not a list.`,
      )
    for (const item of recordsIn(answer.value))
      comments.push({ author: authorIn(item), body: textOf(item['body']), at: textOf(item['created_at']) })
    next = answer.next
  }
  const warnings = next === '' ? [] : [`The issue has more than ${comments.length} comments. Later ones were not imported.`]
  return { comments, warnings }
}
