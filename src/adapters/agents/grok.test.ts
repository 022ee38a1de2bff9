import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { commits, linesOf, options, readBy, said, tool } from '../../../test/support/recordings.ts'
import type { Entry } from '../../core/reading/transcript.ts'
import { agentNamed } from './list.ts'

const grok = agentNamed({ name: 'grok' }, options)
const recorded = (name: string): Entry[] => readBy(grok.reader)(...linesOf('grok', name))

const session: Entry = { kind: 'session', id: '00000000-0000-4000-8000-000000000000', model: 'scripted' }
const used = (requests: number) => ({
  inputTokens: 1200 * requests,
  outputTokens: 50 * requests,
  costUsd: null,
  cacheReadTokens: 200 * requests,
})
const usage = (requests: number): Entry => ({ kind: 'usage', usage: used(requests), contextTokens: 1200 })

describe('starting Grok Build', () => {
  const task = { prompt: 'Do it.', cwd: '/project', model: '', env: { RALPH_RUN: 'r:1' } }
  const args = ['--prompt-file', '{files}/prompt.md', '--output-format', 'streaming-messages-json']

  test('the prompt is in a file, and only what is allowed is granted', () => {
    assert.deepEqual(grok.launch(task), {
      command: 'grok',
      args: [...args, '--permission-mode', 'dontAsk'],
      env: { GROK_TURN_SUMMARY: '0', GROK_TITLE_REFRESH: '0', RALPH_RUN: 'r:1' },
      stdin: '',
      files: { 'prompt.md': 'Do it.' },
    })
    const some = agentNamed({ name: 'grok' }, { ...options, allowedTools: 'Edit,Bash(git *)' })
    assert.deepEqual(some.launch(task).args.slice(6), ['--allow', 'Edit', '--allow', 'Bash(git *)'])
    const free = agentNamed({ name: 'grok' }, { ...options, skipPermissions: true })
    assert.deepEqual(free.launch({ ...task, model: 'm' }).args, [...args, '--model', 'm', '--always-approve'])
  })

  test('a read-only call has tools that look, and none of a server', () => {
    assert.deepEqual(grok.launch({ ...task, isReadOnly: true }).args, [
      ...args,
      ...['--tools', 'read_file,list_dir,grep', '--disallowed-tools', 'search_tool,use_tool'],
      ...['--no-subagents', '--disable-web-search'],
    ])
  })
})

describe('recordings of Grok Build', () => {
  test('a session with a command and a final word; the usage adds up, and a cost of 0 is no cost', () => {
    assert.deepEqual(recorded('success'), [
      session,
      { ...tool('run_terminal_command', commits), command: commits },
      usage(1),
      { kind: 'tool-result', failed: false, text: 'exit: 0\n1\n' },
      said('Done.'),
      usage(2),
      { kind: 'usage', usage: used(2) },
      { kind: 'end', isError: false, text: 'Done.' },
    ])
    const paid = JSON.stringify({
      type: 'result',
      is_error: false,
      result: 'ok',
      total_cost_usd: 0.5,
      usage: { input_tokens: 1 },
    })
    const [told] = readBy(grok.reader)(paid)
    assert.deepEqual(told, { kind: 'usage', usage: { inputTokens: 1, outputTokens: 0, costUsd: 0.5 } })
  })

  test('edits are known with their text', () => {
    assert.deepEqual(
      recorded('file-change').filter(({ kind }) => kind === 'tool'),
      [
        { ...tool('write', 'new.txt'), edit: { path: 'new.txt', to: 'hello\n' } },
        { ...tool('search_replace', 'new.txt'), edit: { path: 'new.txt', from: 'hello', to: 'bye' } },
      ],
    )
  })

  test('a command that fails by its exit code, and one that was refused, which ends the call', () => {
    const failed = recorded('tool-fails').find(({ kind }) => kind === 'tool-result')
    assert.deepEqual(failed, { kind: 'tool-result', failed: true, text: 'exit: 3\nusage limit reached\n' })
    assert.deepEqual(
      recorded('permission-denied').filter(({ kind }) => kind === 'denied' || kind === 'end'),
      [
        { kind: 'denied', tool: 'run_terminal_command' },
        { kind: 'end', isError: true, text: 'cancelled' },
      ],
    )
  })

  test('errors of the provider are told apart, and an empty answer is a failure', () => {
    const kinds = ['rate-limit', 'usage-limit', 'bad-key', 'unknown-model', 'empty-answer'].map((name) => {
      const entry = recorded(name).find(({ kind }) => kind === 'throttled' || kind === 'error')
      return entry?.kind === 'throttled' ? entry.by : entry?.kind
    })
    assert.deepEqual(kinds, ['rate', 'usage-limit', 'login', 'error', 'error'])
  })

  test('without a login it says so', () => {
    const errors = ['Not signed in. To authenticate without a browser, run:\n  grok login --device-code']
    const line = JSON.stringify({ type: 'result', subtype: 'error_during_execution', is_error: true, errors })
    const found = readBy(grok.reader)(line).find(({ kind }) => kind === 'throttled')
    assert.ok(found?.kind === 'throttled' && found.by === 'login')
  })
})
