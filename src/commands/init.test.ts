import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { tempFolder } from '../../test/support/folder.ts'
import { shippedPath } from '../adapters/project/templates.ts'
import { loadSettings } from '../config/sources.ts'
import { table } from '../config/table.ts'
import { Failure } from '../core/failure.ts'
import { runInit } from './init.ts'

function project(files: Record<string, string> = {}) {
  const folder = tempFolder()
  const [root, home] = [join(folder, 'project'), join(folder, 'home')]
  mkdirSync(root)
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  const said = { out: '', err: '' }
  const io = {
    cwd: root,
    env: { HOME: home, PATH: process.env['PATH'] },
    out: (text: string) => void (said.out += text),
    raw: (text: string) => void (said.out += text),
    err: (text: string) => void (said.err += text),
    isTerminal: false,
    isAttended: false,
  }
  const read = (path: string): string => readFileSync(join(root, path), 'utf8')
  const filesNow = (): string[] =>
    readdirSync(root, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
      .filter((path) => !path.startsWith('.git/'))
      .sort()
  const settings = async () => (await loadSettings({ root, home: join(home, '.ralph'), env: {}, flags: {} })).settings
  return { root, home, io, said, read, filesNow, settings }
}

test('in an empty folder it makes everything a feature needs, and says what is next', async () => {
  const { io, said, read, filesNow, home } = project()
  assert.equal(await runInit({ feature: 'login' }, io), 0)
  assert.deepEqual(filesNow(), [
    '.ralph/.gitignore',
    '.ralph/config.yaml',
    '.ralph/login/prd.example.json',
    '.ralph/login/prd.json',
    '.ralph/login/progress.txt',
    '.ralph/login/prompt.md',
    '.ralph/login/specs/.gitkeep',
    '.ralph/prd.schema.json',
  ])
  const { createdAt, ...plan } = JSON.parse(read('.ralph/login/prd.json'))
  assert.deepEqual(plan, {
    $schema: '../prd.schema.json',
    feature: 'login',
    branchName: 'feature/login',
    description: '',
    userStories: [],
  })
  assert.match(createdAt, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/)
  assert.equal(read('.ralph/login/progress.txt'), `# Progress Log: login\n# Started: ${createdAt}\n`)
  assert.equal(JSON.parse(read('.ralph/login/prd.example.json')).$schema, '../prd.schema.json')
  assert.equal(read('.ralph/login/prompt.md'), readFileSync(shippedPath('templates/prompt-tdd.md'), 'utf8'))
  assert.match(readFileSync(join(home, '.ralph', 'config.yaml'), 'utf8'), /^# Your settings/)
  assert.equal(
    said.out,
    `Created feature login:
  .ralph/config.yaml
  .ralph/.gitignore
  .ralph/prd.schema.json
  .ralph/login/prd.json
  .ralph/login/prd.example.json
  .ralph/login/prompt.md
  .ralph/login/progress.txt
  .ralph/login/specs/.gitkeep
  ${join(home, '.ralph', 'config.yaml')}   (your settings for all projects)

Tests: no test command found. Set gates.tests in .ralph/config.yaml:
       without it stories pass on the agent's word alone.
Git: not a repository. "git init" gives a branch for each feature, and a way back from what fails.

Next:
  1. ralph plan "<idea>" -f login    or write the stories into .ralph/login/prd.json (see prd.example.json)
  2. ralph run -f login --dry-run    see the prompt and what would happen
  3. ralph run -f login              start
`,
  )
  assert.equal(said.err, '')
})

test("in a package it finds the test command, makes it a gate and adds it to the agent's tools", async () => {
  const { io, said, settings } = project({ 'package.json': '{"scripts":{"test":"node --test"}}' })
  await runInit({ feature: 'login' }, io)
  const { 'gates.tests': tests, 'claude.allowed_tools': tools } = await settings()
  assert.deepEqual([tests, tools], ['npm test', `${table['claude.allowed_tools'].default},Bash(npm test *)`])
  assert.match(said.out, /\nTests: "npm test" \(from package\.json\), run after each iteration\.\n/)
})

test("the agent may run the project's type check, linter and build, and init says so", async () => {
  const scripts = { test: 'vitest', lint: 'eslint .', build: 'vite build', deploy: 'x' }
  const { io, said, settings } = project({ 'package.json': JSON.stringify({ scripts }), 'tsconfig.json': '{}' })
  await runInit({ feature: 'login' }, io)
  const added = ['npm test', 'npm run lint', 'npm run build', 'npx tsc'].map((command) => `Bash(${command} *)`)
  assert.equal((await settings())['claude.allowed_tools'], [table['claude.allowed_tools'].default, ...added].join(','))
  assert.match(said.out, /\nChecks: the agent may also run npm run lint, npm run build, npx tsc\.\n/)
})

test('in a subfolder of a repository it works at the top, and git ignores what only this machine needs', async () => {
  const { io, said, root } = project({ 'src/a.ts': '' })
  const git = (...args: string[]) => spawnSync('git', args, { cwd: root, env: io.env, encoding: 'utf8' })
  git('init', '-q')
  await runInit({ feature: 'login' }, { ...io, cwd: join(root, 'src') })
  assert.match(said.out, /^ {2}\.\.\/\.ralph\/login\/prd\.json$/m)
  const local = [
    'events.jsonl',
    'status.json',
    'inbox/x',
    'logs/summary.csv',
    'blocked.txt',
    'decide.txt',
    'state.md',
    '.prd.json.tmp-1-1',
  ]
  const paths = [
    ...local.map((name) => `login/${name}`),
    'lock',
    'logs/2026-01-09-login/x',
    'archive/2026-01-09-login/events.jsonl',
    'archive/a/status.json',
  ]
  const shared = [
    'login/prd.json',
    'login/progress.txt',
    'login/report.md',
    'config.yaml',
    'archive/a/prd.json',
    'lock/prd.json',
    'locks/prd.json',
  ]
  const asked = [...paths, ...shared].map((path) => `.ralph/${path}`)
  const ignored = git('check-ignore', '--no-index', ...asked)
    .stdout.trim()
    .split('\n')
  assert.deepEqual(
    ignored,
    paths.map((path) => `.ralph/${path}`),
  )
})

test('an existing feature gets what is missing, and nothing of it changes', async () => {
  const files = {
    '.ralph/config.yaml': 'branch: { prefix: "work/" }\ngates: { tests: make check }\n',
    '.ralph/login/tasks.yaml': 'tasks: []\n',
    '.ralph/login/prompt.md': 'mine\n',
  }
  const { io, said, read, filesNow } = project(files)
  await runInit({ feature: 'login', plan: 'prd.json' }, io)
  for (const [path, text] of Object.entries(files)) assert.equal(read(path), text)
  assert.deepEqual(filesNow(), [
    '.ralph/.gitignore',
    '.ralph/config.yaml',
    '.ralph/login/progress.txt',
    '.ralph/login/prompt.md',
    '.ralph/login/specs/.gitkeep',
    '.ralph/login/tasks.yaml',
  ])
  assert.match(said.out, /^Feature login exists. Added missing files, changed nothing:\n/)
  assert.match(said.out, /\nIt already has a plan \(tasks\.yaml\); prd\.json was not created\.\n/)
  assert.match(said.out, /\nTests: "make check" \(from \.ralph\/config\.yaml\)/)
  said.out = ''
  await runInit({ feature: 'login' }, io)
  assert.match(said.out, /^Feature login exists and has all its files\. Nothing changed\.\n/)
})

test("the branch's prefix, the template and the kind of plan can be chosen", async () => {
  const { io, read, filesNow } = project({ '.ralph/config.yaml': 'branch: { prefix: "work/" }\n' })
  await runInit({ feature: 'login', template: 'default', plan: 'tasks.yaml' }, io)
  await runInit({ feature: 'pay', plan: 'fix_plan.md' }, io)
  assert.match(read('.ralph/login/tasks.yaml'), /^branchName: "work\/login"$/m)
  assert.equal(read('.ralph/login/prompt.md'), readFileSync(shippedPath('templates/prompt-default.md'), 'utf8'))
  assert.match(read('.ralph/pay/fix_plan.md'), /^# pay\n/)
  assert.deepEqual(
    filesNow().filter((path) => path.includes('schema') || path.includes('example')),
    [],
  )
})

test('wrong usage is refused before anything is written', async () => {
  const { io, filesNow, home } = project({ '.ralph/note': '' })
  const refused = (args: Parameters<typeof runInit>[0], message: string) =>
    assert.rejects(runInit(args, io), new Failure(64, message))
  await refused(
    { feature: 'a', fromIssue: 'https://example.org/1' },
    '--from-issue is "https://example.org/1"; expected the URL of an issue, such as https://github.com/owner/name/issues/7.',
  )
  await refused(
    { feature: 'a', plan: 'prd.jsn' },
    '--plan is "prd.jsn"; expected one of prd.json, tasks.yaml, fix_plan.md. Did you mean prd.json?',
  )
  await refused({ feature: 'a', template: 'ttd' }, 'No prompt template "ttd". Did you mean tdd? Templates: default, tdd')
  await refused({ feature: 'note' }, `${io.cwd}/.ralph/note is a file: choose another name for the feature.`)
  await assert.rejects(runInit({ feature: '../a' }, io), (error) => error instanceof Failure && error.exit === 64)
  assert.deepEqual(filesNow(), ['.ralph/note'])
  mkdirSync(home, { recursive: true })
  await assert.rejects(
    runInit({ feature: 'a' }, { ...io, cwd: home }),
    new Failure(64, `${home}/.ralph holds your own settings, not a project. Change to the project's folder first.`),
  )
})
