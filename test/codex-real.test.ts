/** The Codex adapter against the real Codex, with a scripted model behind it. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { called, withoutSession } from './support/agent-call.ts'
import { openaiError } from './support/model-server.ts'
import { codex } from './support/real-codex.ts'
import { end, said } from './support/recordings.ts'

test('the agent gets the prompt, uses its shell, and ends with its final words', async () => {
  const command = 'git commit -q --allow-empty -m "feat: S-1 - first"'
  const { code, entries, requests, log } = await called(codex, [{ tool: { bash: command } }, { text: 'Done.' }], {
    skipPermissions: true,
  })
  assert.deepEqual([code, log], [0, 'feat: S-1 - first\n'])
  assert.match(JSON.stringify(requests.at(0)?.body.input), /Do story S-1, please\./)
  assert.equal(entries[0]?.kind, 'session')
  assert.deepEqual(withoutSession(entries), [
    { kind: 'tool', name: 'Bash', target: command, isSub: false, command },
    { kind: 'tool-result', failed: false, text: '' },
    said('Done.'),
    { kind: 'usage', usage: { inputTokens: 2400, outputTokens: 100, cacheReadTokens: 400, costUsd: null } },
    end('Done.'),
  ])
})

test('without skipped permissions the repository’s own folder is out of reach, and the agent goes on', async () => {
  const { code, entries, log } = await called(codex, [
    { tool: { bash: 'echo one > a.txt && git add a.txt && git commit -qm one' } },
    { text: 'I may not commit.' },
  ])
  assert.deepEqual([code, log, entries.at(-1)], [0, '', end('I may not commit.')])
})

test('a rejected rate is a short limit, after the agent’s own retry', async () => {
  const message = 'exceeded retry limit, last status: 429 Too Many Requests'
  const body = openaiError('rate_limit_exceeded', 'Too many requests.')
  const { code, entries } = await called(codex, [{ status: 429, body, headers: { 'retry-after': '0' } }])
  assert.equal(code, 1)
  assert.deepEqual(withoutSession(entries), [
    { kind: 'retrying', message: `Reconnecting... 1/1 (${message})` },
    { kind: 'retrying', message },
    { kind: 'throttled', by: 'rate', message },
    { kind: 'end', isError: true, text: message },
  ])
})

test('a usage limit costs one request', async () => {
  const body = openaiError('usage_limit_reached', 'The usage limit has been reached', {
    plan_type: 'pro',
    resets_at: 1_790_000_000,
  })
  const { code, entries, requests } = await called(codex, [{ status: 429, body }])
  assert.deepEqual([code, requests.length], [1, 1])
  const limits = entries.flatMap((entry) => (entry.kind === 'throttled' ? [entry] : []))
  assert.deepEqual(
    limits.map(({ by }) => by),
    ['usage-limit'],
  )
  assert.match(limits[0]!.message, /hit your usage limit.*try again at Sep \d+\w\w, 2026 \d+:13:59 [AP]M/)
})

test('a request that breaks off in the middle is made again without harm', async () => {
  const { code, entries } = await called(codex, [{ text: 'Half of it', breaksOff: 'disconnect' }, { text: 'Done.' }])
  assert.equal(code, 0)
  assert.deepEqual(
    withoutSession(entries).filter(({ kind }) => kind !== 'retrying' && kind !== 'throttled'),
    [
      said('Done.'),
      { kind: 'usage', usage: { inputTokens: 1200, outputTokens: 50, cacheReadTokens: 200, costUsd: null } },
      end('Done.'),
    ],
  )
})

test('a very long answer comes whole, as one message', async () => {
  const text = 'Long words. '.repeat(40_000).trim()
  const { code, entries } = await called(codex, [{ text, tokens: { input: 10, cached: 5, output: 90_000 } }])
  assert.equal(code, 0)
  assert.deepEqual(withoutSession(entries), [
    said(text),
    { kind: 'usage', usage: { inputTokens: 15, outputTokens: 90_000, cacheReadTokens: 5, costUsd: null } },
    end(text),
  ])
})
