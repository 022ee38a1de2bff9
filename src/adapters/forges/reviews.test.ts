/** What every forge says about checks and reviews, against servers on this machine that answer as the real ones do. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { gitHubServer, TOKEN, withReviews } from '../../../test/support/forge-server.ts'
import { jsonServer } from '../../../test/support/json-server.ts'
import type { Forge } from './forge.ts'
import { openForge } from './open-forge.ts'

type Made = { forge: Forge; answers(): string[] }
const commit = 'c'.repeat(40)

async function onGitHub(t: TestContext): Promise<Made> {
  const server = await gitHubServer(t)
  const reviews = withReviews(server, ['ann'])
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
  const forge = await openForge(
    { host: 'github.com', path: 'ann/shop' },
    'auto',
    { GITHUB_API_URL: server.base, GITHUB_TOKEN: TOKEN, PATH: '' },
    '/',
  )
  return { forge, answers: () => reviews.said.slice(3).map(({ body }) => body) }
}

async function onGitLab(t: TestContext): Promise<Made> {
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
        { id: 5, sha: 'old', status: 'failed' },
        { id: 6, sha: commit, status: 'running' },
      ],
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

for (const [name, on] of Object.entries({ GitHub: onGitHub, GitLab: onGitLab }))
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
