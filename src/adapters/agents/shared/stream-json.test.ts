import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { commits, linesOf, readBy } from '../../../../test/support/recordings.ts'
import type { Entry } from '../../../core/reading/transcript.ts'
import { streamJsonReader } from './stream-json.ts'

const id = '00000000-0000-4000-8000-000000000000'
const session = (model = 'claude-opus-5-5'): Entry => ({ kind: 'session', id, model })
const noTokens: Entry = { kind: 'usage', usage: { inputTokens: 0, outputTokens: 0, costUsd: 0 } }
const someTokens: Entry = {
  kind: 'usage',
  usage: { inputTokens: 2400, outputTokens: 100, costUsd: 0.01008, cacheReadTokens: 400 },
  contextWindow: 1_000_000,
}
/** After that many requests to the model, each with 1,200 tokens in and 50 out. */
const tokensAfter = (n: number): Entry => ({
  kind: 'usage',
  usage: { inputTokens: 1200 * n, outputTokens: 50 * n, costUsd: null, cacheReadTokens: 200 * n },
  contextTokens: 1200,
})

const read = readBy(streamJsonReader)
const recorded = (name: string): Entry[] => read(...linesOf('claude', name))

/** Told of a request that is made again. */
const isOnTheWay = (entry: Entry): boolean => entry.kind === 'throttled' && entry.isHearsay === true

describe('recordings of Claude Code', () => {
  test('a session with a tool and a final word', () => {
    assert.deepEqual(recorded('success'), [
      session(),
      {
        kind: 'tool',
        name: 'Bash',
        target: commits,
        isSub: false,
        command: commits,
      },
      tokensAfter(1),
      { kind: 'tool-result', failed: false, text: '1' },
      { kind: 'said', text: 'Done.', isSub: false },
      tokensAfter(2),
      someTokens,
      { kind: 'end', isError: false, text: 'Done.' },
    ])
  })

  test('a tool that fails with words about a limit is a failed tool and nothing more (M03)', () => {
    assert.deepEqual(recorded('tool-fails'), [
      session(),
      { kind: 'tool', name: 'Bash', target: 'echo "5-hour limit reached" >&2; exit 3', isSub: false },
      tokensAfter(1),
      { kind: 'tool-result', failed: true, text: 'Exit code 3\n5-hour limit reached' },
      { kind: 'said', text: 'It failed.', isSub: false },
      tokensAfter(2),
      someTokens,
      { kind: 'end', isError: false, text: 'It failed.' },
    ])
  })

  test('a denied tool is told once, though the result repeats it', () => {
    assert.deepEqual(
      recorded('permission-denied').filter(({ kind }) => kind === 'denied'),
      [{ kind: 'denied', tool: 'Bash' }],
    )
  })

  test('a usage limit is told once, with the time of its event', () => {
    assert.deepEqual(recorded('usage-limit'), [
      session('claude-sonnet-5-5'),
      { kind: 'throttled', by: 'usage-limit', until: '2026-09-21T14:13:20.000Z', message: 'usage limit reached (five_hour)' },
      noTokens,
      { kind: 'end', isError: true, text: "You've hit your 5-hour limit · resets 2:13pm (UTC)" },
    ])
  })

  const failures: [string, Entry['kind'], string, string][] = [
    ['rate-limit', 'throttled', 'rate', 'API Error: Request rejected (429) · This request would exceed your rate limit.'],
    ['bad-key', 'throttled', 'login', 'Invalid API key · Fix external API key'],
    ['overloaded', 'throttled', 'overload', 'API Error: 529 Overloaded.'],
    ['server-error', 'throttled', 'unreachable', 'API Error: 500 Internal server error.'],
    ['disconnect', 'throttled', 'unreachable', 'API Error: Connection dropped (ECONNRESET).'],
    ['context-too-long', 'error', '', 'Prompt is too long'],
    ['unknown-model', 'error', '', "There's an issue with the selected model (nothing)."],
  ]
  for (const [name, kind, by, words] of failures) {
    test(`${name} is ${kind} ${by}`.trimEnd(), () => {
      const entries = recorded(name).filter((entry) => !['session', 'retrying'].includes(entry.kind) && !isOnTheWay(entry))
      const [failure, ...rest] = entries
      assert.ok(failure?.kind === 'throttled' || failure?.kind === 'error')
      assert.deepEqual([failure.kind, failure.kind === 'throttled' ? failure.by : ''], [kind, by])
      assert.equal(failure.message.slice(0, words.length), words)
      assert.deepEqual(rest, [noTokens, { kind: 'end', isError: true, text: failure.message }])
    })
  }

  test("the agent's own retries are told as they happen", () => {
    const message = 'overloaded (529), retry 1 of 1'
    assert.deepEqual(recorded('overloaded').slice(1, 3), [
      { kind: 'retrying', message },
      { kind: 'throttled', by: 'overload', message: `no answer from the provider: ${message}`, isHearsay: true },
    ])
  })
})

const init = { type: 'system', subtype: 'init', session_id: 's-1', model: 'm' }
const said = (text: string, more = {}) => ({ type: 'assistant', message: { content: [{ type: 'text', text }] }, ...more })
const result = (text: string, more = {}) => ({ type: 'result', subtype: 'success', is_error: false, result: text, ...more })
const throttles = (entries: Entry[]) => entries.filter(({ kind }) => kind === 'throttled' || kind === 'error')

describe('lines', () => {
  test('an array of all events on one line reads like the events one by one (A16)', () => {
    const events = [init, said('Hello'), result('Hello')]
    assert.deepEqual(read(events), [
      { kind: 'session', id: 's-1', model: 'm' },
      { kind: 'said', text: 'Hello', isSub: false },
      { kind: 'end', isError: false, text: 'Hello' },
    ])
    assert.deepEqual(read(events), read(...events))
  })

  test('a line that is no event is noise, and what follows is still read (A17)', () => {
    const warning = '(node:1) Warning: something'
    assert.deepEqual(read(warning, '[INFO] up', '{"half":', '[1, 2]', '{"no":"type"}', '', result('ok')), [
      { kind: 'noise', text: warning },
      { kind: 'noise', text: '[INFO] up' },
      { kind: 'noise', text: '{"half":' },
      { kind: 'noise', text: '[1, 2]' },
      { kind: 'noise', text: '{"no":"type"}' },
      { kind: 'end', isError: false, text: 'ok' },
    ])
  })

  test('a promise inside a tool result stays the tool’s (T02)', () => {
    const line = {
      type: 'user',
      message: { content: [{ type: 'tool_result', content: [{ type: 'text', text: '<promise>COMPLETE</promise>' }] }] },
    }
    assert.deepEqual(read(line), [{ kind: 'tool-result', failed: false, text: '<promise>COMPLETE</promise>' }])
  })

  test("a subagent's words and tools are marked as such", () => {
    const tool = { type: 'tool_use', name: 'Read', input: { file_path: 'a.ts', limit: 3 } }
    assert.deepEqual(
      read({ type: 'assistant', parent_tool_use_id: 't-1', message: { content: [{ type: 'text', text: 'found' }, tool] } }),
      [
        { kind: 'said', text: 'found', isSub: true },
        { kind: 'tool', name: 'Read', target: 'a.ts', isSub: true },
      ],
    )
  })

  test('long targets and results are cut', () => {
    const content = [{ type: 'tool_use', name: 'Bash', input: { command: `echo\n${'x'.repeat(500)}` } }]
    assert.deepEqual(read({ type: 'assistant', message: { content } }), [
      { kind: 'tool', name: 'Bash', target: `echo ${'x'.repeat(114)}…`, isSub: false },
    ])
    const [entry] = read({
      type: 'user',
      message: { content: [{ type: 'tool_result', content: 'y'.repeat(9000), is_error: true }] },
    })
    assert.deepEqual(entry, { kind: 'tool-result', failed: true, text: `${'y'.repeat(2047)}…` })
  })

  test('cached tokens are input, and a missing cost is unknown', () => {
    const usage = { input_tokens: 1, cache_read_input_tokens: 20, cache_creation_input_tokens: 300, output_tokens: 4 }
    assert.deepEqual(read(result('', { usage }))[0], {
      kind: 'usage',
      usage: { inputTokens: 321, outputTokens: 4, costUsd: null, cacheReadTokens: 20, cacheWriteTokens: 300 },
    })
  })

  test('of a resumed session, the tokens since the last result are the call’s, not those of the whole session', () => {
    const tokens = (inputTokens: number) => ({ big: { inputTokens, outputTokens: 1, cacheReadInputTokens: 5 } })
    const more = { usage: { input_tokens: 0 }, modelUsage: tokens(900), model_usage_since_last_result: tokens(300) }
    assert.deepEqual(read(result('', more))[0], {
      kind: 'usage',
      usage: { inputTokens: 305, outputTokens: 1, costUsd: null, cacheReadTokens: 5 },
    })
  })

  test('an answer in a schema is the message, whatever was said beside it', () => {
    const structured_output = { verdict: 'pass', missing: [] }
    assert.deepEqual(read({ type: 'result', is_error: false, result: 'It passes.', structured_output }), [
      { kind: 'end', isError: false, text: '{"verdict":"pass","missing":[]}' },
    ])
  })

  test('an end without words names its subtype', () => {
    assert.deepEqual(read({ type: 'result', subtype: 'error_max_turns', is_error: true }), [
      { kind: 'error', message: 'error_max_turns' },
      { kind: 'end', isError: true },
    ])
  })

  test('standard error is noise', () => {
    assert.deepEqual(streamJsonReader()(JSON.stringify(result('x')), 'err'), [
      { kind: 'noise', text: JSON.stringify(result('x')) },
    ])
  })

  test('no line makes the reader throw', () => {
    const keys = [
      'message',
      'content',
      'result',
      'usage',
      'errors',
      'rate_limit_info',
      'permission_denials',
      'error',
      'input',
      'is_error',
    ]
    const types = fc.constantFrom('system', 'assistant', 'user', 'rate_limit_event', 'result', 'other')
    const inner = fc.dictionary(fc.constantFrom(...keys, 'type', 'text', 'resetsAt', 'status'), fc.jsonValue())
    const event = fc
      .tuple(types, fc.dictionary(fc.constantFrom(...keys, 'subtype'), fc.oneof(fc.jsonValue(), inner)))
      .map(([type, rest]) => ({ ...rest, type }))
    fc.assert(fc.property(fc.oneof(event, fc.string()), (line) => Array.isArray(read(line))))
  })
})

describe('limits (R-LIM-4)', () => {
  const epoch = 1_790_000_000
  const until = '2026-09-21T14:13:20.000Z'

  test('allowed and allowed_warning are no limit (M02)', () => {
    const event = (status: string) => ({ type: 'rate_limit_event', rate_limit_info: { status, resetsAt: epoch } })
    assert.deepEqual(throttles(read(event('allowed'), event('allowed_warning'), result('ok'))), [])
    const overage = { type: 'rate_limit_event', rate_limit_info: { status: 'rejected', resetsAt: epoch, isUsingOverage: true } }
    assert.deepEqual(throttles(read(overage, result('ok'))), [])
  })

  const texts: [string, string?][] = [
    ["You've hit your session limit · resets 11pm (Europe/Paris)"],
    ['You’ve hit your weekly limit · resets Jul 15 at 12am (Australia/Melbourne)'],
    ["You're out of extra usage · resets 9pm"],
    [`Claude AI usage limit reached|${epoch}`, until],
    ['5-hour limit reached ∙ resets 3pm'],
  ]
  for (const [text, time] of texts) {
    const limit: Entry = { kind: 'throttled', by: 'usage-limit', ...(time ? { until: time } : {}), message: text }
    test(`"${text}" is a usage limit as an error, as an ordinary answer and as a bare line (M05, M06, T18)`, () => {
      assert.deepEqual(read(result(text, { is_error: true })), [limit, { kind: 'end', isError: true, text }])
      assert.deepEqual(read(result(text)), [limit, { kind: 'end', isError: false, text }])
      assert.deepEqual(read(text), [{ ...limit, isHearsay: true }])
    })
  }

  test('words about limits are no limit (M03, T21)', () => {
    const words = [
      'I added @upstash/ratelimit; see parser.ts:429.',
      "The app now shows “You've hit your session limit · resets 11pm” when the quota is used up.",
      "You've hit your session limit handling on the head: the bug is fixed.",
      'Usage limit reached is now a translated string.',
    ]
    assert.deepEqual(
      words.flatMap((text) => throttles(read(said(text), text, result(text)))),
      [],
    )
    assert.deepEqual(throttles(read(result('I could not fix the rate limit code', { is_error: true }))), [
      { kind: 'error', message: 'I could not fix the rate limit code' },
    ])
  })

  test('a server that limits for a moment is no usage limit (M08)', () => {
    const text = 'API Error: Server is temporarily limiting requests (not your usage limit)'
    const rate: Entry[] = [{ kind: 'throttled', by: 'rate', message: text }]
    assert.deepEqual(throttles(read(result(text, { is_error: true, api_error_status: 429 }))), rate)
    assert.deepEqual(throttles(read(result(text, { is_error: true }))), rate)
  })

  test('an expired token is a refused login, whatever the status says of success (M09)', () => {
    for (const text of [
      'Failed to authenticate. API Error: 401 OAuth token has expired.',
      'OAuth token has expired · Please run /login',
    ]) {
      assert.deepEqual(throttles(read(result(text, { is_error: true }))), [{ kind: 'throttled', by: 'login', message: text }])
    }
  })

  test('an API error on standard error is a short limit (T20)', () => {
    const text = 'API Error: 429 too many requests, retry after 2s'
    assert.deepEqual(streamJsonReader()(text, 'err'), [{ kind: 'throttled', by: 'rate', message: text, isHearsay: true }])
  })

  test("a subagent's failed call is for the agent to deal with", () => {
    const failed = said('API Error: 529 Overloaded.', { error: 'server_error', api_error_status: 529, parent_tool_use_id: 't-1' })
    assert.deepEqual(read(failed, result('Done.')), [
      { kind: 'noise', text: 'API Error: 529 Overloaded.' },
      { kind: 'end', isError: false, text: 'Done.' },
    ])
  })

  test('a reset time out of any calendar is no time', () => {
    const event = { type: 'rate_limit_event', rate_limit_info: { status: 'rejected', resetsAt: 1e300 } }
    assert.deepEqual(read(event), [{ kind: 'throttled', by: 'usage-limit', message: 'usage limit reached' }])
  })
})

test('a value that has a toString of its own is told as it is, and throws nothing', () => {
  const odd = { toString: 1 }
  assert.deepEqual(
    read({ type: 'system', subtype: 'api_retry', error: 'x', error_status: odd, attempt: odd, max_retries: 3 })[0],
    {
      kind: 'retrying',
      message: 'x ({"toString":1}), retry {"toString":1} of 3',
    },
  )
  assert.deepEqual(read({ type: 'rate_limit_event', rate_limit_info: { status: 'rejected', rateLimitType: odd } }), [
    { kind: 'throttled', by: 'usage-limit', message: 'usage limit reached ({"toString":1})' },
  ])
})
