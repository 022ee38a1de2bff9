import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { commits, linesOf, options, readBy, said, tool } from '../../../test/support/recordings.ts'
import type { Entry } from '../../core/reading/transcript.ts'
import { agentNamed } from './list.ts'

const opencode = agentNamed({ name: 'opencode' }, options)

const read = readBy(opencode.reader)
const recorded = (name: string): Entry[] => read(...linesOf('opencode', name))

const session: Entry = { kind: 'session', id: 'ses_0', model: '' }
const usage = (steps: number): Entry => ({
  kind: 'usage',
  usage: { inputTokens: 1200 * steps, outputTokens: 50 * steps, costUsd: 0.00375 * steps, cacheReadTokens: 200 * steps },
  contextTokens: 1200,
})

const logs = ['--print-logs', '--log-level', 'ERROR']

describe('starting OpenCode', () => {
  test('the prompt is on standard input, and permissions are granted only when asked for', () => {
    const task = { prompt: 'Do it.', cwd: '/project', model: '', env: { RALPH_RUN: 'r:1' } }
    assert.deepEqual(opencode.launch(task), {
      command: 'opencode',
      args: ['run', '--format', 'json', ...logs],
      env: { RALPH_RUN: 'r:1' },
      stdin: 'Do it.',
    })
    const free = agentNamed(
      { name: 'opencode', command: ['tools/opencode', '--pure'], env: { A: 'b' } },
      { ...options, skipPermissions: true },
    )
    assert.deepEqual(free.launch({ ...task, model: 'openai/gpt-5' }), {
      command: '/project/tools/opencode',
      args: ['--pure', 'run', '--format', 'json', ...logs, '-m', 'openai/gpt-5', '--auto'],
      env: { A: 'b', RALPH_RUN: 'r:1' },
      stdin: 'Do it.',
    })
    assert.deepEqual([opencode.tellsWordsApart, opencode.tells], [true, 'cost'])
  })
})

describe('recordings of OpenCode', () => {
  test('a session with a command and a final word; the usage adds up, and the end is left to the exit', () => {
    assert.deepEqual(recorded('success'), [
      session,
      { ...tool('bash', commits), command: commits },
      { kind: 'tool-result', failed: false, text: '1\n' },
      usage(1),
      said('Done.'),
      usage(2),
    ])
  })

  test('a command that fails with words about a limit is a failed tool and nothing more', () => {
    assert.deepEqual(recorded('tool-fails'), [
      session,
      tool('bash', 'echo "usage limit reached" >&2; exit 3'),
      { kind: 'tool-result', failed: true, text: 'usage limit reached\n' },
      usage(1),
      said('It failed.'),
      usage(2),
    ])
  })

  test('files that are written and edited', () => {
    assert.deepEqual(
      recorded('file-change').filter(({ kind }) => kind === 'tool'),
      [
        { ...tool('write', 'new.txt'), edit: { path: 'new.txt', to: 'hello\n' } },
        { ...tool('edit', 'new.txt'), edit: { path: 'new.txt', from: 'hello', to: 'bye' } },
      ],
    )
  })

  test('a tool that was refused is told as denied; there are no words after it', () => {
    assert.deepEqual(recorded('permission-denied'), [
      session,
      { ...tool('bash', commits), command: commits },
      { kind: 'denied', tool: 'bash' },
      { kind: 'tool-result', failed: true, text: 'The user rejected permission to use this specific tool call.' },
      usage(1),
    ])
  })

  test('a request that was made again leaves no trace', () => {
    assert.deepEqual(recorded('rate-limit-once'), [session, said('Done.'), usage(1)])
    assert.deepEqual(recorded('disconnect-once'), [session, said('Done.'), usage(1)])
  })

  const throttled = (by: 'rate' | 'usage-limit' | 'login', message: string): Entry => ({ kind: 'throttled', by, message })
  const failures: [string, Entry][] = [
    ['rate-limit', throttled('rate', 'Rate limit reached. Please try again in 1s.')],
    ['usage-limit', throttled('usage-limit', 'You exceeded your current quota, please check your plan and billing details.')],
    ['bad-key', throttled('login', 'Incorrect API key provided.')],
    ['unknown-model', { kind: 'error', message: 'The model `nothing` does not exist.' }],
    ['unknown-provider', { kind: 'error', message: 'Unexpected server error. Check server logs for details.' }],
  ]
  for (const [name, failure] of failures) {
    test(`${name} is an error of that kind`, () => {
      assert.deepEqual(recorded(name), [session, failure])
    })
  }

  test('a session that became too long is summed up and goes on: the summary’s stop is no end', () => {
    assert.deepEqual(recorded('context-too-long-once'), [
      session,
      { kind: 'error', message: 'Your input exceeds the context window of this model.' },
      said('A short title'), // the summary
      usage(1),
      said('Done.'),
      usage(2),
    ])
  })
})

describe('lines by hand', () => {
  const failedWith = (name: string, data: unknown) => read({ type: 'error', error: { name, data } })

  test('what the program itself tells the model is not the agent’s', () => {
    const part = { type: 'text', synthetic: true, text: '<promise>COMPLETE</promise>' }
    assert.deepEqual(read({ type: 'text', part }), [])
  })

  test('thought counts as output, and what the cache wrote as input', () => {
    const tokens = { input: 10, output: 5, reasoning: 7, cache: { read: 0, write: 3 } }
    assert.deepEqual(read({ type: 'step_finish', part: { tokens, cost: 0.5 } }), [
      { kind: 'usage', usage: { inputTokens: 13, outputTokens: 12, costUsd: 0.5, cacheWriteTokens: 3 }, contextTokens: 13 },
    ])
  })

  test('failures by status, by name and by words', () => {
    const cases: [string, unknown, Entry][] = [
      ['ProviderAuthError', { providerID: 'openai', message: 'No key.' }, { kind: 'throttled', by: 'login', message: 'No key.' }],
      ['APIError', { message: 'Busy.', statusCode: 529 }, { kind: 'throttled', by: 'overload', message: 'Busy.' }],
      ['APIError', { message: 'Broken.', statusCode: 500 }, { kind: 'throttled', by: 'unreachable', message: 'Broken.' }],
      [
        'UnknownError',
        { message: 'connect ECONNREFUSED 127.0.0.1:1' },
        { kind: 'throttled', by: 'unreachable', message: 'connect ECONNREFUSED 127.0.0.1:1' },
      ],
      ['MessageAbortedError', undefined, { kind: 'error', message: 'MessageAbortedError' }],
    ]
    for (const [name, data, entry] of cases) assert.deepEqual(failedWith(name, data), [entry])
    assert.deepEqual(read({ type: 'error' }), [{ kind: 'error', message: 'the agent failed without an error message' }])
  })

  test('its log tells of requests that are made again; a provider that cannot be reached is to blame meanwhile [R-CB-4]', () => {
    const reader = opencode.reader()
    const log = (error: string, small = false) =>
      reader(
        `timestamp=2026-11-15T15:15:59.899Z level=ERROR run=b9 message="stream error" session.id=ses_0 small=${small} agent=build error.error="${error}"`,
        'err',
      )
    const message = 'Cannot connect to API: Unable to connect. (cause: Error: Unable to connect.)'
    assert.deepEqual(log(`AI_APICallError: ${message}`), [
      { kind: 'retrying', message },
      { kind: 'throttled', by: 'unreachable', message, isHearsay: true },
    ])
    assert.deepEqual(log('AI_APICallError: Rate limit reached.'), [{ kind: 'retrying', message: 'Rate limit reached.' }])
    assert.deepEqual(
      log(`AI_RetryError: ${message}`, true).map(({ kind }) => kind),
      ['noise'],
    )
  })

  test('what is no event is noise, and unknown events are nothing', () => {
    const reader = opencode.reader()
    assert.deepEqual(
      [
        ...reader('', 'out'),
        ...reader('Warning', 'err'),
        ...reader('{"type":"error"}', 'err'),
        ...reader('{"type":"new"}', 'out'),
      ],
      [
        { kind: 'noise', text: 'Warning' },
        { kind: 'noise', text: '{"type":"error"}' },
      ],
    )
  })

  test('no line makes a reader throw', () => {
    const names = fc.constantFrom('text', 'tool_use', 'step_start', 'step_finish', 'error')
    const part = fc.oneof(
      fc.jsonValue(),
      fc.record({ tool: fc.jsonValue(), state: fc.jsonValue(), tokens: fc.jsonValue(), cost: fc.jsonValue() }),
      fc.record({ state: fc.record({ input: fc.jsonValue(), metadata: fc.jsonValue(), error: fc.jsonValue() }) }),
    )
    fc.assert(
      fc.property(
        fc.record({ type: names, part, error: fc.jsonValue(), sessionID: fc.jsonValue() }),
        fc.string(),
        (event, text) => {
          read(event, text)
        },
      ),
    )
  })
})
