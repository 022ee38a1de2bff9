/** A web server for tests: keeps what is sent to it, answers as it is told, and goes with its test. */
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'

export type Received = { method: string; path: string; headers: IncomingHttpHeaders; body: string }
export type Receiver = { got: Received[]; host: string; close(): void }

export async function receiver(t: TestContext, answer: (response: ServerResponse, nth: number) => void): Promise<Receiver> {
  const got: Received[] = []
  const server = createServer((request, response) => {
    const { method = '', url = '', headers } = request
    let body = ''
    request.setEncoding('utf8')
    request.on('data', (text) => (body += text))
    request.on('end', () => {
      got.push({ method, path: url, headers, body })
      answer(response, got.length)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const close = (): void => {
    server.closeAllConnections()
    server.close()
  }
  t.after(close)
  return { got, host: `127.0.0.1:${(server.address() as AddressInfo).port}`, close }
}
