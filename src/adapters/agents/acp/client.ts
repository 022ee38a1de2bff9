/** One side of a JSON-RPC 2.0 conversation, one message per line: sends requests, receives results, and answers the other side's requests. */
import { isRecord, type Json, jsonIn, numberOf, recordOf, textOf } from '../../../core/text/json.ts'
import { type LineSplitter, lineSplitter } from '../../files/lines.ts'

export type RpcError = { code: number; message: string; data?: unknown }
/** Failures are results too: nothing is thrown for what the other side does. */
export type RpcAnswer = { result: Json } | { error: RpcError }

export type RpcClient = LineSplitter & {
  ask(method: string, params: Json): Promise<RpcAnswer>
  tell(method: string, params: Json): void
  /** Nobody answers any more: open requests fail with this error, and so do all later ones. */
  close(error: RpcError): void
}

export type RpcHandlers = {
  send(line: string): void
  /** Undefined: unknown method. */
  asked(method: string, params: Json): Json | undefined
  told(method: string, params: Json): void
  /** A line that is not a message. */
  noise(line: string): void
}

export function rpcClient({ send, asked, told, noise }: RpcHandlers): RpcClient {
  const open = new Map<number, (answer: RpcAnswer) => void>()
  let lastId = 0
  let closedBy: RpcError | undefined
  const post = (message: Json): void => send(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)

  const take = (message: Json): void => {
    const { id, method } = message
    if (typeof method !== 'string') return settle(numberOf(id), answerIn(message))
    const params = recordOf(message['params'])
    if (id === undefined || id === null) return told(method, params)
    const result = asked(method, params)
    post({ id, ...(result ? { result } : { error: { code: methodNotFound, message: `Unknown method ${method}.` } }) })
  }
  const settle = (id: number | undefined, answer: RpcAnswer): void => {
    if (id === undefined) return
    open.get(id)?.(answer)
    open.delete(id)
  }

  const lines = lineSplitter((line, isCut) => {
    if (line.trim() === '') return
    const message = isCut ? undefined : parsed(line)
    if (message) take(message)
    else noise(line)
  })
  return {
    ...lines,
    ask: (method, params) => {
      if (closedBy) return Promise.resolve({ error: closedBy })
      const id = ++lastId
      return new Promise((resolve) => {
        open.set(id, resolve)
        post({ id, method, params })
      })
    },
    tell: (method, params) => {
      if (!closedBy) post({ method, params })
    },
    close: (error) => {
      closedBy ??= error
      for (const id of [...open.keys()]) settle(id, { error: closedBy })
    },
  }
}

const methodNotFound = -32601

function parsed(line: string): Json | undefined {
  const message = jsonIn(line)
  return isRecord(message) && message['jsonrpc'] === '2.0' ? message : undefined
}

function answerIn({ result, error }: Json): RpcAnswer {
  if (error === undefined || error === null) return { result: recordOf(result) }
  const { code, message, data } = recordOf(error)
  return { error: { code: numberOf(code) ?? 0, message: textOf(message), data } }
}
