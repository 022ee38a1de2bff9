/** action.yml, its steps run as a GitHub runner runs them, with the scripted agent and a stand-in for gh. */
import assert from 'node:assert/strict'
import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { gitHubServer, TOKEN } from './support/forge-server.ts'
import { type ActionRun, readAction, runAction } from './support/github-action.ts'
import { asks, finishes } from './support/loop.ts'
import { type ProjectSketch, projectFor, ralphProgram, type TestProject } from './support/project.ts'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const action = readAction(join(root, 'action.yml'))

/** Answers as GitHub does, and keeps what it is asked. */
const gh = `#!${process.execPath}
const { appendFileSync, existsSync, readFileSync } = require('node:fs')
const [args, folder] = [process.argv.slice(2), process.env.GH_FOLDER]
const file = args.find((arg) => arg.startsWith('body=@'))?.slice(6)
appendFileSync(folder + '/gh.jsonl', JSON.stringify({ args, token: process.env.GH_TOKEN ?? '', body: file ? readFileSync(file, 'utf8') : '' }) + '\\n')
if (args.includes('user')) process.exit(1) // the token of a workflow may not ask
const asked = args.find((arg) => arg.includes('repos/')) ?? ''
const answer = /issues\\/7$/.test(asked)
  ? readFileSync(folder + '/issue.json', 'utf8')
  : asked.includes('/comments?') && existsSync(folder + '/comments.json') ? readFileSync(folder + '/comments.json', 'utf8') : '[]'
if (args[0] === 'api') console.log((args.includes('--include') ? 'HTTP/2.0 200 OK\\nContent-Type: application/json\\r\\n\\r\\n' : '') + answer)
`

type Asked = { args: string[]; token: string; body: string }
type Runner = {
  run(inputs: Record<string, string>, event?: string): Promise<ActionRun>
  asked(): Asked[]
  project: TestProject
  folder: string
}

function runnerFor(t: TestContext, sketch: ProjectSketch = {}, more: Record<string, string> = {}): Runner {
  const project = projectFor(t, sketch)
  const folder = join(project.root, '..', 'runner')
  const programs = join(folder, 'bin')
  mkdirSync(programs, { recursive: true })
  symlinkSync(ralphProgram, join(programs, 'ralph'))
  symlinkSync(process.execPath, join(programs, 'node'))
  writeFileSync(join(programs, 'gh'), gh)
  chmodSync(join(programs, 'gh'), 0o755)
  const env = {
    ...project.env,
    PATH: `${programs}:${project.env['PATH']}`,
    CI: 'true',
    GH_FOLDER: folder,
    GITHUB_SERVER_URL: 'https://github.com',
    GITHUB_REPOSITORY: 'me/shop',
    GITHUB_RUN_ID: '42',
    ...more,
  }
  const run: Runner['run'] = (inputs, pull) => {
    const event = pull === undefined ? {} : { pull_request: { number: pull } }
    const github = { token: TOKEN, action_path: root, event }
    const given = { folder: join(folder, String(Math.random()).slice(2)), inputs, github, env, workspace: project.root }
    mkdirSync(given.folder)
    return runAction(action, given)
  }
  const asked = (): Asked[] => {
    const path = join(folder, 'gh.jsonl')
    return existsSync(path)
      ? readFileSync(path, 'utf8')
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line))
      : []
  }
  return { run, asked, project, folder }
}

test('no input, output or event is part of a script: each reaches it as a variable [R-CI-1]', () => {
  const scripts = action.runs.steps.map(({ run }) => run ?? '')
  assert.ok(scripts.length > 4 && scripts.every((script) => script !== ''))
  assert.deepEqual(
    scripts.filter((script) => script.includes('${{')),
    [],
  )
  const secret = action.runs.steps.filter(({ env = {} }) => Object.values(env).some((value) => value.includes('token')))
  assert.deepEqual(
    secret.map(({ id, name }) => id ?? name),
    ['prepare', 'pr', 'Comment with the report'],
  )
})

test('a feature runs, its outputs and summary tell the end, and its report is one comment that later runs update [R-CI-1]', async (t) => {
  const { run, asked, folder } = runnerFor(t, {
    stories: [{ id: 'S-1' }, { id: 'S-2' }],
    config: { gates: { tests: 'true' } },
    script: {
      iterations: [
        [{ run: 'echo "token: $GH_TOKEN$INPUT_TOKEN." > seen.txt' }, ...finishes],
        asks('tabs or spaces, @octocat?\n/approve\nSee #7'),
        finishes,
      ],
    },
  })
  const first = await run({ feature: 'thing', budget: '2.5', fail: 'false' }, '12')
  const { report, ...told } = first.outputs
  assert.deepEqual(
    told,
    { outcome: 'question', 'exit-code': '3', 'stories-done': '1', 'stories-total': '2', cost: '0.02', feature: 'thing', pr: '' },
    first.log,
  )
  assert.equal(first.failed, undefined)
  assert.match(readFileSync(report!, 'utf8'), /tabs or spaces/)
  assert.equal(first.summary, readFileSync(report!, 'utf8'))
  const [, list, posted] = asked()
  assert.match(list!.args.join(' '), /repos\/me\/shop\/issues\/12\/comments\?per_page=100/)
  assert.deepEqual(posted!.args.slice(0, 4), ['api', '--method', 'POST', 'repos/me/shop/issues/12/comments'])
  assert.match(
    posted!.body,
    /^<!-- ralph thing -->\n[\s\S]*tabs or spaces[\s\S]*\[This run\]\(https:\/\/github\.com\/me\/shop\/actions\/runs\/42\)\n$/,
  )
  assert.match(posted!.body, /@\u200boctocat[\s\S]*#\u200b7/)
  assert.doesNotMatch(posted!.body, /@octocat|#7|^\s*\/approve/m)
  assert.equal(posted!.token, TOKEN)

  // The comment of somebody else with the same mark is not ours.
  const comments = [
    { id: 1, body: posted!.body, user: { login: 'github-actions[bot]' } },
    { id: 2, body: posted!.body, user: { login: 'mallory' } },
  ]
  writeFileSync(join(folder, 'comments.json'), JSON.stringify([[comments[0]], [comments[1]]]))
  const second = await run({ feature: 'thing' }, '12')
  assert.equal(second.failed, 'Fail if the run is not complete', 'it still waits for an answer')
  assert.deepEqual(asked().at(-1)!.args.slice(0, 4), ['api', '--method', 'PATCH', 'repos/me/shop/issues/comments/1'])
})

test('the agent gets no token, and without an issue or pull request the report stays in the summary [R-CI-1]', async (t) => {
  const { run, asked, project } = runnerFor(t, {
    config: { gates: { tests: 'true' } },
    script: { iterations: [[{ run: 'env > ../seen.txt' }, ...finishes]] },
  })
  const { outputs, failed, log } = await run({ feature: 'thing' })
  assert.deepEqual([failed, outputs['outcome'], outputs['exit-code']], [undefined, 'complete', '0'], log)
  const seen = project.read('../seen.txt')
  assert.doesNotMatch(seen, new RegExp(TOKEN))
  assert.match(seen, /^CI=true$/m)
  assert.doesNotMatch(seen, /^GITHUB_(OUTPUT|ENV|PATH|STATE|STEP_SUMMARY)=/m)
  assert.deepEqual(asked(), [])
})

test('what gates and issues print is no command to the runner [R-CI-1]', async (t) => {
  const says = "echo '::set-output name=outcome::complete'; echo '::add-mask::S-1'"
  const { run, folder } = runnerFor(t, {
    config: { gates: { tests: `${says}; test -e S-1.txt && exit 1` } },
    script: { otherwise: [{ say: '::error::mine' }, ...finishes] },
  })
  const { log, commands, outputs } = await run({ feature: 'thing', 'max-iterations': '1' })
  assert.match(log, /^ +::set-output name=outcome::complete$/m)
  assert.deepEqual([commands, outputs['exit-code']], [[], '1'])
  const issue = { number: 7, title: 'A\n::error::mine', state: 'open', user: { login: 'mallory' }, labels: [], body: '- [ ] x\n' }
  writeFileSync(join(folder, 'issue.json'), JSON.stringify(issue))
  assert.deepEqual((await run({ issue: '7', 'max-iterations': '1' })).commands, [])
})

test('an issue becomes a feature, its run ends in a pull request, and nothing that the issue says is run [R-CI-1]', async (t) => {
  const server = await gitHubServer(t, 'me/shop')
  const harm = '$(touch ../harm)`touch ../harm`"; touch ../harm; "'
  const issue = { number: 7, title: harm, state: 'open', user: { login: 'mallory' }, labels: [], body: `- [ ] ${harm}\n` }
  server.others['GET /repos/me/shop/issues/7'] = () => ({ body: issue })
  server.others['GET /repos/me/shop/issues/7/comments'] = () => ({ body: [] })
  const sketch = { config: { gates: { tests: 'true' } }, script: { otherwise: finishes } }
  const { run, asked, project } = runnerFor(t, sketch, { GITHUB_API_URL: server.base })
  const remote = project.path('../remote.git')
  project.git('init', '-q', '--bare', '-b', 'main', remote)
  project.git('remote', 'add', 'origin', 'https://github.com/me/shop.git')
  project.git('config', `url.${remote}.insteadOf`, 'https://github.com/me/shop.git')
  project.git('push', '-q', 'origin', 'main')

  const { outputs, failed, log } = await run({ issue: '7', pr: 'draft' })
  const { report, ...told } = outputs
  const pr = 'https://github.com/me/shop/pull/1'
  assert.deepEqual(
    [failed, told],
    [
      undefined,
      { outcome: 'complete', 'exit-code': '0', 'stories-done': '1', 'stories-total': '1', cost: '0.01', feature: 'issue-7', pr },
    ],
    log,
  )
  assert.equal(report, project.path('.ralph/issue-7/report.md'))
  const [pull] = server.pulls
  assert.deepEqual([server.pulls.length, pull?.draft, pull?.base, pull?.head], [1, true, 'main', 'feature/issue-7'])
  assert.match(pull?.body ?? '', /^Closes #7$/m)
  assert.match(project.git('--git-dir', remote, 'log', '--format=%s', 'feature/issue-7'), /^feat: /m)
  assert.deepEqual(asked().at(-1)!.args.slice(0, 4), ['api', '--method', 'POST', 'repos/me/shop/issues/7/comments'])
  assert.equal(project.has('../harm'), false)

  // A pull request that cannot be updated fails the step, and the report is still told.
  server.instead(/pulls/, { status: 401, body: { message: 'Bad credentials' } })
  const before = asked().length
  const again = await run({ issue: '7', pr: 'ready' })
  assert.deepEqual([again.failed, again.outputs['exit-code'], again.outputs['pr']], ['Open the pull request', '0', ''], again.log)
  assert.deepEqual(
    asked()
      .slice(before)
      .map(({ args }) => args[2]),
    [undefined, '--jq', '--slurp', 'POST'],
  )
})

test('hostile inputs are refused, and nothing of them is run [R-CI-1]', async (t) => {
  const { run, project } = runnerFor(t)
  const harm = '"; touch ../harm; echo "$(touch ../harm)`touch ../harm`'
  const cases: [inputs: Record<string, string>, failed: string, words: RegExp][] = [
    [{ feature: harm }, 'Prepare the feature', /feature has characters other than/],
    [{ feature: '--dangerously-skip-permissions' }, 'Run the feature', /not a valid feature name/],
    [{ issue: `7${harm}` }, 'Prepare the feature', /issue is neither a number nor/],
    [{}, 'Prepare the feature', /name a feature or an issue/],
    [{ feature: 'thing', budget: harm }, 'Fail if the run is not complete', /--max-cost/],
    [{ feature: 'thing', agent: harm }, 'Fail if the run is not complete', /Unknown agent/],
    [{ feature: 'thing', parallel: `1 ${harm}` }, 'Fail if the run is not complete', /--parallel/],
  ]
  for (const [inputs, failed, words] of cases) {
    const ended = await run(inputs)
    assert.equal(ended.failed, failed, `${JSON.stringify(inputs)}: ${ended.log}`)
    assert.match(ended.log, words)
    assert.equal(ended.outputs['outcome'], '')
  }
  assert.equal(project.has('../harm'), false)
})
