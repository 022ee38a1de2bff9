import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { options } from '../../../test/support/recordings.ts'
import { Failure } from '../../core/failure.ts'
import { agentNamed, agentNames, givesOrders, ownSettings, realAgentNames, settingsPart } from './list.ts'
import type { AgentChoice } from './shared/choice.ts'
import { withFiles } from './shared/launch-files.ts'

const task = { prompt: 'Do it.', cwd: '/project', model: '', env: { RALPH_RUN: 'r:1' } }
const refusal = (choice: AgentChoice) => {
  try {
    return agentNamed(choice, options).name
  } catch (error) {
    assert.ok(error instanceof Failure)
    return [error.exit, error.message]
  }
}

test('each agent is called what the list calls it, and says how to install it, what was tested, and what a sandbox must let in', () => {
  for (const name of realAgentNames) {
    const agent = agentNamed({ name }, options)
    assert.equal(agent.name, name)
    assert.ok(agent.program !== '' && agent.install !== '')
    assert.match(agent.tested ?? '', /^\d+\.\d+\.\d+$/)
    const { home, variables, folders } = agent.needs!
    for (const path of home) assert.match(path, /^\.\w/, 'under the home folder')
    assert.ok(home.length > 0 && variables.length > 0)
    for (const folder of folders)
      assert.ok(
        variables.some((beginning) => folder.startsWith(beginning)),
        folder,
      )
  }
})

test('over ACP, or by another program, an agent needs what the one of its name needs; a program of the user’s own needs nothing', () => {
  const needs = (choice: AgentChoice) => agentNamed(choice, options).needs
  const command = ['it']
  assert.deepEqual(needs({ name: 'codex' }), { home: ['.codex'], variables: ['OPENAI_', 'CODEX_'], folders: ['CODEX_HOME'] })
  assert.deepEqual(needs({ name: 'codex', command, format: 'acp' }), needs({ name: 'codex' }))
  assert.deepEqual(needs({ name: 'codex', command }), needs({ name: 'codex' }))
  for (const name of ['mine', 'constructor', '__proto__']) {
    assert.equal(needs({ name, command }), undefined)
    assert.equal(needs({ name, command, format: 'acp' }), undefined)
  }
})

test('claude gets the prompt on standard input and only the flags that are asked for', () => {
  assert.deepEqual(agentNamed({ name: 'claude' }, options).launch(task), {
    command: 'claude',
    args: ['-p', '--output-format', 'stream-json', '--verbose'],
    env: { RALPH_RUN: 'r:1' },
    stdin: 'Do it.',
  })
  const asked = agentNamed(
    { name: 'claude', command: ['tools/claude', '--debug'], env: { A: 'b' } },
    { allowedTools: 'Read,Bash(git *)', skipPermissions: true, root: '/project' },
  )
  assert.deepEqual(asked.launch({ ...task, model: 'opus' }), {
    command: '/project/tools/claude',
    args: [
      ...['--debug', '-p', '--output-format', 'stream-json', '--verbose', '--model', 'opus'],
      ...['--allowedTools', 'Read,Bash(git *)', '--dangerously-skip-permissions'],
    ],
    env: { A: 'b', RALPH_RUN: 'r:1' },
    stdin: 'Do it.',
  })
})

test('a command agent runs a program of the project or of the PATH', () => {
  const launched = (command: string[]) => agentNamed({ name: 'mine', command }, options).launch(task)
  assert.deepEqual(launched(['./bin/agent', '-q']), {
    command: '/project/bin/agent',
    args: ['-q'],
    env: task.env,
    stdin: 'Do it.',
  })
  assert.equal(launched(['agent']).command, 'agent')
  assert.equal(launched(['/opt/agent']).command, '/opt/agent')
})

test('a command that names {prompt_file} gets the prompt in a file and nothing on standard input', () => {
  const { launch } = agentNamed({ name: 'mine', command: ['agent', '--message-file={prompt_file}', '-y'] }, options)
  const launched = launch(task)
  assert.deepEqual(launched, {
    command: 'agent',
    args: ['--message-file={files}/prompt.md', '-y'],
    env: task.env,
    stdin: '',
    files: { 'prompt.md': 'Do it.' },
  })
  const placed = withFiles(launched)
  const [path = ''] = placed.launch.args[0]?.split('=').slice(1) ?? []
  assert.equal(readFileSync(path, 'utf8'), 'Do it.')
  placed.remove()
  assert.equal(existsSync(path), false)
})

test('plain text does not tell words apart; lines like Claude Code’s do', () => {
  const text = agentNamed({ name: 'mine', command: ['agent'] }, options)
  assert.deepEqual([text.tellsWordsApart, text.tells], [false, 'nothing'])
  const read = text.reader()
  assert.deepEqual(
    [...read('{"type":"result"}', 'out'), ...read('warning', 'err')],
    [
      { kind: 'said', text: '{"type":"result"}', isSub: false },
      { kind: 'noise', text: 'warning' },
    ],
  )
  const stream = agentNamed({ name: 'mine', command: ['agent'], format: 'stream-json' }, options)
  assert.deepEqual([stream.tellsWordsApart, stream.tells], [true, 'cost'])
  assert.deepEqual(stream.reader()('{"type":"result","result":"ok"}', 'out'), [{ kind: 'end', isError: false, text: 'ok' }])
})

test('the scripted agent is the running Node with the player and the project’s script', () => {
  const { command, args } = agentNamed({ name: 'scripted', script: 'demo/a.yaml' }, options).launch(task)
  assert.deepEqual([command, ...args], [process.execPath, `${import.meta.dirname}/player/player.ts`, '/project/demo/a.yaml'])
})

test('a choice that cannot be met is a configuration error that says what to do', () => {
  assert.deepEqual(refusal({ name: 'cloude' }), [
    78,
    `Unknown agent "cloude": use one of ${agentNames.join(', ')}, or set a command for it. Did you mean claude?`,
  ])
  assert.deepEqual(refusal({ name: 'gemini', format: 'acp' }), [
    78,
    'The agent "gemini" has an empty command: give it a program, as in command: [my-agent, --quiet].',
  ])
  assert.deepEqual(refusal({ name: 'mine', command: [] }), [
    78,
    'The agent "mine" has an empty command: give it a program, as in command: [my-agent, --quiet].',
  ])
  assert.deepEqual(refusal({ name: 'scripted' }), [
    78,
    'The agent "scripted" needs a script: agent: {name: scripted, script: file.yaml}.',
  ])
})

test('files that some agent takes orders from are known in every folder and spelling, and others are not [R-PROOF-6]', () => {
  const orders = ['CLAUDE.md', 'src/claude.md', 'CLAUDE.local.md', '.claude/rules/a.md', 'web/.claude/settings.json', '.mcp.json']
  const others = [
    'AGENTS.override.md',
    '.codex/config.toml',
    '.github/copilot-instructions.md',
    'opencode.json',
    '.pi/x',
    'GEMINI.md',
  ]
  for (const path of [...orders, ...others]) assert.equal(givesOrders(path), true, path)
  for (const path of ['README.md', 'src/myclaude.md', 'docs/agents.md.txt', '.github/workflows/ci.yml', 'claude/x.ts'])
    assert.equal(givesOrders(path), false, path)
})

test('lines that Grok adds to its settings at its first start do not count, all others do', () => {
  const env = { HOME: '/home/me' }
  const path = '/home/me/.grok/config.toml'
  assert.ok(ownSettings(env).has(path))
  const part = (text: string) => settingsPart(env)(path, text)
  const before = '[models]\ndefault = "a"\n'
  assert.equal(part(`${before}\n[marketplace]\ndefault_skills_installs_purged = true\n`), part(before))
  assert.notEqual(part(`${before}\n[marketplace]\nsources = ["x"]\n`), part(before))
  assert.notEqual(part(before.replace('"a"', '"b"')), part(before))
})
