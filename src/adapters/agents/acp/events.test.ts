import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Entry } from '../../../core/reading/transcript.ts'
import type { Json } from '../../../core/text/json.ts'
import { streamJsonReader } from '../shared/stream-json.ts'
import { type TurnPrinter, turnPrinter } from './events.ts'

/** What Ralph reads of a turn. */
function entriesOf(play: (turn: TurnPrinter, update: (update: Json, sessionId?: string) => void) => void): Entry[] {
  const entries: Entry[] = []
  const read = streamJsonReader()
  const turn = turnPrinter((event) => entries.push(...read(JSON.stringify(event), 'out')))
  play(turn, (update, sessionId = 's-1') => turn.updated({ sessionId, update }))
  return entries
}
const chunk = (text: string, more: Json = {}): Json => ({
  sessionUpdate: 'agent_message_chunk',
  content: { type: 'text', text },
  ...more,
})
const call = (more: Json): Json => ({ sessionUpdate: 'tool_call', toolCallId: 't-1', ...more })
const callUpdate = (more: Json): Json => ({ sessionUpdate: 'tool_call_update', toolCallId: 't-1', ...more })
const said = (text: string, isSub = false): Entry => ({ kind: 'said', text, isSub })
const ends = (text: string): Entry => ({ kind: 'end', isError: false, text })
const endTurn = { result: { stopReason: 'end_turn' } }

test('a message comes in pieces, and is whole when anything else happens', () => {
  const entries = entriesOf((turn, update) => {
    turn.began('s-1', 'm')
    update({ sessionUpdate: 'agent_thought_chunk', content: { type: 'text', text: 'Hm.' } })
    update(chunk('I lo'))
    update({ sessionUpdate: 'plan', entries: [] })
    update(chunk('ok.'))
    update(call({ kind: 'read', title: 'Read a.txt', status: 'in_progress', rawInput: { path: 'a.txt' } }))
    update(callUpdate({ status: 'completed', content: [{ type: 'content', content: { type: 'text', text: 'there' } }] }))
    update(chunk('It is there.', { messageId: 'm-2' }))
    update(chunk('Done.', { messageId: 'm-3' }))
    assert.equal(turn.ended(endTurn), false)
  })
  assert.deepEqual(entries, [
    { kind: 'session', id: 's-1', model: 'm' },
    said('I look.'),
    { kind: 'tool', name: 'read', target: 'a.txt', isSub: false },
    { kind: 'tool-result', failed: false, text: 'there' },
    said('It is there.'),
    said('Done.'),
    ends('Done.'),
  ])
})

test('a call is told once it can be understood, by whichever message that is, and only once', () => {
  const command = { command: 'make', cwd: '/p' }
  const late = entriesOf((turn, update) => {
    turn.began('s-1', '')
    update(call({ title: 'bash', kind: 'execute', status: 'pending', rawInput: { cwd: '/p' } }))
    update(callUpdate({ status: 'in_progress', title: 'make', rawInput: command }))
    update(callUpdate({ status: 'in_progress', rawInput: command }))
    update(callUpdate({ status: 'completed', rawOutput: { output: 'no\n', metadata: { exit: 2 } } }))
    update(callUpdate({ status: 'completed', rawOutput: { output: 'no\n' } }))
    turn.ended(endTurn)
  })
  assert.deepEqual(late.slice(1, -1), [
    { kind: 'tool', name: 'execute', target: 'make', isSub: false },
    { kind: 'tool-result', failed: true, text: 'no\n' },
  ])
  const unannounced = entriesOf((turn) => {
    turn.began('s-1', '')
    const tool = turn.asked({ toolCallId: 't-1', title: 'make all', kind: 'execute' })
    turn.denied(tool)
    turn.updated({ sessionId: 's-1', update: callUpdate({ status: 'failed', rawOutput: { message: 'rejected' } }) })
  })
  assert.deepEqual(unannounced.slice(1), [
    { kind: 'tool', name: 'execute', target: 'make all', isSub: false },
    { kind: 'denied', tool: 'execute' },
    { kind: 'tool-result', failed: true, text: 'rejected' },
  ])
})

test('an edit is told by its arguments, or by the text before and after', () => {
  const told = (update: Json) => entriesOf((turn) => turn.updated({ sessionId: '', update }))
  const diff = [{ type: 'diff', path: '/p/a.txt', oldText: 'old', newText: 'new' }]
  assert.deepEqual(told(call({ kind: 'edit', title: 'Edit', status: 'completed', content: diff })), [
    {
      kind: 'tool',
      name: 'edit',
      target: '/p/a.txt',
      isSub: false,
      edit: { path: '/p/a.txt', from: 'old', to: 'new' },
    },
    { kind: 'tool-result', failed: false, text: '' },
  ])
  const rawInput = { file_path: '/p/a.txt', content: 'new' }
  const meta = { claudeCode: { toolName: 'Write' } }
  const created = [{ type: 'diff', path: '/p/a.txt', oldText: null, newText: 'new' }]
  assert.deepEqual(told(call({ kind: 'edit', title: 'Write', rawInput, content: created, _meta: meta })), [
    { kind: 'tool', name: 'Write', target: '/p/a.txt', isSub: false, edit: { path: '/p/a.txt', to: 'new' } },
  ])
})

test('a subagent is told apart by its mark, or by a session of its own', () => {
  const entries = entriesOf((turn, update) => {
    turn.began('s-1', '')
    update(chunk('Mine.'))
    update(chunk('Its.', { _meta: { claudeCode: { parentToolUseId: 't-9' } } }))
    update(chunk('Another.'), 's-2')
    turn.ended(endTurn)
  })
  assert.deepEqual(entries.slice(1), [said('Mine.'), said('Its.', true), said('Another.', true), ends('Mine.')])
})

const usageOf = (result: Json, ...updates: Json[]) =>
  entriesOf((turn, update) => {
    for (const each of updates) update(each, '')
    turn.ended({ result: { stopReason: 'end_turn', ...result } })
  }).flatMap((entry) => (entry.kind === 'usage' ? [entry.usage] : []))

test('usage is read from wherever an agent tells it, and the cache is counted once', () => {
  const whole = { inputTokens: 2400, outputTokens: 100, costUsd: null, cacheReadTokens: 400 }
  const beside = { inputTokens: 2000, outputTokens: 100, cachedReadTokens: 400, totalTokens: 2500 }
  assert.deepEqual(usageOf({ usage: beside }), [whole])
  assert.deepEqual(usageOf({ usage: { ...beside, inputTokens: 2400 } }), [whole])
  const cost = { sessionUpdate: 'usage_update', used: 1200, size: 200_000, cost: { amount: 0.5, currency: 'USD' } }
  assert.deepEqual(usageOf({ usage: beside }, cost), [{ ...whole, costUsd: 0.5 }])
  assert.deepEqual(usageOf({}, cost), [{ inputTokens: 0, outputTokens: 0, costUsd: 0.5 }])
  assert.deepEqual(usageOf({ _meta: { quota: { token_count: { input_tokens: 7, output_tokens: 3 } } } }), [
    { inputTokens: 7, outputTokens: 3, costUsd: null },
  ])
  assert.deepEqual(usageOf({}), [])
  const request = chunk('', {
    _meta: { usage: { inputTokens: 1200, outputTokens: 50, totalTokens: 1250, cachedReadTokens: 200 } },
  })
  assert.deepEqual(usageOf({}, request, request).at(-1), whole)
})

const failureOf = (end: Parameters<TurnPrinter['ended']>[0], words = '') =>
  entriesOf((turn, update) => {
    if (words !== '') update(chunk(words), '')
    turn.ended(end)
  })
    .filter(({ kind }) => kind !== 'said')
    .map((entry) => (entry.kind === 'throttled' ? `${entry.by}: ${entry.message}` : `${entry.kind}`))

test('a refusal of the provider has its reason, wherever the agent puts it', () => {
  const error = (code: number, message: string, data?: Json) => failureOf({ error: { code, message, data } })[0]
  assert.equal(error(-32000, 'Authentication required'), 'login: Authentication required')
  assert.equal(error(401, '{"error":{"code":401,"message":"Bad key."}}'), 'login: Bad key.')
  assert.equal(error(-32603, 'Internal error', { details: '401 Bad key.' }), 'login: 401 Bad key.')
  assert.equal(error(-32603, 'Internal error: Incorrect API key provided.'), 'login: Incorrect API key provided.')
  assert.equal(error(-32603, 'Internal error: Denied', { errorName: 'ProviderAuthError' }), 'login: Denied')
  assert.equal(error(429, 'Too many requests.'), 'rate: Too many requests.')
  assert.equal(error(-32603, 'Internal error: Slow down', { errorKind: 'rate_limit' }), 'rate: Slow down')
  const limit = "You've hit your session limit · resets 9:58am"
  assert.equal(error(-32603, `Internal error: ${limit}`, { errorKind: 'rate_limit' }), `usage-limit: ${limit}`)
  assert.equal(error(-32603, 'Internal error: API Error: 529 Overloaded.'), 'overload: API Error: 529 Overloaded.')
  assert.equal(error(500, 'The model does not exist.'), 'error')
  assert.equal(error(500, '{"error":{"code":500,"message":"Broken inside."}}'), 'unreachable: Broken inside.')
  assert.equal(error(0, 'the agent exited with 1 before its turn ended'), 'error')
})

test('a failure that an agent words as its answer is a failure all the same; words about one are not', () => {
  const retrying = 'Info: Request failed due to a transient API error. Retrying...'
  const refused = 'Authentication failed with provider at http://here/v1 (HTTP 401).'
  assert.deepEqual(failureOf(endTurn, `${retrying}Error: ${refused}`), [`login: ${refused}`, 'end'])
  const tried = 'Error: Failed to get response from the AI model; retried 5 times Last error: 429 Too many requests.'
  assert.deepEqual(failureOf(endTurn, tried), ['rate: 429 Too many requests.', 'end'])
  assert.deepEqual(failureOf(endTurn, 'The log says: Error: Failed to get response from the AI model.'), ['end'])
})

test('a turn that was cut short is an error, and one that ended is none', () => {
  for (const stopReason of ['cancelled', 'max_tokens', 'max_turn_requests', 'refusal'])
    assert.deepEqual(failureOf({ result: { stopReason } }), ['error', 'end'], stopReason)
  for (const stopReason of ['end_turn', 'constructor', '__proto__']) {
    const said = entriesOf((turn, update) => {
      update(chunk('Done.'), '')
      turn.ended({ result: { stopReason } })
    })
    assert.deepEqual(
      said.map(({ kind }) => kind),
      ['said', 'end'],
      stopReason,
    )
  }
})

test('a very long message keeps its end', () => {
  const entries = entriesOf((turn, update) => {
    for (let piece = 0; piece < 100; piece++) update(chunk('x'.repeat(10_000)), '')
    update(chunk('the end'), '')
    turn.ended(endTurn)
  })
  const [words] = entries
  assert.ok(words?.kind === 'said' && words.text.length < 600_000 && words.text.endsWith('the end'))
})
