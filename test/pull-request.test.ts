/** `ralph pr`, `git.pr` and `git.push`: a real repository and remote, and a server on this machine that answers as GitHub does. */
import assert from 'node:assert/strict'
import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { type GitHubServer, gitHubServer, standIn, TOKEN } from './support/forge-server.ts'
import { type ProjectSketch, projectFor, type TestProject } from './support/project.ts'

const branch = 'feature/wishes'
const url = 'https://github.com/ann/shop/pull/1'
const issue = 'https://github.com/ann/shop/issues/7'

/** A project whose origin is on GitHub, as far as it knows: git takes it to a folder. */
function hosted(t: TestContext, { base }: { base: string }, sketch: ProjectSketch = {}): TestProject & { remote: string } {
  const made = projectFor(t, {
    feature: 'wishes',
    branch,
    stories: [
      { id: 'S-1', title: 'Store wishes', source: issue },
      { id: 'S-2', title: 'Thank @bob, closes #3', source: issue },
    ],
    ...sketch,
  })
  const remote = join(made.root, '..', 'remote.git')
  made.git('init', '-q', '--bare', '-b', 'main', remote)
  made.git('remote', 'add', 'origin', 'https://github.com/ann/shop.git')
  made.git('config', `url.${remote}.insteadOf`, 'https://github.com/ann/shop.git')
  made.git('push', '-q', 'origin', 'main')
  Object.assign(made.env, { GITHUB_API_URL: base, GITHUB_TOKEN: TOKEN })
  return { ...made, remote }
}

const tip = ({ remote, git }: { remote: string } & TestProject, name = branch): string =>
  git('--git-dir', remote, 'for-each-ref', '--format=%(objectname)', `refs/heads/${name}`)
const facts = (made: TestProject): string[] => made.kinds().filter((kind) => kind.startsWith('pull-request.'))

/** A complete run on another branch than the default one, and then `ralph pr`. */
async function complete(t: TestContext, server: GitHubServer, sketch: ProjectSketch = {}) {
  const made = hosted(t, server, sketch)
  const { code, out } = await made.run('run', '--no-archive')
  assert.equal(code, 0, out)
  return { made, out }
}

test('one pull request, however often it is asked for: pushed, from where the branch began, with what is proven [R-PR-1]', async (t) => {
  const server = await gitHubServer(t)
  const made = hosted(t, server, { config: { gates: { tests: 'test -e README.md' } } })
  made.git('switch', '-q', '-c', 'next')
  made.git('push', '-q', 'origin', 'next')
  const run = await made.run('run', '--no-archive')
  assert.match(run.out, /^Share: {7}ralph pr -f wishes {2}# pushes feature\/wishes to origin and opens a pull request$/m)
  assert.deepEqual([run.code, server.asked, tip(made)], [0, [], ''])

  const first = await made.run('pr')
  assert.deepEqual(
    [first.code, first.out, first.err],
    [0, `Pushed ${branch} to origin. Opened pull request #1 into next: ${url}\n`, ''],
  )
  assert.equal(tip(made), made.git('rev-parse', branch))
  const [pull] = server.pulls
  assert.deepEqual(
    [pull?.base, pull?.head, pull?.title, pull?.draft, server.sent()],
    ['next', branch, 'A feature', false, ['POST /repos/ann/shop/pulls']],
  )
  assert.match(pull!.body, /^\*\*2 of 2 stories done\.\*\*/m)
  assert.match(pull!.body, /^\| S-1 Store wishes \| gated \| tests ✓ \S+ \| \S+ \|$/m)
  assert.match(pull!.body, /^Gates: tests\. Cost: \S+, 2 iterations\.$/m)
  assert.match(pull!.body, /^Closes #7$/m)
  assert.doesNotMatch(pull!.body, /@bob|closes #3/i)
  assert.deepEqual(facts(made), ['pull-request.started', 'pull-request.ended'])

  const again = await made.run('pr')
  assert.deepEqual([again.code, again.out], [0, `Pull request #1 into next is up to date: ${url}\n`])
  const ready = await made.run('pr', '--draft')
  assert.deepEqual([ready.code, server.pulls[0]?.draft], [0, true])
  assert.match((await made.run('pr', '--ready')).out, /^Updated pull request #1 into next: /)
  assert.deepEqual([server.pulls.length, server.pulls[0]?.draft], [1, false])

  // What people write around Ralph's text stays.
  pull!.body = `Mine above.\n\n${pull!.body.replace('2 of 2', 'old')}\n\nMine below.`
  const updated = await made.run('pr', '--json')
  assert.deepEqual(JSON.parse(updated.out), {
    ...{ version: 1, how: 'updated', url, number: 1, base: 'next', isDraft: false, isPushed: false },
  })
  assert.match(pull!.body, /^Mine above\.\n\n[\s\S]*2 of 2[\s\S]*\n\nMine below\.$/)
  server.pulls[0]!.merged = true
  server.pulls[0]!.state = 'closed'
  assert.match((await made.run('pr')).out, /^Pull request #1 is merged: /)
  assert.equal(server.pulls.length, 1)
})

test('a run with git.pr opens it at its end, keeps the feature, and goes on where a kill came between push and request', async (t) => {
  const server = await gitHubServer(t)
  const made = hosted(t, server, { config: { git: { pr: 'draft' } } })
  const { code, out } = await made.run('run')
  assert.equal(code, 0, out)
  assert.match(out, new RegExp(`^Pushed ${branch} to origin\\. Opened pull request #1 into main, a draft: ${url}$`, 'm'))
  assert.deepEqual([made.has('.ralph/wishes/events.jsonl'), server.pulls.length, server.pulls[0]?.draft], [true, 1, true])

  // As a kill after the push leaves it: the log says that it began, the remote has the branch, and there is no request.
  server.pulls.length = 0
  const log = made.read('.ralph/wishes/events.jsonl').trimEnd().split('\n')
  made.write('.ralph/wishes/events.jsonl', `${log.slice(0, -1).join('\n')}\n`)
  const asked = server.asked.length
  const after = await made.run('pr')
  assert.deepEqual([after.code, after.out], [0, `Opened pull request #1 into main, a draft: ${url}\n`])
  assert.deepEqual([server.pulls.length, server.sent().length, asked < server.asked.length], [1, 2, true])
})

test('a request that was made although its answer got lost is found, not made twice', async (t) => {
  const server = await gitHubServer(t)
  const { made } = await complete(t, server)
  server.instead(/^GET .*pulls/, { status: 503, body: 'no' })
  server.instead(/^POST .*pulls/, { status: 502, body: '<html>' }, true)
  const { code, out, err } = await made.run('pr')
  assert.deepEqual([code, server.pulls.length], [0, 1], err)
  assert.match(out, /Opened pull request #1 into main/)
  assert.deepEqual(server.sent(), ['POST /repos/ann/shop/pulls'])
})

test('what a forge refuses is told, with what to do, and nothing is opened; a fork has its own [R-PR-1]', async (t) => {
  const server = await gitHubServer(t)
  const { made } = await complete(t, server)
  const pulls = 'GET .*pulls'
  const cases: [string, RegExp, Parameters<GitHubServer['instead']>[1], number, RegExp][] = [
    [
      'a limit',
      new RegExp(pulls),
      { status: 403, headers: { 'x-ratelimit-remaining': '0' }, body: { message: 'rate limit' } },
      5,
      /^ralph: Rate limit of github\.com reached\. Try again then\.\n$/,
    ],
    [
      'no access',
      new RegExp(pulls),
      { status: 404, body: { message: 'Not Found' } },
      64,
      /Repository not found, or you may not read it: https:\/\/github\.com\/ann\/shop\./,
    ],
    [
      'a login that expired',
      new RegExp(pulls),
      { status: 401, body: { message: 'Bad credentials' } },
      77,
      /rejects the login for .* Log in with "gh auth login", or set GITHUB_TOKEN to one that is valid\./,
    ],
    [
      'drafts that cost',
      /^POST/,
      {
        status: 422,
        body: {
          message: 'Validation Failed',
          errors: [{ message: 'Draft pull requests are not supported in this repository.' }],
        },
      },
      65,
      /Draft pull requests are not supported.* Set git\.pr to ready, or use: ralph pr --ready\n$/,
    ],
    [
      'a token that may only read',
      /^POST/,
      { status: 403, body: { message: 'Resource not accessible by integration' } },
      77,
      /denies access .* one that may write to it\./,
    ],
  ]
  for (const [what, match, reply, exit, words] of cases) {
    server.instead(match, reply)
    const { code, out, err } = await made.run('pr')
    assert.deepEqual([what, code, out, server.pulls.length], [what, exit, '', 0], err)
    assert.match(err, words)
  }
  const ended = made.events().filter((event) => event.kind === 'pull-request.ended')
  assert.deepEqual(
    ended.map((event) => 'problem' in event && typeof event.problem),
    ['string', 'string'],
  )

  server.pulls.push({
    ...{ number: 1, title: 'x', body: '', head: branch, base: 'main', draft: false, state: 'open', merged: false },
    from: 'ann/fork',
  })
  assert.match((await made.run('pr')).out, /^Opened pull request #2 /)
  server.pulls[1]!.state = 'closed'
  const closed = await made.run('pr')
  assert.deepEqual(
    [closed.code, closed.err],
    [
      64,
      'ralph: https://github.com/ann/shop/pull/2 was closed without being merged. Reopen it there, or open another one: ralph pr --new\n',
    ],
  )
  assert.match((await made.run('pr', '--new')).out, /^Opened pull request #3 /)
})

test('without a login it ends with 77 before anything is pushed; a run tells it and ends as it did', async (t) => {
  const server = await gitHubServer(t)
  const made = hosted(t, server, { config: { git: { pr: 'ready' } } })
  delete made.env['GITHUB_TOKEN']
  const run = await made.run('run')
  assert.equal(run.code, 0)
  const words = 'Not logged in to github.com. Log in with "gh auth login", or set GITHUB_TOKEN to one that may write to ann/shop.'
  assert.equal(run.out.includes(`\n! No pull request: ${words}\n`), true, run.out)
  const { code, err } = await made.run('pr')
  assert.deepEqual([code, err, tip(made), server.asked], [77, `ralph: ${words}\n`, '', []])
})

test('gh is used where it is logged in; a key that the log does not know as one is not sent either', async (t) => {
  const server = await gitHubServer(t)
  const { made } = await complete(t, server, { stories: [{ id: 'S-1', title: 'Use pass#word@9x' }] })
  made.env['SHOP_TOKEN'] = 'pass#word@9x'
  delete made.env['GITHUB_TOKEN']
  delete made.env['GITHUB_API_URL']
  made.env['PATH'] = `${standIn(join(made.root, '..', 'bin'), 'gh', server)}:${made.env['PATH']}`
  const { code, out, err } = await made.run('pr', '--base', 'main', '--title', 'Wishes for @all')
  assert.deepEqual([code, err], [0, ''])
  assert.match(out, /Opened pull request #1 into main/)
  assert.match(server.pulls[0]?.body ?? '', /^\| S-1 Use [^|]*masked SHOP/m)
  assert.doesNotMatch(server.pulls[0]?.body.replaceAll('\u200b', '') ?? '', /pass#word|word@9x/)
  assert.deepEqual(
    [server.pulls[0]?.title, new Set(server.asked.map(({ token }) => token))],
    ['Wishes for @all', new Set(['gh'])],
  )
})

test('the default branch is never pushed, from wherever it is asked; a branch that moved on elsewhere is not overwritten', async (t) => {
  const server = await gitHubServer(t)
  const onMain = hosted(t, server, { branch: '', config: { git: { pr: 'ready', push: 'story' } } })
  const before = tip(onMain, 'main')
  const run = await onMain.run('run')
  assert.equal(run.code, 0)
  assert.doesNotMatch(run.out, /^Share:/m)
  assert.match(
    run.out,
    /^! No pull request: The last run worked on main, the default branch of origin, which Ralph never pushes\./m,
  )
  const { code } = await onMain.run('pr')
  assert.deepEqual([code, tip(onMain, 'main'), server.pulls], [64, before, []])

  const { made } = await complete(t, server)
  made.git('push', '-q', 'origin', `main:${branch}`)
  const other = join(made.root, '..', 'other')
  made.git('clone', '-q', '-b', branch, made.remote, other)
  made.git('-C', other, '-c', 'user.name=O', '-c', 'user.email=o@localhost', 'commit', '-q', '--allow-empty', '-m', 'theirs')
  made.git('-C', other, 'push', '-q')
  const theirs = tip(made)
  const behind = await made.run('pr')
  assert.deepEqual([behind.code, tip(made), server.pulls], [65, theirs, []])
  assert.match(
    behind.err,
    /^ralph: origin has commits of feature\/wishes that are not here\. Merge them \(git pull --no-rebase origin feature\/wishes\), then: ralph pr\n$/,
  )
})

test('git.push takes the branch along after each story, or at the end; one that fails is told [R-PR-1]', async (t) => {
  const server = { base: 'http://127.0.0.1:1' }
  for (const push of ['story', 'end'] as const) {
    const made = hosted(t, server, { config: { git: { push } } })
    // The remote keeps what it was given.
    made.write('../remote.git/hooks/post-receive', '#!/bin/sh\ncat >> ../received\n')
    chmodSync(join(made.remote, 'hooks', 'post-receive'), 0o755)
    const { code, out } = await made.run('run', '--no-archive')
    assert.equal(code, 0, out)
    assert.equal(tip(made), made.git('rev-parse', branch))
    const pushes = made.read('../received').trim().split('\n').length
    assert.equal(push === 'end' ? pushes === 1 : pushes >= 2, true, `${push}: ${pushes}`)
    assert.match(out, /^Pushed feature\/wishes to origin\.$/m)
  }
  const made = hosted(t, server, { config: { git: { push: 'story' } } })
  made.git('config', '--unset-all', `url.${made.remote}.insteadOf`)
  made.git('remote', 'set-url', 'origin', 'https://127.0.0.1:1/ann/shop.git')
  const { code, out } = await made.run('run')
  assert.equal(code, 0)
  assert.match(out, /^ {2}! feature\/wishes could not be pushed: git cannot reach origin: /m)
  assert.match(out, /^! Not pushed: git cannot reach origin: .* Check it with: git ls-remote origin$/ms)
})
