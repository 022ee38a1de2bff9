import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { commits, linesOf, options, readBy, said, tool } from '../../../test/support/recordings.ts'
import type { Entry } from '../../core/reading/transcript.ts'
import { jsonIn, recordOf } from '../../core/text/json.ts'
import { agentNamed } from './list.ts'

const cline = agentNamed({ name: 'cline' }, options)
const recorded = (name: string): Entry[] => readBy(cline.reader)(...linesOf('cline', name))

const session: Entry = { kind: 'session', id: 'conv_0', model: '' }
const used = (requests: number) => ({
  inputTokens: 1200 * requests,
  outputTokens: 50 * requests,
  costUsd: null,
  cacheReadTokens: 200 * requests,
})
const usage = (requests: number): Entry => ({ kind: 'usage', usage: used(requests), contextTokens: 1200 })

describe('starting Cline', () => {
  const task = { prompt: 'Do it.', cwd: '/project', model: '', env: { RALPH_RUN: 'r:1' } }
  const words = 'Do what the following says.'

  test('the prompt is in a pipe on standard input, without its hub, and permissions are granted only when asked for', () => {
    assert.deepEqual(cline.launch(task), {
      command: 'cline',
      args: ['--json', '--auto-approve', 'false', words],
      env: { RALPH_RUN: 'r:1', CLINE_SESSION_BACKEND_MODE: 'local' },
      stdin: 'Do it.',
      isStdinPipe: true,
    })
    const free = agentNamed({ name: 'cline' }, { ...options, skipPermissions: true })
    assert.deepEqual(free.launch({ ...task, model: 'm' }).args, ['--json', '--model', 'm', '--auto-approve', 'true', words])
  })

  test('a read-only call plans, without the tools that change something and without servers of the user', () => {
    const { args, env, files = {} } = cline.launch({ ...task, isReadOnly: true })
    assert.deepEqual(args, ['--json', '--plan', words])
    assert.equal(env['CLINE_GLOBAL_SETTINGS_PATH'], '{files}/settings.json')
    assert.equal(env['CLINE_MCP_SETTINGS_PATH'], '{files}/servers.json')
    assert.equal(files['servers.json'], '{"mcpServers":{}}')
    const { disabledTools } = recordOf(jsonIn(files['settings.json'] ?? ''))
    assert.ok(Array.isArray(disabledTools) && disabledTools.length === 26)
    for (const name of ['run_commands', 'editor', 'apply_patch', 'spawn_agent', 'team_spawn_teammate'])
      assert.ok(disabledTools.includes(name), name)
  })
})

describe('recordings of Cline', () => {
  test('a session with a command and a final word; the usage adds up, and a cost of 0 is no cost', () => {
    assert.deepEqual(recorded('success'), [
      session,
      usage(1),
      { ...tool('run_commands', commits), command: commits },
      { kind: 'tool-result', failed: false, text: '1\n' },
      usage(2),
      said('Done.'),
      { kind: 'usage', usage: used(2) },
      { kind: 'end', isError: false, text: 'Done.' },
    ])
  })

  test('a cost is told where the model has a price', () => {
    const line = JSON.stringify({
      type: 'agent_event',
      event: { type: 'usage', inputTokens: 10, totalInputTokens: 10, totalCost: 0.5 },
    })
    assert.deepEqual(readBy(cline.reader)(line), [
      { kind: 'usage', usage: { inputTokens: 10, outputTokens: 0, costUsd: 0.5 }, contextTokens: 10 },
    ])
  })

  test('edits are known with their text, and their results are words', () => {
    assert.deepEqual(
      recorded('file-change').filter(({ kind }) => kind === 'tool' || kind === 'tool-result'),
      [
        { ...tool('editor', 'new.txt'), edit: { path: 'new.txt', to: 'hello\n' } },
        { kind: 'tool-result', failed: false, text: 'File created successfully at: /home/me/project/new.txt' },
        { ...tool('editor', 'new.txt'), edit: { path: 'new.txt', from: 'hello', to: 'bye' } },
        { kind: 'tool-result', failed: false, text: 'Edited /home/me/project/new.txt\n```diff\n-1: hello\n+1: bye\n```' },
      ],
    )
  })

  test('a command that fails, and one that was refused, after which it goes on', () => {
    const failed = recorded('tool-fails').find(({ kind }) => kind === 'tool-result')
    const text = '[Command exited with code 3]\n\n[stderr]\nusage limit reached\n'
    assert.deepEqual(failed, { kind: 'tool-result', failed: true, text })
    assert.deepEqual(
      recorded('permission-denied').filter(({ kind }) => kind === 'denied' || kind === 'error' || kind === 'end'),
      [
        { kind: 'denied', tool: 'run_commands' },
        { kind: 'end', isError: false, text: 'I may not.' },
      ],
    )
  })

  test('errors of the provider are told apart, and an empty answer is a failure', () => {
    const kinds = ['rate-limit', 'usage-limit', 'bad-key', 'unknown-model', 'empty-answer'].map((name) => {
      const entry = recorded(name).find(({ kind }) => kind === 'throttled' || kind === 'error')
      return entry?.kind === 'throttled' ? entry.by : entry?.kind
    })
    assert.deepEqual(kinds, ['rate', 'usage-limit', 'login', 'error', 'error'])
    assert.deepEqual(recorded('rate-limit-once').at(-1), { kind: 'end', isError: false, text: 'Done.' })
  })

  test('a run that something else ended is not a success, although it exits with 0', () => {
    const line = JSON.stringify({ type: 'run_aborted', reason: 'external_abort', message: 'aborted by another client' })
    assert.deepEqual(readBy(cline.reader)(line), [{ kind: 'end', isError: true, text: 'aborted by another client' }])
  })
})
