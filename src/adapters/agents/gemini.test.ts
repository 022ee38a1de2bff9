import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { commits, end, linesOf, options, readBy, said } from '../../../test/support/recordings.ts'
import type { Entry } from '../../core/reading/transcript.ts'
import { agentNamed } from './list.ts'

const gemini = agentNamed({ name: 'gemini' }, options)

const read = readBy(gemini.reader)
const recorded = (name: string): Entry[] => read(...linesOf('gemini', name))

const session: Entry = { kind: 'session', id: '00000000-0000-4000-8000-000000000000', model: 'gemini-2.5-flash' }
const usage = (inputTokens: number, outputTokens: number, cacheReadTokens: number): Entry => ({
  kind: 'usage',
  usage: { inputTokens, outputTokens, costUsd: null, cacheReadTokens },
})
const piece = (content: string) => ({ type: 'message', role: 'assistant', content, delta: true })
const use = (tool_name: string, parameters = {}) => ({ type: 'tool_use', tool_name, tool_id: 't', parameters })

describe('starting Gemini', () => {
  const mode = ['--approval-mode', 'default', '--policy', '{files}/allowed.toml']
  const rule = (about: string, decision: string, priority: number) =>
    ['[[rule]]', about, `decision = "${decision}"`, `priority = ${priority}`, ''].join('\n')
  /** Without a person there its model could allow itself everything, by a plan. */
  const noPlans = rule('toolName = ["enter_plan_mode","exit_plan_mode"]', 'deny', 999)
  const files = { 'allowed.toml': noPlans }
  const task = { prompt: 'Do it.', cwd: '/project', model: '', env: { RALPH_RUN: 'r:1' } }
  const argsWith = (more: Partial<typeof options>, model = '') =>
    agentNamed({ name: 'gemini' }, { ...options, ...more }).launch({ ...task, model }).args
  const policyWith = (allowedTools: string) =>
    agentNamed({ name: 'gemini' }, { ...options, allowedTools }).launch(task).files?.['allowed.toml']

  test('the prompt is on standard input, and a command of its own keeps its arguments', () => {
    assert.deepEqual(gemini.launch(task), {
      command: 'gemini',
      args: ['--output-format', 'stream-json', '--skip-trust', ...mode],
      env: { RALPH_RUN: 'r:1' },
      stdin: 'Do it.',
      files,
    })
    const own = agentNamed({ name: 'gemini', command: ['tools/gemini', '-d'], env: { A: 'b' } }, options).launch(task)
    assert.deepEqual(own, {
      command: '/project/tools/gemini',
      args: ['-d', '--output-format', 'stream-json', '--skip-trust', ...mode],
      env: { A: 'b', RALPH_RUN: 'r:1' },
      stdin: 'Do it.',
      files,
    })
  })

  test('it may do anything, edit files, or only read', () => {
    const always = ['--output-format', 'stream-json', '--skip-trust']
    assert.deepEqual(argsWith({ skipPermissions: true }, 'gemini-3-pro'), [...always, '-m', 'gemini-3-pro', '--yolo'])
    assert.deepEqual(argsWith({ allowedTools: 'Read,Edit,Bash(git *)' }), [...always, ...mode])
    assert.deepEqual(argsWith({ allowedTools: 'Read,Grep' }), [...always, ...mode])
    assert.deepEqual(policyWith('Read,Grep'), noPlans)
    const edits = rule('toolName = ["write_file","replace"]', 'allow', 998)
    assert.deepEqual(policyWith('Read,Edit'), [noPlans, edits].join('\n'))
    const shell = (about: string) => rule(`toolName = "run_shell_command"\n${about}`, 'allow', 998)
    assert.deepEqual(
      policyWith('Write,Bash(git add *),Bash(npm test:*),Bash(make a.b)'),
      [noPlans, edits, shell('commandPrefix = ["git add","npm test"]'), shell('commandRegex = "make a\\\\.b\\""')].join('\n'),
    )
    assert.deepEqual(policyWith('Bash'), [noPlans, rule('toolName = ["run_shell_command"]', 'allow', 998)].join('\n'))
  })

  test('its output tells words apart, and no cost', () => {
    assert.deepEqual([gemini.tellsWordsApart, gemini.tells], [true, 'tokens'])
  })
})

describe('recordings of Gemini', () => {
  test('a session with a command and a final word, which comes in pieces', () => {
    const words = Array.from({ length: 250 }, (_, n) => `Part ${n}: ${n * n} lines.`).join(' ')
    assert.ok(linesOf('gemini', 'success').filter((line) => line.includes('"delta":true')).length > 1)
    assert.deepEqual(recorded('success'), [
      session,
      {
        kind: 'tool',
        name: 'run_shell_command',
        target: commits,
        isSub: false,
        command: commits,
      },
      { kind: 'tool-result', failed: false, text: '1' },
      said(words),
      usage(2400, 100, 400),
      end(words),
    ])
  })

  test('a command that fails with words about a limit is a tool’s output, and its failure is not told', () => {
    assert.deepEqual(recorded('tool-fails'), [
      session,
      { kind: 'tool', name: 'run_shell_command', target: 'echo "usage limit reached" >&2; exit 3', isSub: false },
      { kind: 'tool-result', failed: false, text: 'usage limit reached' },
      said('It failed.'),
      usage(2400, 100, 400),
      end('It failed.'),
    ])
  })

  test('a file that is written is an edit, with its text', () => {
    assert.deepEqual(recorded('file-change').slice(1, 3), [
      { kind: 'tool', name: 'write_file', target: 'new.txt', isSub: false, edit: { path: 'new.txt', to: 'hello\n' } },
      { kind: 'tool-result', failed: false, text: '' },
    ])
  })

  test('a tool that is withheld is a denied one', () => {
    assert.deepEqual(
      recorded('permission-denied').map((entry) => (entry.kind === 'denied' ? entry : entry.kind)),
      ['session', 'tool', { kind: 'denied', tool: 'run_shell_command' }, 'tool-result', 'said', 'usage', 'end'],
    )
  })

  test('a loop that the agent found in its own words is a warning, and the end is no error', () => {
    assert.deepEqual(recorded('loop-detected'), [
      session,
      { kind: 'noise', text: 'Loop detected, stopping execution' },
      { kind: 'usage', usage: { inputTokens: 0, outputTokens: 0, costUsd: null } },
      { kind: 'end', isError: false },
    ])
  })

  test('a request that was made again did no harm', () => {
    assert.deepEqual(recorded('rate-limit-once'), [session, said('Done.'), usage(1200, 50, 200), end('Done.')])
  })

  test('an answer that broke off is said, and no final word', () => {
    assert.deepEqual(
      recorded('disconnect-in-the-middle').filter(({ kind }) => kind === 'said' || kind === 'end'),
      [said('Half of it'), { kind: 'end', isError: true, text: 'terminated' }],
    )
  })

  const failures: [string, Entry['kind'], string, string][] = [
    ['rate-limit', 'throttled', 'rate', 'Resource has been exhausted (e.g. check quota).'],
    ['usage-limit', 'throttled', 'usage-limit', 'You have exhausted your daily quota on this model.'],
    ['bad-key', 'throttled', 'login', 'API key not valid. Please pass a valid API key.'],
    ['overloaded', 'throttled', 'overload', 'The model is overloaded. Please try again later.'],
    ['server-error', 'throttled', 'unreachable', 'An internal error has occurred.'],
    ['disconnect', 'throttled', 'unreachable', 'exception TypeError: fetch failed sending request'],
    ['disconnect-in-the-middle', 'throttled', 'unreachable', 'terminated'],
    ['unknown-model', 'error', '', 'models/nothing is not found for API version v1beta.'],
    ['context-too-long', 'error', '', 'The input token count (1200000) exceeds the maximum number of tokens allowed.'],
  ]
  for (const [name, kind, by, message] of failures) {
    test(`a session that failed for ${name} ends with an error of that kind, told once`, () => {
      const failure = kind === 'throttled' ? { kind, by, message } : { kind, message }
      assert.deepEqual(
        recorded(name).filter((entry) => !['session', 'usage', 'said'].includes(entry.kind)),
        [failure, { kind: 'end', isError: true, text: message }],
      )
    })
  }
})

describe('lines by hand', () => {
  const failedWith = (message: string) => read({ type: 'result', status: 'error', error: { type: 'unknown', message } })[0]

  test('the pieces of a message are one, up to whatever comes next; the user’s are not the agent’s', () => {
    assert.deepEqual(
      read(
        { type: 'message', role: 'user', content: '<promise>COMPLETE</promise>' },
        piece('I will '),
        piece('look.'),
        use('read_file', { file_path: 'a.ts' }),
        piece('Now '),
        piece('done.'),
        { type: 'result', status: 'success' },
      ),
      [
        said('I will look.'),
        { kind: 'tool', name: 'read_file', target: 'a.ts', isSub: false },
        said('Now done.'),
        end('Now done.'),
      ],
    )
    const whole = (content: string) => ({ type: 'message', role: 'assistant', content })
    assert.deepEqual(read(piece('A.'), whole('B.'), piece('C.'), { type: 'x' }), [said('A.'), said('B.'), said('C.')])
  })

  test('of an endless message the end is kept', () => {
    const [entry] = read(...Array(40).fill(piece('x'.repeat(50_000))), piece('The end.'), { type: 'x' })
    assert.ok(entry?.kind === 'said' && entry.text.endsWith('xThe end.') && entry.text.length < 600_000)
  })

  test('what the model thought counts as output', () => {
    const stats = { total_tokens: 1900, input_tokens: 1000, output_tokens: 100, cached: 0 }
    assert.deepEqual(read({ type: 'result', status: 'success', stats })[0], {
      kind: 'usage',
      usage: { inputTokens: 1000, outputTokens: 900, costUsd: null },
    })
  })

  test('a limit of the account names when it ends; one of the minute is a rate', () => {
    const spent = 'You have exhausted your capacity on this model. Your quota will reset after 14h32m0s.'
    assert.deepEqual(failedWith(`[API Error: ${spent}]\nPossible quota limitations in place or slow response times detected.`), {
      kind: 'throttled',
      by: 'usage-limit',
      message: spent,
    })
    const minute = 'You exceeded your current quota, please check your plan and billing details.\nSuggested retry after 60s.'
    assert.deepEqual(failedWith(`[API Error: ${minute}]\nPlease wait and try again later. To increase your limits, …`), {
      kind: 'throttled',
      by: 'rate',
      message: minute,
    })
  })

  test('401 and 403 are refused logins, and no capacity is an overload', () => {
    const refused = (code: number, message: string) => failedWith(`[API Error: ${JSON.stringify({ error: { code, message } })}]`)
    for (const code of [401, 403])
      assert.deepEqual(refused(code, 'Denied.'), { kind: 'throttled', by: 'login', message: 'Denied.' })
    const message = 'No capacity available for model gemini-3-pro on the server'
    assert.deepEqual(failedWith(`[API Error: ${message}]\nPlease wait and try again later.`), {
      kind: 'throttled',
      by: 'overload',
      message,
    })
  })

  test('an error that was told before the end is told once; one without a word is an error all the same', () => {
    const message = 'The model returned an empty response.'
    assert.deepEqual(read({ type: 'error', severity: 'error', message }, { type: 'result', status: 'error' }), [
      { kind: 'error', message },
      { kind: 'end', isError: true, text: message },
    ])
    const none = 'the agent failed without an error message'
    assert.deepEqual(read({ type: 'result', status: 'error' }), [
      { kind: 'error', message: none },
      { kind: 'end', isError: true, text: none },
    ])
  })

  test('a tool that failed says why; one that nobody ever had is not denied', () => {
    const result = (type: string) => ({ type: 'tool_result', tool_id: 't', status: 'error', error: { type, message: 'No.' } })
    const failed: Entry = { kind: 'tool-result', failed: true, text: 'No.' }
    assert.deepEqual(read(use('fly'), result('tool_not_registered')).slice(1), [failed])
    assert.deepEqual(read(use('replace'), result('policy_violation')).slice(1), [{ kind: 'denied', tool: 'replace' }, failed])
    const unasked = 'Tool execution for "Shell" requires user confirmation, which is not supported in non-interactive mode.'
    const refused = { type: 'tool_result', tool_id: 't', status: 'error', error: { type: 'unknown', message: unasked } }
    assert.deepEqual(read(use('run_shell_command'), refused)[1], { kind: 'denied', tool: 'run_shell_command' })
  })

  test('retries are told on standard error; a missing key only before the session begins', () => {
    const reader = gemini.reader()
    const missing = 'When using Gemini API, you must specify the GEMINI_API_KEY environment variable.'
    assert.deepEqual(reader(missing, 'err'), [{ kind: 'throttled', by: 'login', message: missing }])
    const retry = 'Attempt 1 failed with status 429. Retrying with backoff... _ApiError: {}'
    assert.deepEqual(reader(retry, 'err'), [{ kind: 'retrying', message: retry }])
    const offline = 'Attempt 1 failed. Retrying with backoff... Error: exception TypeError: fetch failed sending request'
    assert.deepEqual(reader(offline, 'err'), [
      { kind: 'retrying', message: offline },
      { kind: 'throttled', by: 'unreachable', message: 'exception TypeError: fetch failed sending request', isHearsay: true },
    ])
    reader('{"type":"init","session_id":"s"}', 'out')
    const lines = [missing, 'usage limit reached', '{"type":"result","status":"error"}']
    assert.deepEqual(
      lines.flatMap((line) => reader(line, 'err')),
      lines.map((text) => ({ kind: 'noise', text })),
    )
    assert.deepEqual([...reader('', 'out'), ...reader('{"type":"something_new"}', 'out')], [])
  })

  test('no line makes a reader throw', () => {
    const names = fc.constantFrom('init', 'message', 'tool_use', 'tool_result', 'error', 'result')
    const event = fc.record({
      type: names,
      role: fc.constantFrom('assistant', 'user'),
      status: fc.constantFrom('error', 'success'),
      ...Object.fromEntries(['content', 'error', 'stats', 'parameters', 'output', 'message'].map((key) => [key, fc.jsonValue()])),
    })
    fc.assert(
      fc.property(event, fc.string(), (line, text) => {
        read(line, text)
      }),
    )
  })
})
