/** `ralph init`, through the built program: what it makes, what it never touches, and what a run says about a plan without stories. */

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { tempFolder } from './support/folder.ts'
import { filesUnder } from './support/loop.ts'
import { until } from './support/processes.ts'
import { type Ended, prd, projectFor, ralphProgram, type TestProject } from './support/project.ts'
import { openTerminal } from './support/terminal.ts'

/** A project that has never heard of Ralph. */
function bareProject(t: TestContext, files: Record<string, string> = {}): TestProject {
  const made = projectFor(t, { files })
  rmSync(made.path('.ralph'), { recursive: true })
  made.git('add', '-A')
  made.git('commit', '-q', '-m', 'nothing of ralph')
  return made
}

test('init makes the files of a feature with the test command it found, and git ignores what it should', async (t) => {
  const made = bareProject(t, { 'package.json': '{"scripts":{"test":"node --test"}}' })
  const { code, out, err } = await made.run('init', 'login')
  assert.deepEqual([code, err], [0, ''])
  assert.match(out, /^Created feature login:\n/)
  assert.match(out, /^Tests: "npm test" \(from package\.json\)/m)
  assert.match(
    out,
    /^ {2}1\. ralph plan "<idea>" -f login {4}or write the stories into \.ralph\/login\/prd\.json \(see prd\.example\.json\)$/m,
  )
  assert.deepEqual(Object.keys(filesUnder(made.path('.ralph'))), [
    '.gitignore',
    'config.yaml',
    'login/prd.example.json',
    'login/prd.json',
    'login/progress.txt',
    'login/prompt.md',
    'login/specs/.gitkeep',
    'prd.schema.json',
  ])
  const { feature, branchName, userStories, $schema } = JSON.parse(made.read('.ralph/login/prd.json'))
  assert.deepEqual([feature, branchName, userStories], ['login', 'feature/login', []])
  assert.ok(existsSync(join(made.path('.ralph/login'), $schema)))
  assert.match((await made.run('config', 'show')).out, /^ {2}tests: "npm test" +# project$/m)
  assert.ok(existsSync(join(made.home, '.ralph', 'config.yaml')), "the user's own settings are there to be edited")
})

test('what git must not see is ignored once a feature has run, and nothing else', async (t) => {
  const made = bareProject(t)
  await made.run('init', 'login')
  const own = ['login/events.jsonl', 'login/status.json', 'login/state.md', 'login/blocked.txt', 'login/decide.txt']
  const others = ['login/inbox/1.json', 'login/logs/summary.csv', 'logs/2026-01-09-x/a.log', 'archive/2026-01-09-x/events.jsonl']
  const kept = ['login/report.md', 'login/learnings/a.yaml', 'archive/2026-01-09-x/prd.json', 'templates/own.md']
  for (const path of [...own, ...others, ...kept]) made.write(`.ralph/${path}`, 'x\n')
  made.git('add', '-A')
  const added = made.git('diff', '--cached', '--name-only').split('\n')
  assert.deepEqual(
    [...own, ...others].filter((path) => added.includes(`.ralph/${path}`)),
    [],
  )
  assert.deepEqual(
    kept.filter((path) => !added.includes(`.ralph/${path}`)),
    [],
  )
})

for (const [file, text, command] of [
  ['Cargo.toml', '[package]\nname = "x"\n', 'cargo test'],
  ['go.mod', 'module x\n', 'go test ./...'],
  ['pytest.ini', '[pytest]\n', 'pytest'],
  ['Makefile', 'test:\n\ttrue\n', 'make test'],
] as const)
  test(`init finds "${command}" where there is a ${file}`, async (t) => {
    const { out } = await bareProject(t, { [file]: text }).run('init', 'login')
    assert.match(out, new RegExp(`^Tests: "${command}" \\(from ${file}\\)`, 'm'))
  })

test('on a terminal init asks whether the tests of folders become gates, and adds them', async (t) => {
  const made = bareProject(t, {
    'web/package.json': '{"scripts":{"test":"vitest"}}',
    'packages/api/pyproject.toml': '[tool.pytest.ini_options]\n',
  })
  const terminal = openTerminal(made, ['init', 'shop'], { columns: 80, rows: 40 })
  try {
    await until('the question', () => terminal.lines().some((line) => line.startsWith('? Add these 2 gates now?')))
    terminal.press('y')
    await until('the end', () => terminal.lines().includes('[exit 0]'))
  } finally {
    terminal.close()
  }
  const gates = { web: 'cd web && npm test', 'packages-api': 'cd packages/api && pytest' }
  assert.deepEqual(JSON.parse((await made.run('config', 'get', 'quality_checks', '--json')).out).value, gates)
})

test('a second init changes nothing, and one after a loss adds only what is missing', async (t) => {
  const made = bareProject(t)
  await made.run('init', 'login')
  made.write('.ralph/login/prd.json', prd('login', '', [{ id: 'S-1' }]))
  const before = filesUnder(made.path('.ralph'))
  const again = await made.run('init', 'login')
  assert.match(again.out, /^Feature login exists and has all its files\. Nothing changed\.\n/)
  assert.deepEqual(filesUnder(made.path('.ralph')), before)
  rmSync(made.path('.ralph/login/prompt.md'))
  const mended = await made.run('init', 'login')
  assert.match(mended.out, /^Feature login exists. Added missing files, changed nothing:\n {2}\.ralph\/login\/prompt\.md\n\n/)
})

test('the new plan leads a run to "no stories yet" with its place, and status says that nothing has run [R-PLAN-3]', async (t) => {
  const made = bareProject(t)
  await made.run('init', 'login')
  const run = await made.run('run')
  assert.deepEqual([run.code, run.out], [65, ''])
  assert.match(
    run.err,
    /^ralph: \.ralph\/login\/prd\.json:\d+:\d+: no stories yet: run "ralph plan", or add one to "userStories".*\n$/,
  )
  const status = await made.run('status')
  assert.deepEqual(
    [status.code, status.out],
    [0, 'Feature:     login\nState:       idle: no stories yet; plan them with: ralph plan -f login\n'],
  )
  assert.equal((await made.run('why')).out, 'login has never run. Plan it with: ralph plan -f login\n')
})

test('the example beside the plan is a plan that runs', async (t) => {
  const made = bareProject(t)
  await made.run('init', 'login')
  made.write('.ralph/login/prd.json', made.read('.ralph/login/prd.example.json'))
  const { code, out, err } = await made.run('run', '--dry-run', '--agent', 'scripted')
  assert.deepEqual([code, out], [64, ''], 'the scripted agent needs a script, which a flag cannot give')
  assert.match(err, /needs a script/)
  made.write('.ralph/config.yaml', 'agent: {name: mine, command: [cat]}\n')
  assert.equal((await made.run('run', '--dry-run')).code, 0)
})

for (const kind of ['tasks.yaml', 'fix_plan.md'])
  test(`init --plan ${kind} makes that kind of plan, without stories yet [R-PLAN-2]`, async (t) => {
    const made = bareProject(t)
    assert.equal((await made.run('init', 'login', '--plan', kind)).code, 0)
    assert.ok(made.has(`.ralph/login/${kind}`))
    const { code, err } = await made.run('run')
    assert.equal(code, 65)
    assert.match(err, new RegExp(`^ralph: \\.ralph/login/${kind.replace('.', '\\.')}:\\d+:\\d+: no stories yet`))
  })

test('names that could leave the folder, and kinds of plan that there are not, are refused [R-FILE-1]', async (t) => {
  const made = bareProject(t)
  for (const name of ['../x', '.', '', 'archive', 'templates', 'logs', 'a/b']) {
    const { code, err } = await made.run('init', name)
    assert.deepEqual([code, err.startsWith('ralph: ')], [64, true], name)
  }
  const { code, err } = await made.run('init', 'login', '--plan', 'prd.jsn')
  assert.deepEqual([code, /Did you mean prd\.json\?/.test(err)], [64, true])
  assert.equal(made.has('.ralph'), false)
})

test('init works from a folder below, and outside git', async (t) => {
  const made = bareProject(t)
  mkdirSync(made.path('src/deep'), { recursive: true })
  const below = await ralphIn(made.path('src/deep'), made.env, 'init', 'login')
  assert.deepEqual([below.code, made.has('.ralph/login/prd.json')], [0, true])
  assert.match(below.out, /^ {2}\.\.\/\.\.\/\.ralph\/login\/prd\.json$/m)
  const outside = tempFolder(t)
  writeFileSync(join(outside, 'notes.txt'), 'x\n')
  assert.equal((await ralphIn(outside, made.env, 'init', 'login')).code, 0)
  assert.equal(JSON.parse(readFileSync(join(outside, '.ralph/login/prd.json'), 'utf8')).feature, 'login')
})

function ralphIn(cwd: string, env: Record<string, string>, ...args: string[]): Promise<Ended> {
  const child = spawn(process.execPath, [ralphProgram, ...args], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
  let out = ''
  let err = ''
  child.stdout.on('data', (chunk) => (out += chunk))
  child.stderr.on('data', (chunk) => (err += chunk))
  return new Promise((resolve) => child.on('close', (code, signal) => resolve({ code, signal, out, err })))
}
