import assert from 'node:assert/strict'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { tempFolder } from '../../../test/support/folder.ts'
import { runDoctor } from './doctor.ts'

/** Programs are shell scripts on a PATH of their own. */
async function doctor(
  files: Record<string, string>,
  programs: Record<string, string>,
): Promise<{ exit: number; out: string; root: string }> {
  const folder = tempFolder()
  const [root, bin] = [join(folder, 'project'), join(folder, 'bin')]
  mkdirSync(root)
  mkdirSync(bin)
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  for (const [name, body] of Object.entries(programs)) {
    writeFileSync(join(bin, name), `#!/bin/sh\n${body}\n`)
    chmodSync(join(bin, name), 0o755)
  }
  let out = ''
  const io = {
    cwd: root,
    env: { HOME: join(folder, 'home'), PATH: bin },
    out: (text: string) => void (out += text),
    raw: () => assert.fail('for people alone'),
    err: () => assert.fail('nothing to say there'),
    isTerminal: false,
    isAttended: false,
  }
  const exit = await runDoctor({}, io)
  return { exit, out: out.replaceAll(folder, 'DIR'), root }
}

const git = 'echo git version 2.47.0'
const claude = 'echo "2.1.0 (Claude Code)"'

test('when all is well it says so', async () => {
  const files = {
    '.git/HEAD': 'ref: refs/heads/main\n',
    '.ralph/login/prompt.md': '',
    '.ralph/config.yaml': 'gates: { tests: make test }\n',
  }
  const { exit, out } = await doctor(files, { git, claude })
  assert.equal(
    out,
    `✓ Node           ${process.versions.node}
✓ git            git version 2.47.0
✓ settings       DIR/project/.ralph/config.yaml
✓ agent          claude: DIR/bin/claude (2.1.0 (Claude Code); newest tested: 2.1.325)
✓ gates          make test
                 → "ralph rehearse" tries whether it can be cheated
✓ project        DIR/project (login)
✓ lock           free
✓ project files  DIR/project/.ralph
✓ user files     DIR/home/.ralph

Ready to run.
`,
  )
  assert.equal(exit, 0)
})

test('without a gate it names the worst hole, and the line that closes it', async () => {
  const files = { '.git/HEAD': '', 'package.json': '{"scripts": {"test": "node --test"}}' }
  const { exit, out } = await doctor(files, { git, claude })
  assert.equal(exit, 0)
  assert.match(
    out,
    /^! gates +none: whatever an agent does counts as done\n +→ set one in \.ralph\/config\.yaml: gates: \{ tests: npm test \}$/m,
  )
})

test('missing programs are named with what to do, and it exits with 69', async () => {
  const { exit, out } = await doctor({}, {})
  assert.equal(exit, 69)
  assert.match(out, /^✗ git +not found\n +→ install git, or put it on PATH$/m)
  assert.match(out, /^✗ agent +claude: no program "claude" on PATH\n +→ /m)
  assert.match(out, /^! project +DIR\/project \(no features yet\)\n +→ ralph init <feature>$/m)
  assert.match(out, /\n2 problems found\.\n$/)
})

test('bad settings are told with their place', async () => {
  const { exit, out } = await doctor(
    { '.git/HEAD': '', '.ralph/config.yaml': 'max_iteratons: 5\ncolour: red\n' },
    { git, claude },
  )
  assert.equal(exit, 69)
  assert.match(
    out,
    /^✗ settings +DIR\/project\/\.ralph\/config\.yaml:1:1: unknown setting "max_iteratons"; did you mean "defaults\.max_iterations"\?\n +DIR\S+:2:1: /m,
  )
  assert.doesNotMatch(out, /agent/)
})

test('an unknown agent and an unknown template are told', async () => {
  const config = 'agent: claud\nprompt: { template: tdx }\n'
  const { exit, out } = await doctor({ '.git/HEAD': '', '.ralph/config.yaml': config }, { git, claude })
  assert.equal(exit, 69)
  assert.match(out, /^✗ agent +.*"claud"/m)
  assert.match(out, /^✗ template +No prompt template "tdx"\. Did you mean tdd\?/m)
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
  const { exit, out } = await doctor({ '.ralph/lock': JSON.stringify(held) }, { git, claude: 'exit 3' })
  assert.equal(exit, 0)
  assert.match(out, /^! git +git version 2\.47\.0; not a repository\n +→ "git init" gives branches and rollback$/m)
  assert.match(out, /^! agent +claude: DIR\/bin\/claude \(version unknown\)$/m)
  assert.match(out, /^! lock +left by pid 999999999, which is dead\n +→ the next run takes it over$/m)
})
