/** A server on this machine that answers about pull requests as GitHub does, and a `gh` that asks it. */
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { TestContext } from 'node:test'

type Fields = Record<string, unknown>
export type Asked = { method: string; path: string; body: Fields; token: string | undefined }
type Reply = { status?: number; headers?: Record<string, string>; body?: unknown }

export const TOKEN = 'ghp_notARealTokenNotARealToken'

export type Pull = {
  number: number
  title: string
  body: string
  head: string
  base: string
  draft: boolean
  state: 'open' | 'closed'
  merged: boolean
  /** The repository of its branch. */
  from: string
}

export type GitHubServer = {
  base: string
  pulls: Pull[]
  asked: Asked[]
  /** What is sent, without reads. */
  sent(): string[]
  /** Answers the next matching request instead; `isLost`: what was asked is done all the same. */
  instead(match: RegExp, reply: Reply, isLost?: boolean): void
  /** Answers other paths: 'GET /path' to a reply; and by form, where the first counts that does not return undefined. */
  others: Record<string, (asked: Asked) => Reply>
  byForm: ((asked: Asked) => Reply | undefined)[]
}

export async function gitHubServer(t: TestContext, repository = 'ann/shop', perPage = 100): Promise<GitHubServer> {
  const pulls: Pull[] = []
  const asked: Asked[] = []
  const once: { match: RegExp; reply: Reply; isLost: boolean }[] = []
  const others: GitHubServer['others'] = {}
  const byForm: GitHubServer['byForm'] = []

  const shown = (pull: Pull): Fields => ({
    number: pull.number,
    node_id: `PR_${pull.number}`,
    html_url: `https://github.com/${repository}/pull/${pull.number}`,
    state: pull.state,
    merged_at: pull.merged ? '2026-01-09T12:00:00Z' : null,
    draft: pull.draft,
    title: pull.title,
    body: pull.body.replace(/\n/g, '\r\n'),
    head: { ref: pull.head, sha: 'a'.repeat(40), repo: { full_name: pull.from } },
    base: { ref: pull.base, repo: { full_name: repository } },
  })

  function answer(request: Asked): Reply {
    const { method, path, body, token } = request
    const url = new URL(path, base)
    if (token !== `Bearer ${TOKEN}` && token !== 'gh') return { status: 401, body: { message: 'Bad credentials' } }
    for (const other of [others[`${method} ${url.pathname}`] ?? (() => undefined), ...byForm]) {
      const reply = other(request)
      if (reply !== undefined) return reply
    }
    const list = `/repos/${repository}/pulls`
    if (method === 'GET' && url.pathname === list) {
      const [owner, ref] = (url.searchParams.get('head') ?? '').split(':')
      const page = Number(url.searchParams.get('page') ?? 1)
      const found = pulls.filter((pull) => pull.head === ref && pull.from.startsWith(`${owner}/`)).reverse()
      url.searchParams.set('page', String(page + 1))
      const next: Record<string, string> = found.length > page * perPage ? { link: `<${url.href}>; rel="next"` } : {}
      return { headers: next, body: found.slice((page - 1) * perPage, page * perPage).map(shown) }
    }
    if (method === 'POST' && url.pathname === list) return opened(body)
    const number = Number(new RegExp(`^${list}/(\\d+)$`).exec(url.pathname)?.[1])
    const pull = pulls.find((each) => each.number === number)
    if (method === 'PATCH' && pull !== undefined) {
      Object.assign(pull, body)
      return { body: shown(pull) }
    }
    if (method === 'POST' && url.pathname === '/graphql') return drafted(body)
    return { status: 404, body: { message: 'Not Found' } }
  }

  function opened({ title, head, base: into, body, draft }: Fields): Reply {
    const invalid = (words: string): Reply => ({
      status: 422,
      body: { message: 'Validation Failed', errors: [{ message: words }] },
    })
    if (pulls.some((pull) => pull.head === head && pull.from === repository && pull.state === 'open'))
      return invalid(`A pull request already exists for ann:${head}.`)
    const number = pulls.length + 1
    pulls.push({
      ...{ number, title: String(title), body: String(body), head: String(head), base: String(into) },
      ...{ draft: draft === true, state: 'open', merged: false, from: repository },
    })
    return { status: 201, body: shown(pulls.at(-1)!) }
  }

  function drafted({ query, variables }: Fields): Reply {
    const pull = pulls.find(({ number }) => `PR_${number}` === (variables as Fields)['id'])
    if (pull === undefined) return { body: { errors: [{ message: 'Could not resolve to a node' }] } }
    pull.draft = String(query).includes('convertPullRequestToDraft')
    return { body: { data: {} } }
  }

  const server = createServer((request, response) => {
    let text = ''
    request.on('data', (part) => (text += part))
    request.on('end', () => {
      const { method = '', url: path = '', headers } = request
      const one = { method, path, body: text === '' ? {} : JSON.parse(text), token: headers.authorization }
      asked.push(one)
      const place = once.findIndex(({ match }) => match.test(`${method} ${path}`))
      const [trouble] = place < 0 ? [] : once.splice(place, 1)
      const usual = trouble === undefined || trouble.isLost ? answer(one) : {}
      const { status = 200, headers: more = {}, body = '' } = trouble?.reply ?? usual
      response.writeHead(status, { 'content-type': 'application/json; charset=utf-8', ...more })
      response.end(typeof body === 'string' ? body : JSON.stringify(body))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    ...{ base, pulls, asked, others, byForm },
    sent: () => asked.filter(({ method }) => method !== 'GET').map(({ method, path }) => `${method} ${path}`),
    instead: (match, reply, isLost = false) => void once.push({ match, reply, isLost }),
  }
}

/** `first`: the first comment of its thread, where that is another one. */
type Said = {
  id: number
  login: string
  body: string
  kind: 'line' | 'talk' | 'review'
  state?: string
  first?: number
  isResolved?: boolean
}

/** Checks by commit, what people wrote, and who may push, for a server of the above. */
export function withReviews(server: GitHubServer, writers: string[]) {
  const said: Said[] = []
  const reviews = { said, checks: (_commit: string): Fields[] => [], statuses: [] as Fields[] }
  const shown = ({ id, login, body, state, first }: Said): Fields => ({
    ...{
      id,
      body,
      state,
      in_reply_to_id: first,
      html_url: `https://github.com/ann/shop/pull/1#r${id}`,
      user: { login, type: 'User' },
      created_at: `2026-01-09T12:00:${id}Z`,
    },
    ...{ path: 'src/list.js', line: 12 },
  })
  const of = (kind: Said['kind']): Reply => ({ body: said.filter((each) => each.kind === kind).map(shown) })
  /** One thread on each page. */
  function threads({ after }: Fields): Reply {
    const at = Number(after ?? 0)
    const found = said.filter(({ kind }) => kind === 'line').slice(at, at + 1)
    const nodes = found.map(({ id, isResolved = false }) => ({ isResolved, comments: { nodes: [{ databaseId: id }] } }))
    const pageInfo = { hasNextPage: found.length > 0, endCursor: String(at + 1) }
    return { body: { data: { node: { reviewThreads: { nodes, pageInfo } } } } }
  }
  server.byForm.push(({ method, path, body }) => {
    const url = new URL(path, server.base)
    const { pathname } = url
    if (String(body['query']).includes('reviewThreads')) return threads(body['variables'] as Fields)
    const commit = /^\/repos\/ann\/shop\/commits\/(\w+)\/(check-runs|status)$/.exec(pathname)
    if (commit?.[2] === 'check-runs') return { body: { check_runs: reviews.checks(commit[1] ?? '') } }
    if (commit !== null) {
      const page = Number(url.searchParams.get('page') ?? 1)
      url.searchParams.set('page', String(page + 1))
      const next: Record<string, string> = page < reviews.statuses.length ? { link: `<${url.href}>; rel="next"` } : {}
      return { headers: next, body: { state: 'pending', statuses: reviews.statuses.slice(page - 1, page) } }
    }
    if (pathname.endsWith('/annotations')) return { body: [{ path: 'src/list.js', start_line: 3, message: 'expected 2, got 1' }] }
    const asked = /\/collaborators\/(\w+)\/permission$/.exec(pathname)?.[1]
    if (asked !== undefined) return { body: { permission: writers.includes(asked) ? 'write' : 'read' } }
    if (method === 'POST' && /\/comments(\/\d+\/replies)?$/.test(pathname)) {
      const to = Number(/\/comments\/(\d+)\/replies$/.exec(pathname)?.[1])
      if (said.some(({ id, first }) => id === to && first !== undefined))
        return { status: 422, body: { message: 'Validation Failed', errors: ['replies to replies are not supported'] } }
      const id = 50 - said.length
      said.push({ id, login: 'ann', body: String(body['body']), kind: pathname.endsWith('replies') ? 'line' : 'talk' })
      return { status: 201, body: { id } }
    }
    if (/\/pulls\/1\/comments$/.test(pathname)) return of('line')
    if (/\/pulls\/1\/reviews$/.test(pathname)) return of('review')
    return /\/issues\/1\/comments$/.test(pathname) ? of('talk') : undefined
  })
  return reviews
}

/** A program that takes `gh api` and `glab api` as they are, and asks the server; returns the folder for the PATH. */
export function standIn(
  folder: string,
  name: 'gh' | 'glab',
  { base, isLoggedIn = true }: { base: string; isLoggedIn?: boolean },
): string {
  mkdirSync(folder, { recursive: true })
  const program = `#!${process.execPath}
const args = process.argv.slice(2)
if (args[0] === 'auth') process.exit(${isLoggedIn ? 0 : 1})
const option = (name) => (args.includes(name) ? args[args.indexOf(name) + 1] : undefined)
let body
if (option('--input') === '-') { body = ''; for await (const part of process.stdin) body += part }
const url = new URL(args.at(-1))
const response = await fetch(${JSON.stringify(base)} + url.pathname + url.search, {
  method: option('--method') ?? 'GET', headers: { authorization: '${name}' }, body })
// The next page is where the first was asked for.
const shown = (value) => value.replaceAll(${JSON.stringify(new URL(base).origin)}, url.origin)
const head = [...response.headers].map(([key, value]) => key + ': ' + shown(value)).join('\\r\\n')
process.stdout.write('HTTP/2.0 ' + response.status + ' X\\n' + head + '\\r\\n\\r\\n' + (await response.text()))
process.exitCode = response.ok ? 0 : 1
`
  writeFileSync(join(folder, `${name}.mjs`), program)
  writeFileSync(join(folder, name), `#!/bin/sh\nexec '${process.execPath}' '${join(folder, `${name}.mjs`)}' "$@"\n`)
  chmodSync(join(folder, name), 0o755)
  return folder
}
