import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { tempFolder } from '../../../test/support/folder.ts'
import { runDoctor } from './doctor.ts'

type Place = {
  files?: Record<string, string>
  /** Shell scripts that come first on the PATH. */
  programs?: Record<string, string>
  /** Nothing else is on the PATH. */
  isBare?: boolean
  isGit?: boolean
  isMerging?: boolean
  env?: Record<string, string>
  args?: { feature?: string; gates?: boolean }
}

async function doctor({
  files = {},
  programs = { claude },
  isBare = false,
  isGit = true,
  isMerging = false,
  env = {},
  args = {},
}: Place) {
  const folder = tempFolder()
  const [root, bin] = [join(folder, 'project'), join(folder, 'bin')]
  mkdirSync(root)
  mkdirSync(bin)
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
  }
  for (const [path, text] of Object.entries(files))
    write(join(path.startsWith('~/') ? join(folder, 'home') : root, path.replace('~/', '')), text)
  for (const [name, body] of Object.entries(programs)) {
    writeFileSync(join(bin, name), `#!/bin/sh\n${body}\n`)
    chmodSync(join(bin, name), 0o755)
  }
  const plainEnv = { HOME: join(folder, 'home'), PATH: process.env['PATH'], GIT_CONFIG_NOSYSTEM: '1' }
  const git = (...words: string[]): void => void execFileSync('git', words, { cwd: root, env: plainEnv })
  if (isGit) {
    git('init', '-q', '-b', 'main')
    git('add', '-A')
    git('-c', 'user.name=me', '-c', 'user.email=me@example.org', 'commit', '-q', '--allow-empty', '-m', 'start')
    if (isMerging) git('update-ref', 'MERGE_HEAD', 'HEAD')
  }
  let out = ''
  const io = {
    cwd: root,
    env: { HOME: join(folder, 'home'), PATH: isBare ? bin : `${bin}:${process.env['PATH']}`, ...env },
    out: (text: string) => void (out += text),
    raw: () => assert.fail('for people alone'),
    err: () => assert.fail('nothing to say there'),
    isTerminal: false,
    isAttended: false,
  }
  const exit = await runDoctor(args, io)
  return { exit, out: out.replaceAll(folder, 'DIR'), root }
}

const claude = '[ "$1" = auth ] && exit 2; echo "2.1.325 (Claude Code)"'
const plan = JSON.stringify({
  branchName: 'feature/login',
  userStories: [{ id: 'A', title: 'Log in', acceptanceCriteria: ['x'], passes: false, priority: 1 }],
})
const login = { '.ralph/login/prd.json': plan }
const withGate = (command: string): Record<string, string> => ({
  ...login,
  '.ralph/config.yaml': `gates: { tests: ${JSON.stringify(command)} }\n`,
})

test('when all is well it says so, with the next command', async () => {
  const { exit, out } = await doctor({
    files: { ...withGate("test -s a.js && echo '=== 3 passed in 0.1s ==='"), 'a.js': 'a()\n' },
  })
  const steady = out
    .replace(/git version .*/, 'git version 2')
    .replace(/: passed in \d+\.\ds/, ': passed in 0.1s')
    .replace(/\d+ GB/, '9 GB')
  assert.equal(
    steady,
    `✓ Node            ${process.versions.node}
✓ git             git version 2
✓ settings        DIR/project/.ralph/config.yaml
✓ project         DIR/project (login)
✓ agent           claude: DIR/bin/claude (2.1.325)
✓ plan            .ralph/login/prd.json: 1 story, 1 open
✓ branch          main; a run creates feature/login
✓ gate tests      test -s a.js && echo '=== 3 passed in 0.1s ===': passed in 0.1s, 3 tests passed
✓ gates           fail with every source file emptied, as they should
✓ lock            free
✓ project files   DIR/project/.ralph
✓ user files      DIR/home/.ralph
✓ disk space      9 GB free

Ready to run. Next: ralph run
`,
  )
  assert.equal(exit, 0)
})

test('an agent outside the tested versions is told, and a run could start', async () => {
  const said = async (version: string) => {
    const { exit, out } = await doctor({ files: login, programs: { claude: `echo "${version} (Claude Code)"` } })
    return [exit, /^(.) agent .*\n(?: +→ (.*)\n)?/m.exec(out)?.slice(1)]
  }
  assert.deepEqual(await said('2.1.200'), [0, ['✓', undefined]])
  assert.deepEqual(await said('2.9.0'), [
    0,
    ['!', 'claude 2.9.0 is newer than 2.1.325, the newest tested version: if its output cannot be read, install 2.1.325'],
  ])
  assert.deepEqual(await said('1.0.0'), [0, ['!', 'claude 1.0.0 is older than 2.1.197, the oldest tested version: update it']])
})

test('without a gate it names the worst hole, and the line that closes it', async () => {
  const { exit, out } = await doctor({ files: { ...login, 'package.json': '{"scripts": {"test": "node --test"}}' } })
  assert.equal(exit, 0)
  assert.match(
    out,
    /^! gates +none: whatever an agent does counts as done\n +→ set one in \.ralph\/config\.yaml: gates: \{ tests: npm test \}$/m,
  )
})

test('a gate that cannot run is a problem with its lines; a red one is told, and a run could start', async () => {
  const broken = await doctor({ files: withGate('no-such-linter .') })
  assert.equal(broken.exit, 69)
  assert.match(
    broken.out,
    /^✗ gate tests +no-such-linter \.: failed in .*exit 127\)\n +.*no-such-linter: not found\n +→ install what is missing, or correct the command/m,
  )
  assert.match(broken.out, /\n1 problem found\. Next: fix what is marked ✗, then: ralph doctor\n$/)
  const red = await doctor({ files: withGate('echo "Error: adds wrongly"; exit 1') })
  assert.equal(red.exit, 0)
  assert.match(
    red.out,
    /^! gate tests +echo .*exit 1\)\n +Error: adds wrongly\n +→ it is red before any agent has worked: fix it first$/m,
  )
  const skipped = await doctor({ files: withGate('no-such-linter .'), args: { gates: false } })
  assert.deepEqual(
    [skipped.exit, /^! gates +no-such-linter \.\n +not run: --no-gates$/m.test(skipped.out)],
    [0, true],
    skipped.out,
  )
})

test('missing programs and a missing feature are named with what to do, and it exits with 69', async () => {
  const { exit, out } = await doctor({ programs: {}, isBare: true, isGit: false })
  assert.equal(exit, 69)
  assert.match(out, /^✗ git +not found\n +→ install git, or put it on PATH$/m)
  assert.match(out, /^✗ agent +claude: no program "claude" on PATH\n +→ /m)
  assert.match(out, /^✗ project +No feature in DIR\/project yet\. Create one with: ralph init <feature>$/m)
  assert.match(out, /\n3 problems found\. Next: fix what is marked ✗, then: ralph doctor\n$/)
  const fresh = await doctor({})
  assert.match(fresh.out, /\n1 problem found\. Next: ralph init <feature>\n$/)
})

test('bad settings are told with their place', async () => {
  const { exit, out } = await doctor({ files: { ...login, '.ralph/config.yaml': 'max_iteratons: 5\ncolour: red\n' } })
  assert.equal(exit, 69)
  assert.match(
    out,
    /^✗ settings +DIR\/project\/\.ralph\/config\.yaml:1:1: unknown setting "max_iteratons"; did you mean "defaults\.max_iterations"\?\n +DIR\S+:2:1: /m,
  )
  assert.doesNotMatch(out, /agent/)
})

test('an unknown agent and an unknown template are told', async () => {
  const config = 'agent: claud\nprompt: { template: tdx }\n'
  const { exit, out } = await doctor({ files: { ...login, '.ralph/config.yaml': config } })
  assert.equal(exit, 69)
  assert.match(out, /^✗ agent +.*"claud"/m)
  assert.match(out, /^✗ template +No prompt template "tdx"\. Did you mean tdd\?/m)
})

test('an agent that nobody is logged in to is a problem; an older version is not asked', async () => {
  const told = (version: string, answer: string) =>
    doctor({ files: login, programs: { claude: `[ "$1" = auth ] && { ${answer}; }; echo "${version} (Claude Code)"` } })
  const no = await told('2.1.325', `echo '{ "loggedIn": false }'; exit 1`)
  assert.equal(no.exit, 69)
  assert.match(no.out, /^✗ login +claude is not logged in\n +→ claude auth login, or set ANTHROPIC_API_KEY$/m)
  assert.match((await told('2.2.0', 'exit 0')).out, /^✓ login +claude is logged in$/m)
  assert.doesNotMatch((await told('2.1.0', 'exit 1')).out, /login +claude/)
})

test('what a run would refuse is a problem: a broken plan, an unknown budget, an open breaker, a merge', async () => {
  const badPlan = await doctor({ files: { '.ralph/login/prd.json': '{ "userStories": [{ "id": 5 }] }' } })
  assert.equal(badPlan.exit, 69)
  assert.match(badPlan.out, /^✗ plan +\.ralph\/login\/prd\.json:1:\d+: /m)
  const other = await doctor({ files: { '.ralph/login/prd.json': plan.replace('{', '{"feature":"shop",') } })
  assert.match(other.out, /^! plan +\.ralph\/login\/prd\.json says feature "shop", but its folder is login$/m)
  const files = { ...login, '.ralph/config.yaml': 'agent: codex\nbudget: { cost_usd: 3 }\n' }
  const budget = await doctor({ files, programs: { codex: 'echo 0.1.0' } })
  assert.match(budget.out, /^✗ budget +A cost budget is set, but the agent "codex" does not report its cost\./m)
  const blocked = await doctor({ files: { ...login, '.ralph/login/blocked.txt': 'needs a key\n' } })
  assert.match(blocked.out, /^✗ blocked +Blocked: needs a key\n(?:.*\n)*\n1 problem found\. Next: ralph unblock "<note>"\n$/m)
  const merge = await doctor({ files: login, isMerging: true })
  assert.match(merge.out, /^✗ repository +a merge is open in DIR\/project\n +→ finish or abort it: git merge --abort$/m)
})

test('a held-out check must exist, be outside the project and hidden from agents; where it is stays untold', async () => {
  const at = (path: string) => ({
    ...withGate('true'),
    '~/.ralph/config.yaml': `proof: { held_out: '${path}', mutants: 4 }\n`,
    '~/held/check.sh': 'true\n',
  })
  const open = await doctor({ files: at('sh ~/held/check.sh') })
  assert.equal(open.exit, 0, open.out)
  assert.match(
    open.out,
    /^! held-out check +runs .*; it is outside the project, but no sandbox hides it: an agent that finds it can read it\n +→ set sandbox\.kind: bwrap/m,
  )
  assert.doesNotMatch(open.out, /check\.sh/)
  assert.match(open.out, /^✓ mutants +at most 4 per story, within \d+ min$/m)
  const gone = await doctor({ files: at('~/nowhere/check.sh') })
  assert.equal(gone.exit, 69)
  assert.match(gone.out, /^✗ held-out check +proof\.held_out names a path, but ~\/nowhere\/check\.sh does not exist\./m)
  const inside = await doctor({ files: at('~/held/check.sh'), env: { RALPH_RUN: 'r:1' } })
  assert.doesNotMatch(inside.out, /held/)
})

test('warnings alone do not make it fail', async () => {
  const held = {
    pid: 999_999_999,
    start: null,
    host: hostname(),
    feature: 'login',
    run: 'r',
    purpose: 'run',
    at: '2026-01-01T00:00:00.000Z',
  }
  const files = { '.ralph/login/prompt.md': 'Do it.\n', '.ralph/lock': JSON.stringify(held) }
  const { exit, out } = await doctor({ files, programs: { claude: 'exit 3' }, isGit: false })
  assert.equal(exit, 0, out)
  assert.match(out, /^! git +git version \S+; not a repository\n +→ "git init" gives branches and rollback$/m)
  assert.match(out, /^! agent +claude: DIR\/bin\/claude \(version unknown\)$/m)
  assert.match(out, /^! lock +left by pid 999999999, which is dead\n +→ the next run takes it over$/m)
  assert.match(out, /^! plan +no plan file in \.ralph\/login: the agent works from \.ralph\/login\/prompt\.md alone/m)
})
