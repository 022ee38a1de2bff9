/** Settings of what is around the loop: lessons, prompts, git, permissions, sandboxes, worktrees, logs and notices. */
import { noticeNames } from '../../core/notice/names.ts'
import type { Setting } from '../setting.ts'

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

export const surroundingSettings = {
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
  workspace: {
    type: 'choice',
    default: 'checkout',
    values: ['checkout', 'worktree'],
    doc: "Where a run works: in your checkout, or in the feature's own git worktree, so that you can work in your checkout meanwhile.",
  },
  'branch.prefix': { type: 'text', default: 'feature/', doc: "Prefix of a new plan's branchName." },
  'branch.auto_create': { type: 'bool', default: true, doc: "Whether a run creates the plan's branch and switches to it." },
  'git.auto_commit': {
    type: 'bool',
    default: true,
    doc: 'Whether Ralph commits what the agent left uncommitted when a story passes.',
  },
  'git.commit_state': { type: 'bool', default: true, doc: 'Whether Ralph commits its own files under .ralph/.' },
  'git.dirty': {
    type: 'choice',
    default: 'leave',
    values: ['leave', 'include', 'refuse'],
    flag: '--dirty <how>',
    doc: 'Files that you have uncommitted when a run starts: leave them out of every commit, include them (one commit first), or refuse to start.',
  },
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
    doc: "Tools that the agent may use; the gates' commands are always added. init adds the project's type check, linter and build.",
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
