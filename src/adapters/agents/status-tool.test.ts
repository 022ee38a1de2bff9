/** How each agent is given the tool to report with, for one call and without a change to the user's own settings. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import { options } from '../../../test/support/recordings.ts'
import { agentNamed, realAgentNames } from './list.ts'

const server = { command: 'node', args: ['ralph.js', 'mcp'] }
const task = { prompt: 'Do it.', cwd: '/project', model: '', env: {}, statusTool: server }
const argsOf = (name: string): string[] => agentNamed({ name }, options).launch(task).args

test('who does not say that it takes one is started as if there were none, and all others are given it', () => {
  const { statusTool: _, ...without } = task
  for (const agent of realAgentNames.map((name) => agentNamed({ name }, options))) {
    const isGiven = !isDeepStrictEqual(agent.launch(task), agent.launch(without))
    assert.equal(isGiven, agent.takesStatusTool === true, agent.name)
  }
})

test('Claude Code, Qwen Code and Copilot are given the server in an argument, and need ask nobody for it', () => {
  assert.deepEqual(argsOf('claude').slice(4), [
    ...['--allowedTools', 'mcp__ralph__report_status'],
    ...['--mcp-config', JSON.stringify({ mcpServers: { ralph: { type: 'stdio', ...server, alwaysLoad: true } } })],
  ])
  assert.deepEqual(argsOf('qwen').slice(2), [
    ...['--mcp-config', JSON.stringify({ mcpServers: { ralph: { ...server, trust: true, alwaysLoadTools: true } } })],
  ])
  assert.deepEqual(argsOf('copilot').slice(6), [
    ...['--additional-mcp-config', JSON.stringify({ mcpServers: { ralph: { type: 'local', ...server, tools: ['*'] } } })],
    '--allow-tool=ralph(report_status)',
  ])
})

test('OpenCode is given the server in its environment, beside what the user gives it there', () => {
  const settings = (text?: string) =>
    agentNamed({ name: 'opencode' }, options).launch({ ...task, env: text ? { OPENCODE_CONFIG_CONTENT: text } : {} }).env[
      'OPENCODE_CONFIG_CONTENT'
    ]
  const ralph = { type: 'local', command: ['node', 'ralph.js', 'mcp'] }
  assert.deepEqual(JSON.parse(settings()!), { mcp: { ralph } })
  const own = { model: 'a/b', mcp: { mine: { type: 'remote', url: 'https://example.com' } } }
  assert.deepEqual(JSON.parse(settings(JSON.stringify(own))!), { ...own, mcp: { ...own.mcp, ralph } })
  assert.equal(settings('{ // unreadable'), '{ // unreadable')
})
