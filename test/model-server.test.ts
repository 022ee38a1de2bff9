/** The scripted model in each of the APIs that it speaks: the right shell, the right shape, and turns that are taken in order. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startModelServer, type Turn } from './support/model-server.ts'

type Shape = { path: string; body: (tools: unknown[]) => unknown; tool: unknown; call: unknown; text(words: string): unknown }

const parameters = {
  type: 'object',
  properties: { command: { type: 'string' }, timeout: { type: 'number' }, background: { type: 'boolean' } },
  required: ['command', 'timeout', 'background'],
}
const args = { command: 'ls', timeout: 60_000, background: false }

/** What each API sends, without streaming: a request with a shell among its tools, a call of it, and words. */
const shapes: Record<string, Shape> = {
  'Anthropic Messages': {
    path: '/v1/messages',
    body: (tools) => ({ model: 'm', tools }),
    tool: { name: 'Bash', input_schema: parameters },
    call: { content: [{ type: 'tool_use', id: 'toolu_0001', name: 'Bash', input: args }] },
    text: (text) => ({ content: [{ type: 'text', text }] }),
  },
  'OpenAI Responses': {
    path: '/v1/responses',
    body: (tools) => ({ model: 'm', tools }),
    tool: { type: 'function', name: 'shell', parameters },
    call: { output: [{ type: 'function_call', name: 'shell', call_id: 'call_0001', arguments: JSON.stringify(args) }] },
    text: (text) => ({ output: [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text }] }] }),
  },
  'OpenAI Chat': {
    path: '/v1/chat/completions',
    body: (tools) => ({ model: 'm', tools }),
    tool: { type: 'function', function: { name: 'bash', parameters } },
    call: {
      choices: [
        {
          message: {
            tool_calls: [{ id: 'call_0001', type: 'function', function: { name: 'bash', arguments: JSON.stringify(args) } }],
          },
          finish_reason: 'tool_calls',
        },
      ],
    },
    text: (content) => ({ choices: [{ message: { role: 'assistant', content }, finish_reason: 'stop' }] }),
  },
  Gemini: {
    path: '/v1beta/models/m:generateContent',
    body: (tools) => ({ tools: tools.length > 0 ? [{ functionDeclarations: tools }] : [] }),
    tool: { name: 'run_shell_command', parametersJsonSchema: parameters },
    call: { candidates: [{ content: { role: 'model', parts: [{ functionCall: { name: 'run_shell_command', args } }] } }] },
    text: (text) => ({ candidates: [{ content: { role: 'model', parts: [{ text }] }, finishReason: 'STOP' }] }),
  },
}

for (const [name, { path, body, tool, call, text }] of Object.entries(shapes)) {
  test(`${name}: the shell that is offered is called as its schema asks, and errands take no turn`, async () => {
    await withServer([{ tool: { bash: 'ls' } }, { text: 'Done.' }], async (url) => {
      const answers = []
      for (const tools of [[tool], [], [tool], [tool]]) answers.push(await (await post(url + path, body(tools))).json())
      for (const [index, part] of [call, text('A short title'), text('Done.'), text('Done.')].entries())
        assert.partialDeepStrictEqual(answers[index], part as object)
    })
  })

  test(`${name}: a stream gives a long answer in pieces, none of which splits a character`, async () => {
    const words = '😀 long words '.repeat(1000)
    await withServer([{ text: words }], async (url) => {
      const streamed = path.replace(':generate', ':streamGenerate')
      const response = await post(url + streamed, { ...(body([tool]) as object), stream: true })
      assert.equal(response.headers.get('content-type'), 'text/event-stream')
      const data = (await response.text()).split('\n').filter((line) => line.startsWith('data: {'))
      const pieces = data.map((line) => pieceIn(JSON.parse(line.slice(6))))
      assert.ok(pieces.filter((piece) => piece !== '').length > 1)
      assert.equal(pieces.join(''), words)
      assert.ok(pieces.every((piece) => piece.isWellFormed()))
    })
  })
}

test('refusals come as often as they are told to, then the next turn', async () => {
  await withServer(
    [{ status: 429, body: { error: 'slow' }, headers: { 'retry-after': '1' }, times: 2 }, { text: 'Done.' }],
    async (url) => {
      const { path, body, tool } = shapes['OpenAI Chat']!
      const answers = [
        await post(url + path, body([tool])),
        await post(url + path, body([tool])),
        await post(url + path, body([tool])),
      ]
      assert.deepEqual(
        answers.map(({ status, headers }) => [status, headers.get('retry-after')]),
        [
          [429, '1'],
          [429, '1'],
          [200, null],
        ],
      )
    },
  )
})

test('an answer can break off in the middle', async () => {
  await withServer([{ text: 'x'.repeat(20_000), breaksOff: 'disconnect' }], async (url) => {
    const { path, body, tool } = shapes['OpenAI Responses']!
    const response = await post(url + path, { ...(body([tool]) as object), stream: true })
    await assert.rejects(response.text())
  })
})

async function withServer(turns: Turn[], use: (url: string) => Promise<void>): Promise<void> {
  const server = await startModelServer(turns)
  try {
    await use(server.url)
  } finally {
    await server.close()
  }
}

const post = (url: string, body: unknown): Promise<Response> => fetch(url, { method: 'POST', body: JSON.stringify(body) })

/** The words that one event of a stream adds, whichever API it is of. */
// biome-ignore lint/suspicious/noExplicitAny: four shapes, and one look into each
function pieceIn(event: any): string {
  if (event.type === 'response.output_text.delta') return event.delta
  return event.delta?.text ?? event.choices?.[0]?.delta?.content ?? event.candidates?.[0]?.content?.parts?.[0]?.text ?? ''
}
