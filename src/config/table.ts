/** Every setting, declared once: types, checks, flags, variables, documentation and the editor's schema come from this table. */
import { noticeNames } from '../core/notice/names.ts'
import type { Plain, Setting } from './setting.ts'

type Table = typeof table
export type Key = keyof Table
export type Settings = { [K in Key]: null extends Table[K]['default'] ? Plain<Table[K]> | null : Plain<Table[K]> }

/** The variable for a key: keys of `defaults` bare, others with their section. */
export const envName = (key: Key): string =>
  `RALPH_${key
    .replace(/^defaults\./, '')
    .replaceAll('.', '_')
    .toUpperCase()}`

/** What work needs of git. Not all of it: `git -c alias.x='!command' x` runs any program. */
const gitVerbs = [
  'add',
  'blame',
  'checkout',
  'commit',
  'diff',
  'log',
  'ls-files',
  'merge',
  'mv',
  'restore',
  'rm',
  'show',
  'status',
]

export const table = {
  agent: {
    type: 'agent',
    default: 'claude',
    flag: '--agent <name>',
    doc: 'The coding agent: a known name, {name, command, format, env}, or {name: scripted, script}.',
  },
  model: { type: 'text', default: '', flag: '--model <name>', doc: "The agent's model; empty: the agent's default." },
  models: {
    type: 'list',
    default: [],
    doc: 'Stronger models, used in turn from the first strategy shift on.',
  },
  'roles.reviewer.agent': {
    type: 'text',
    default: '',
    doc: "The reviewer's agent; empty: same as the implementer.",
  },
  'roles.reviewer.model': {
    type: 'text',
    default: '',
    doc: "The reviewer's model; empty: the agent's default.",
  },
  'roles.learner.agent': {
    type: 'text',
    default: '',
    doc: "The learner's agent; empty: same as the implementer.",
  },
  'roles.learner.model': {
    type: 'text',
    default: '',
    doc: "The learner's model; empty: the agent's default.",
  },
  'defaults.max_iterations': {
    type: 'whole',
    default: 20,
    min: 1,
    flag: '-n, --max-iterations <n>',
    doc: 'Maximum iterations per run.',
  },
  'defaults.max_attempts': {
    type: 'whole',
    default: 5,
    min: 1,
    flag: '--max-attempts <n>',
    doc: 'Maximum failed attempts per story.',
  },
  'defaults.max_retries': {
    type: 'whole',
    default: 5,
    min: 0,
    flag: '--max-retries <n>',
    doc: 'Retries in a row when the provider is overloaded or unreachable.',
  },
  'defaults.timeout_minutes': {
    type: 'minutes',
    default: 15,
    above: 0,
    flag: '-t, --timeout <duration>',
    doc: 'Time limit per iteration.',
  },
  'defaults.timeout_multiplier': {
    type: 'number',
    default: 1,
    above: 0,
    flag: '--timeout-multiplier <x>',
    doc: 'Multiplies all time limits.',
  },
  'defaults.rate_limit_per_hour': {
    type: 'whole',
    default: 100,
    min: 0,
    flag: '-r, --rate-limit <n>',
    alias: '--calls <n>',
    doc: 'Maximum agent calls per sliding hour, over all your runs; 0: no limit.',
  },
  'defaults.on_limit': {
    type: 'choice',
    default: 'auto',
    values: ['auto', 'wait', 'exit', 'ask'],
    flag: '--on-limit <what>',
    doc: "At the provider's usage limit: wait for the reset, exit or ask; auto asks on a terminal and waits otherwise.",
  },
  'defaults.pick': {
    type: 'choice',
    default: 'ralph',
    values: ['ralph', 'agent'],
    flag: '--pick <who>',
    doc: 'Who picks the next story.',
  },
  'defaults.session': {
    type: 'choice',
    default: 'fresh',
    values: ['fresh', 'resume'],
    flag: '--session <kind>',
    doc: "Start each iteration with a fresh context, or resume the agent's session within a story.",
  },
  'defaults.decide': {
    type: 'choice',
    default: 'stop',
    values: ['stop', 'park'],
    flag: '--decide <how>',
    doc: 'When an agent asks a question: stop, or park the story and continue with stories that do not depend on it.',
  },
  'budget.cost_usd': {
    type: 'number',
    default: null,
    above: 0,
    flag: '--max-cost <usd>',
    doc: 'Maximum cost per run in USD; null: no limit.',
  },
  'budget.tokens': {
    type: 'whole',
    default: null,
    min: 1,
    flag: '--max-tokens <n>',
    doc: 'Maximum tokens per run; null: no limit.',
  },
  'budget.duration_minutes': {
    type: 'minutes',
    default: null,
    above: 0,
    flag: '--max-duration <duration>',
    doc: 'Maximum duration of a run; null: no limit.',
  },
  prices: {
    type: 'prices',
    default: {},
    doc: 'Prices for agents that report tokens but no cost: model to {input, output, cache_read, cache_write}, USD per million tokens.',
  },
  'circuit_breaker.no_progress_threshold': {
    type: 'whole',
    default: 3,
    min: 0,
    flag: '--max-stuck <n>',
    doc: 'Open the breaker after this many iterations in a row without progress; 0: never.',
  },
  'circuit_breaker.same_error_threshold': {
    type: 'whole',
    default: 5,
    min: 0,
    doc: 'Open the breaker after the same agent error this many times in a row; 0: never.',
  },
  'circuit_breaker.output_decline_percent': {
    type: 'whole',
    default: 70,
    min: 0,
    max: 100,
    doc: 'Open the breaker when answers shrink by this percentage twice without progress; 0: never.',
  },
  'circuit_breaker.permission_denied_threshold': {
    type: 'whole',
    default: 2,
    min: 0,
    doc: 'Open the breaker after this many iterations in a row with a denied tool and no progress; 0: never.',
  },
  'circuit_breaker.cooldown_minutes': {
    type: 'minutes',
    default: 0,
    min: 0,
    doc: 'Retry after the breaker has been open for this long; 0: never.',
  },
  'watch.repeat_threshold': {
    type: 'whole',
    default: 5,
    min: 0,
    doc: 'End the iteration when the same tool call fails the same way this many times; 0: off.',
  },
  'watch.idle_minutes': {
    type: 'minutes',
    default: 0,
    min: 0,
    doc: 'End the iteration after this long without output; 0: off.',
  },
  'watch.context_percent': {
    type: 'whole',
    default: 90,
    min: 0,
    max: 100,
    doc: 'Warn when this percentage of the context window is used; 0: off.',
  },
  'completion.promise': {
    type: 'text',
    default: '<promise>COMPLETE</promise>',
    doc: 'What the agent prints when the whole plan is done; empty: off.',
  },
  'completion.consecutive_done_signals': {
    type: 'whole',
    default: 2,
    min: 1,
    doc: 'Completion answers in a row that count as a claim.',
  },
  'completion.consecutive_test_loops': {
    type: 'whole',
    default: 3,
    min: 1,
    doc: 'Testing-only iterations in a row that end the run.',
  },
  'completion.keywords': {
    type: 'keywords',
    default: {},
    doc: 'Extra keywords for reading answers: list name to words, or to {words, weight}.',
  },
  'completion.marker_file': {
    type: 'text',
    default: '',
    doc: 'A file, relative to the project root, whose creation counts as a claim; empty: none.',
  },
  'gates.tests': { type: 'text', default: '', doc: 'The test command, a hard gate; empty: none.' },
  'gates.baseline': {
    type: 'choice',
    default: 'strict',
    values: ['strict', 'tolerate'],
    doc: 'Gates that fail exactly as before the first iteration: reject the work (strict) or only warn (tolerate).',
  },
  'gates.tamper': {
    type: 'choice',
    default: 'warn',
    values: ['warn', 'refuse'],
    doc: 'On weakened checks (deleted or skipped tests): warn, or refuse the story.',
  },
  'gates.story_minutes': {
    type: 'limits',
    default: [45, 60],
    doc: 'Soft and hard time limit per story.',
  },
  'gates.tests_minutes': { type: 'limits', default: [5, 10], doc: 'Soft and hard time limit per command gate.' },
  'gates.review_minutes': {
    type: 'limits',
    default: [3, 5],
    doc: 'Soft and hard time limit per review.',
  },
  'gates.quality_minutes': {
    type: 'limits',
    default: [2, 3],
    doc: 'Soft and hard time limit per quality gate.',
  },
  quality_checks: { type: 'commands', default: {}, doc: 'More hard gates: name to command.' },
  'quality.commands': {
    type: 'commands',
    default: {},
    doc: 'Soft gates, which only warn: name to command.',
  },
  'quality.review': {
    type: 'bool',
    default: false,
    doc: 'Whether a reviewer checks the quality of each story.',
  },
  'review.enabled': {
    type: 'bool',
    default: true,
    doc: 'Whether a reviewer checks each story against its criteria. Default: on for agents that support structured answers.',
  },
  'review.final': {
    type: 'list',
    default: [],
    doc: 'Agents that review all changes before a run is complete.',
  },
  'learn.enabled': {
    type: 'bool',
    default: true,
    doc: 'Whether lessons are extracted after each finished story. Default: on for agents that support structured answers.',
  },
  'learn.aggregate_every': { type: 'whole', default: 5, min: 1, doc: 'Aggregate lessons after this many finished stories.' },
  'learn.skill_threshold': { type: 'whole', default: 3, min: 1, doc: 'Write a skill when a category has this many lessons.' },
  'learn.prompt_tokens': { type: 'whole', default: 1500, min: 0, doc: 'Maximum tokens of lessons in a prompt.' },
  'prompt.template': {
    type: 'text',
    default: 'tdd',
    filled: true,
    doc: 'Template for prompt.md: tdd, default, or your own.',
  },
  'prompt.progress_lines': { type: 'whole', default: 50, min: 0, doc: 'How many last lines of progress.txt go into the prompt.' },
  'branch.prefix': { type: 'text', default: 'feature/', doc: "Prefix of a new plan's branchName." },
  'branch.auto_create': { type: 'bool', default: true, doc: "Whether a run creates the plan's branch and switches to it." },
  'git.auto_commit': {
    type: 'bool',
    default: true,
    doc: 'Whether Ralph commits what the agent left uncommitted when a story passes.',
  },
  'git.commit_state': { type: 'bool', default: true, doc: 'Whether Ralph commits its own files under .ralph/.' },
  'git.push': {
    type: 'bool',
    default: false,
    doc: 'Whether the branch of a failed story is pushed.',
  },
  'claude.dangerously_skip_permissions': {
    type: 'bool',
    default: false,
    flag: '--dangerously-skip-permissions',
    doc: 'Whether the agent may use every tool without asking.',
  },
  'claude.allowed_tools': {
    type: 'text',
    default: ['Read,Write,Edit,Glob,Grep', ...gitVerbs.map((verb) => `Bash(git ${verb} *)`)].join(','),
    doc: 'Tools that Claude Code may use; init adds the test command.',
  },
  'process.grace_seconds': { type: 'number', default: 3, min: 0, doc: 'Seconds between SIGTERM and SIGKILL.' },
  'process.keep': { type: 'list', default: [], doc: "Programs to keep running when an agent's processes are ended." },
  'sandbox.kind': {
    type: 'choice',
    default: 'none',
    values: ['none', 'bwrap', 'docker'],
    flag: '--sandbox <kind>',
    doc: 'Sandbox for agents, gates and commit hooks.',
  },
  'sandbox.name': { type: 'text', default: '', doc: 'Docker image with the agent, git and what the gates need.' },
  'sandbox.network': {
    type: 'choice',
    default: 'on',
    values: ['on', 'off'],
    doc: 'Whether the sandbox has network access; agents that call a provider need it.',
  },
  'sandbox.home': {
    type: 'list',
    default: [],
    doc: "Files and folders of your home to share with the sandbox, writable; the agent's own are always shared.",
  },
  'sandbox.env': {
    type: 'list',
    default: [],
    doc: "Extra variables to pass into the sandbox, besides plain ones and the agent's own.",
  },
  'parallel.workers': {
    type: 'whole',
    default: 1,
    min: 1,
    max: 64,
    flag: '--parallel <n>',
    doc: 'Stories to work on in parallel, each in its own git worktree.',
  },
  'worktree.setup': {
    type: 'text',
    default: '',
    doc: 'Command to prepare a new worktree, such as npm ci.',
  },
  'worktree.copy': {
    type: 'list',
    default: [],
    doc: 'Ignored files and folders to copy into each worktree, such as .env.',
  },
  'worktree.port_base': {
    type: 'whole',
    default: 0,
    min: 0,
    max: 65535,
    doc: 'First of 20 ports for the first worker (RALPH_PORT_BASE), the next 20 for the second, and so on; 0: none.',
  },
  'worktree.disk_mb': {
    type: 'whole',
    default: 0,
    min: 0,
    doc: 'Free space in MB required to create a worktree; 0: not checked.',
  },
  'logs.keep': {
    type: 'whole',
    default: 200,
    min: 1,
    doc: 'How many iteration logs to keep uncompressed.',
  },
  'notify.desktop': {
    type: 'bool',
    default: false,
    doc: 'Whether to show desktop notifications.',
  },
  'notify.bell': {
    type: 'bool',
    default: false,
    doc: 'Whether to ring the terminal bell on notices.',
  },
  'notify.command': {
    type: 'text',
    default: '',
    doc: 'Command to run for each notice, with the notice as JSON on standard input and in variables.',
  },
  'notify.webhook.url': {
    type: 'text',
    default: '',
    isAddress: true,
    doc: 'URL to post each notice to, as JSON.',
  },
  'notify.webhook.secret_env': { type: 'text', default: '', doc: 'Environment variable with the key that signs notices.' },
  'notify.on': {
    type: 'list',
    default: ['stop', 'blocked', 'decide', 'breaker', 'limit'],
    names: noticeNames,
    doc: 'When to send a notice: these, or any event kind.',
  },
  plugins: {
    type: 'list',
    default: [],
    doc: 'Plugin files, relative to the project root, that add evidence, claims or stops.',
  },
} as const satisfies Record<string, Setting>
