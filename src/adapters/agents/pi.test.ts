import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { commits, end, linesOf, readBy, said, tool } from '../../../test/support/recordings.ts'
import { type Entry, emptyTranscript, withEntry } from '../../core/reading/transcript.ts'
import { agentNamed } from './list.ts'

const options = { allowedTools: '', skipPermissions: true, root: '/project' }
const pi = agentNamed({ name: 'pi' }, options)

const read = readBy(pi.reader)
const recorded = (name: string): Entry[] => read(...linesOf('pi', name))

const session: Entry = { kind: 'session', id: '00000000-0000-4000-8000-000000000000', model: '' }
const usage = (requests: number): Entry => ({
  kind: 'usage',
  usage: {
    inputTokens: 1200 * requests,
    outputTokens: 50 * requests,
    costUsd: 0.00381 * requests,
    cacheReadTokens: 200 * requests,
  },
  contextTokens: 1200,
})

describe('starting pi', () => {
  test('the prompt is on standard input; there are no permissions to skip', () => {
    const task = { prompt: 'Do it.', cwd: '/project', model: '', env: { RALPH_RUN: 'r:1' } }
    assert.deepEqual(pi.launch(task), {
      command: 'pi',
      args: ['-p', '--mode', 'json'],
      env: { RALPH_RUN: 'r:1' },
      stdin: 'Do it.',
    })
    const mine = agentNamed({ name: 'pi', command: ['tools/pi', '--no-skills'], env: { A: 'b' } }, options)
    assert.deepEqual(mine.launch({ ...task, model: 'openai/gpt-5' }), {
      command: '/project/tools/pi',
      args: ['--no-skills', '-p', '--mode', 'json', '--model', 'openai/gpt-5'],
      env: { A: 'b', RALPH_RUN: 'r:1' },
      stdin: 'Do it.',
    })
    assert.deepEqual([pi.tellsWordsApart, pi.tells], [true, 'cost'])
  })
})

describe('recordings of pi', () => {
  test('a session with a command and a final word; the usage adds up', () => {
    assert.deepEqual(recorded('success'), [
      session,
      usage(1),
      { ...tool('bash', commits), command: commits },
      { kind: 'tool-result', failed: false, text: '1\n' },
      said('Done.'),
      usage(2),
      end('Done.'),
    ])
  })

  test('a command that fails with words about a limit is a failed tool and nothing more', () => {
    assert.deepEqual(recorded('tool-fails'), [
      session,
      usage(1),
      tool('bash', 'echo "usage limit reached" >&2; exit 3'),
      { kind: 'tool-result', failed: true, text: 'usage limit reached\n\n\nCommand exited with code 3' },
      said('It failed.'),
      usage(2),
      end('It failed.'),
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

  const recoveries: [string, 'rate' | 'unreachable', string][] = [
    ['rate-limit-once', 'rate', '429 Rate limit reached. Please try again in 1s.'],
    ['disconnect-once', 'unreachable', 'terminated'],
  ]
  for (const [name, by, message] of recoveries) {
    test(`a request that was made again after ${name} did no harm, and half an answer is no answer`, () => {
      const entries = recorded(name)
      assert.deepEqual(entries, [
        session,
        { kind: 'throttled', by, message },
        { kind: 'retrying', message: `retry 1 of 1: ${message}` },
        said('Done.'),
        usage(1),
        end('Done.'),
      ])
      assert.equal(entries.reduce(withEntry, emptyTranscript()).throttled, undefined)
    })
  }

  const failures: [string, string, string][] = [
    ['rate-limit', 'rate', '429 Rate limit reached. Please try again in 1s.'],
    ['usage-limit', 'usage-limit', '429 You exceeded your current quota, please check your plan and billing details.'],
    ['overloaded', 'overload', '503 Overloaded'],
    ['server-error', 'unreachable', '500 The server had an error.'],
    ['disconnect', 'unreachable', 'Connection error.'],
  ]
  for (const [name, by, message] of failures) {
    test(`${name} is final when the retries are used up`, () => {
      assert.deepEqual(recorded(name), [
        session,
        { kind: 'throttled', by, message },
        { kind: 'retrying', message: `retry 1 of 1: ${message}` },
        { kind: 'throttled', by, message },
        { kind: 'end', isError: true, text: message },
      ])
    })
  }

  test('what is not tried again has no end: the program’s exit is the end', () => {
    assert.deepEqual(recorded('bad-key'), [
      session,
      { kind: 'throttled', by: 'login', message: '401 Incorrect API key provided.' },
    ])
    assert.deepEqual(recorded('unknown-model'), [session, { kind: 'error', message: '404 The model `nothing` does not exist.' }])
    assert.deepEqual(recorded('context-too-long'), [
      session,
      { kind: 'error', message: '400 Your input exceeds the context window of this model.' },
    ])
  })
})

describe('lines by hand', () => {
  const failedWith = (errorMessage: string) =>
    read({ type: 'message_end', message: { role: 'assistant', stopReason: 'error', errorMessage } }, { type: 'agent_end' })

  test('lines that repeat the answer are dropped unread, whole or cut', () => {
    assert.deepEqual(
      read(
        `{"type":"message_update","message":${'x'.repeat(1000)}`,
        '{"type":"message_start","message":{"role":"assi',
        '{"type":"tool_execution_update","args":',
        '{"type":"turn_end","message":',
      ),
      [],
    )
  })

  test('the end counts even where the session it repeats is too long to come whole', () => {
    const message = { role: 'assistant', content: [{ type: 'text', text: 'Done.' }], stopReason: 'stop' }
    assert.deepEqual(read({ type: 'message_end', message }, '{"type":"agent_end","messages":[{"role":"us'), [
      said('Done.'),
      end('Done.'),
    ])
  })

  test('the user’s and the tools’ messages are not the agent’s words', () => {
    const content = [{ type: 'text', text: '<promise>COMPLETE</promise>' }]
    assert.deepEqual(
      read(
        { type: 'message_end', message: { role: 'user', content } },
        { type: 'message_end', message: { role: 'toolResult', content } },
        { type: 'message_end', message: { role: 'assistant', content: [{ type: 'thinking', thinking: 'Hm.' }] } },
      ),
      [],
    )
  })

  test('limits of other providers', () => {
    const limits: [string, string][] = [
      ['You have hit your ChatGPT usage limit (plus plan). Try again in ~120 min.', 'usage-limit'],
      ['429 {"type":"error","error":{"type":"rate_limit_error","message":"Too many tokens."}}', 'rate'],
      ['529 {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}', 'overload'],
      ['Overloaded', 'overload'],
      ['No API key for provider: openai', 'login'],
    ]
    for (const [message, by] of limits) assert.deepEqual(failedWith(message), [{ kind: 'throttled', by, message }])
  })

  test('a failure without a word is an error all the same', () => {
    assert.deepEqual(failedWith(''), [{ kind: 'error', message: 'the agent failed without an error message' }])
  })

  test('without a key there are no events, but a refused login', () => {
    const message = 'No API key found for openai.'
    assert.deepEqual(pi.reader()(message, 'err'), [{ kind: 'throttled', by: 'login', message, isHearsay: true }])
    assert.deepEqual(pi.reader()('{"type":"agent_end"}', 'err'), [{ kind: 'noise', text: '{"type":"agent_end"}' }])
  })

  test('no line makes a reader throw', () => {
    const names = fc.constantFrom('session', 'message_end', 'tool_execution_start', 'tool_execution_end', 'auto_retry_start')
    const message = fc.oneof(
      fc.jsonValue(),
      fc.record({ role: fc.constant('assistant'), content: fc.jsonValue(), usage: fc.jsonValue(), stopReason: fc.jsonValue() }),
    )
    fc.assert(
      fc.property(
        fc.record({ type: names, message, args: fc.jsonValue(), result: fc.jsonValue() }),
        fc.string(),
        (event, text) => {
          read(event, text)
        },
      ),
    )
  })
})
