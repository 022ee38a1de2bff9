import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { Failure } from '../../core/failure.ts'
import { fetchIssue, issueAddress } from './github.ts'

test('an address is an issue of some host; anything else is refused with what was expected', () => {
  const address = { url: 'https://github.com/o/r.js/issues/7', host: 'github.com', owner: 'o', name: 'r.js', number: 7 }
  assert.deepEqual(issueAddress('https://github.com/o/r.js/issues/7'), address)
  assert.deepEqual(issueAddress('https://github.com/o/r.js/issues/7/?x=1#issuecomment-3'), address)
  assert.equal(issueAddress('https://git.example.org:8443/o/r/issues/1').host, 'git.example.org:8443')
  const expected = 'expected the URL of an issue, such as https://github.com/owner/name/issues/7.'
  for (const wrong of [
    '7',
    'o/r#7',
    'http://github.com/o/r/issues/7',
    'https://github.com/o/r/issues/0',
    'https://github.com/o/issues/7',
  ])
    assert.throws(() => issueAddress(wrong), new Failure(64, `--from-issue is ${JSON.stringify(wrong)}; ${expected}`))
  const pull = 'https://github.com/o/r/pull/7'
  assert.throws(() => issueAddress(pull), new Failure(64, `${pull} is a pull request; ${expected}`))
})

/** Where each question went, and with which token. */
function asked(t: TestContext): [string, string | undefined][] {
  const questions: [string, string | undefined][] = []
  t.mock.method(globalThis, 'fetch', async (url: string, { headers }: { headers: Record<string, string> }) => {
    questions.push([url, headers['authorization']])
    return Response.json(url.includes('/comments') ? [] : { number: 1, title: 'x' })
  })
  return questions
}

for (const [what, url, env, base, token] of [
  ['goes to GitHub', 'https://github.com', { GITHUB_TOKEN: 'one', GH_TOKEN: 'two' }, 'https://api.github.com', 'one'],
  ['is left out where there is none', 'https://github.com', { GH_TOKEN: '' }, 'https://api.github.com', undefined],
  [
    'never goes to a host that it is not for',
    'https://git.example.org',
    { GITHUB_TOKEN: 'one', GH_ENTERPRISE_TOKEN: 'two', GITHUB_API_URL: 'https://api.github.com' },
    'https://git.example.org/api/v3',
    undefined,
  ],
  [
    "goes to one's own host",
    'https://git.example.org',
    { GITHUB_TOKEN: 'one', GH_ENTERPRISE_TOKEN: 'two', GH_HOST: 'git.example.org' },
    'https://git.example.org/api/v3',
    'two',
  ],
  [
    'goes to the server that a workflow runs on',
    'https://git.example.org',
    { GITHUB_TOKEN: 'one', GITHUB_SERVER_URL: 'https://git.example.org', GITHUB_API_URL: 'https://git.example.org/api/v3/' },
    'https://git.example.org/api/v3',
    'one',
  ],
] as const)
  test(`a token ${what}`, async (t) => {
    const questions = asked(t)
    await fetchIssue(issueAddress(`${url}/o/r/issues/1`), env, '/')
    const authorization = token && `Bearer ${token}`
    assert.deepEqual(questions, [
      [`${base}/repos/o/r/issues/1`, authorization],
      [`${base}/repos/o/r/issues/1/comments?per_page=100`, authorization],
    ])
  })

test('a token never goes over a connection that anyone can read', async (t) => {
  const questions = asked(t)
  const env = { GITHUB_TOKEN: 'one', GITHUB_API_URL: 'http://api.example.org' }
  await assert.rejects(
    fetchIssue(issueAddress('https://github.com/o/r/issues/1'), env, '/'),
    new Failure(78, 'GITHUB_API_URL is "http://api.example.org"; expected a URL that starts with https://.'),
  )
  assert.deepEqual(questions, [])
})
