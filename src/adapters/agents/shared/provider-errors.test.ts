import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { resetTime } from '../../../core/reading/reset-time.ts'
import type { Entry } from '../../../core/reading/transcript.ts'
import { entryOfError, entryOfPlainLine, usageLimit, usageLimitIn } from './provider-errors.ts'
import { streamJsonReader } from './stream-json.ts'

const now = '2026-07-10T12:00:00.000Z'
/** When the wait would end, the way a run works it out: the time of the event, else that of the words. */
const endOf = (entry: Entry | undefined) =>
  entry?.kind === 'throttled' ? [entry.by, entry.until ?? resetTime(entry.message, now, 'Europe/Paris')] : entry?.kind

describe('usage limits [R-LIM-4]', () => {
  const limits: [string, string?][] = [
    ["You've hit your session limit · resets 11pm (Europe/Paris)", '2026-07-10T21:00:00.000Z'],
    ['You’ve hit your weekly limit · resets Jul 15 at 12am (Australia/Melbourne)', '2026-07-14T14:00:00.000Z'],
    ["You've hit your session limit · resets 5:40pm (Europe/Berlin)\n/login to switch accounts.", '2026-07-10T15:40:00.000Z'],
    ["You're out of extra usage · resets 9pm", '2026-07-10T19:00:00.000Z'],
    ['Claude AI usage limit reached|1783700000', '2026-07-10T16:13:20.000Z'],
    ['Claude AI usage limit reached|1783700000000', '2026-07-10T16:13:20.000Z'],
    ['Claude usage limit reached. Your limit will reset at 3pm (America/New_York).', '2026-07-10T19:00:00.000Z'],
    ['5-hour limit reached ∙ resets 3pm', '2026-07-10T13:00:00.000Z'],
    ['Opus weekly limit reached ∙ resets Jul 12, 5pm', '2026-07-12T15:00:00.000Z'],
    ["You've hit your usage limit. Try again in 3 days 4 hours 5 minutes.", '2026-07-13T16:05:00.000Z'],
    [
      "You've hit your usage limit. Upgrade to Pro (https://example.com/explore/pro), visit https://example.com/settings/usage " +
        'to purchase more credits or try again at Jul 11th, 2026 10:00 AM.',
      '2026-07-11T08:00:00.000Z',
    ],
    [
      "You've hit your usage limit for some-model-5. Switch to another model now, or try again at 3:30 PM.",
      '2026-07-10T13:30:00.000Z',
    ],
    ['You have reached your weekly limit'],
    ["You've reached your Opus limit."],
  ]
  for (const [text, until] of limits) {
    test(`"${text.slice(0, 60)}" as an error, as a bare line, after a prefix (M05, M06, T18)`, () => {
      const expected = ['usage-limit', until]
      assert.deepEqual(endOf(entryOfError({ text })), expected)
      assert.deepEqual(endOf(entryOfError({ text, status: 429, code: 'rate_limit' })), expected)
      assert.deepEqual(endOf(entryOfError({ text: `API Error: Request rejected (429) · ${text}`, status: 429 })), expected)
      assert.deepEqual(endOf(entryOfPlainLine(`  ${text}`)), expected)
      assert.deepEqual(endOf(entryOfPlainLine(`Error: ${text}`)), expected)
    })
  }

  test('the time of an event comes before that of the words', () => {
    const text = "You've hit your session limit · resets 11pm (Europe/Paris)"
    assert.deepEqual(entryOfError({ text, code: 'usage_limit_reached', resetsAt: 1_783_700_000 }), {
      kind: 'throttled',
      by: 'usage-limit',
      until: '2026-07-10T16:13:20.000Z',
      message: text,
    })
  })

  test('a number that is no time leaves the words to tell it', () => {
    for (const resetsAt of [undefined, 0, -1, 1e300, Number.NaN])
      assert.deepEqual(usageLimit('resets 9pm', resetsAt), { kind: 'throttled', by: 'usage-limit', message: 'resets 9pm' })
  })

  test('an event without a time does not hide the words that have it', () => {
    const reader = streamJsonReader()
    const text = "You've hit your session limit · resets 11pm (Europe/Paris)"
    const entries = [
      { type: 'rate_limit_event', rate_limit_info: { status: 'rejected', rateLimitType: 'five_hour' } },
      { type: 'assistant', error: 'rate_limit', message: { content: [{ type: 'text', text }] } },
      { type: 'result', is_error: true, result: text },
    ].flatMap((event) => reader(JSON.stringify(event), 'out'))
    assert.deepEqual(entries, [
      { kind: 'throttled', by: 'usage-limit', message: 'usage limit reached (five_hour)' },
      { kind: 'throttled', by: 'usage-limit', message: text },
      { kind: 'end', isError: true, text },
    ])
  })
})

describe('no limit [R-LIM-4]', () => {
  const lookAlikes = [
    'I added @upstash/ratelimit to package.json.',
    'ratelimit',
    'src/parser.ts:429: unexpected token',
    'See line 429 of the report.',
    'Exit code 3\n5-hour limit reached',
    "The banner says: You've hit your session limit · resets 11pm (Europe/Paris)",
    '“You’ve hit your session limit · resets 11pm” is what users see now.',
    '> Claude AI usage limit reached|1783700000',
    "You've hit your session limit handling on the head: the bug is fixed.",
    "You've hit your usage limit. I now show this text, with a link, where the quota is used up.",
    'Usage limit reached is now a translated string.',
    'Fixed: usage limit reached.',
    "You've used 90% of your session limit · resets 3pm",
    'Approaching usage limit · resets 3pm',
    "You're now using extra usage · your session limit resets 3pm",
    "You've hit your rate limit",
    "You've hit your API rate limit.",
    `You've hit your session limit · resets 11pm. ${'And then I went on to explain it. '.repeat(12)}`,
    'Rate limit tests pass; retry after 2s works.',
    'HTTP 429 is answered with retry-after: 17 now.',
    '',
  ]
  for (const text of lookAlikes) {
    test(`"${text.slice(0, 60)}" as an answer, as a line, as a failed agent's last words (M03, T21)`, () => {
      assert.equal(usageLimitIn(text), undefined)
      assert.equal(entryOfPlainLine(text), undefined)
      assert.deepEqual(entryOfError({ text }), { kind: 'error', message: text })
    })
  }
})

test("an account without credit is a usage limit, not the agent's failure [R-LIM-4]", () => {
  const texts = [
    'Credit balance is too low',
    'API Error: 400 {"type":"error","error":{"type":"invalid_request_error","message":"Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits."}}',
  ]
  assert.deepEqual(
    texts.map((text) => entryOfError({ text, status: 400 })),
    texts.map((message) => ({ kind: 'throttled', by: 'usage-limit', message })),
  )
  assert.equal(entryOfError({ text: 'The test "credit balance is too low" fails.' }).kind, 'error')
  assert.equal(entryOfError({ text: 'Credit balance is too low in two of the fixtures' }).kind, 'error')
})

describe('errors that pass [R-CB-4]', () => {
  test('a short limit keeps the provider’s retry-after in its words (T20)', () => {
    const lines = [
      'API Error: 429 too many requests, retry after 2s',
      'API Error: 429 {"type":"error","error":{"type":"rate_limit_error"},"retry_after":"17"}',
      'API Error: 529 Overloaded. Retry-After: 30',
      'API Error: 503 Service unavailable, please try again in 5 minutes',
    ]
    assert.deepEqual(
      lines.map((line) => endOf(entryOfPlainLine(line))),
      [
        ['rate', '2026-07-10T12:00:02.000Z'],
        ['rate', '2026-07-10T12:00:17.000Z'],
        ['overload', '2026-07-10T12:00:30.000Z'],
        ['overload', '2026-07-10T12:05:00.000Z'],
      ],
    )
  })

  test('a server that limits for a moment is no usage limit, and tells no time (M08)', () => {
    const text = 'Server is temporarily limiting requests (not your usage limit)'
    assert.deepEqual(endOf(entryOfError({ text: `API Error: ${text}` })), ['rate', undefined])
    assert.deepEqual(endOf(entryOfError({ text, status: 429 })), ['rate', undefined])
  })

  test('a call that timed out or whose connection was closed did not reach the provider', () => {
    const texts = [
      'API Error: Request timed out.',
      'API Error: The socket connection was closed unexpectedly. For more information, pass `verbose: true`',
      'API Error: terminated',
    ]
    assert.deepEqual(
      texts.map((text) => entryOfError({ text })),
      texts.map((message) => ({ kind: 'throttled', by: 'unreachable', message })),
    )
    assert.equal(entryOfError({ text: 'The request timed out in my own test.' }).kind, 'error')
  })

  test('a refused login is no limit [R-LIM-8] (M09)', () => {
    const texts = [
      'Failed to authenticate. API Error: 401 OAuth token has expired.',
      'Invalid API key · Fix external API key',
      'Your account does not have access to this. Please run /login.',
    ]
    assert.deepEqual(
      texts.map((text) => entryOfError({ text })),
      texts.map((message) => ({ kind: 'throttled', by: 'login', message })),
    )
  })
})
