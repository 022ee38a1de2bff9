/** How each agent is started for a call that looks and answers, and changes nothing. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Task } from '../../ports.ts'
import { agentNamed, realAgentNames } from './list.ts'
import type { AgentChoice } from './shared/choice.ts'

/** All that a call at work may do is asked for, or allowed: none of it may come through. */
const options = { allowedTools: 'Read,Write,Edit,Bash', skipPermissions: true, root: '/project' }
const schema = { type: 'object', properties: { verdict: { type: 'string' } } }
const task: Task = {
  prompt: 'Look.',
  cwd: '/project',
  model: '',
  env: {},
  resume: 'session-1',
  statusTool: { command: 'node', args: ['ralph.js', 'mcp'] },
  isReadOnly: true,
  schema: { name: 'review', path: '/logs/schema.json', schema },
}
const launched = (choice: AgentChoice, more: Partial<Task> = {}) => agentNamed(choice, options).launch({ ...task, ...more })

const expected: Record<string, string[]> = {
  claude: [
    ...['-p', '--output-format', 'stream-json', '--verbose', '--json-schema', JSON.stringify(schema)],
    ...[
      '--tools',
      'Read,Glob,Grep,Bash',
      '--allowedTools',
      'Read,Glob,Grep',
      '--permission-mode',
      'dontAsk',
      '--strict-mcp-config',
      '--setting-sources',
      'user',
    ],
  ],
  codex: [
    'exec',
    '--json',
    '--skip-git-repo-check',
    '-s',
    'read-only',
    '-c',
    'project_doc_max_bytes=0',
    '--output-schema',
    '/logs/schema.json',
    '-',
  ],
  gemini: [
    ...['--output-format', 'stream-json', '--skip-trust'],
    ...['--approval-mode', 'default', '--policy', '{files}/read-only.toml'],
  ],
  qwen: [
    ...['--output-format', 'stream-json', '--json-schema', JSON.stringify(schema)],
    ...['--safe-mode', '--approval-mode', 'plan', '--allowed-mcp-server-names', 'none'],
    ...['--exclude-tools', 'agent,skill,exit_plan_mode,run_shell_command,monitor,edit,write_file,notebook_edit,web_fetch'],
    ...[
      '--exclude-tools',
      'enter_worktree,exit_worktree,record_artifact,send_message,task_stop,cron_create,cron_delete,loop_wakeup',
    ],
  ],
  opencode: ['run', '--format', 'json', '--print-logs', '--log-level', 'ERROR', '--agent', 'ralph-reader'],
  copilot: [
    ...['--output-format', 'json', '--no-color', '--no-auto-update', '--usage-output-file', '{files}/usage.json'],
    ...['--available-tools=view,grep,glob', '--deny-tool=write', '--deny-tool=shell', '--no-custom-instructions'],
  ],
  pi: ['-p', '--mode', 'json', '--tools', 'read,grep,find,ls'],
}

for (const [name, args] of Object.entries(expected))
  test(`${name} may look and nothing else, whatever is allowed at work: no session to go on with, no tool to report with [R-GATE-1]`, () => {
    assert.deepEqual(launched({ name }).args, args)
  })

for (const name of realAgentNames)
  test(`${name} is started for a look in one way, whatever is allowed at work, and in another way for work [R-GATE-1]`, () => {
    const least = agentNamed({ name }, { allowedTools: '', skipPermissions: false, root: '/project' })
    assert.deepEqual(launched({ name }), least.launch(task))
    assert.notDeepEqual(least.launch({ ...task, isReadOnly: false }), least.launch(task))
    assert.doesNotMatch(JSON.stringify(least.launch(task)), /session-1|ralph\.js/)
  })

test('Gemini is given a policy that denies all but looking', () => {
  assert.deepEqual(launched({ name: 'gemini' }).files, {
    'read-only.toml': [
      ...['[[rule]]', 'toolName = ["*"]', 'decision = "deny"', 'priority = 998', '', '[[rule]]'],
      'toolName = ["read_file","read_many_files","list_directory","glob","grep_search"]',
      ...['decision = "allow"', 'priority = 999', ''],
    ].join('\n'),
  })
  assert.equal(launched({ name: 'gemini' }, { isReadOnly: false }).files, undefined)
})

test('OpenCode is given an agent that may look, beside what the user gives it in the same variable', () => {
  const settings = (text?: string) =>
    JSON.parse(
      launched({ name: 'opencode' }, text ? { env: { OPENCODE_CONFIG_CONTENT: text } } : {}).env['OPENCODE_CONFIG_CONTENT']!,
    )
  const permission = { '*': 'deny', read: 'allow', grep: 'allow', glob: 'allow', list: 'allow' }
  const reader = { mode: 'primary', permission }
  assert.deepEqual(settings(), { agent: { 'ralph-reader': reader } })
  const own = { model: 'a/b', agent: { mine: { mode: 'primary' }, 'ralph-reader': { permission: {} } } }
  assert.deepEqual(settings(JSON.stringify(own)), { model: 'a/b', agent: { mine: { mode: 'primary' }, 'ralph-reader': reader } })
  assert.deepEqual(settings('{ // unreadable'), { agent: { 'ralph-reader': reader } })
})

test('over ACP it is told that only looking is allowed', () => {
  const { env } = launched({ name: 'mine', command: ['agent'], format: 'acp' })
  assert.deepEqual(JSON.parse(env['RALPH_ACP']!), {
    model: '',
    allowedTools: 'Read,Glob,Grep',
    skipPermissions: false,
    isReadOnly: true,
  })
})

test('a command cannot be held to it, and is told what is asked of it; so is the scripted agent', () => {
  const asked = { RALPH_READ_ONLY: '1', RALPH_ANSWER: 'review', RALPH_SCHEMA: '/logs/schema.json' }
  assert.deepEqual(launched({ name: 'mine', command: ['agent'] }).env, asked)
  assert.deepEqual(launched({ name: 'scripted', script: 'a.yaml' }).env, asked)
})

test('who can be held to a schema says so, and is, at work too', () => {
  for (const name of realAgentNames) {
    const { args } = launched({ name }, { isReadOnly: false })
    const isHeld = args.includes(JSON.stringify(schema)) || args.includes('/logs/schema.json')
    assert.equal(isHeld, agentNamed({ name }, options).answersInSchema === true, name)
  }
})
