/** The Claude adapter against the real Claude Code, with a scripted model behind it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { table } from '../src/config/table.ts'
import { called, withoutSession } from './support/agent-call.ts'
import { errorBody } from './support/model-server.ts'
import { claude, subscriberEnvironment } from './support/real-claude.ts'

const subscriber = { ...claude, environment: subscriberEnvironment }

test('the agent gets the prompt, uses a tool that is allowed, and ends with its final words', async () => {
  const command = 'git commit -q --allow-empty -m "feat: S-1 - first"'
  const { code, entries, requests, log } = await called(claude, [{ tool: { bash: command } }, { text: 'Done.' }], {
    allowedTools: table['claude.allowed_tools'].default,
  })
  assert.deepEqual([code, log], [0, 'feat: S-1 - first\n'])
  assert.match(JSON.stringify(requests.at(0)?.body.messages), /Do story S-1, please\./)
  // What it has used is told after each answer of the model; the last word has the cost too.
  const isOnTheWay = (entry: (typeof entries)[number]): boolean => entry.kind === 'usage' && entry.usage.costUsd === null
  assert.equal(entries.filter(isOnTheWay).length, 2)
  const [session, ...rest] = entries.filter((entry) => !isOnTheWay(entry))
  assert.equal(session?.kind, 'session')
  const [tool, result, said, usage, end] = rest
  assert.deepEqual(
    [tool, said, end, rest.length],
    [
      { kind: 'tool', name: 'Bash', target: command, isSub: false, command },
      { kind: 'said', text: 'Done.', isSub: false },
      { kind: 'end', isError: false, text: 'Done.' },
      5,
    ],
  )
  assert.ok(result?.kind === 'tool-result' && !result.failed)
  assert.ok(usage?.kind === 'usage' && usage.usage.inputTokens === 2400 && usage.usage.outputTokens === 100)
})

test('a tool that is not allowed is denied, and the agent goes on', async () => {
  const { code, entries } = await called(claude, [{ tool: { bash: 'touch b.txt' } }, { text: 'I may not.' }], {
    allowedTools: 'Read',
  })
  assert.equal(code, 0)
  assert.deepEqual(
    entries.filter(({ kind }) => kind === 'denied' || kind === 'end'),
    [
      { kind: 'denied', tool: 'Bash' },
      { kind: 'end', isError: false, text: 'I may not.' },
    ],
  )
})

test('an alias that runs another program is no git command that the default allows [R-PROOF-6]', async () => {
  const { entries } = await called(claude, [{ tool: { bash: "git -c alias.x='!touch b.txt' x" } }, { text: 'I may not.' }], {
    allowedTools: table['claude.allowed_tools'].default,
  })
  assert.deepEqual(
    entries.filter(({ kind }) => kind === 'denied'),
    [{ kind: 'denied', tool: 'Bash' }],
  )
})

test('a rejected rate is a short limit, after the agent’s own retry', async () => {
  const text = 'API Error: Request rejected (429) · Too many requests.'
  const { code, entries } = await called(claude, [
    { status: 429, body: errorBody('rate_limit_error', 'Too many requests.'), headers: { 'retry-after': '0' } },
  ])
  assert.equal(code, 1)
  assert.deepEqual(withoutSession(entries), [
    { kind: 'retrying', message: 'rate_limit (429), retry 1 of 1' },
    { kind: 'throttled', by: 'rate', message: text },
    { kind: 'usage', usage: { inputTokens: 0, outputTokens: 0, costUsd: 0 } },
    { kind: 'end', isError: true, text },
  ])
})

test('a subscriber’s usage limit says when it ends, and costs one request', async () => {
  const resetsAt = 1_790_000_000
  const headers = {
    'anthropic-ratelimit-unified-status': 'rejected',
    'anthropic-ratelimit-unified-reset': `${resetsAt}`,
    'anthropic-ratelimit-unified-representative-claim': 'five_hour',
  }
  const { code, entries, requests } = await called(subscriber, [
    { status: 429, body: errorBody('rate_limit_error', 'Limited.'), headers },
  ])
  assert.deepEqual([code, requests.filter(({ body }) => body.tools?.length).length], [1, 1])
  assert.deepEqual(
    entries.filter(({ kind }) => kind === 'throttled'),
    [{ kind: 'throttled', by: 'usage-limit', until: '2026-09-21T14:13:20.000Z', message: 'usage limit reached (five_hour)' }],
  )
})

test('a request that fails once is made again without harm', async () => {
  const { code, entries } = await called(claude, [{ disconnect: true }, { text: 'Done.' }])
  assert.equal(code, 0)
  assert.deepEqual(
    withoutSession(entries).filter(({ kind }) => kind !== 'usage'),
    [
      { kind: 'retrying', message: 'unknown, retry 1 of 1' },
      {
        kind: 'throttled',
        by: 'unreachable',
        message: 'no answer from the provider: unknown, retry 1 of 1',
        isHearsay: true, // until the model answers
      },
      { kind: 'said', text: 'Done.', isSub: false },
      { kind: 'end', isError: false, text: 'Done.' },
    ],
  )
})
