/** Every setting, declared once: types, checks, flags, variable names, documentation and the editor's schema come from this table. */
import { noticeNames } from '../core/notice/names.ts'
import type { Plain, Setting } from './setting.ts'

type Table = typeof table
export type Key = keyof Table
export type Settings = { [K in Key]: null extends Table[K]['default'] ? Plain<Table[K]> | null : Plain<Table[K]> }

/** The variable that sets a key: keys of `defaults` bare, others with their section. */
export const envName = (key: Key): string =>
  `RALPH_${key
    .replace(/^defaults\./, '')
    .replaceAll('.', '_')
    .toUpperCase()}`

export const table = {
  agent: {
    type: 'agent',
    default: 'claude',
    flag: '--agent <name>',
    doc: 'The coding program that a call starts: a known name, {name, command, format, env}, or {name: scripted, script}.',
  },
  model: { type: 'text', default: '', flag: '--model <name>', doc: "The agent's model; empty: the agent's own choice." },
  models: {
    type: 'list',
    default: [],
    doc: 'Stronger models, taken in turn from the first strategy shift on.',
  },
  'roles.reviewer.agent': {
    type: 'text',
    default: '',
    doc: "The reviewer's agent; empty: the implementer's.",
  },
  'roles.reviewer.model': {
    type: 'text',
    default: '',
    doc: "The reviewer's model; empty: the agent's own choice.",
  },
  'roles.learner.agent': {
    type: 'text',
    default: '',
    doc: "The learner's agent; empty: the implementer's.",
  },
  'roles.learner.model': {
    type: 'text',
    default: '',
    doc: "The learner's model; empty: the agent's own choice.",
  },
  'defaults.max_iterations': {
    type: 'whole',
    default: 20,
    min: 1,
    flag: '-n, --max-iterations <n>',
    doc: 'Iterations that a run may use.',
  },
  'defaults.max_attempts': {
    type: 'whole',
    default: 5,
    min: 1,
    flag: '--max-attempts <n>',
    doc: 'Failed attempts after which a story has failed.',
  },
  'defaults.max_retries': {
    type: 'whole',
    default: 5,
    min: 0,
    flag: '--max-retries <n>',
    doc: 'Retries in a row when the provider is overloaded or out of reach.',
  },
  'defaults.timeout_minutes': {
    type: 'minutes',
    default: 15,
    above: 0,
    flag: '-t, --timeout <duration>',
    doc: 'Time limit of one iteration.',
  },
  'defaults.timeout_multiplier': {
    type: 'number',
    default: 1,
    above: 0,
    flag: '--timeout-multiplier <x>',
    doc: 'Scales all time limits.',
  },
  'defaults.rate_limit_per_hour': {
    type: 'whole',
    default: 100,
    min: 0,
    flag: '-r, --rate-limit <n>',
    alias: '--calls <n>',
    doc: 'Agent calls in a sliding hour, over all runs of this user; 0: no limit.',
  },
  'defaults.on_limit': {
    type: 'choice',
    default: 'auto',
    values: ['auto', 'wait', 'exit', 'ask'],
    flag: '--on-limit <what>',
    doc: "What to do at the provider's usage limit: wait for its reset, exit, ask; auto asks on a terminal and waits without one.",
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
    doc: "A fresh context each iteration, or the agent's own session resumed inside a story.",
  },
  'defaults.decide': {
    type: 'choice',
    default: 'stop',
    values: ['stop', 'park'],
    flag: '--decide <how>',
    doc: 'On a question to a person: stop, or park the story and go on with those that do not depend on it.',
  },
  'budget.cost_usd': {
    type: 'number',
    default: null,
    above: 0,
    flag: '--max-cost <usd>',
    doc: 'What a run may cost in USD; null: no limit.',
  },
  'budget.tokens': {
    type: 'whole',
    default: null,
    min: 1,
    flag: '--max-tokens <n>',
    doc: 'Tokens that a run may use; null: no limit.',
  },
  'budget.duration_minutes': {
    type: 'minutes',
    default: null,
    above: 0,
    flag: '--max-duration <duration>',
    doc: 'Time that a run may take; null: no limit.',
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
    doc: 'Idle iterations in a row that open the breaker; 0: never.',
  },
  'circuit_breaker.same_error_threshold': {
    type: 'whole',
    default: 5,
    min: 0,
    doc: 'Times in a row that the same error of the agent opens the breaker; 0: never.',
  },
  'circuit_breaker.output_decline_percent': {
    type: 'whole',
    default: 70,
    min: 0,
    max: 100,
    doc: 'How far answers must shrink, twice and without progress, to open the breaker; 0: never.',
  },
  'circuit_breaker.permission_denied_threshold': {
    type: 'whole',
    default: 2,
    min: 0,
    doc: 'Iterations in a row with a denied tool and no progress that open the breaker; 0: never.',
  },
  'circuit_breaker.cooldown_minutes': {
    type: 'minutes',
    default: 0,
    min: 0,
    doc: 'Time after which an open breaker tries again; 0: never.',
  },
  'watch.repeat_threshold': {
    type: 'whole',
    default: 5,
    min: 0,
    doc: 'Times that the same tool call may fail in the same way before the iteration is ended; 0: off.',
  },
  'watch.idle_minutes': {
    type: 'minutes',
    default: 0,
    min: 0,
    doc: 'Time without any output that ends an iteration; 0: off.',
  },
  'watch.context_percent': {
    type: 'whole',
    default: 90,
    min: 0,
    max: 100,
    doc: 'Share of the context window at which to warn; 0: off.',
  },
  'completion.promise': {
    type: 'text',
    default: '<promise>COMPLETE</promise>',
    doc: 'What the agent prints when the whole plan is done; empty: nothing counts as that.',
  },
  'completion.consecutive_done_signals': {
    type: 'whole',
    default: 2,
    min: 1,
    doc: 'Completion answers in a row that make a claim.',
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
    doc: 'Words added to the lists that label an answer: list name to words, or to {words, weight}.',
  },
  'completion.marker_file': {
    type: 'text',
    default: '',
    doc: 'A file, from the project root, whose appearance in an iteration is a claim; empty: none.',
  },
  'gates.tests': { type: 'text', default: '', doc: 'The test command, a hard gate; empty: none.' },
  'gates.baseline': {
    type: 'choice',
    default: 'strict',
    values: ['strict', 'tolerate'],
    doc: 'Whether a gate that fails exactly as it did before the first iteration still refuses.',
  },
  'gates.tamper': {
    type: 'choice',
    default: 'warn',
    values: ['warn', 'refuse'],
    doc: 'What weakened checks (deleted or skipped tests) lead to.',
  },
  'gates.story_minutes': {
    type: 'limits',
    default: [45, 60],
    doc: 'Soft and hard time limit of a story.',
  },
  'gates.tests_minutes': { type: 'limits', default: [5, 10], doc: 'Soft and hard time limit of a command gate.' },
  'gates.review_minutes': {
    type: 'limits',
    default: [3, 5],
    doc: 'Soft and hard time limit of a review.',
  },
  'gates.quality_minutes': {
    type: 'limits',
    default: [2, 3],
    doc: 'Soft and hard time limit of a quality gate.',
  },
  quality_checks: { type: 'commands', default: {}, doc: 'More hard gates: name to command.' },
  'quality.commands': {
    type: 'commands',
    default: {},
    doc: 'Soft gates, which warn and never refuse: name to command.',
  },
  'quality.review': {
    type: 'bool',
    default: false,
    doc: 'Whether a reviewer looks at the quality of a story.',
  },
  'review.enabled': {
    type: 'bool',
    default: true,
    doc: 'Whether a reviewer checks each story against its criteria. Unless set, it is on for agents that can be held to a form of answer.',
  },
  'review.final': {
    type: 'list',
    default: [],
    doc: 'Agents that review the whole before a run is complete.',
  },
  'learn.enabled': {
    type: 'bool',
    default: true,
    doc: 'Whether learnings are extracted after each finished story. Unless set, it is on for agents that can be held to a form of answer.',
  },
  'learn.aggregate_every': { type: 'whole', default: 5, min: 1, doc: 'Finished stories between two aggregations of learnings.' },
  'learn.skill_threshold': { type: 'whole', default: 3, min: 1, doc: 'Learnings of one category that make a skill.' },
  'learn.prompt_tokens': { type: 'whole', default: 1500, min: 0, doc: 'Tokens that learned notes may take in a prompt.' },
  'prompt.template': {
    type: 'text',
    default: 'tdd',
    filled: true,
    doc: 'The template of prompt.md: tdd, default, or one of your own.',
  },
  'prompt.progress_lines': { type: 'whole', default: 50, min: 0, doc: 'Last lines of progress.txt in the prompt.' },
  'branch.prefix': { type: 'text', default: 'feature/', doc: "What a new plan's branchName starts with." },
  'branch.auto_create': { type: 'bool', default: true, doc: "Whether a run creates the plan's branch and switches to it." },
  'git.auto_commit': {
    type: 'bool',
    default: true,
    doc: 'Whether Ralph commits what the agent left uncommitted of a story that passes.',
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
    default: 'Read,Write,Edit,Glob,Grep,Bash(git *)',
    doc: 'Tools that Claude Code may use; init adds the test command.',
  },
  'process.grace_seconds': { type: 'number', default: 3, min: 0, doc: 'Seconds between asking a process to end and ending it.' },
  'process.keep': { type: 'list', default: [], doc: "Programs that are left alone when an agent's processes are ended." },
  'sandbox.kind': {
    type: 'choice',
    default: 'none',
    values: ['none', 'bwrap', 'docker'],
    flag: '--sandbox <kind>',
    doc: 'What agents, gates and commit hooks are shut in.',
  },
  'sandbox.name': { type: 'text', default: '', doc: 'The image of docker: one that has the agent, git and what the gates need.' },
  'sandbox.network': {
    type: 'choice',
    default: 'on',
    values: ['on', 'off'],
    doc: 'Whether the sandbox has a network; off: no agent that asks a provider can work.',
  },
  'sandbox.home': {
    type: 'list',
    default: [],
    doc: "Files and folders of the home folder that the sandbox has too, writable; the agent's own are there without being named.",
  },
  'sandbox.env': {
    type: 'list',
    default: [],
    doc: "Variables that pass into the sandbox, besides plain ones and the agent's own.",
  },
  'parallel.workers': {
    type: 'whole',
    default: 1,
    min: 1,
    max: 64,
    flag: '--parallel <n>',
    doc: 'Stories worked on at once, each in a git worktree of its own.',
  },
  'worktree.setup': {
    type: 'text',
    default: '',
    doc: 'A command that prepares a new worktree, such as npm ci.',
  },
  'worktree.copy': {
    type: 'list',
    default: [],
    doc: 'Files and folders that git ignores and a worktree needs, such as .env: copied from the project.',
  },
  'worktree.port_base': {
    type: 'whole',
    default: 0,
    min: 0,
    max: 65535,
    doc: 'The first worker has 20 ports from here (RALPH_PORT_BASE), the next one the next 20; 0: none.',
  },
  'worktree.disk_mb': {
    type: 'whole',
    default: 0,
    min: 0,
    doc: 'Free space in MB without which no worktree is made; 0: not checked.',
  },
  'logs.keep': {
    type: 'whole',
    default: 200,
    min: 1,
    doc: "Iterations' logs that stay uncompressed.",
  },
  'notify.desktop': {
    type: 'bool',
    default: false,
    doc: 'Whether notices reach the desktop.',
  },
  'notify.bell': {
    type: 'bool',
    default: false,
    doc: 'Whether notices ring the terminal bell.',
  },
  'notify.command': {
    type: 'text',
    default: '',
    doc: 'A command that gets each notice: as JSON on its standard input, and in variables.',
  },
  'notify.webhook.url': {
    type: 'text',
    default: '',
    isAddress: true,
    doc: 'Where each notice is posted as JSON.',
  },
  'notify.webhook.secret_env': { type: 'text', default: '', doc: 'The variable that holds the key which signs the notices.' },
  'notify.on': {
    type: 'list',
    default: ['stop', 'blocked', 'decide', 'breaker', 'limit'],
    names: noticeNames,
    doc: 'What a notice is sent for: these, or any kind of event.',
  },
  plugins: {
    type: 'list',
    default: [],
    doc: 'Files, from the project root, that add evidence, claims or stops.',
  },
} as const satisfies Record<string, Setting>
