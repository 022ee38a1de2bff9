import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { commits, end, linesOf, options, readBy, said } from '../../../test/support/recordings.ts'
import type { Entry } from '../../core/reading/transcript.ts'
import { agentNamed } from './list.ts'

const qwen = agentNamed({ name: 'qwen' }, options)

const read = readBy(qwen.reader)
const recorded = (name: string): Entry[] => read(...linesOf('qwen', name))

const session: Entry = { kind: 'session', id: '00000000-0000-4000-8000-000000000000', model: 'scripted-model' }
const spent = (inputTokens: number, outputTokens: number, cacheReadTokens: number) => ({
  kind: 'usage' as const,
  usage: { inputTokens, outputTokens, costUsd: null, cacheReadTokens },
})
const answer = (text: string) => ({ type: 'assistant', message: { id: 'm', content: [{ type: 'text', text }] } })

describe('starting Qwen', () => {
  const task = { prompt: 'Do it.', cwd: '/project', model: '', env: { RALPH_RUN: 'r:1' } }
  const argsWith = (more: Partial<typeof options>, model = '') =>
    agentNamed({ name: 'qwen' }, { ...options, ...more }).launch({ ...task, model }).args

  test('the prompt is on standard input, and a command of its own keeps its arguments', () => {
    assert.deepEqual(qwen.launch(task), {
      command: 'qwen',
      args: ['--output-format', 'stream-json'],
      env: { RALPH_RUN: 'r:1' },
      stdin: 'Do it.',
    })
    const own = agentNamed({ name: 'qwen', command: ['tools/qwen', '--debug'], env: { A: 'b' } }, options).launch(task)
    assert.deepEqual(own, {
      command: '/project/tools/qwen',
      args: ['--debug', '--output-format', 'stream-json'],
      env: { A: 'b', RALPH_RUN: 'r:1' },
      stdin: 'Do it.',
    })
  })

  test('it may do anything, edit files, or only read', () => {
    const always = ['--output-format', 'stream-json']
    assert.deepEqual(argsWith({ skipPermissions: true }, 'qwen3-coder'), [...always, '--model', 'qwen3-coder', '--yolo'])
    assert.deepEqual(argsWith({ allowedTools: 'Read,Write' }), [...always, '--approval-mode', 'auto-edit'])
    assert.deepEqual(argsWith({ allowedTools: 'Read,Grep' }), always)
    const unread = ['--exclude-tools', 'run_shell_command(*$*),run_shell_command(*`*)']
    assert.deepEqual(argsWith({ allowedTools: 'Read,Bash(git add *),Bash(npm test *),Bash(a, b *)' }), [
      ...[...always, '--allowed-tools', 'run_shell_command(git add *),run_shell_command(npm test *)'],
      ...unread,
    ])
    assert.deepEqual(argsWith({ allowedTools: 'Bash' }), [...always, '--allowed-tools', 'run_shell_command'])
  })

  test('its output tells words apart, and no cost', () => {
    assert.deepEqual([qwen.tellsWordsApart, qwen.tells], [true, 'tokens'])
  })
})

describe('recordings of Qwen', () => {
  test('a session with a command and a final word; the cache is a part of the input, and not added to it', () => {
    assert.deepEqual(recorded('success'), [
      session,
      {
        kind: 'tool',
        name: 'run_shell_command',
        target: commits,
        isSub: false,
        command: commits,
      },
      { ...spent(1200, 50, 200), contextTokens: 1200 },
      { kind: 'tool-result', failed: false, text: '1' },
      said('Done.'),
      spent(2400, 100, 400),
      end('Done.'),
    ])
  })

  test('a command that fails with words about a limit is a failed tool and nothing more', () => {
    const entries = recorded('tool-fails')
    const results = entries.filter(({ kind }) => kind === 'tool-result')
    assert.match(JSON.stringify(results), /"failed":true,"text":"Command: .*Output: usage limit reached.*Exit Code: 3/)
    assert.deepEqual(
      entries.map(({ kind }) => kind),
      ['session', 'tool', 'usage', 'tool-result', 'said', 'usage', 'end'],
    )
  })

  test('a tool that was refused is told once', () => {
    assert.deepEqual(
      recorded('permission-denied').filter(({ kind }) => kind === 'denied'),
      [{ kind: 'denied', tool: 'run_shell_command' }],
    )
  })

  test('a request that was made again did no harm', () => {
    assert.deepEqual(recorded('rate-limit-once'), [
      session,
      said('Done.'),
      { ...spent(1200, 50, 200), contextTokens: 1200 },
      spent(1200, 50, 200),
      end('Done.'),
    ])
  })

  test('an answer that broke off has every sign of a whole one', () => {
    assert.deepEqual(
      recorded('disconnect-in-the-middle').filter(({ kind }) => kind !== 'usage'),
      [session, said('Half of it'), end('Half of it')],
    )
  })

  const failures: [string, Entry['kind'], string, string][] = [
    ['rate-limit', 'throttled', 'rate', '429 Rate limit reached for requests.'],
    ['usage-limit', 'throttled', 'usage-limit', 'Quota exhausted: Quota exceeded. It will reset at 2026-11-16 08:00:00.'],
    ['quota-exceeded', 'throttled', 'usage-limit', '429 You exceeded your current quota.'],
    ['bad-key', 'throttled', 'login', '401 Incorrect API key provided.'],
    ['overloaded', 'throttled', 'overload', '503 Overloaded.'],
    ['unknown-model', 'error', '', '404 The model `nothing` does not exist.'],
    ['context-too-long', 'error', '', '400 Your input exceeds the context window of this model.'],
  ]
  for (const [name, kind, by, words] of failures) {
    test(`a session that failed for ${name} ends with an error of that kind, told once, and never as the agent’s words`, () => {
      const [failure, ...rest] = recorded(name).filter((entry) => !['session', 'usage'].includes(entry.kind))
      assert.ok(failure?.kind === 'throttled' || failure?.kind === 'error')
      assert.deepEqual([failure.kind, failure.kind === 'throttled' ? failure.by : ''], [kind, by])
      assert.ok(failure.message.startsWith(words), failure.message)
      assert.deepEqual(rest, [{ kind: 'end', isError: true, text: failure.message }])
    })
  }
})

describe('lines by hand', () => {
  const succeeds = (result: string) => ({ type: 'result', subtype: 'success', is_error: false, result })
  const fails = (message: string) => ({ type: 'result', subtype: 'error_during_execution', is_error: true, error: { message } })

  test('a failure that comes as a successful answer is a failure', () => {
    const text = '[API Error: 401 Incorrect API key provided.]'
    const message = '401 Incorrect API key provided.'
    assert.deepEqual(read(answer(text), succeeds(text)), [
      { kind: 'throttled', by: 'login', message },
      { kind: 'end', isError: true, text: message },
    ])
    const rate = '[API Error: 429 Too fast.]\nPossible quota limitations in place or slow response times detected. Please wait.'
    assert.deepEqual(read(succeeds(rate)), [
      { kind: 'throttled', by: 'rate', message: '429 Too fast.' },
      { kind: 'end', isError: true, text: '429 Too fast.' },
    ])
  })

  test('words about such a failure are the agent’s own', () => {
    for (const text of [
      'The log says [API Error: 401 Incorrect API key provided.]',
      '[API Error: 401 Incorrect API key provided.] is what users see; see [docs]',
      '[API Error: 429 Too fast.]\nI have fixed the code that prints this.',
      'Quota exhausted: I wrote a test for that.',
    ])
      assert.deepEqual(read(answer(text), succeeds(text)), [said(text), end(text)])
  })

  test('no connection and a broken server are no way through', () => {
    for (const message of ['Connection error. (cause: fetch failed: other side closed)', '500 The server had an error.'])
      assert.deepEqual(read(fails(`[API Error: ${message}]`)), [
        { kind: 'throttled', by: 'unreachable', message },
        { kind: 'end', isError: true, text: message },
      ])
  })

  test('a missing key and an account that is no more are refused logins, a used-up one is a usage limit', () => {
    const missing = "Missing API key for OpenAI-compatible auth. Set the 'OPENAI_API_KEY' environment variable."
    const gone = 'Qwen OAuth free tier has been discontinued as of 2026-04-15.'
    for (const message of [missing, gone]) assert.deepEqual(read(fails(message))[0], { kind: 'throttled', by: 'login', message })
    const message = 'Qwen OAuth quota exceeded: your free daily quota is used up.'
    assert.deepEqual(read(fails(message))[0], { kind: 'throttled', by: 'usage-limit', message })
  })

  test('an end in error without a word is an error all the same', () => {
    const message = 'the agent failed without an error message'
    assert.deepEqual(read({ type: 'result', is_error: true }), [
      { kind: 'error', message },
      { kind: 'end', isError: true, text: message },
    ])
  })

  test('no line makes a reader throw', () => {
    const event = fc.record({
      type: fc.constantFrom('system', 'assistant', 'user', 'result', 'stream_event'),
      is_error: fc.boolean(),
      ...Object.fromEntries(['message', 'error', 'result', 'usage'].map((key) => [key, fc.jsonValue()])),
    })
    fc.assert(
      fc.property(event, fc.string(), (line, text) => {
        read(line, text)
      }),
    )
  })
})
