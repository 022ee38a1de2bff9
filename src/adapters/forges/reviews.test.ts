/** What every forge says about checks and reviews, against servers on this machine that answer as the real ones do. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { gitHubServer, TOKEN, withReviews } from '../../../test/support/forge-server.ts'
import { jsonServer } from '../../../test/support/json-server.ts'
import type { Forge } from './forge.ts'
import { openForge } from './open-forge.ts'

type Made = { forge: Forge; answers(): string[] }
const commit = 'c'.repeat(40)

async function gitHub(t: TestContext) {
  const server = await gitHubServer(t)
  const reviews = withReviews(server, ['ann'])
  const env = { GITHUB_API_URL: server.base, GITHUB_TOKEN: TOKEN, PATH: '' }
  return { server, reviews, forge: await openForge({ host: 'github.com', path: 'ann/shop' }, 'auto', env, '/') }
}

async function onGitHub(t: TestContext): Promise<Made> {
  const { reviews, forge } = await gitHub(t)
  const run = (name: string, status: string, conclusion: string | null) => ({
    id: 1,
    name,
    status,
    conclusion,
    html_url: 'https://ci/x',
    output: { title: 'it broke' },
  })
  reviews.checks = (asked) =>
    asked === commit
      ? [run('build', 'completed', 'failure'), run('lint', 'in_progress', null), run('docs', 'completed', 'skipped')]
      : []
  reviews.said.push(
    { id: 11, login: 'ann', body: 'Rename it', kind: 'line' },
    { id: 12, login: 'bob', body: 'No!', kind: 'review', state: 'CHANGES_REQUESTED' },
  )
  reviews.said.push({ id: 13, login: 'ann', body: 'Nice', kind: 'talk' })
  return { forge, answers: () => reviews.said.slice(3).map(({ body }) => body) }
}

async function onGitLab(t: TestContext, merged = false): Promise<Made> {
  const answers: string[] = []
  const itself = '/api/v4/projects/g%2Fshop/merge_requests/1'
  const note = (id: number, user: number, body: string, more = {}) => ({
    id,
    body,
    author: { id: user, username: user === 1 ? 'ann' : 'bob' },
    system: false,
    created_at: `2026-01-09T12:00:${id}Z`,
    ...more,
  })
  const base = await jsonServer(t, ({ method, url, body }) => {
    const replies: Record<string, unknown> = {
      [`GET ${itself}/pipelines`]: [
        { id: 5, sha: 'm1', ref: 'refs/merge-requests/1/merge', status: 'failed' },
        merged
          ? { id: 6, sha: 'm2', ref: 'refs/merge-requests/1/merge', status: 'running' }
          : { id: 6, sha: commit, ref: 'feature/x', status: 'running' },
      ],
      'GET /api/v4/projects/g%2Fshop/repository/commits/m1': { parent_ids: ['base', 'older'] },
      'GET /api/v4/projects/g%2Fshop/repository/commits/m2': { parent_ids: ['base', commit] },
      'GET /api/v4/projects/g%2Fshop/pipelines/6/jobs': [
        { id: 1, name: 'build', status: 'failed', allow_failure: false, web_url: 'https://ci/x' },
        { id: 2, name: 'lint', status: 'running', web_url: 'https://ci/y' },
        { id: 3, name: 'docs', status: 'failed', allow_failure: true, web_url: 'https://ci/z' },
      ],
      'GET /api/v4/projects/g%2Fshop/jobs/1/trace': 'it broke',
      [`GET ${itself}/discussions`]: [
        {
          id: 'd1',
          notes: [
            note(11, 1, 'Rename it', { resolvable: true, resolved: false, position: { new_path: 'src/list.js', new_line: 12 } }),
          ],
        },
        { id: 'd2', notes: [note(12, 2, 'No!', { resolvable: true, resolved: false })] },
        { id: 'd3', notes: [note(13, 1, 'Nice', { resolvable: false }), note(14, 1, 'changed', { system: true })] },
      ],
      'GET /api/v4/projects/g%2Fshop/members/all/1': { access_level: 30 },
    }
    if (method === 'POST' && url.pathname === `${itself}/discussions/d1/notes`) {
      answers.push(String(body['body']))
      return { status: 201, body: {} }
    }
    const reply = replies[`${method} ${url.pathname}`]
    return reply === undefined ? { status: 404, body: { message: '404 Not found' } } : { body: reply }
  })
  const forge = await openForge(
    { host: 'gitlab.com', path: 'g/shop' },
    'auto',
    { CI_API_V4_URL: `${base}/api/v4`, GITLAB_TOKEN: 'glpat-none', PATH: '' },
    '/',
  )
  return { forge, answers: () => answers }
}

const pull = {
  number: 1,
  url: 'https://example.org/1',
  state: 'open',
  isDraft: false,
  base: 'main',
  title: '',
  body: '',
  commit,
  id: '',
} as const

const onMerged = (t: TestContext): Promise<Made> => onGitLab(t, true)
for (const [name, on] of Object.entries({ GitHub: onGitHub, GitLab: onGitLab, 'GitLab, which builds the merge': onMerged }))
  test(`${name}: checks of the commit alone, who may push, what wants something, and an answer in its thread`, async (t) => {
    const { forge, answers } = await on(t)
    const checks = await forge.checks(pull, commit)
    assert.deepEqual(checks.map(({ name: check, state }) => [check, state]).sort(), [
      ['build', 'failed'],
      ['docs', 'passed'],
      ['lint', 'running'],
    ])
    assert.match(checks.find(({ state }) => state === 'failed')?.output ?? '', /^it broke/)
    const remarks = await forge.remarks(pull)
    assert.deepEqual(
      remarks.map(({ author, body, mayWrite, isAsking }) => [author, body, mayWrite, isAsking]),
      [
        ['ann', 'Rename it', true, true],
        ['bob', 'No!', false, true],
        ['ann', 'Nice', true, false],
      ],
    )
    assert.equal(remarks[0]?.place, 'src/list.js:12')
    await forge.reply(pull, remarks[0]!, 'Done in abc.')
    assert.deepEqual(answers(), ['Done in abc.'])
  })

test('GitHub: what a reviewer has resolved, approved since or not sent yet asks for nothing', async (t) => {
  const { reviews, forge } = await gitHub(t)
  reviews.said.push(
    { id: 11, login: 'ann', body: 'Rename it', kind: 'line' },
    { id: 12, login: 'ann', body: 'Never mind', kind: 'line', isResolved: true },
    { id: 13, login: 'ann', body: 'Not like that', kind: 'review', state: 'CHANGES_REQUESTED' },
    { id: 14, login: 'ann', body: 'Good now', kind: 'review', state: 'APPROVED' },
    { id: 15, login: 'ann', body: 'But the tests', kind: 'review', state: 'CHANGES_REQUESTED' },
    { id: 16, login: 'ann', body: 'A draft', kind: 'review', state: 'PENDING' },
  )
  const remarks = await forge.remarks(pull)
  assert.deepEqual(
    remarks.map(({ body, isAsking }) => [body, isAsking]),
    [
      ['Rename it', true],
      ['Never mind', false],
      ['Not like that', false],
      ['Good now', false],
      ['But the tests', true],
    ],
  )
})

test('GitHub: an answer to a reply goes to the first comment of its thread, since replies take none', async (t) => {
  const { reviews, forge } = await gitHub(t)
  reviews.said.push({ id: 11, login: 'ann', body: 'Rename it', kind: 'line' })
  reviews.said.push({ id: 12, login: 'ann', body: 'And that', kind: 'line', first: 11 })
  const [, reply] = await forge.remarks(pull)
  await forge.reply(pull, reply!, 'Done in abc.')
  assert.equal(reviews.said.at(-1)?.body, 'Done in abc.')
})

test('GitHub: a status on the second page is read too', async (t) => {
  const { reviews, forge } = await gitHub(t)
  const status = (context: string, state: string) => ({ context, state, target_url: 'https://ci/x', description: '' })
  reviews.statuses.push(status('one', 'success'), status('two', 'failure'))
  const checks = await forge.checks(pull, commit)
  assert.deepEqual(
    checks.map(({ name, state }) => [name, state]),
    [
      ['one', 'passed'],
      ['two', 'failed'],
    ],
  )
})

test('a limit is told as one, however GitHub says it, and no message repeats a key', async (t) => {
  const { server, forge } = await gitHub(t)
  server.instead(/pulls/, {
    status: 403,
    headers: { 'retry-after': '60' },
    body: { message: 'You have triggered abuse detection.' },
  })
  await assert.rejects(() => forge.find('x'), { exit: 5, message: /Rate limit of github\.com reached; resets in 60 s\./ })
  server.instead(/pulls/, { status: 401, body: { message: `Unknown token ${TOKEN}` } })
  await assert.rejects(
    () => forge.find('x'),
    ({ message }: Error) => message.includes('rejects the login') && !message.includes(TOKEN),
  )
})
