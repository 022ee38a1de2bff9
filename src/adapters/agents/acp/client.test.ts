import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Json } from '../../../core/text/json.ts'
import { rpcClient } from './client.ts'

function conversation() {
  const sent: Json[] = []
  const told: unknown[] = []
  const noise: string[] = []
  const client = rpcClient({
    send: (line) => sent.push(JSON.parse(line)),
    asked: (method, params) => (method === 'known' ? { got: params } : undefined),
    told: (method, params) => told.push([method, params]),
    noise: (line) => noise.push(line),
  })
  const hears = (...messages: Json[]) => {
    for (const message of messages) client.push(Buffer.from(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`))
  }
  return { client, hears, sent, told, noise }
}

test('each question gets its own answer, in whatever order they come', async () => {
  const { client, hears, sent } = conversation()
  const answers = Promise.all([client.ask('first', { a: 1 }), client.ask('second', {})])
  hears({ id: 2, result: { two: 2 } }, { id: 1, error: { code: -32603, message: 'no', data: { why: 'so' } } })
  assert.deepEqual(await answers, [{ error: { code: -32603, message: 'no', data: { why: 'so' } } }, { result: { two: 2 } }])
  assert.deepEqual(sent, [
    { jsonrpc: '2.0', id: 1, method: 'first', params: { a: 1 } },
    { jsonrpc: '2.0', id: 2, method: 'second', params: {} },
  ])
})

test('what it is asked it answers, also that there is no such method, under ids of any kind', () => {
  const { hears, sent, told } = conversation()
  hears({ id: 'x', method: 'known', params: { a: 1 } }, { id: 0, method: 'unknown' }, { method: 'news', params: { b: 2 } })
  assert.deepEqual(sent, [
    { jsonrpc: '2.0', id: 'x', result: { got: { a: 1 } } },
    { jsonrpc: '2.0', id: 0, error: { code: -32601, message: 'Unknown method unknown.' } },
  ])
  assert.deepEqual(told, [['news', { b: 2 }]])
})

test('lines that are no messages are handed on, and answers to nothing are let be', () => {
  const { client, hears, sent, noise } = conversation()
  client.push(Buffer.from('Warning: old\n\n{"jsonrpc":"1.0"}\n[1]\n{"half'))
  client.end()
  hears({ id: 99, result: {} }, { id: null, error: { code: -32700, message: 'no JSON' } })
  assert.deepEqual(noise, ['Warning: old', '{"jsonrpc":"1.0"}', '[1]', '{"half'])
  assert.deepEqual(sent, [])
})

test('when it is closed, what is open fails with the first reason, and so does what comes later', async () => {
  const { client, sent } = conversation()
  const open = client.ask('first', {})
  client.close({ code: 0, message: 'it exited' })
  client.close({ code: 0, message: 'something else' })
  client.tell('news', {})
  const error = { code: 0, message: 'it exited' }
  assert.deepEqual([await open, await client.ask('second', {})], [{ error }, { error }])
  assert.equal(sent.length, 1)
})
