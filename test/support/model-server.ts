/** A model on 127.0.0.1 that speaks Anthropic Messages and says what a script tells it, so that real agents can be driven without a provider. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** What the model answers to one request that offers tools. The last turn repeats. */
export type Turn =
  | { text: string }
  | { tool: { bash: string } }
  | {
      status: number
      body: unknown
      headers?: Record<string, string> /** requests that this turn answers, 1 unless told */
      times?: number
    }
  | { disconnect: true }
  | { hang: true }

export type ModelRequest = { path: string; body: MessagesRequest }
export type ModelServer = {
  url: string
  /** Every request for a message, those without tools too. */
  requests: ModelRequest[]
  close(): Promise<void>
}

/** The body of a refusal, as the provider words it. */
export const errorBody = (type: string, message: string) => ({ type: 'error', error: { type, message } })

export async function startModelServer(script: Turn[]): Promise<ModelServer> {
  const turns = script.flatMap((turn) => ('status' in turn ? Array<Turn>(turn.times ?? 1).fill(turn) : [turn]))
  const last = turns.at(-1)
  if (!last) throw new Error('a model script needs at least one turn')
  const requests: ModelRequest[] = []
  let taken = 0
  const server = createServer(async (request, response) => {
    const path = (request.url ?? '').replace(/\?.*/, '')
    const body = await bodyOf(request)
    if (path.endsWith('/messages/count_tokens')) return sendJson(response, 200, { input_tokens: 1000 })
    if (!path.endsWith('/messages')) return sendJson(response, 404, errorBody('not_found_error', `no ${path} here`))
    requests.push({ path, body })
    // Requests without tools are the client's own errands (titles, summaries): they must not eat the script.
    const turn = body.tools?.length ? (turns[taken++] ?? last) : { text: 'A short title' }
    answer(turn, body, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests, close: () => closed(server) }
}

type Tool = { name: string; input_schema?: { required?: string[] } }
type MessagesRequest = { model?: string; stream?: boolean; tools?: Tool[]; messages?: unknown[]; system?: unknown }
type Content = { type: 'text'; text: string } | { type: 'tool_use'; id: string; name: string; input: Record<string, string> }

async function bodyOf(request: IncomingMessage): Promise<MessagesRequest> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8')) as MessagesRequest
  } catch {
    return {}
  }
}

function answer(turn: Turn, body: MessagesRequest, response: ServerResponse): void {
  if ('hang' in turn) return
  if ('disconnect' in turn) response.socket?.destroy()
  else if ('status' in turn) sendJson(response, turn.status, turn.body, turn.headers)
  else speak('text' in turn ? { type: 'text', text: turn.text } : shellCall(turn.tool.bash, body.tools ?? []), body, response)
}

function speak(content: Content, body: MessagesRequest, response: ServerResponse): void {
  const message = messageOf(content, body.model ?? 'unknown')
  if (body.stream) {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (const event of streamed(message, content)) response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
    response.end()
  } else sendJson(response, 200, message)
}

let calls = 0

function shellCall(command: string, tools: Tool[]): Content {
  const shell = tools.find(({ name }) => ['Bash', 'bash', 'exec_command', 'run_shell_command', 'shell'].includes(name))
  const required = shell?.input_schema?.required ?? ['command']
  const input = Object.fromEntries(required.map((key) => [key, ['command', 'cmd'].includes(key) ? command : 'scripted']))
  return { type: 'tool_use', id: `toolu_${String(++calls).padStart(4, '0')}`, name: shell?.name ?? 'Bash', input }
}

function messageOf(content: Content, model: string) {
  return {
    id: `msg_${String(++calls).padStart(4, '0')}`,
    type: 'message',
    role: 'assistant',
    model,
    content: [content],
    stop_reason: content.type === 'tool_use' ? 'tool_use' : 'end_turn',
    stop_sequence: null,
    usage: { input_tokens: 1000, cache_creation_input_tokens: 0, cache_read_input_tokens: 200, output_tokens: 50 },
  }
}

function streamed(message: ReturnType<typeof messageOf>, content: Content) {
  const [empty, delta] =
    content.type === 'text'
      ? [
          { ...content, text: '' },
          { type: 'text_delta', text: content.text },
        ]
      : [
          { ...content, input: {} },
          { type: 'input_json_delta', partial_json: JSON.stringify(content.input) },
        ]
  return [
    { type: 'message_start', message: { ...message, content: [], stop_reason: null } },
    { type: 'content_block_start', index: 0, content_block: empty },
    { type: 'content_block_delta', index: 0, delta },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: message.stop_reason, stop_sequence: null }, usage: message.usage },
    { type: 'message_stop' },
  ]
}

function sendJson(response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers })
  response.end(typeof body === 'string' ? body : JSON.stringify(body))
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
  })
}
