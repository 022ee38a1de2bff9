/** What holds for every forge, against servers on this machine that answer as the real ones do. */
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'

import { tempFolder } from '../../../test/support/folder.ts'
import { gitHubServer, standIn, TOKEN } from '../../../test/support/forge-server.ts'
import type { Forge } from './forge.ts'
import { openForge } from './open-forge.ts'

type Made = { forge: Forge; fails(status: number): void; count(): number }

async function onGitHub(t: TestContext): Promise<Made> {
  const server = await gitHubServer(t, 'ann/shop', 1)
  const env = { GITHUB_API_URL: server.base, GITHUB_TOKEN: TOKEN, PATH: '' }
  const forge = await openForge({ host: 'github.com', path: 'ann/shop' }, 'auto', env, '/')
  const fork = { title: '', body: '', head: 'feature/x', base: 'main', draft: false, state: 'open', merged: false } as const
  server.pulls.push({ ...fork, number: 1, from: 'ann/other' })
  return {
    forge,
    fails: (status) => server.instead(/^POST .*pulls/, { status, body: '<html>' }, true),
    count: () => server.pulls.length - 1,
  }
}

type Request = Record<string, unknown>

/** `withGlab`: nobody has a token; the program that is logged in asks. */
async function onGitLab(t: TestContext, withGlab = false): Promise<Made> {
  const requests: Request[] = [
    { iid: 1, source_branch: 'feature/x', source_project_id: 9, target_project_id: 1, state: 'opened', title: 'of a fork' },
  ]
  const failing: number[] = []
  const shown = (request: Request) => ({
    ...request,
    draft: String(request['title']).startsWith('Draft:'),
    web_url: `https://gitlab.com/g/s/shop/-/merge_requests/${request['iid']}`,
    sha: 'a'.repeat(40),
  })
  const server = createServer((incoming, response) => {
    let text = ''
    incoming.on('data', (part) => (text += part))
    incoming.on('end', () => {
      const url = new URL(incoming.url ?? '', 'http://127.0.0.1')
      const reply = (status: number, body: unknown, headers = {}): void => {
        response.writeHead(status, { 'content-type': 'application/json', ...headers })
        response.end(typeof body === 'string' ? body : JSON.stringify(body))
      }
      const isLoggedIn = withGlab
        ? incoming.headers['authorization'] === 'glab' && incoming.headers['private-token'] === undefined
        : incoming.headers['private-token'] === 'glpat-none'
      if (!isLoggedIn) return reply(401, { message: '401 Unauthorized' })
      const list = '/api/v4/projects/g%2Fs%2Fshop/merge_requests'
      const body = text === '' ? {} : JSON.parse(text)
      if (incoming.method === 'GET' && url.pathname === list) {
        const page = Number(url.searchParams.get('page') ?? 1)
        const found = requests.filter((each) => each['source_branch'] === url.searchParams.get('source_branch')).reverse()
        url.searchParams.set('page', String(page + 1))
        const next = `http://127.0.0.1:${(server.address() as AddressInfo).port}${url.pathname}${url.search}`
        return reply(200, found.slice(page - 1, page).map(shown), page < found.length ? { link: `<${next}>; rel="next"` } : {})
      }
      if (incoming.method === 'POST' && url.pathname === list) {
        const isThere = requests.some(
          (each) => each['source_branch'] === body.source_branch && each['source_project_id'] === 1 && each['state'] === 'opened',
        )
        if (isThere) return reply(409, { message: ['Another open merge request already exists for this source branch: !2'] })
        requests.push({ ...body, iid: requests.length + 1, source_project_id: 1, target_project_id: 1, state: 'opened' })
        const status = failing.pop()
        return status === undefined ? reply(201, shown(requests.at(-1) ?? {})) : reply(status, '<html>')
      }
      const iid = Number(url.pathname.slice(list.length + 1))
      const request = requests.find((each) => each['iid'] === iid)
      if (incoming.method !== 'PUT' || request === undefined) return reply(404, { message: '404 Not found' })
      Object.assign(request, body)
      reply(200, shown(request))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => void server.close())
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const env = withGlab
    ? { PATH: standIn(tempFolder(t), 'glab', { base }) }
    : { CI_API_V4_URL: `${base}/api/v4`, GITLAB_TOKEN: 'glpat-none', PATH: '' }
  const forge = await openForge({ host: 'gitlab.com', path: 'g/s/shop' }, 'auto', env, '/')
  return { forge, fails: (status) => void failing.push(status), count: () => requests.length - 1 }
}

const wanted = { branch: 'feature/x', base: 'main', title: 'Wishes', body: 'one\ntwo', isDraft: true }

for (const [name, on] of Object.entries({
  GitHub: onGitHub,
  GitLab: onGitLab,
  'GitLab through glab': (t: TestContext) => onGitLab(t, true),
}))
  test(`${name}: one is made, found over all pages but not a fork's, changed, made ready; a second is refused; a lost answer is found`, async (t) => {
    const { forge, fails, count } = await on(t)
    assert.deepEqual(await forge.find('feature/x'), [])
    const made = await forge.create(wanted)
    assert.ok(made)
    assert.deepEqual([made.state, made.isDraft, made.base, made.url.startsWith('https://')], ['open', true, 'main', true])
    assert.equal(await forge.create(wanted), null)
    const ready = await forge.update(made, { body: 'three', isDraft: false })
    assert.deepEqual([ready.isDraft, ready.number], [false, made.number])
    const drafted = await forge.update(ready, { isDraft: true })
    const moved = await forge.update(drafted, { base: 'next' })
    assert.deepEqual([moved.isDraft, moved.base], [true, 'next'])
    const found = await forge.find('feature/x')
    assert.deepEqual(
      found.map(({ number, body, base, isDraft }) => [number, body, base, isDraft]),
      [[made.number, 'three', 'next', true]],
    )
    fails(502)
    assert.equal(await forge.create({ ...wanted, branch: 'feature/y' }), null)
    assert.deepEqual([(await forge.find('feature/y')).length, count()], [1, 2])
  })

test('nobody logged in: 77, with how to log in; a host that could be either asks for the setting', async () => {
  const open = (host: string, env = {}) => openForge({ host, path: 'g/shop' }, 'auto', { PATH: '', ...env }, '/')
  await assert.rejects(open('github.com'), { exit: 77, message: /^Not logged in to github\.com\. Log in with "gh auth login"/ })
  await assert.rejects(open('gitlab.example.org', { GITLAB_TOKEN: 'of gitlab.com' }), {
    exit: 77,
    message:
      'Not logged in to gitlab.example.org. Log in with "glab auth login --hostname gitlab.example.org", or set GITLAB_HOST=gitlab.example.org and GITLAB_TOKEN to one that may write to g/shop.',
  })
  await assert.rejects(open('git.example.org'), {
    exit: 64,
    message: /Say so: ralph config set git\.forge github \(or gitlab\)$/,
  })
})
