/** A Model Context Protocol server that only offers tools, written by hand because the library brings eighty packages. */
import { type Json, jsonIn, recordOf } from '../../../core/text/json.ts'
import { type LineSplitter, lineSplitter } from '../../files/lines.ts'

export type McpTool = {
  name: string
  description: string
  inputSchema: object
  /** Hints by which clients decide whether to ask a person first. */
  annotations: object
  /** Never throws. */
  call(input: unknown): { text: string; isError: boolean }
}

/** Takes bytes from the client and returns lines for it; whatever comes in, only answers go out. */
export function mcpServer(tools: McpTool[], version: string, send: (line: string) => void): LineSplitter {
  const answerTo = (line: string, isCut: boolean): Answer | Answer[] | undefined => {
    if (line.trim() === '') return undefined
    const message = isCut ? undefined : jsonIn(line)
    if (message === undefined) return failure(null, -32700, isCut ? 'The message is too long.' : 'The message is not JSON.')
    if (!Array.isArray(message)) return answer(message, tools, version)
    if (message.length === 0 || message.length > longestBatch)
      return failure(null, -32600, `A batch has 1 to ${longestBatch} messages.`)
    const answers = message.flatMap((each) => answer(each, tools, version) ?? [])
    return answers.length === 0 ? undefined : answers
  }
  return lineSplitter((line, isCut) => {
    const reply = answerTo(line, isCut)
    if (reply !== undefined) send(`${JSON.stringify(reply)}\n`)
  }, longestMessage)
}

/** Far more than any report, and little enough to hold in memory. */
const longestMessage = 1024 * 1024
const longestBatch = 100

const newest = '2025-06-18'
const protocolVersions = ['2024-11-05', '2025-03-26', newest]

type Id = string | number | null
type Answer = { jsonrpc: '2.0'; id: Id } & ({ result: object } | { error: { code: number; message: string } })

const success = (id: Id, result: object): Answer => ({ jsonrpc: '2.0', id, result })
const failure = (id: Id, code: number, message: string): Answer => ({ jsonrpc: '2.0', id, error: { code, message } })

/** Undefined: it needs no answer. */
function answer(message: unknown, tools: McpTool[], version: string): Answer | undefined {
  const { id, method, params } = recordOf(message)
  const isId = typeof id === 'string' || typeof id === 'number'
  if (typeof method !== 'string') {
    const isReply = isId && ('result' in recordOf(message) || 'error' in recordOf(message)) // to a question that we never asked
    return isReply ? undefined : failure(isId ? id : null, -32600, 'The message is not a request.')
  }
  if (id === undefined) return undefined
  if (!isId) return failure(null, -32600, 'The id of a request must be a string or a number.')
  switch (method) {
    case 'initialize':
      return success(id, {
        protocolVersion: versionFor(recordOf(params)['protocolVersion']),
        capabilities: { tools: {} },
        serverInfo: { name: 'ralph', version },
      })
    case 'ping':
      return success(id, {})
    case 'tools/list':
      return success(id, { tools: tools.map(({ call: _, ...shown }) => shown) })
    case 'tools/call':
      return called(id, recordOf(params), tools)
    default:
      return failure(id, -32601, `Unknown method ${method.slice(0, 100)}.`)
  }
}

const versionFor = (asked: unknown): string => protocolVersions.find((known) => known === asked) ?? newest

function called(id: Id, params: Json, tools: McpTool[]): Answer {
  const tool = tools.find(({ name }) => name === params['name'])
  if (!tool) return failure(id, -32602, `Unknown tool; use ${tools.map(({ name }) => name).join(', ')}.`)
  const { text, isError } = tool.call(params['arguments'] ?? {})
  return success(id, { content: [{ type: 'text', text }], isError })
}
