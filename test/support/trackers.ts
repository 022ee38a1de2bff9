/** Trackers on this machine that answer as the real ones do, all with the same issues. */
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { tempFolder } from './folder.ts'
import { type JsonReply, type JsonRequest, jsonServer } from './json-server.ts'

type Fields = Record<string, unknown>
type Comment = { id: string; author: string; body: string }
export type TrackerIssue = { id: string; title: string; body: string; labels: string[]; isOpen: boolean; comments: Comment[] }

/** `env`: to be used with it. `wrongKey`: another environment, whose key is refused. */
export type MadeTracker = {
  issues: TrackerIssue[]
  place: string
  host: string
  env: Record<string, string>
  wrongKey: Record<string, string> | null
  /** Fails the next read with this status. */
  fails(status: number): void
}

/** Two with the label, oldest first; one that is closed; one with another label. */
const theSame = (ids: string[]): TrackerIssue[] => [
  { ...issue(ids[0]!, 'Store wishes'), comments: [{ id: '901', author: 'bob', body: 'And a bell?' }] },
  { ...issue(ids[1]!, 'Closed one'), isOpen: false },
  { ...issue(ids[2]!, 'Show them'), labels: ['agent:ready', 'agent:blocked', 'P1'] },
  { ...issue(ids[3]!, 'Another'), labels: ['later'] },
]
const issue = (id: string, title: string): TrackerIssue => ({
  ...{
    id,
    title,
    body: `Readers want: ${title}.\n\n- [ ] First\n- [ ] Second`,
    labels: ['agent:ready'],
    isOpen: true,
    comments: [],
  },
})

let last = 1000
const nextId = (): string => String(++last)

type Answering = (request: JsonRequest, issues: TrackerIssue[]) => JsonReply | null

async function served(t: TestContext, issues: TrackerIssue[], isKey: (request: JsonRequest) => boolean, answer: Answering) {
  const failing: number[] = []
  const base = await jsonServer(t, (request) => {
    if (!isKey(request))
      return {
        status: 401,
        body: { message: 'Bad credentials', errors: [{ message: 'no', extensions: { code: 'AUTHENTICATION_ERROR' } }] },
      }
    const status = request.method === 'GET' ? failing.pop() : undefined
    if (status !== undefined) return { status, body: '<html>' }
    return answer(request, issues) ?? { status: 404, body: { message: 'Not Found' } }
  })
  return { base, fails: (status: number) => void failing.push(status) }
}

/** One item on each page. */
function paged({ url }: JsonRequest, items: unknown[]): JsonReply {
  const page = Number(url.searchParams.get('page') ?? 1)
  url.searchParams.set('page', String(page + 1))
  return { body: items.slice(page - 1, page), headers: page < items.length ? { link: `<${url.href}>; rel="next"` } : {} }
}

const withLabel = (issues: TrackerIssue[], label: string | null): TrackerIssue[] =>
  issues.filter(({ labels, isOpen }) => isOpen && labels.includes(label ?? ''))

async function github(t: TestContext): Promise<MadeTracker> {
  const issues = theSame(['7', '8', '9', '10'])
  const shown = ({ id, title, body, labels, isOpen, comments }: TrackerIssue): Fields => ({
    ...{ number: Number(id), title, body, state: isOpen ? 'open' : 'closed', user: { login: 'ann' }, comments: comments.length },
    labels: labels.map((name) => ({ name })),
  })
  const pull = { ...shown(issue('11', 'a pull request')), pull_request: { url: 'x' } }
  const said = ({ id, author, body }: Comment): Fields => ({
    id: Number(id),
    user: { login: author },
    body,
    created_at: '2026-01-09T12:00:00Z',
  })
  const { base, fails } = await served(
    t,
    issues,
    ({ headers }) => headers['authorization'] === 'Bearer ghp_good',
    (request) => {
      const { method, url, body } = request
      if (url.pathname === '/user') return { body: { login: 'me' } }
      const [, id = '', rest = ''] = /^\/repos\/ann\/shop\/issues(?:\/(\d+))?(.*)$/.exec(url.pathname) ?? []
      const one = issues.find((each) => each.id === id)
      if (url.pathname === '/repos/ann/shop/issues')
        return paged(request, [...withLabel(issues, url.searchParams.get('labels')).map(shown), pull])
      const comment = issues.flatMap((each) => each.comments).find((each) => rest === `/comments/${each.id}`)
      if (method === 'PATCH' && comment !== undefined) {
        comment.body = String(body['body'])
        return { body: said(comment) }
      }
      if (one === undefined) return null
      if (rest === '') return { body: shown(one) }
      if (rest === '/comments' && method === 'GET') return paged(request, one.comments.map(said))
      if (rest === '/comments') {
        one.comments.push({ id: nextId(), author: 'me', body: String(body['body']) })
        return { status: 201, body: {} }
      }
      const label = decodeURIComponent(rest.replace('/labels/', ''))
      if (method === 'DELETE' && one.labels.includes(label)) {
        one.labels = one.labels.filter((each) => each !== label)
        return { body: [] }
      }
      if (method !== 'POST' || rest !== '/labels') return null
      one.labels = [...new Set([...one.labels, ...(body['labels'] as string[])])]
      return { body: [] }
    },
  )
  const env = { GITHUB_API_URL: base, GITHUB_TOKEN: 'ghp_good', PATH: '' }
  return { issues, place: 'ann/shop', host: 'github.com', env, wrongKey: { ...env, GITHUB_TOKEN: 'ghp_bad' }, fails }
}

async function gitlab(t: TestContext): Promise<MadeTracker> {
  const issues = theSame(['7', '8', '9', '10'])
  const shown = ({ id, title, body, labels, isOpen }: TrackerIssue): Fields => ({
    ...{ iid: Number(id), title, description: body, labels, state: isOpen ? 'opened' : 'closed', author: { username: 'ann' } },
  })
  const note = ({ id, author, body }: Comment): Fields => ({
    id: Number(id),
    author: { id: author === 'me' ? 5 : 6, username: author },
    body,
    system: false,
    created_at: '2026-01-09T12:00:00Z',
  })
  const { base, fails } = await served(
    t,
    issues,
    ({ headers }) => headers['private-token'] === 'glpat-good',
    (request) => {
      const { method, url, body } = request
      if (url.pathname === '/api/v4/user') return { body: { id: 5, username: 'me' } }
      const [, id = '', rest = ''] = /^\/api\/v4\/projects\/g%2Fs%2Fshop\/issues(?:\/(\d+))?(.*)$/.exec(url.pathname) ?? []
      if (url.pathname.endsWith('/issues')) return paged(request, withLabel(issues, url.searchParams.get('labels')).map(shown))
      const one = issues.find((each) => each.id === id)
      if (one === undefined) return null
      if (rest === '/notes' && method === 'GET')
        return paged(request, [{ id: 1, system: true, body: 'changed the title', author: {} }, ...one.comments.map(note)])
      if (rest === '/notes') {
        one.comments.push({ id: nextId(), author: 'me', body: String(body['body']) })
        return { status: 201, body: {} }
      }
      const comment = one.comments.find((each) => rest === `/notes/${each.id}`)
      if (comment !== undefined) {
        comment.body = String(body['body'])
        return { body: note(comment) }
      }
      if (method !== 'PUT' || rest !== '') return null
      const [add, remove] = [body['add_labels'], body['remove_labels']].map((text) => String(text).split(','))
      one.labels = [...new Set([...one.labels.filter((each) => !remove!.includes(each)), ...add!])]
      return { body: shown(one) }
    },
  )
  const env = { CI_API_V4_URL: `${base}/api/v4`, GITLAB_TOKEN: 'glpat-good', PATH: '' }
  return { issues, place: 'g/s/shop', host: 'gitlab.com', env, wrongKey: { ...env, GITLAB_TOKEN: 'glpat-bad' }, fails }
}

async function linear(t: TestContext): Promise<MadeTracker> {
  const issues = theSame(['ENG-7', 'ENG-8', 'ENG-9', 'ENG-10'])
  const labelIds = new Map(['agent:ready', 'agent:blocked', 'P1', 'later'].map((name) => [`label-${name}`, name]))
  const shown = ({ id, title, body, labels, comments }: TrackerIssue): Fields => ({
    ...{
      id: `uuid-${id}`,
      identifier: id,
      title,
      description: body,
      url: `https://linear.app/acme/issue/${id}/x`,
      team: { id: 'team', key: 'ENG' },
    },
    ...{ creator: { displayName: 'ann' }, labels: { nodes: labels.map((name) => ({ id: `label-${name}`, name })) } },
    comments: {
      nodes: comments.map((each) => ({
        id: each.id,
        body: each.body,
        createdAt: '2026-01-09',
        user: { displayName: each.author, isMe: each.author === 'me' },
      })),
    },
  })
  const { base, fails } = await served(
    t,
    issues,
    ({ headers }) => headers['authorization'] === 'lin_good',
    ({ url, body }) => {
      if (url.pathname !== '/graphql') return null
      const query = String(body['query'])
      if (pointsOf(query) > 10_000) return { status: 400, body: { errors: [{ message: 'Query too complex' }] } }
      const given = body['variables'] as Record<string, never>
      const data = (value: Fields): JsonReply => ({ body: { data: value } })
      const named = (id: unknown) => issues.find((each) => each.id === id || `uuid-${each.id}` === id)
      if (query.includes('issues(')) {
        const found = withLabel(issues, given['label'] ?? null).reverse()
        const at = given['after'] === null ? 0 : Number(given['after'])
        const pageInfo = { hasNextPage: at + 1 < found.length, endCursor: String(at + 1) }
        return data({ issues: { nodes: found.slice(at, at + 1).map(shown), pageInfo } })
      }
      const input = (given['input'] ?? {}) as Record<string, string>
      const one = named(given['id'] ?? input['issueId'])
      if (query.includes('issue(id'))
        return one === undefined
          ? { status: 400, body: { errors: [{ message: 'Entity not found' }] } }
          : data({ issue: shown(one) })
      if (query.includes('issueLabels(')) {
        const nodes = [...labelIds].filter(([, name]) => name === given['name']).map(([id]) => ({ id, team: null }))
        return data({ issueLabels: { nodes } })
      }
      if (query.includes('issueLabelCreate')) {
        labelIds.set(`label-${input['name']}`, input['name'] ?? '')
        return data({ issueLabelCreate: { issueLabel: { id: `label-${input['name']}` } } })
      }
      const label = labelIds.get(String(given['labelId'])) ?? ''
      if (query.includes('issueAddLabel')) one!.labels.push(label)
      else if (query.includes('issueRemoveLabel')) one!.labels = one!.labels.filter((each) => each !== label)
      else if (query.includes('commentCreate')) one!.comments.push({ id: nextId(), author: 'me', body: input['body'] ?? '' })
      else if (query.includes('commentUpdate'))
        Object.assign(issues.flatMap(({ comments }) => comments).find(({ id }) => id === given['id']) ?? {}, {
          body: input['body'],
        })
      return data({})
    },
  )
  const env = { LINEAR_API_URL: base, LINEAR_API_KEY: 'lin_good', PATH: '' }
  return { issues, place: 'ENG', host: '', env, wrongKey: { ...env, LINEAR_API_KEY: 'lin_bad' }, fails }
}

/** As Linear counts: a field is 0.1 and an object 1; a list has the points of its items as often as it may have items, 50 if it does not say. */
function pointsOf(query: string): number {
  const text = query.replace(/"(?:[^"\\]|\\.)*"/g, '""')
  const words = [...text.slice(text.indexOf('{')).matchAll(/[{}]|(\w+)\s*(\((?:[^()]|\([^()]*\))*\))?/g)]
  let place = 0
  const inside = (): number => {
    let points = 0
    for (place += 1; words[place] !== undefined && words[place]?.[0] !== '}'; place++) {
      const [, name = '', given = ''] = words[place] ?? []
      if (words[place + 1]?.[0] !== '{') points += 0.1
      else {
        place += 1
        const times = /s$/.test(name) && name !== 'nodes' ? Number(/first: (\d+)/.exec(given)?.[1] ?? 50) : 1
        points += times * (inside() + (name === 'nodes' ? 1 : 0)) + (times > 1 || name === 'nodes' ? 0 : 1)
      }
    }
    return points
  }
  return inside()
}

async function jira(t: TestContext): Promise<MadeTracker> {
  const issues = theSame(['SHOP-7', 'SHOP-8', 'SHOP-9', 'SHOP-10'])
  const lines = (text: string): Fields => ({ type: 'doc', version: 1, content: text.split('\n\n').map(part) })
  const part = (text: string): Fields => {
    const tasks = text.split('\n').map((line) => /^- \[ \] (.*)$/.exec(line)?.[1])
    if (tasks.every((task) => task !== undefined))
      return {
        type: 'taskList',
        content: tasks.map((task) => ({ type: 'taskItem', attrs: { state: 'TODO' }, content: [{ type: 'text', text: task }] })),
      }
    return { type: 'paragraph', content: [{ type: 'text', text }] }
  }
  const documents = new Map<string, unknown>()
  const said = ({ id, author, body }: Comment): Fields => ({
    ...{ id, author: { displayName: author, accountId: `account-${author}` }, created: '2026' },
    body: documents.get(id) ?? lines(body),
  })
  /** A search shows the last ones only. */
  const mostInSearch = 2
  const shown = ({ id, title, body, labels, comments }: TrackerIssue): Fields => ({
    key: id,
    fields: {
      ...{ summary: title, description: lines(body), labels, reporter: { displayName: 'ann' }, project: { key: 'SHOP' } },
      comment: { total: comments.length, comments: comments.slice(-mostInSearch).map(said) },
    },
  })
  const basic = `Basic ${Buffer.from('me@example.org:jira_good').toString('base64')}`
  const { base, fails } = await served(
    t,
    issues,
    ({ headers }) => headers['authorization'] === basic,
    ({ method, url, body }) => {
      if (method === 'POST' && url.pathname === '/rest/api/3/search/jql') {
        const label = /labels = "([^"]+)"/.exec(String(body['jql']))?.[1] ?? ''
        const found = withLabel(issues, label)
        const at = Number(body['nextPageToken'] ?? 0)
        const next = at + 1 < found.length ? { nextPageToken: String(at + 1) } : { isLast: true }
        return { body: { issues: found.slice(at, at + 1).map(shown), ...next } }
      }
      if (url.pathname === '/rest/api/3/myself') return { body: { accountId: 'account-me' } }
      const [, id, comment] = /^\/rest\/api\/3\/issue\/([A-Z]+-\d+)(?:\/comment(?:\/(\d+))?)?$/.exec(url.pathname) ?? []
      const one = issues.find((each) => each.id === id)
      if (one === undefined) return null
      const words = (document: unknown): string =>
        [...JSON.stringify(document).matchAll(/"text":"((?:[^"\\]|\\.)*)"/g)].map(([, text]) => text).join('\n\n')
      if (method === 'GET') {
        const at = Number(url.searchParams.get('startAt'))
        return { body: { startAt: at, total: one.comments.length, comments: one.comments.slice(at, at + 1).map(said) } }
      }
      if (method === 'POST') {
        const made = { id: nextId(), author: 'me', body: words(body['body']) }
        documents.set(made.id, body['body'])
        one.comments.push(made)
        return { status: 201, body: { id: made.id } }
      }
      if (comment !== undefined) {
        documents.set(comment, body['body'])
        Object.assign(one.comments.find((each) => each.id === comment) ?? {}, { body: words(body['body']) })
        return { body: { id: comment } }
      }
      for (const change of (body['update'] as { labels: { add?: string; remove?: string }[] }).labels) {
        one.labels = one.labels.filter((each) => each !== change.remove && each !== change.add)
        if (change.add !== undefined) one.labels.push(change.add)
      }
      return { status: 204 }
    },
  )
  const env = { JIRA_URL: base, JIRA_EMAIL: 'me@example.org', JIRA_API_TOKEN: 'jira_good', PATH: '' }
  return { issues, place: 'SHOP', host: '', env, wrongKey: { ...env, JIRA_API_TOKEN: 'jira_bad' }, fails }
}

/** A `bd` that keeps its issues in a file. */
async function beads(_t: TestContext, more = 0): Promise<MadeTracker> {
  const folder = tempFolder()
  const file = join(folder, 'issues.json')
  mkdirSync(folder, { recursive: true })
  const others = Array.from({ length: more }, (_, place) => issue(`bd-b${place}`, `More ${place}`))
  const all = [...theSame(['bd-a1', 'bd-a2', 'bd-a3', 'bd-a4']), ...others]
  writeFileSync(
    file,
    JSON.stringify(
      all.map(({ id, title, body, labels, isOpen }, place) => ({
        ...{ id, title, description: body, labels, status: isOpen ? 'open' : 'closed', created_by: 'ann' },
        ...{ created_at: `2026-01-${String((place % 28) + 1).padStart(2, '0')}T00:00:00Z`, notes: place === 0 ? 'Mine.' : '' },
      })),
    ),
  )
  const program = `#!${process.execPath}
const fs = require('node:fs')
const issues = JSON.parse(fs.readFileSync(${JSON.stringify(file)}))
const args = process.argv.slice(2)
const one = (id) => { const found = issues.find((each) => each.id === id); if (!found) { console.error('Error: issue not found: ' + id); process.exit(1) } return found }
const most = args.includes('--limit') ? Number(args[args.indexOf('--limit') + 1]) || Infinity : 50
if (args[0] === 'list') console.log(JSON.stringify(issues.filter((each) => each.labels.includes(args[args.indexOf('--label') + 1])).reverse().slice(0, most)))
else if (args[0] === 'show') console.log(JSON.stringify([one(args[1])]))
else if (args[0] === 'label' && args[1] === 'add') one(args[2]).labels.push(args[3])
else if (args[0] === 'label') one(args[2]).labels = one(args[2]).labels.filter((each) => each !== args[3])
else if (args[0] === 'update') one(args[1]).notes = args[args.indexOf('--notes') + 1]
else process.exit(2)
fs.writeFileSync(${JSON.stringify(file)}, JSON.stringify(issues))
`
  writeFileSync(join(folder, 'bd'), program)
  chmodSync(join(folder, 'bd'), 0o755)
  const issues = new Proxy(all, {
    get: (target, key) => {
      const now = JSON.parse(readFileSync(file, 'utf8')) as (Fields & { id: string; labels: string[]; notes: string })[]
      for (const each of target) {
        const found = now.find(({ id }) => id === each.id)!
        each.labels = found.labels
        each.comments = found.notes === '' ? [] : [{ id: '', author: 'me', body: found.notes }]
      }
      return Reflect.get(target, key)
    },
  })
  return { issues, place: '', host: '', env: { PATH: folder }, wrongKey: null, fails: () => {} }
}

export const madeTrackers = { github, gitlab, linear, jira, beads } as const
