import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { commits, linesOf, options, readBy, said, tool } from '../../../test/support/recordings.ts'
import type { Entry } from '../../core/reading/transcript.ts'
import { agentNamed } from './list.ts'

const copilot = agentNamed({ name: 'copilot' }, options)

const read = readBy(copilot.reader)
const recorded = (name: string): Entry[] => read(...linesOf('copilot', name))

const session = (model: string): Entry => ({ kind: 'session', id: '00000000-0000-4000-8000-000000000000', model })
const ending = (text: string): Entry[] => [said(text), session('gpt-4.1'), { kind: 'end', isError: false, text }]

describe('starting the Copilot CLI', () => {
  const usageFile = ['--usage-output-file', '{files}/usage.json']

  test('the prompt is on standard input, and permissions are granted only when asked for', () => {
    const task = { prompt: 'Do it.', cwd: '/project', model: '', env: { RALPH_RUN: 'r:1' } }
    assert.deepEqual(copilot.launch(task), {
      command: 'copilot',
      args: ['--output-format', 'json', '--no-color', '--no-auto-update', ...usageFile],
      env: { RALPH_RUN: 'r:1' },
      stdin: 'Do it.',
      files: { 'usage.json': '' },
    })
    const free = agentNamed(
      { name: 'copilot', command: ['tools/copilot', '--disable-builtin-mcps'], env: { A: 'b' } },
      { ...options, skipPermissions: true },
    )
    assert.deepEqual(free.launch({ ...task, model: 'gpt-5' }), {
      command: '/project/tools/copilot',
      args: [
        ...['--disable-builtin-mcps', '--output-format', 'json', '--no-color', '--no-auto-update'],
        ...[...usageFile, '--model', 'gpt-5', '--allow-all'],
      ],
      env: { A: 'b', RALPH_RUN: 'r:1' },
      stdin: 'Do it.',
      files: { 'usage.json': '' },
    })
    assert.deepEqual([copilot.tellsWordsApart, copilot.tells], [true, 'tokens'])
  })
})

describe('recordings of the Copilot CLI', () => {
  test('a session with a command and a final word', () => {
    assert.deepEqual(recorded('success'), [
      { ...tool('bash', commits), command: commits },
      { kind: 'tool-result', failed: false, text: '1\n<shellId: 0 completed with exit code 0>' },
      ...ending('Done.'),
    ])
  })

  test('a command that fails is a failed tool, although the tool that ran it succeeded', () => {
    assert.deepEqual(recorded('tool-fails'), [
      tool('bash', 'echo "usage limit reached" >&2; exit 3'),
      { kind: 'tool-result', failed: true, text: 'usage limit reached\n<shellId: 0 completed with exit code 3>' },
      ...ending('It failed.'),
    ])
  })

  test('a tool that was refused is told as denied', () => {
    const [begin, denied, result, ...rest] = recorded('permission-denied')
    assert.deepEqual(
      [begin, denied],
      [
        { ...tool('bash', commits), command: commits },
        { kind: 'denied', tool: 'bash' },
      ],
    )
    assert.ok(result?.kind === 'tool-result' && result.failed && result.text.startsWith('Permission denied because'))
    assert.deepEqual(rest, ending('I may not.'))
  })

  test('a request that was made again is told, and did no harm', () => {
    assert.deepEqual(recorded('rate-limit-once'), [{ kind: 'retrying', message: 'rate_limit' }, ...ending('Done.')])
    assert.deepEqual(recorded('disconnect-once'), [{ kind: 'retrying', message: 'streaming_error' }, ...ending('Done.')])
  })

  const failures: [string, Entry['kind'], string, string][] = [
    ['rate-limit', 'throttled', 'rate', '429 Rate limit reached. Please try again in 1s.'],
    ['usage-limit', 'throttled', 'usage-limit', '429 You exceeded your current quota, please check your plan'],
    ['bad-key', 'throttled', 'login', 'Authentication failed with provider at http://127.0.0.1:1/v1 (HTTP 401).'],
    ['server-error', 'throttled', 'unreachable', '500 The server had an error.'],
    ['disconnect', 'throttled', 'unreachable', 'error sending request for url'],
    ['unknown-model', 'error', '', "Model 'gpt-4.1' not found on provider"],
    ['context-too-long', 'error', '', 'The provider rejected the prompt as too long'],
  ]
  for (const [name, kind, by, words] of failures) {
    test(`${name} ends with an error of that kind, told once`, () => {
      const [failure, ...rest] = recorded(name).filter((entry) => entry.kind !== 'retrying')
      assert.ok(failure?.kind === 'throttled' || failure?.kind === 'error')
      assert.deepEqual([failure.kind, failure.kind === 'throttled' ? failure.by : ''], [kind, by])
      assert.ok(failure.message.includes(words), failure.message)
      assert.deepEqual(rest, [session(''), { kind: 'end', isError: true, text: failure.message }])
    })
  }
})

describe('lines by hand', () => {
  const failedWith = (errorType: string, message: string) => read({ type: 'session.error', data: { errorType, message } })

  test('its own categories count where there is no status', () => {
    assert.deepEqual(failedWith('quota', 'No requests left.'), [
      { kind: 'throttled', by: 'usage-limit', message: 'No requests left.' },
    ])
    assert.deepEqual(failedWith('authentication', 'Who?'), [{ kind: 'throttled', by: 'login', message: 'Who?' }])
    assert.deepEqual(failedWith('rate_limit', 'Slower.'), [{ kind: 'throttled', by: 'rate', message: 'Slower.' }])
    assert.deepEqual(failedWith('query', 'No.'), [{ kind: 'error', message: 'No.' }])
  })

  test('a subagent’s words, tools and failures are its own', () => {
    assert.deepEqual(
      read(
        { type: 'assistant.message', agentId: 'a', data: { content: '<promise>COMPLETE</promise>' } },
        { type: 'tool.execution_start', data: { toolName: 'view', arguments: { path: 'a.ts' }, parentToolCallId: 'c' } },
        { type: 'session.error', agentId: 'a', data: { message: 'No.' } },
        { type: 'result', sessionId: 's', exitCode: 0 },
      ),
      [
        { kind: 'said', text: '<promise>COMPLETE</promise>', isSub: true },
        { kind: 'tool', name: 'view', target: 'a.ts', isSub: true },
        { kind: 'session', id: 's', model: '' },
        { kind: 'end', isError: false },
      ],
    )
  })

  test('files that are written and edited', () => {
    const start = (toolName: string, args: unknown) => ({ type: 'tool.execution_start', data: { toolName, arguments: args } })
    assert.deepEqual(
      read(start('create', { path: 'a', file_text: 'x' }), start('edit', { path: 'a', old_str: 'x', new_str: 'y' })),
      [
        { ...tool('create', 'a'), edit: { path: 'a', to: 'x' } },
        { ...tool('edit', 'a'), edit: { path: 'a', from: 'x', to: 'y' } },
      ],
    )
  })

  test('without a login there are no events, but a refused login; anything else past the format is noise', () => {
    const message = 'Error: No authentication information found.'
    const reader = copilot.reader()
    assert.deepEqual(reader(message, 'err'), [{ kind: 'throttled', by: 'login', message, isHearsay: true }])
    assert.deepEqual(
      [...reader('', 'out'), ...reader('Warning', 'err'), ...reader('{"type":"result"}', 'err')],
      [
        { kind: 'noise', text: 'Warning' },
        { kind: 'noise', text: '{"type":"result"}' },
      ],
    )
  })

  test('no line makes a reader throw', () => {
    const names = fc.constantFrom(
      ...[
        'assistant.message',
        'tool.execution_start',
        'tool.execution_complete',
        'assistant.turn_retry',
        'session.error',
        'result',
      ],
    )
    const data = fc.oneof(
      fc.jsonValue(),
      fc.record({ toolCallId: fc.jsonValue(), arguments: fc.jsonValue(), error: fc.jsonValue(), result: fc.jsonValue() }),
      fc.record({ errorType: fc.oneof(fc.string(), fc.constant('__proto__')), message: fc.jsonValue() }),
    )
    fc.assert(
      fc.property(fc.record({ type: names, data, exitCode: fc.jsonValue() }), fc.string(), (event, text) => {
        read(event, text)
      }),
    )
  })
})
