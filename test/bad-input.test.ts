/** Whatever is wrong with the input: the right exit code, one message that says what and where, no stack trace, and nothing changed. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { type Ended, prd, projectFor, ralphProgram } from './support/project.ts'

type Case = { args: string[]; exit: number; says: RegExp }

function assertRefused(ended: Ended, exit: number, says: RegExp, what: string): void {
  assert.equal(ended.code, exit, `${what}: ${ended.out}${ended.err}`)
  assert.match(ended.err, says, what)
  assert.doesNotMatch(ended.err + ended.out, /\n\s+at .*[:(]\d+|bug in Ralph/, what)
}

const badName = /is not a valid feature name: use letters, digits/
const words: Case[] = [
  { args: ['run', '-f', '../x'], exit: 64, says: badName },
  { args: ['run', '-f', '.'], exit: 64, says: badName },
  { args: ['run', '-f', ''], exit: 64, says: badName },
  { args: ['run', '-f', 'archive'], exit: 64, says: badName },
  { args: ['status', '-f', 'a/b'], exit: 64, says: badName },
  { args: ['init', '../x'], exit: 64, says: badName },
  { args: ['run', '-f', 'thong'], exit: 64, says: /No feature "thong"\. Did you mean thing\?/ },
  { args: ['run', '--nonsense'], exit: 64, says: /unknown option '--nonsense'/ },
  { args: ['run', '--max-iteratons', '3'], exit: 64, says: /Did you mean --max-iterations\?/ },
  { args: ['run', 'extra'], exit: 64, says: /takes no arguments \(got "extra"\)\. Did you mean: ralph run --story extra/ },
  { args: ['nonsense'], exit: 64, says: /unknown command 'nonsense'/ },
  { args: ['run', '-n', '0'], exit: 64, says: /--max-iterations is "0"; expected a whole number, 1 or more/ },
  { args: ['run', '-n', 'x'], exit: 64, says: /--max-iterations is "x"; expected a whole number/ },
  { args: ['run', '-t', 'never'], exit: 64, says: /--timeout is "never"; expected a duration/ },
  { args: ['run', '--pick', 'chance'], exit: 64, says: /--pick is "chance"; expected .*ralph.*agent/ },
  { args: ['run', '-p', 'nothing.md'], exit: 64, says: /Prompt file not found: .*nothing\.md/ },
  { args: ['run', '--story', 'S-9'], exit: 64, says: /No story "S-9"\. The plan has: S-1/ },
  { args: ['run', '--story', 'S-2'], exit: 65, says: /S-2 depends on S-1, which is still open/ },
  { args: ['say', ' '], exit: 64, says: /Missing text/ },
  { args: ['answer', 'yes'], exit: 64, says: /has no open question/ },
  { args: ['unblock'], exit: 64, says: /is not blocked/ },
  { args: ['breaker', 'open'], exit: 64, says: /Unknown action "open"/ },
]

test('wrong words on the command line are refused with 64, or 65 where the plan says no [R-FILE-1, R-CMD-1, R-PLAN-5]', async (t) => {
  const project = projectFor(t, { stories: [{ id: 'S-1' }, { id: 'S-2', dependsOn: ['S-1'] }] })
  for (const { args, exit, says } of words) assertRefused(await project.run(...args), exit, says, args.join(' '))
  assert.equal(project.has('.ralph/thing/events.jsonl'), false)
  assert.equal(project.git('status', '--porcelain'), '')
})

const plans: [text: string, says: RegExp][] = [
  ['{"userStories": [', /\.ralph\/thing\/prd\.json:\d+:\d+: /],
  [prd('thing', '', []), /no stories yet/],
  [prd('thing', '', [{ id: 'S-1' }, { id: 'S-1' }]), /prd\.json:\d+:\d+: .*S-1/],
  [prd('thing', '', [{ id: 'S-1', dependsOn: ['S-7'] }]), /prd\.json:\d+:\d+: .*S-7/],
  [
    prd('thing', '', [
      { id: 'S-1', dependsOn: ['S-2'] },
      { id: 'S-2', dependsOn: ['S-1'] },
    ]),
    /prd\.json:\d+:\d+: .*(circ|each other|itself)/i,
  ],
  [prd('thing', '', [{ id: 'S-1' }]).replace('"passes": false', '"passes": "no"'), /prd\.json:\d+:\d+: .*passes.*true or false/],
]

test('a bad plan stops before anything runs: 65 with its place [R-PLAN-3]', async (t) => {
  const project = projectFor(t)
  for (const [text, says] of plans) {
    project.write('.ralph/thing/prd.json', text)
    assertRefused(await project.run('run'), 65, says, text)
  }
  assert.equal(project.has('.ralph/thing/events.jsonl'), false)
})

const settings: [text: string, says: RegExp][] = [
  [
    'defaults: {max_iteratons: 3}',
    /config\.yaml:2:12: unknown setting "defaults\.max_iteratons"; did you mean "defaults\.max_iterations"\?/,
  ],
  ['max_iteratons: 3', /config\.yaml:2:1: .*did you mean "defaults\.max_iterations"\?/],
  ['defaults: {max_iterations: many}', /config\.yaml:2:28: "defaults\.max_iterations" is "many"; expected a whole number/],
  ['process: {grace_seconds: -1}', /config\.yaml:2:26: "process\.grace_seconds" is -1; expected a number, 0 or more/],
  ['agent: nobody', /Unknown agent "nobody": use one of claude/],
  ['agent: [', /config\.yaml:\d+:\d+: not valid YAML/],
]

test('a wrong key or value in the settings: 78 with file, line and the nearest name', async (t) => {
  const project = projectFor(t)
  for (const [text, says] of settings) {
    project.write('.ralph/config.yaml', `# settings\n${text}\n`)
    assertRefused(await project.run('run'), 78, says, text)
  }
  project.write('.ralph/config.yaml', '')
  Object.assign(project.env, { RALPH_MAX_ITERATIONS: 'many' })
  assertRefused(await project.run('run'), 78, /RALPH_MAX_ITERATIONS is "many"/, 'the variable')
  assert.equal(project.has('.ralph/thing/events.jsonl'), false)
})

test('a missing program is named before the first iteration: 69 [X03]', async (t) => {
  const agentless = projectFor(t, { config: { agent: { name: 'mine', command: ['no-such-agent'] } } })
  assertRefused(await agentless.run('run'), 69, /The agent "mine" needs the program no-such-agent/, 'agent')
  assert.equal(agentless.has('.ralph/thing/events.jsonl'), false)

  const project = projectFor(t)
  const bin = join(project.root, '..', 'bin')
  mkdirSync(bin)
  symlinkSync(process.execPath, join(bin, 'node'))
  Object.assign(project.env, { PATH: bin })
  assertRefused(await project.run('run'), 69, /git could not be started.*Install git, or add it to PATH/, 'git')
})

test('a repository without a commit: 65; a folder that is no repository: it runs, and says so [R-CMD-2]', async (t) => {
  const unborn = projectFor(t, { isGit: false })
  unborn.git('init', '-q')
  assertRefused(await unborn.run('run'), 65, /has no commit yet\. Create the first one/, 'unborn')

  const steps = [{ write: { path: 'S-1.txt', text: 'x' } }, { flip: 'S-1' }, { say: 'There.' }]
  const plain = projectFor(t, { isGit: false, branch: 'feature/thing', script: { otherwise: steps } })
  const { code, out } = await plain.run('run', '--no-archive')
  assert.equal(code, 0, out)
  assert.match(out, /not a git repository: running without branches, commits and rollback/)
  assert.match(out, /^Next: +ralph report {2}# review the changes$/m)
})

test('a folder that cannot be written: 65 and what to do, for run, say and init', async (t) => {
  const project = projectFor(t)
  chmodSync(dirname(project.root), 0o755)
  chmodSync(project.home, 0o777)
  const asNobody = (...args: string[]): Ended => {
    const drop = ['--reuid=65534', '--regid=65534', '--clear-groups', process.execPath, ralphProgram]
    const isRoot = process.getuid?.() === 0
    if (!isRoot) spawnSync('chmod', ['-R', 'a-w', project.root])
    const env = { ...project.env, GIT_CONFIG_COUNT: '1', GIT_CONFIG_KEY_0: 'safe.directory', GIT_CONFIG_VALUE_0: '*' }
    const [command, ...before] = isRoot ? ['setpriv', ...drop] : [process.execPath, ralphProgram]
    const done = spawnSync(command!, [...before, ...args], { cwd: project.root, env, encoding: 'utf8' })
    return { code: done.status, signal: done.signal, out: done.stdout, err: done.stderr }
  }
  t.after(() => spawnSync('chmod', ['-R', 'u+w', project.root]))
  for (const args of [['run'], ['say', 'hello'], ['init', 'another']])
    assertRefused(asNobody(...args), 65, /ralph: cannot .*permission denied/i, args.join(' '))
  assert.equal(asNobody('status').code, 0)
})
