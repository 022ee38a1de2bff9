/** A web server for tests that answers JSON with JSON, and goes with its test. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'

type Fields = Record<string, unknown>
export type JsonRequest = { method: string; url: URL; body: Fields; headers: Record<string, unknown> }
export type JsonReply = { status?: number; headers?: Record<string, string>; body?: unknown }

export async function jsonServer(t: TestContext, answer: (request: JsonRequest) => JsonReply): Promise<string> {
  const server = createServer((request, response) => {
    let text = ''
    request.on('data', (part) => (text += part))
    request.on('end', () => {
      const { method = '', url = '', headers } = request
      const body = text === '' ? {} : JSON.parse(text)
      const reply = answer({ method, url: new URL(url, base), body, headers })
      response.writeHead(reply.status ?? 200, { 'content-type': 'application/json; charset=utf-8', ...reply.headers })
      response.end(reply.body === undefined ? '' : typeof reply.body === 'string' ? reply.body : JSON.stringify(reply.body))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return base
}
