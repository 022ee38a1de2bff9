import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { tempFolder } from '../../test/support/folder.ts'
import { Failure } from '../core/failure.ts'
import { loadSettings } from './sources.ts'

type World = { user?: string; project?: string; env?: Record<string, string>; flags?: Record<string, unknown> }

function world({ user, project, env = {}, flags = {} }: World) {
  const folder = tempFolder()
  const [home, root] = [join(folder, 'home'), join(folder, 'project')]
  const projectFile = join(root, '.ralph', 'config.yaml')
  const userFile = join(home, 'config.yaml')
  for (const [path, text] of [
    [userFile, user],
    [projectFile, project],
  ] as const) {
    mkdirSync(dirname(path), { recursive: true })
    if (text !== undefined) writeFileSync(path, text)
  }
  return { load: () => loadSettings({ root, home, env, flags }), projectFile, userFile }
}

/** The exit code and the message, with `FILE` for the project's file. */
async function refusal(given: World): Promise<[number, string]> {
  const { load, projectFile, userFile } = world(given)
  const error = await load().then(
    () => assert.fail('nothing was refused'),
    (reason) => reason,
  )
  assert.ok(error instanceof Failure, String(error))
  return [error.exit, error.message.replaceAll(projectFile, 'FILE').replaceAll(userFile, 'USER')]
}

const contract = `
agent: claude
agents: []
model: ""
models: []
roles: { reviewer: { agent: "", model: "" }, learner: { agent: "", model: "" } }
defaults: { max_iterations: 20, max_attempts: 5, best_of: 1, max_retries: 5, timeout_minutes: 15, timeout_multiplier: 1, rate_limit_per_hour: 100,
            on_limit: auto, pick: ralph, session: fresh, decide: stop }
budget: { cost_usd: null, tokens: null, duration_minutes: null, day_usd: null, month_usd: null, ask_above_usd: null }
prices: {}
circuit_breaker: { no_progress_threshold: 3, same_error_threshold: 5, output_decline_percent: 70, permission_denied_threshold: 2, cooldown_minutes: 0 }
watch: { repeat_threshold: 5, idle_minutes: 0, context_percent: 90 }
completion: { promise: "<promise>COMPLETE</promise>", consecutive_done_signals: 2, consecutive_test_loops: 3, keywords: {}, marker_file: "" }
gates: { tests: "", baseline: strict, tamper: warn, protected: [], in_session: false, story_minutes: [45, 60], tests_minutes: [5, 10], review_minutes: [3, 5], quality_minutes: [2, 3] }
quality_checks: {}
proof: { suspicion: reserve, minimum: gated, cross_examine: auto, held_out: "", held_out_on: complete, mutants: 0 }
quality: { commands: {}, review: false }
review: { enabled: true, final: [] }
learn: { enabled: true, aggregate_every: 5, skill_threshold: 3, prompt_tokens: 1500 }
prompt: { template: tdd, progress_lines: 50 }
branch: { prefix: "feature/", auto_create: true }
workspace: checkout
git: { auto_commit: true, commit_state: true, dirty: leave, push: never, pr: off, pr_rounds: 3, pr_poll_seconds: 60, forge: auto }
tracker: { sync: false }
claude: { dangerously_skip_permissions: false, allowed_tools: "Read,Write,Edit,Glob,Grep,Bash(git add *),Bash(git blame *),Bash(git checkout *),Bash(git commit *),Bash(git diff *),Bash(git log *),Bash(git ls-files *),Bash(git merge *),Bash(git mv *),Bash(git restore *),Bash(git rm *),Bash(git show *),Bash(git status *)" }
process: { grace_seconds: 3, keep: [], hook_seconds: 60 }
sandbox: { kind: none, name: "", network: "on", home: [], env: [] }
parallel: { workers: 1 }
worktree: { setup: "", copy: [], port_base: 0, disk_mb: 0 }
logs: { keep: 200 }
notify: { desktop: false, bell: false, command: "", webhook: { url: "", secret_env: "" }, slack: { url_env: "", app_token_env: "", bot_token_env: "", channel: "", users: [], server: https://slack.com/api }, discord: { url_env: "" }, telegram: { token_env: "", chat: "", users: [], server: https://api.telegram.org }, ntfy: { url: "", token_env: "", answers: "", answer_token_env: "" }, email: { to: "", from: "", host: "", port: 587, user: "", password_env: "" }, on: [stop, blocked, decide, breaker, limit] }
hooks: {}
telemetry: { otlp: "" }
plugins: []
`

test('the keys and defaults are those of the contract', async () => {
  const written = await world({ project: contract }).load()
  const usual = await world({}).load()
  assert.deepEqual(written.settings, usual.settings)
  assert.deepEqual(new Set(Object.values(written.sources)), new Set(['project']))
  assert.deepEqual(new Set(Object.values(usual.sources)), new Set(['default']))
})

test("the first of a list of agents is the run's, unless one was chosen at least as near to the command line", async () => {
  const chosen = async (given: World): Promise<unknown> => (await world(given).load()).settings['agent']
  assert.equal(await chosen({ project: 'agents: [codex:gpt-5.5, claude]' }), 'codex')
  assert.equal(await chosen({ project: 'agent: gemini\nagents: [codex]' }), 'gemini')
  assert.equal(await chosen({ user: 'agent: gemini', project: 'agents: [codex]' }), 'codex')
  assert.equal(await chosen({ project: 'agents: [codex]', flags: { agent: 'claude' } }), 'claude')
  const own = { name: 'codex', command: ['/opt/codex'] }
  assert.deepEqual(await chosen({ user: `agent: ${JSON.stringify(own)}`, project: 'agents: [codex, claude]' }), own)
})

test('a flag comes before a variable, that before the project, that before the user, that before the default', async () => {
  const key = 'defaults.max_iterations'
  const layers: World = {
    user: 'defaults: { max_iterations: 1 }',
    project: 'defaults: { max_iterations: 2 }',
    env: { RALPH_MAX_ITERATIONS: '3' },
    flags: { [key]: '4' },
  }
  const seen: [number, string][] = []
  for (const left of [
    layers,
    { ...layers, flags: {} },
    { user: layers.user, project: layers.project },
    { user: layers.user },
    {},
  ]) {
    const { settings, sources } = await world(left).load()
    seen.push([settings[key], sources[key]])
  }
  assert.deepEqual(seen, [
    [4, 'flag'],
    [3, 'env'],
    [2, 'project'],
    [1, 'user'],
    [20, 'default'],
  ])
})

test('the files that were read come back as they were', async () => {
  const { load, userFile, projectFile } = world({ user: '# mine\n', project: 'model: "x"\n' })
  assert.deepEqual((await load()).files, [
    { path: userFile, text: '# mine\n' },
    { path: projectFile, text: 'model: "x"\n' },
  ])
})

test('a section without keys, a file of comments and an empty file set nothing', async () => {
  for (const project of ['', '# nothing\n', 'defaults:\ngates:\n', 'roles:\n  reviewer:\n']) {
    const { sources } = await world({ project }).load()
    assert.deepEqual(new Set(Object.values(sources)), new Set(['default']))
  }
})

test('changing a loaded value leaves the default alone', async () => {
  const { settings } = await world({}).load()
  settings['notify.on'].push('more')
  assert.deepEqual((await world({}).load()).settings['notify.on'], ['stop', 'blocked', 'decide', 'breaker', 'limit'])
})

test('an unknown key names its place and the nearest right name in the whole table', async () => {
  assert.deepEqual(await refusal({ project: '# a\nmax_iteratons: 5\n' }), [
    78,
    'FILE:2:1: unknown setting "max_iteratons"; did you mean "defaults.max_iterations"?',
  ])
  assert.deepEqual(await refusal({ user: 'gates:\n  test: npm test\n' }), [
    78,
    'USER:2:3: unknown setting "gates.test"; did you mean "gates.tests"?',
  ])
  assert.deepEqual(await refusal({ project: 'colour: red\n' }), [
    78,
    'FILE:1:1: unknown setting "colour"; "ralph config show" lists all settings',
  ])
  assert.deepEqual(await refusal({ project: 'gates.tests: x\n' }), [
    78,
    'FILE:1:1: "gates.tests" has a dot, but sections are nested; did you mean "gates: { tests: … }"?',
  ])
  assert.deepEqual(await refusal({ project: '__proto__: x\nconstructor: y\n' }), [
    78,
    'FILE:1:1: unknown setting "__proto__"; "ralph config show" lists all settings\n' +
      'FILE:2:1: unknown setting "constructor"; "ralph config show" lists all settings',
  ])
})

test('a wrong value names its place, what was found and what was expected', async () => {
  const cases: [string, string][] = [
    [
      'defaults:\n  max_iterations: 20abc\n',
      'FILE:2:19: "defaults.max_iterations" is "20abc"; expected a whole number, 1 or more',
    ],
    ['defaults:\n  max_iterations: 0\n', 'FILE:2:19: "defaults.max_iterations" is 0; expected a whole number, 1 or more'],
    ['defaults:\n  max_iterations:\n', 'FILE:2:3: "defaults.max_iterations" is empty; expected a whole number, 1 or more'],
    ['defaults:\n  pick: me\n', 'FILE:2:9: "defaults.pick" is "me"; expected one of ralph, agent'],
    ['defaults: 5\n', 'FILE:1:11: "defaults" is 5; expected keys with values'],
    ['- a\n', 'FILE:1:1: the file is ["a"]; expected keys with values'],
    ['quality_checks:\n  lint: x\n  build: 5\n', 'FILE:3:10: "quality_checks.build" is 5; expected a command'],
    ['process:\n  keep:\n    - a\n    - 7\n', 'FILE:4:7: "process.keep.1" is 7; expected a list of strings'],
    ['agent:\n  name: a\n  format: xml\n', 'FILE:3:11: "agent.format" is "xml"; expected one of text, stream-json, acp'],
  ]
  for (const [project, message] of cases) assert.deepEqual(await refusal({ project }), [78, message])
})

test('every mistake is told at once, the project before the user and the variables', async () => {
  const message = await refusal({ project: 'a: 1\nb: 2\n', user: 'c: 3\n', env: { RALPH_MAX_ITERATIONS: 'x' } })
  assert.deepEqual(
    message[1].split('\n').map((line) => line.split(' ')[0]),
    ['FILE:1:1:', 'FILE:2:1:', 'USER:1:1:', 'RALPH_MAX_ITERATIONS'],
  )
})

test('broken YAML is told with its place', async () => {
  const cases: [string, string][] = [
    ['a: 1\n b: 2\n', 'FILE:1:4: not valid YAML: Nested mappings are not allowed in compact mappings'],
    ['model: x\nmodel: y\n', 'FILE:2:1: not valid YAML: Map keys must be unique'],
    [
      'gates: { tests: x\n',
      'FILE:2:1: not valid YAML: Flow map in block collection must be sufficiently indented and end with a }',
    ],
  ]
  for (const [project, message] of cases) assert.deepEqual(await refusal({ project }), [78, message])
})

test('YAML whose aliases lead nowhere or without end, or deeper than the stack, is refused with its file', async () => {
  const advice = 'Write it out, without aliases.'
  const cases: [string, RegExp][] = [
    ['model: *nowhere\n', /^FILE:1:1: YAML that Ralph cannot read: Unresolved alias .*\. /],
    ['{<<: *a}\n', /^FILE:1:1: YAML that Ralph cannot read: /],
    [`models: &a [x]\nmodel: [${'*a, '.repeat(200)}]\n`, /^FILE:1:1: YAML that Ralph cannot read: Excessive alias count/],
    ...[1500, 2500, 20_000].map((depth): [string, RegExp] => ['- '.repeat(depth), /^FILE:1:\d+: /]),
  ]
  for (const [project, expected] of cases) {
    const [exit, message] = await refusal({ project })
    assert.equal(exit, 78)
    assert.match(message, expected)
    if (message.includes('that Ralph cannot read')) assert.ok(message.endsWith(advice))
  }
})

test('a wrong variable stops with 78 and a wrong flag with 64', async () => {
  assert.deepEqual(await refusal({ env: { RALPH_MAX_ITERATIONS: '20abc' } }), [
    78,
    'RALPH_MAX_ITERATIONS is "20abc"; expected a whole number, 1 or more',
  ])
  assert.deepEqual(await refusal({ flags: { 'defaults.max_iterations': '0' } }), [
    64,
    '--max-iterations is "0"; expected a whole number, 1 or more',
  ])
  assert.deepEqual(await refusal({ flags: { 'defaults.timeout_minutes': 'soon' } }), [
    64,
    '--timeout is "soon"; expected a duration above 0: 90s, 15m, 1h or a number of minutes',
  ])
})

test('an empty variable empties a text and leaves everything else alone', async () => {
  const { settings, sources } = await world({
    project: 'gates: { tests: npm test }',
    env: { RALPH_GATES_TESTS: '', RALPH_MAX_ITERATIONS: '' },
  }).load()
  assert.deepEqual([settings['gates.tests'], sources['gates.tests']], ['', 'env'])
  assert.deepEqual([settings['defaults.max_iterations'], sources['defaults.max_iterations']], [20, 'default'])
})

test('a variable with a slip stops with 78 and the nearest right name', async () => {
  assert.deepEqual(await refusal({ env: { RALPH_MAX_ITERATONS: '5', RALPH_MODELL: 'x', RALPH_MAX_ATTEMPTS: 'y' } }), [
    78,
    'RALPH_MAX_ATTEMPTS is "y"; expected a whole number, 1 or more\n' +
      'Unknown variable RALPH_MAX_ITERATONS; did you mean RALPH_MAX_ITERATIONS? Rename it, or unset it.\n' +
      'Unknown variable RALPH_MODELL; did you mean RALPH_MODEL? Rename it, or unset it.',
  ])
})

test("Ralph's own variables and empty ones are left alone, and one that resembles nothing is a warning", async () => {
  const own = [
    'HOME',
    'RUN',
    'ITERATION',
    'STORY',
    'ATTEMPT',
    'PLAN',
    'FEATURE_DIR',
    'REPORT',
    'LAUNCHER',
    'IN_PLACE',
    'ACP',
    'GIT_SECONDS',
    'NOTICE_TEXT',
  ]
  const env = Object.fromEntries([...own, 'WIGGUM'].map((word) => [`RALPH_${word}`, 'x']))
  const { sources, warnings } = await world({ env: { ...env, RALPHS: 'y', RALPH_MODELL: '' } }).load()
  assert.deepEqual(new Set(Object.values(sources)), new Set(['default']))
  assert.deepEqual(warnings, ['Unknown variable RALPH_WIGGUM; "ralph config show" lists all settings'])
})

test('a notice for something that does not happen is refused with the nearest right name [R-NOTE-1]', async () => {
  assert.deepEqual(await refusal({ project: 'notify:\n  on: [blocked, run.endet]\n' }), [
    78,
    'FILE:2:17: "notify.on.1" is "run.endet"; expected stop, blocked, decide, breaker, limit, or a kind of event; did you mean "run.ended"?',
  ])
  assert.deepEqual(await refusal({ env: { RALPH_NOTIFY_ON: 'stop,lunch' } }), [
    78,
    'RALPH_NOTIFY_ON is "stop,lunch"; expected stop, blocked, decide, breaker, limit, or a kind of event',
  ])
  assert.deepEqual((await world({ project: 'notify: { on: [story.failed] }' }).load()).settings['notify.on'], ['story.failed'])
})

test('an address that is none is refused without what may be a key in it [R-NOTE-1]', async () => {
  const expected = 'expected a URL that starts with http:// or https://'
  assert.deepEqual(await refusal({ project: 'notify: { webhook: { url: "ftp://me:pw@x.org/key" } }' }), [
    78,
    `FILE:1:27: "notify.webhook.url" is "***"; ${expected}`,
  ])
  assert.deepEqual(await refusal({ env: { RALPH_NOTIFY_WEBHOOK_URL: 'http://me:pw@x.org:port/key' } }), [
    78,
    `RALPH_NOTIFY_WEBHOOK_URL is "http://x.org:port/***"; ${expected}`,
  ])
})
