import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type McpTool, mcpServer } from './mcp-server.ts'

const echo = {
  name: 'echo',
  description: 'Says it again.',
  inputSchema: { type: 'object' },
  annotations: { readOnlyHint: true },
  call: (input: unknown) => ({ text: JSON.stringify(input), isError: input === 'wrong' }),
}

function answersTo(...chunks: (string | Buffer)[]): unknown[] {
  const lines: string[] = []
  const server = mcpServer([echo], { version: '1.2.3' }, (line) => lines.push(line))
  for (const chunk of chunks) server.push(Buffer.from(chunk))
  server.end()
  assert.ok(lines.every((line) => /^[^\n]+\n$/.test(line)))
  return lines.map((line) => JSON.parse(line))
}

const request = (id: unknown, method: string, params?: unknown) => `${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`
const success = (id: unknown, result: unknown) => ({ jsonrpc: '2.0', id, result })
const failure = (id: unknown, code: number, message: string) => ({ jsonrpc: '2.0', id, error: { code, message } })

test('a client is greeted in the version that it speaks, or else in the newest known', () => {
  const greeting = (protocolVersion: string) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: 'ralph', version: '1.2.3' },
  })
  const versions: [asked: unknown, given: string][] = [
    ['2024-11-05', '2024-11-05'],
    ['2025-03-26', '2025-03-26'],
    ['2025-06-18', '2025-06-18'],
    ['2099-01-01', '2025-11-25'],
    [undefined, '2025-11-25'],
  ]
  for (const [asked, given] of versions)
    assert.deepEqual(answersTo(request(0, 'initialize', { protocolVersion: asked, capabilities: {} })), [
      success(0, greeting(given)),
    ])
})

test('tools are listed and called, and notifications get no answer', () => {
  const { call: _, ...shown } = echo
  assert.deepEqual(
    answersTo(
      request(undefined, 'notifications/initialized'),
      request('a', 'ping'),
      request(1, 'tools/list'),
      request(2, 'tools/call', { name: 'echo', arguments: { word: 'hé' } }),
      request(3, 'tools/call', { name: 'echo' }),
      request(4, 'tools/call', { name: 'echo', arguments: 'wrong' }),
      request(undefined, 'tools/list'),
    ),
    [
      success('a', {}),
      success(1, { tools: [shown] }),
      success(2, { content: [{ type: 'text', text: '{"word":"hé"}' }], isError: false }),
      success(3, { content: [{ type: 'text', text: '{}' }], isError: false }),
      success(4, { content: [{ type: 'text', text: '"wrong"' }], isError: true }),
    ],
  )
})

test('what the server does not know is an error, and what is no request too', () => {
  const cases: [line: string, answer: unknown][] = [
    [request(1, 'resources/list'), failure(1, -32601, 'Unknown method resources/list.')],
    [request(1, 'tools/call', { name: 'other' }), failure(1, -32602, 'Unknown tool; use echo.')],
    [request(1, 'tools/call'), failure(1, -32602, 'Unknown tool; use echo.')],
    [request(null, 'ping'), failure(null, -32600, 'The id of a request must be a string or a number.')],
    ['{"id":7}\n', failure(7, -32600, 'The message is not a request.')],
    ['42\n', failure(null, -32600, 'The message is not a request.')],
    ['null\n', failure(null, -32600, 'The message is not a request.')],
    ['[]\n', failure(null, -32600, 'A batch has 1 to 100 messages.')],
    [`[${'1,'.repeat(100)}1]\n`, failure(null, -32600, 'A batch has 1 to 100 messages.')],
    ['hello\n', failure(null, -32700, 'The message is not JSON.')],
  ]
  for (const [line, answer] of cases) assert.deepEqual(answersTo(line), [answer], line)
})

test('blank lines and answers to what was never asked are passed over', () => {
  assert.deepEqual(answersTo('\n \r\n', '{"jsonrpc":"2.0","id":1,"result":{}}\n', '{"id":1,"error":{"code":1}}\n'), [])
})

test('a batch is answered by a batch, without its notifications', () => {
  const messages = [{ id: 1, method: 'ping' }, { method: 'notifications/initialized' }, 5, { id: 2, method: 'none' }]
  assert.deepEqual(answersTo(`${JSON.stringify(messages)}\n`), [
    [success(1, {}), failure(null, -32600, 'The message is not a request.'), failure(2, -32601, 'Unknown method none.')],
  ])
  assert.deepEqual(answersTo('[{"method":"notifications/initialized"}]\n'), [])
})

test('a line of 10 MB is refused once, and the next is answered', () => {
  const chunks = Array<Buffer>(160).fill(Buffer.alloc(64 * 1024, 'x'))
  assert.deepEqual(answersTo('"', ...chunks, '"\n', request(1, 'ping')), [
    failure(null, -32700, 'The message is too long.'),
    success(1, {}),
  ])
})

test('an end in the middle of a line carries nothing out', () => {
  const whole = request(1, 'tools/call', { name: 'echo', arguments: {} })
  assert.deepEqual(answersTo(whole.slice(0, -10)), [failure(null, -32700, 'The message is not JSON.')])
})

test('whatever comes in, nothing but answers goes out, and a ping after it is answered', () => {
  const message = fc.record({
    id: fc.anything(),
    method: fc.oneof(fc.constantFrom('initialize', 'tools/list', 'tools/call'), fc.string()),
    params: fc.anything(),
  })
  const line = fc.oneof(
    fc.string(),
    fc.json(),
    fc
      .oneof(message, fc.array(message))
      .map((each) => JSON.stringify(each, (_, value) => (typeof value === 'bigint' ? 1 : value))),
  )
  fc.assert(
    fc.property(fc.array(line), (lines) => {
      const answers = answersTo(...lines.map((each) => `${each}\n`), request('last', 'ping'))
      assert.deepEqual(answers.at(-1), success('last', {}))
      const isAnswer = (each: unknown) => typeof each === 'object' && each !== null && ('result' in each || 'error' in each)
      assert.ok(answers.flat().every(isAnswer))
    }),
  )
})

/** A server whose one tool answers when the test says so, or when it is cancelled. */
function slowServer() {
  const lines: unknown[] = []
  const finish: ((text: string) => void)[] = []
  const clients: string[] = []
  const slow: McpTool = {
    ...echo,
    name: 'slow',
    call: (_, { cancelled, client }) => {
      clients.push(client)
      return new Promise((resolve) => {
        const end = (text: string) => resolve({ text, isError: false })
        finish.push(end)
        cancelled.addEventListener('abort', () => end('cancelled'))
      })
    },
  }
  const server = mcpServer([slow, echo], { version: '1', unlisted: 'Not for you.' }, (line) => lines.push(JSON.parse(line)))
  const push = (...texts: string[]): void => server.push(Buffer.from(texts.join('')))
  return { server, push, lines, finish, clients }
}
const call = (id: unknown, name: string) => request(id, 'tools/call', { name, arguments: {} })
const said = (text: string) => ({ content: [{ type: 'text', text }], isError: false })

test('while a call takes its time other messages are answered, and it is answered under its own id', async () => {
  const { server, push, lines, finish, clients } = slowServer()
  push(request(0, 'initialize', { clientInfo: { name: 'x'.repeat(100) } }), call(1, 'slow'), call(2, 'echo'), call('b', 'slow'))
  assert.deepEqual(lines.slice(1), [success(2, said('{}'))])
  finish[1]!('second')
  finish[0]!('first')
  await server.idle()
  assert.deepEqual(lines.slice(2), [success('b', said('second')), success(1, said('first'))])
  assert.deepEqual(clients, ['x'.repeat(60), 'x'.repeat(60)])
})

test('a cancelled call gets no answer, and what waits at the end of input answers at once', async () => {
  const { server, push, lines } = slowServer()
  push(call(1, 'slow'), call(2, 'slow'))
  push(
    request(undefined, 'notifications/cancelled', { requestId: 1 }),
    request(undefined, 'notifications/cancelled', { requestId: 9 }),
  )
  server.end()
  await server.idle()
  assert.deepEqual(lines, [success(2, said('cancelled'))])
})

test('a batch with a slow call is answered as one, and a tool that is not offered gets the words for it', async () => {
  const { server, push, lines, finish } = slowServer()
  push(`[${[call(1, 'slow'), call(2, 'other'), request(undefined, 'x')].map((each) => each.trim()).join()}]\n`)
  finish[0]!('done')
  await server.idle()
  assert.deepEqual(lines, [[success(1, said('done')), success(2, { ...said('Not for you.'), isError: true })]])
})
