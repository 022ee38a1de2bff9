/** A Model Context Protocol server that only offers tools. */
// By hand: the official library would add 400 KB to a program of 3 MB, and 17 MB to each server (docs/agents-and-editors.md has the numbers). Its client
// tests this one (test/mcp-serve.test.ts).
import { type Json, jsonIn, recordOf, textOf } from '../../../core/text/json.ts'
import { type LineSplitter, lineSplitter } from '../../files/lines.ts'

export type ToolResult = { text: string; isError: boolean }
/** `cancelled`: by the client, or because it has gone; `client`: its name as it says; empty: it said none. */
export type ToolCall = { cancelled: AbortSignal; client: string }
export type McpTool = {
  name: string
  description: string
  inputSchema: object
  /** Hints by which clients decide whether to ask a person first. */
  annotations: object
  /** Never throws. While it takes its time, other messages are answered. */
  call(input: unknown, call: ToolCall): ToolResult | Promise<ToolResult>
}
/** `instructions`: how to use the tools, for the model; `unlisted`: what to say if a tool is called that is not offered. */
export type ServerInfo = { version: string; instructions?: string; unlisted?: string }
/** `idle`: when every call has been answered. */
export type McpServer = LineSplitter & { idle(): Promise<void> }

/** Takes bytes from the client and returns lines for it; whatever comes in, only answers go out. */
export function mcpServer(tools: McpTool[], info: ServerInfo, send: (line: string) => void): McpServer {
  const session: Session = { tools, info, client: '', open: new Map() }
  const running = new Set<Promise<void>>()
  const answersTo = (line: string, isCut: boolean): Replies => {
    if (line.trim() === '') return undefined
    const message = isCut ? undefined : jsonIn(line)
    if (message === undefined) return failure(null, -32700, isCut ? 'The message is too long.' : 'The message is not JSON.')
    if (!Array.isArray(message)) return answer(message, session)
    if (message.length === 0 || message.length > longestBatch)
      return failure(null, -32600, `A batch has 1 to ${longestBatch} messages.`)
    const answers = message.map((each) => answer(each, session))
    return answers.some((each) => each instanceof Promise) ? Promise.all(answers).then(batch) : batch(answers as Reply[])
  }
  const give = (answers: Reply | Answer[]): void => {
    if (answers !== undefined) send(`${JSON.stringify(answers)}\n`)
  }
  const lines = lineSplitter((line, isCut) => {
    const answers = answersTo(line, isCut)
    if (!(answers instanceof Promise)) return give(answers)
    const told = answers.then(give).finally(() => running.delete(told))
    running.add(told)
  }, longestMessage)
  return {
    ...lines,
    // What only waits is over; answers can still be read from a pipe.
    end: () => {
      lines.end()
      for (const controller of session.open.values()) controller.abort()
    },
    idle: async () => {
      await Promise.all(running)
    },
  }
}

/** Far more than any report, and little enough to hold in memory. */
const longestMessage = 1024 * 1024
const longestBatch = 100
const longestName = 60

const newest = '2025-11-25'
const protocolVersions = ['2024-11-05', '2025-03-26', '2025-06-18', newest]

type Id = string | number | null
type Answer = { jsonrpc: '2.0'; id: Id } & ({ result: object } | { error: { code: number; message: string } })
/** Undefined: it needs no answer. */
type Reply = Answer | undefined
type Replies = Reply | Answer[] | Promise<Reply | Answer[]>
/** `open`: the calls that take their time, by the id of their request. */
type Session = { tools: McpTool[]; info: ServerInfo; client: string; open: Map<Id, AbortController> }

const success = (id: Id, result: object): Answer => ({ jsonrpc: '2.0', id, result })
const failure = (id: Id, code: number, message: string): Answer => ({ jsonrpc: '2.0', id, error: { code, message } })

function batch(answers: Reply[]): Answer[] | undefined {
  const given = answers.filter((each) => each !== undefined)
  return given.length === 0 ? undefined : given
}

function answer(message: unknown, session: Session): Reply | Promise<Reply> {
  const { id, method, params } = recordOf(message)
  const isId = typeof id === 'string' || typeof id === 'number'
  if (typeof method !== 'string') {
    const isReply = isId && ('result' in recordOf(message) || 'error' in recordOf(message)) // to a question that we never asked
    return isReply ? undefined : failure(isId ? id : null, -32600, 'The message is not a request.')
  }
  if (method === 'notifications/cancelled') cancel(recordOf(params)['requestId'] as Id, session)
  if (id === undefined) return undefined
  if (!isId) return failure(null, -32600, 'The id of a request must be a string or a number.')
  const { tools, info } = session
  switch (method) {
    case 'initialize':
      session.client = textOf(recordOf(recordOf(params)['clientInfo'])['name']).slice(0, longestName)
      return success(id, {
        protocolVersion: versionFor(recordOf(params)['protocolVersion']),
        capabilities: { tools: {} },
        serverInfo: { name: 'ralph', version: info.version },
        ...(info.instructions === undefined ? {} : { instructions: info.instructions }),
      })
    case 'ping':
      return success(id, {})
    case 'tools/list':
      return success(id, { tools: tools.map(({ call: _, ...shown }) => shown) })
    case 'tools/call':
      return called(id, recordOf(params), session)
    default:
      return failure(id, -32601, `Unknown method ${method.slice(0, 100)}.`)
  }
}

const versionFor = (asked: unknown): string => protocolVersions.find((known) => known === asked) ?? newest

function called(id: Id, params: Json, { tools, info, client, open }: Session): Reply | Promise<Reply> {
  const tool = tools.find(({ name }) => name === params['name'])
  if (tool === undefined && info.unlisted !== undefined) return result(id, { text: info.unlisted, isError: true })
  if (tool === undefined) return failure(id, -32602, `Unknown tool; use ${tools.map(({ name }) => name).join(', ')}.`)
  const controller = new AbortController()
  const given = tool.call(params['arguments'] ?? {}, { cancelled: controller.signal, client })
  if (!(given instanceof Promise)) return result(id, given)
  open.set(id, controller)
  return given.then((late) => {
    if (open.get(id) !== controller) return undefined
    open.delete(id)
    return result(id, late)
  })
}

/** Nobody waits for its answer any more. */
function cancel(id: Id, { open }: Session): void {
  open.get(id)?.abort()
  open.delete(id)
}

const result = (id: Id, { text, isError }: ToolResult): Answer => success(id, { content: [{ type: 'text', text }], isError })
