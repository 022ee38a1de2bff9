/** `ralph init --from-issue`, through the built program, against a server on this machine that answers as GitHub does. */
import assert from 'node:assert/strict'
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { filesUnder } from './support/loop.ts'
import { projectFor, type TestProject } from './support/project.ts'

type Reply = { status?: number; headers?: Record<string, string>; body?: unknown }
type Server = { base: string; asked: { path: string; token: string | undefined }[] }

/** Answers by path; an address in `{base}` is the server's own. */
async function server(t: TestContext, replies: Record<string, Reply | ((base: string) => Reply)>): Promise<Server> {
  const asked: Server['asked'] = []
  const listening = createServer((request: IncomingMessage, response) => {
    asked.push({ path: request.url!, token: request.headers.authorization })
    const found = replies[request.url!] ?? { status: 404, body: { message: 'Not Found', status: '404' } }
    const { status = 200, headers = {}, body = '' } = typeof found === 'function' ? found(base) : found
    response.writeHead(status, { 'content-type': 'application/json; charset=utf-8', ...headers })
    response.end(typeof body === 'string' ? body : JSON.stringify(body))
  })
  await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve))
  t.after(() => void listening.close())
  const base = `http://127.0.0.1:${(listening.address() as AddressInfo).port}`
  return { base, asked }
}

function project(t: TestContext, env: Record<string, string> = {}): TestProject {
  const made = projectFor(t)
  rmSync(made.path('.ralph'), { recursive: true })
  Object.assign(made.env, env)
  return made
}

const url = 'https://github.com/ann/shop/issues/7'
const path = '/repos/ann/shop/issues/7'
const comments = `${path}/comments?per_page=100`
const issue = (fields: object = {}) => ({
  number: 7,
  title: 'Wish lists',
  state: 'open',
  user: { login: 'ann' },
  labels: [
    { id: 1, name: 'P1' },
    { id: 2, name: 'shop' },
  ],
  body: 'Readers want lists.\r\n\r\n- [ ] Store wishes\r\n- [ ] Show them\r\n\r\n## Acceptance criteria\r\n- Nothing is lost\r\n',
  ...fields,
})
const comment = (login: string, body: string) => ({ user: { login }, body, created_at: '2026-01-09T12:00:00Z' })
const fromIssue = (made: TestProject, address = url, ...args: string[]) =>
  made.run('init', 'wishes', '--from-issue', address, ...args)

test('an issue becomes a plan: title, task lists over all pages of comments, criteria, labels; what was said is in the specs', async (t) => {
  const { base, asked } = await server(t, {
    [path]: { body: issue() },
    [comments]: (own) => ({
      body: [
        comment('bob', 'And a bell? - [ ] no item, with ghp_0123456789abcdefghijABCDEFGHIJ012345'),
        comment('ann', '- [x] Ask around'),
      ],
      headers: { link: `<${own}${comments}&page=2>; rel="next", <${own}${comments}&page=2>; rel="last"` },
    }),
    [`${comments}&page=2`]: { body: [comment('ann', '- [ ] Share them'), { ...comment('', 'gone'), user: null }] },
  })
  const made = project(t, { GITHUB_API_URL: base, GITHUB_TOKEN: 'ghp_notARealTokenNotARealToken' })
  const { code, out, err } = await fromIssue(made)
  assert.deepEqual([code, err], [0, ''])
  assert.match(out, /^Created feature wishes:\n/)
  assert.match(out, /^5 stories from issue 7 of ann\/shop:$/m)
  assert.match(out, /^ {2}1\. Review the stories in \.ralph\/wishes\/prd\.json$/m)
  assert.doesNotMatch(out, /ghp_/)
  assert.deepEqual(
    asked.map(({ path: where, token }) => [where, token]),
    [path, comments, `${comments}&page=2`].map((where) => [where, 'Bearer ghp_notARealTokenNotARealToken']),
  )
  const { feature, branchName, description, userStories } = JSON.parse(made.read('.ralph/wishes/prd.json'))
  assert.deepEqual([feature, branchName, description], ['wishes', 'feature/wishes', 'Wish lists'])
  const notes = `From ${url}. Labels: P1, shop.`
  const part = {
    description: 'Part of: Wish lists (specs/issue-7.md)',
    acceptanceCriteria: [],
    priority: 2,
    passes: false,
    notes,
    source: url,
  }
  assert.deepEqual(userStories, [
    { id: 'S-1', title: 'Store wishes', ...part },
    { id: 'S-2', title: 'Show them', ...part },
    { id: 'S-3', title: 'Ask around', ...part, passes: true },
    { id: 'S-4', title: 'Share them', ...part },
    {
      id: 'S-5',
      title: 'All of: Wish lists',
      ...part,
      description: 'The criteria for the whole issue (specs/issue-7.md).',
      acceptanceCriteria: ['Nothing is lost'],
      dependsOn: ['S-1', 'S-2', 'S-3', 'S-4'],
      source: url,
    },
  ])
  const specs = made.read('.ralph/wishes/specs/issue-7.md')
  assert.match(
    specs,
    /^## Comment 1 by @bob, 2026-01-09T12:00:00Z\n\n~~~text\nAnd a bell\? - \[ \] no item, with ghp_\*\*\*\n~~~$/m,
  )
  assert.match(specs, /^## Comment 4 by @ghost, /m)
  made.write('.ralph/config.yaml', 'agent: {name: mine, command: [cat]}\n')
  assert.equal((await made.run('run', '--dry-run')).code, 0)
})

test('an issue without a task list is one story, also without a token, after a redirect on the same host, and as YAML', async (t) => {
  const { base, asked } = await server(t, {
    [path]: (own) => ({
      status: 301,
      headers: { location: `${own}/repositories/1/issues/7` },
      body: { message: 'Moved Permanently' },
    }),
    '/repositories/1/issues/7': { body: issue({ body: null, labels: [] }) },
    [comments]: { body: [] },
  })
  const made = project(t, { GITHUB_API_URL: base })
  const { code, out } = await fromIssue(made, url, '--plan', 'tasks.yaml')
  assert.equal(code, 0)
  assert.match(out, /^1 story from issue 7 of ann\/shop:$/m)
  assert.deepEqual(new Set(asked.map(({ token }) => token)), new Set([undefined]))
  assert.match(made.read('.ralph/wishes/tasks.yaml'), /^ {2}- id: S-1\n {4}title: Wish lists\n/m)
})

const unusable: [what: string, reply: Reply, exit: number, message: RegExp][] = [
  [
    'that is not there',
    { status: 404, body: { message: 'Not Found' } },
    64,
    /^Issue not found, or you may not read it: \S+\. If it is private: Log in with "gh auth login", or set GITHUB_TOKEN to one that may read it\.$/,
  ],
  [
    'that was deleted',
    { status: 410, body: { message: 'This issue was deleted' } },
    64,
    /^Issue not found, or you may not read it: /,
  ],
  [
    'whose token is refused',
    { status: 401, body: { message: 'Bad credentials' } },
    77,
    /^github\.com rejects the login for \S+ \(Bad credentials\)\. Log in with /,
  ],
  [
    'that may not be read',
    { status: 403, headers: { 'x-ratelimit-remaining': '57' }, body: { message: 'Resource not accessible' } },
    77,
    /^github\.com denies access to \S+ \(Resource not accessible\)\. /,
  ],
  [
    'behind a rate limit',
    {
      status: 403,
      headers: { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '1767960000' },
      body: { message: 'API rate limit exceeded' },
    },
    5,
    /^Rate limit of github\.com reached; resets at 2026-01-09T12:00:00\.000Z\. Try again then\. /,
  ],
  ['behind a secondary limit', { status: 429, headers: { 'retry-after': '60' }, body: 'slow down' }, 5, /; resets in 60 s\. /],
  [
    'of a server in trouble',
    { status: 502, body: '<html>' },
    5,
    /^github\.com failed \(status 502\) for \S+\. Try again later\.$/,
  ],
  ['that is no JSON', { body: '{"number": 7, "title"' }, 65, /^github\.com answered for \S+ with something that is not JSON\. /],
  ['that is no issue', { body: { number: 'seven' } }, 65, /^github\.com answered for \S+ with something that is not an issue\. /],
  [
    'that is a pull request',
    { body: issue({ pull_request: { url: 'x' } }) },
    64,
    /^\S+ is a pull request\. Use the URL of an issue\.$/,
  ],
  [
    'answered with something unknown',
    { status: 418, body: { message: 'teapot' } },
    65,
    /^github\.com answered 418 for \S+ \(teapot\), which Ralph cannot use\. /,
  ],
  ['that leads in circles', { status: 302, headers: { location: path }, body: '' }, 65, /^\S+ redirects too many times\. /],
]
for (const [what, reply, exit, message] of unusable)
  test(`an issue ${what} ends with exit ${exit}, and nothing is written`, async (t) => {
    const { base } = await server(t, { [path]: reply })
    const made = project(t, { GITHUB_API_URL: base })
    const { code, out, err } = await fromIssue(made)
    assert.deepEqual([code, out], [exit, ''])
    assert.match(err.replace(/^ralph: /, '').trimEnd(), message)
    assert.equal(made.has('.ralph'), false)
  })

test('comments that cannot be had leave nothing half-written either', async (t) => {
  const { base } = await server(t, { [path]: { body: issue() }, [comments]: { status: 500 } })
  const made = project(t, { GITHUB_API_URL: base })
  assert.deepEqual([(await fromIssue(made)).code, made.has('.ralph')], [5, false])
})

test('a redirect to another host is not followed, and the token stays here', async (t) => {
  const other = await server(t, { [path]: { body: issue() } })
  const { base } = await server(t, { [path]: { status: 302, headers: { location: `${other.base}${path}` } } })
  const made = project(t, { GITHUB_API_URL: base, GH_TOKEN: 'ghp_notARealTokenNotARealToken' })
  const { code, err } = await fromIssue(made)
  assert.equal(code, 65)
  assert.equal(
    err,
    `ralph: ${url} redirects to another host (${new URL(other.base).host}), which Ralph does not follow. If the issue has moved, use its new URL.\n`,
  )
  assert.deepEqual([other.asked, made.has('.ralph')], [[], false])
})

test('a next page on another host is not asked for', async (t) => {
  const other = await server(t, {})
  const { base } = await server(t, {
    [path]: { body: issue() },
    [comments]: { body: [], headers: { link: `<${other.base}/more>; rel="next"` } },
  })
  const made = project(t, { GITHUB_API_URL: base })
  assert.deepEqual([(await fromIssue(made)).code, other.asked], [0, []])
})

/** A `gh` that writes down what it is asked, and answers from files. */
function fakeGh(made: TestProject, isLoggedIn: boolean): string[] {
  const folder = join(made.root, '..', 'bin')
  mkdirSync(folder)
  const script = `#!/bin/sh
echo "$*" >> '${folder}/asked'
[ "$1" = auth ] && exit ${isLoggedIn ? 0 : 1}
case "$5" in
  */comments*) printf 'HTTP/2.0 200 OK\\nContent-Type: application/json\\r\\n\\r\\n[]' ;;
  */issues/8) printf 'HTTP/2.0 404 Not Found\\nX-Thing: a\\r\\n\\r\\n{"message":"Not Found"}'; echo 'gh: Not Found (HTTP 404)' >&2; exit 1 ;;
  */issues/9) echo 'error connecting to api.github.com' >&2; exit 1 ;;
  *) printf 'HTTP/2.0 200 OK\\nContent-Type: application/json\\r\\n\\r\\n'; cat '${folder}/issue.json' ;;
esac
`
  writeFileSync(join(folder, 'gh'), script)
  chmodSync(join(folder, 'gh'), 0o755)
  writeFileSync(join(folder, 'issue.json'), JSON.stringify(issue()))
  made.env['PATH'] = `${folder}:${made.env['PATH']}`
  return [join(folder, 'asked')]
}

test('gh is asked where it is there and logged in', async (t) => {
  const made = project(t)
  const [asked] = fakeGh(made, true)
  const { code, out } = await fromIssue(made)
  assert.equal(code, 0)
  assert.match(out, /^3 stories from issue 7 of ann\/shop:$/m)
  assert.deepEqual(readFileSync(asked!, 'utf8').trim().split('\n'), [
    'auth status --hostname github.com',
    `api --include --hostname github.com https://api.github.com${path}`,
    `api --include --hostname github.com https://api.github.com${comments}`,
  ])
  const missing = await made.run('init', 'other', '--from-issue', 'https://github.com/ann/shop/issues/8')
  assert.deepEqual(
    [missing.code, missing.err],
    [
      64,
      'ralph: Issue not found, or you may not read it: https://github.com/ann/shop/issues/8. Check the URL, and whether your login may read it.\n',
    ],
  )
  const unreachable = await made.run('init', 'other', '--from-issue', 'https://github.com/ann/shop/issues/9')
  assert.deepEqual(
    [unreachable.code, unreachable.err],
    [5, 'ralph: gh failed to reach github.com: error connecting to api.github.com. Try again later, or check: gh auth status\n'],
  )
  assert.equal(made.has('.ralph/other'), false)
})

test('a gh that is not logged in is passed over; a host that cannot be reached is told', async (t) => {
  const made = project(t)
  const [asked] = fakeGh(made, false)
  const { code, err } = await fromIssue(made, 'https://127.0.0.1:1/ann/shop/issues/7')
  assert.equal(code, 5)
  assert.match(
    err,
    /^ralph: Cannot reach 127\.0\.0\.1:1 for https:\/\/127\.0\.0\.1:1\/ann\/shop\/issues\/7: .+\. Check the connection, then try again\.\n$/,
  )
  assert.deepEqual(readFileSync(asked!, 'utf8'), 'auth status --hostname 127.0.0.1:1\n')
  assert.equal(made.has('.ralph'), false)
})

test('a feature keeps its stories and its specs; an empty plan is filled', async (t) => {
  const { base, asked } = await server(t, { [path]: { body: issue() }, [comments]: { body: [] } })
  const made = project(t, { GITHUB_API_URL: base })
  await made.run('init', 'wishes')
  made.write('.ralph/wishes/specs/issue-7.md', 'mine\n')
  const specs = await fromIssue(made)
  assert.deepEqual([specs.code, made.read('.ralph/wishes/specs/issue-7.md')], [64, 'mine\n'])
  rmSync(made.path('.ralph/wishes/specs/issue-7.md'))
  const filled = await fromIssue(made)
  assert.equal(filled.code, 0)
  assert.match(filled.out, /^Feature wishes exists and its plan had no stories\. Wrote:\n/)
  const before = filesUnder(made.path('.ralph'))
  const count = asked.length
  const again = await fromIssue(made)
  assert.deepEqual(
    [again.code, again.err],
    [64, 'ralph: .ralph/wishes/prd.json already has stories. Choose another feature name.\n'],
  )
  assert.deepEqual([filesUnder(made.path('.ralph')), asked.length], [before, count])
  const checklist = await made.run('init', 'other', '--from-issue', url, '--plan', 'fix_plan.md')
  assert.deepEqual([checklist.code, existsSync(made.path('.ralph/other'))], [64, false])
})
