import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { commits, end, linesOf, options, readBy, said, tool } from '../../../test/support/recordings.ts'
import { type Entry, emptyTranscript, type Transcript, withEntry } from '../../core/reading/transcript.ts'
import { agentNamed } from './list.ts'

const codex = agentNamed({ name: 'codex' }, options)

const read = readBy(codex.reader)
const recorded = (name: string): Entry[] => read(...linesOf('codex', name))

const session: Entry = { kind: 'session', id: '00000000-0000-4000-8000-000000000000', model: '' }
const usage = (inputTokens: number, outputTokens: number, cacheReadTokens: number): Entry => ({
  kind: 'usage',
  usage: { inputTokens, outputTokens, costUsd: null, cacheReadTokens },
})
/** Told of a request that is made again. */
const isOnTheWay = (entry: Entry): boolean => entry.kind === 'throttled' && entry.isHearsay === true
const item = (type: 'started' | 'completed', fields: Record<string, unknown>) => ({
  type: `item.${type}`,
  item: { id: 'i', ...fields },
})

describe('starting Codex', () => {
  const task = { prompt: 'Do it.', cwd: '/project', model: '', env: { RALPH_RUN: 'r:1' } }

  test('the prompt is on standard input, and the sandbox is the project unless permissions are skipped', () => {
    assert.deepEqual(codex.launch(task), {
      command: 'codex',
      args: ['exec', '--json', '--skip-git-repo-check', '-s', 'workspace-write', '-'],
      env: { RALPH_RUN: 'r:1' },
      stdin: 'Do it.',
    })
    const free = agentNamed(
      { name: 'codex', command: ['tools/codex', '-c', 'a=1'], env: { A: 'b' } },
      { ...options, skipPermissions: true },
    )
    assert.deepEqual(free.launch({ ...task, model: 'gpt-5.5' }), {
      command: '/project/tools/codex',
      args: [
        ...['-c', 'a=1', 'exec', '--json', '--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox'],
        ...['-m', 'gpt-5.5', '-'],
      ],
      env: { A: 'b', RALPH_RUN: 'r:1' },
      stdin: 'Do it.',
    })
  })

  test('its output tells words apart, and no cost', () => {
    assert.deepEqual([codex.tellsWordsApart, codex.tells], [true, 'tokens'])
  })
})

describe('recordings of Codex', () => {
  test('a session with a command and a final word', () => {
    assert.deepEqual(recorded('success'), [
      session,
      { ...tool('Bash', commits), command: commits },
      { kind: 'tool-result', failed: false, text: '1\n' },
      said('Done.'),
      usage(2400, 100, 400),
      end('Done.'),
    ])
  })

  test('a command that fails with words about a limit is a failed tool and nothing more', () => {
    assert.deepEqual(recorded('tool-fails'), [
      session,
      tool('Bash', 'echo "usage limit reached" >&2; exit 3'),
      { kind: 'tool-result', failed: true, text: 'usage limit reached\n' },
      said('It failed.'),
      usage(2400, 100, 400),
      end('It failed.'),
    ])
  })

  test('a patch is an edit of its file', () => {
    assert.deepEqual(recorded('file-change').slice(1, 3), [
      tool('Edit', '/home/me/project/new.txt'),
      { kind: 'tool-result', failed: false, text: 'add /home/me/project/new.txt' },
    ])
  })

  test('a request that was made again is told, and did no harm', () => {
    const retry = (why: string): Entry => ({ kind: 'retrying', message: `Reconnecting... 1/1 (${why})` })
    const down = (message: string): Entry => ({ kind: 'throttled', by: 'unreachable', message, isHearsay: true })
    const rest = [said('Done.'), usage(1200, 50, 200), end('Done.')]
    const rate = 'exceeded retry limit, last status: 429 Too Many Requests'
    assert.deepEqual(recorded('rate-limit-once'), [session, retry(rate), ...rest])
    const broken = 'stream disconnected before completion: Transport error: network error: error decoding response body'
    assert.deepEqual(recorded('disconnect-once'), [session, retry(broken), down(broken), ...rest])
  })

  const failures: [string, Entry['kind'], string, string][] = [
    ['rate-limit', 'throttled', 'rate', 'exceeded retry limit, last status: 429 Too Many Requests'],
    ['usage-limit', 'throttled', 'usage-limit', 'or try again at Sep 21st, 2026 2:13:59 PM.'],
    ['quota-exceeded', 'throttled', 'usage-limit', 'Quota exceeded. Check your plan and billing details.'],
    ['plan-without-codex', 'throttled', 'login', 'To use Codex with your ChatGPT plan, upgrade to Plus'],
    ['bad-key', 'throttled', 'login', 'unexpected status 401 Unauthorized: Incorrect API key provided.'],
    ['at-capacity', 'throttled', 'overload', 'Selected model is at capacity.'],
    ['overloaded', 'throttled', 'overload', 'unexpected status 529'],
    ['server-error', 'throttled', 'overload', 'currently experiencing high demand'],
    ['disconnect', 'throttled', 'unreachable', 'stream disconnected before completion: error sending request'],
    ['unknown-model', 'error', '', 'The model `nothing` does not exist.'],
    ['context-too-long', 'error', '', 'Your input exceeds the context window of this model.'],
  ]
  for (const [name, kind, by, words] of failures) {
    test(`a turn that failed for ${name} ends with an error of that kind, told once`, () => {
      const entries = recorded(name).filter(
        (entry) => !['session', 'retrying', 'noise'].includes(entry.kind) && !isOnTheWay(entry),
      )
      const [failure, ...rest] = entries
      assert.ok(failure?.kind === 'throttled' || failure?.kind === 'error')
      assert.deepEqual([failure.kind, failure.kind === 'throttled' ? failure.by : ''], [kind, by])
      assert.ok(failure.message.includes(words), failure.message)
      assert.deepEqual(rest, [{ kind: 'end', isError: true, text: failure.message }])
    })
  }

  test('an item called error is a warning', () => {
    assert.deepEqual(
      recorded('unknown-model').map(({ kind }) => kind),
      ['session', 'noise', 'retrying', 'error', 'end'],
    )
  })
})

describe('lines by hand', () => {
  const failedWith = (message: string) => read({ type: 'turn.failed', error: { message } })[0]

  test('a usage limit is one whatever the account may do about it', () => {
    for (const message of [
      "You've hit your usage limit. Visit https://chatgpt.com/codex/settings/usage to purchase more credits or try again at 3:28:59 PM.",
      'You’ve hit your usage limit. To get more access now, send a request to your admin or try again in 2 days 3 hours.',
      "You've hit your usage limit for gpt-5.5. Switch to another model now.",
    ])
      assert.deepEqual(failedWith(message), { kind: 'throttled', by: 'usage-limit', message })
  })

  test('the time at which a limit ends is cut to the minute: its last second is meant [R-LIM-4]', () => {
    const words = (time: string): string => `You’ve hit your usage limit. Visit https://example.com or try again at ${time}.`
    for (const [told, meant] of [
      ['3:28 PM', '3:28:59 PM'],
      ['Sep 21st, 2026 2:13 AM', 'Sep 21st, 2026 2:13:59 AM'],
    ] as const)
      assert.deepEqual(failedWith(words(told)), { kind: 'throttled', by: 'usage-limit', message: words(meant) })
  })

  test('a provider that cannot be reached, or is overloaded, is to blame until the model says or does anything [R-CB-4]', () => {
    const transcriptOf = (...lines: unknown[]): Transcript => read(...lines).reduce(withEntry, emptyTranscript())
    const waits = { type: 'error', message: 'Reconnecting... waiting for network (Connection failed: error sending request)' }
    const down = { kind: 'throttled', by: 'unreachable', message: 'Connection failed: error sending request' }
    assert.deepEqual(transcriptOf(waits, waits).throttled, down)
    const speaks = item('completed', { type: 'agent_message', text: 'Here I am.' })
    const works = item('started', { type: 'command_execution', command: 'ls' })
    for (const next of [speaks, works]) assert.equal(transcriptOf(waits, next).throttled, undefined)
    const overloaded = { type: 'error', message: 'Reconnecting... 2/5 (unexpected status 529 <unknown status code>: Overloaded)' }
    assert.equal(transcriptOf(overloaded).throttled?.by, 'overload')
    const tooFast = { type: 'error', message: 'Reconnecting... 2/5 (exceeded retry limit, last status: 429 Too Many Requests)' }
    assert.equal(transcriptOf(tooFast).throttled, undefined)
  })

  test('what the provider says inside a broken stream counts before the break', () => {
    const message =
      'stream disconnected before completion: Rate limit reached for gpt-5.5 in organization o. Please try again in 11s.'
    assert.deepEqual(failedWith(message), { kind: 'throttled', by: 'rate', message })
  })

  test('a missing key and a login that ran out are refused logins', () => {
    for (const message of [
      'Missing environment variable: `OPENAI_API_KEY`.',
      'Your access token could not be refreshed. Please log out and sign in again.',
      'unexpected status 403 Forbidden: No access, url: http://127.0.0.1:1/v1/responses',
    ])
      assert.deepEqual(failedWith(message), { kind: 'throttled', by: 'login', message })
  })

  test('a turn that failed without output is an error all the same', () => {
    const message = 'the agent failed without an error message'
    assert.deepEqual(read({ type: 'turn.failed' }), [
      { kind: 'error', message },
      { kind: 'end', isError: true, text: message },
    ])
  })

  test('a tool is named once, whether its begin was told or not', () => {
    const change = {
      type: 'file_change',
      changes: [
        { path: 'a.ts', kind: 'update' },
        { path: 'b.ts', kind: 'add' },
      ],
      status: 'failed',
    }
    const told = [
      tool('Edit', 'a.ts'),
      tool('Edit', 'b.ts'),
      { kind: 'tool-result', failed: true, text: 'update a.ts\nadd b.ts' },
    ]
    assert.deepEqual(read(item('started', change), item('completed', change)), told)
    assert.deepEqual(read(item('completed', change)), told)
  })

  test('a tool of a server, with its answer or its error', () => {
    const call = {
      type: 'mcp_tool_call',
      server: 'docs',
      tool: 'find',
      status: 'completed',
      result: { content: [{ text: 'Here.' }] },
    }
    assert.deepEqual(read(item('completed', call)), [
      tool('docs.find', ''),
      { kind: 'tool-result', failed: false, text: 'Here.' },
    ])
    assert.deepEqual(read(item('completed', { ...call, status: 'failed', result: null, error: { message: 'Gone.' } })), [
      tool('docs.find', ''),
      { kind: 'tool-result', failed: true, text: 'Gone.' },
    ])
  })

  test('a search is told when it is known what for; thoughts and lists are not told', () => {
    assert.deepEqual(
      read(
        item('started', { type: 'web_search', query: '' }),
        item('completed', { type: 'web_search', query: 'node test' }),
        item('completed', { type: 'reasoning', text: 'Hm.' }),
        item('completed', { type: 'todo_list', items: [] }),
        { type: 'turn.started' },
        { type: 'something.new' },
      ),
      [tool('WebSearch', 'node test')],
    )
  })

  test('a command is shown without the shell around it, a long output by its beginning', () => {
    const run = { type: 'command_execution', command: 'bash -lc ls', aggregated_output: 'x'.repeat(5000), exit_code: null }
    const [begin, result] = read(item('completed', { ...run, status: 'declined' }))
    assert.deepEqual(begin, tool('Bash', 'ls'))
    assert.deepEqual(result, { kind: 'tool-result', failed: true, text: `${'x'.repeat(2047)}…` })
  })

  test('what is no event is noise', () => {
    const reader = codex.reader()
    assert.deepEqual(
      [...reader('', 'out'), ...reader('Reading prompt from stdin...', 'out'), ...reader('{"type":"turn.completed"}', 'err')],
      [
        { kind: 'noise', text: 'Reading prompt from stdin...' },
        { kind: 'noise', text: '{"type":"turn.completed"}' },
      ],
    )
  })

  test('no line makes a reader throw', () => {
    const names = fc.constantFrom('thread.started', 'item.started', 'item.completed', 'error', 'turn.completed', 'turn.failed')
    const kinds = fc.constantFrom('agent_message', 'command_execution', 'file_change', 'mcp_tool_call', 'web_search', 'error')
    const part = fc.oneof(
      fc.jsonValue(),
      fc.record({ type: kinds, changes: fc.jsonValue(), result: fc.jsonValue(), id: fc.jsonValue() }),
    )
    fc.assert(
      fc.property(
        fc.record({ type: names, item: part, error: fc.jsonValue(), usage: fc.jsonValue() }),
        fc.string(),
        (event, text) => {
          read(event, text)
        },
      ),
    )
  })
})
