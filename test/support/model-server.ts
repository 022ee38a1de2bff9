/** A scripted model on 127.0.0.1 for every provider's API, so that real agents can be tested without a provider. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { anthropicMessages, errorBody } from './model-server/anthropic-messages.ts'
import { gemini } from './model-server/gemini.ts'
import { openaiChat } from './model-server/openai-chat.ts'
import { openaiError, openaiResponses } from './model-server/openai-responses.ts'
import { type Answer, type Call, type Json, type Protocol, shellCall, type Tokens, type Tool } from './model-server/protocol.ts'

export { errorBody, openaiError }

/** What the model answers to one request with tools. The last turn repeats. */
export type Turn =
  | ({ text: string } & Manner)
  | ({ tool: { bash: string } | Call } & Manner)
  | {
      status: number
      body: unknown
      headers?: Record<string, string> /** requests that this turn answers, 1 by default */
      times?: number
    }
  | { disconnect: true }
  | { hang: true }
/** `breaksOff`: half of the stream comes, then nothing, or the connection ends. */
type Manner = { tokens?: Tokens; breaksOff?: 'hang' | 'disconnect' }

/** The parts of a body that tests check, for any API. */
type RequestBody = Json & { model?: string; tools?: unknown[]; messages?: unknown[]; input?: unknown[]; contents?: unknown[] }
export type ModelRequest = { path: string; body: RequestBody }
export type ModelServer = {
  url: string
  /** Every request for an answer, including those without tools. */
  requests: ModelRequest[]
  close(): Promise<void>
}

export async function startModelServer(script: Turn[]): Promise<ModelServer> {
  const turns = script.flatMap((turn) => ('status' in turn ? Array<Turn>(turn.times ?? 1).fill(turn) : [turn]))
  const last = turns.at(-1)
  if (!last) throw new Error('a model script needs at least one turn')
  const requests: ModelRequest[] = []
  let taken = 0
  const server = createServer(async (request, response) => {
    const path = (request.url ?? '').replace(/\?.*/, '')
    const body = await bodyOf(request)
    const protocol = protocols.find((known) => known.path.test(path))
    const errand = protocols.map((known) => known.errand?.(path)).find((found) => found !== undefined)
    if (!protocol) return sendJson(response, errand ? 200 : 404, errand ?? errorBody('not_found_error', `no ${path} here`))
    requests.push({ path, body })
    // Requests without tools are the client's own (titles, summaries): they must not consume the script.
    const isWork = protocol.tools(body).some(({ name }) => name !== 'session_title') // Grok asks for a title by a tool
    const turn = isWork ? (turns[taken++] ?? last) : { text: 'A short title' }
    answer(turn, { protocol, path, body, number: requests.length }, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests, close: () => closed(server) }
}

const protocols: Protocol[] = [anthropicMessages, openaiResponses, openaiChat, gemini]
const usualTokens: Tokens = { input: 1000, cached: 200, output: 50 }

type Asked = { protocol: Protocol; path: string; body: RequestBody; number: number }

async function bodyOf(request: IncomingMessage): Promise<RequestBody> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8')) as RequestBody
  } catch {
    return {}
  }
}

function answer(turn: Turn, asked: Asked, response: ServerResponse): void {
  if ('hang' in turn) return
  if ('disconnect' in turn) response.socket?.destroy()
  else if ('status' in turn) sendJson(response, turn.status, turn.body, turn.headers)
  else speak(turn, asked, response)
}

function speak(turn: Extract<Turn, Manner>, { protocol, path, body, number }: Asked, response: ServerResponse): void {
  const head = { number, model: body.model ?? 'scripted', tokens: turn.tokens ?? usualTokens }
  const spoken: Answer =
    'text' in turn ? { ...head, text: turn.text } : { ...head, call: callOf(turn.tool, protocol.tools(body)) }
  if (!protocol.isStreamed(path, body)) return sendJson(response, 200, protocol.whole(spoken))
  const lines = protocol.streamed(spoken).map(({ event, data }) => {
    return `${event ? `event: ${event}\n` : ''}data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`
  })
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  if (!turn.breaksOff) return void response.end(lines.join(''))
  const half = lines.slice(0, Math.ceil(lines.length / 2)).join('')
  response.write(half, () => turn.breaksOff === 'disconnect' && response.socket?.destroy())
}

/** For whichever shell is offered, or the tool that the script names. */
const callOf = (tool: { bash: string } | Call, offered: Tool[]): Call => ('bash' in tool ? shellCall(tool.bash, offered) : tool)

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
