/** As much of ntfy as questions and answers need, on the loopback interface: topics with access control, and streams of what is written to them. */
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'

type Action = { action: string; label: string; url: string; method: string; headers: Record<string, string>; body: string }
type Published = { topic: string; title?: string; message: string; actions?: Action[] }
export type NtfyServer = {
  url: string
  published: Published[]
  /** What the phone does when a button is pressed. Returns ntfy's answer. */
  press(message: Published, button: number): Promise<number>
}

/** `readers`, `writers`: tokens that may. */
export async function ntfyServer(
  t: TestContext,
  { readers, writers }: { readers: string[]; writers: string[] },
): Promise<NtfyServer> {
  const published: Published[] = []
  const streams: { topic: string; response: ServerResponse }[] = []
  let last = 0
  const publish = (message: Published): void => {
    published.push(message)
    const line = `${JSON.stringify({ id: `m${++last}`, time: Math.floor(Date.now() / 1000), event: 'message', ...message })}\n`
    for (const { topic, response } of streams) if (topic === message.topic) response.write(line)
  }
  const server = createServer((request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => {
      const token = /^Bearer (\S+)$/.exec(request.headers.authorization ?? '')?.[1] ?? ''
      const { pathname } = new URL(request.url ?? '/', 'http://ntfy')
      const text = Buffer.concat(parts).toString('utf8')
      const refuse = (): void => void response.writeHead(403).end(JSON.stringify({ code: 40301, http: 403, error: 'forbidden' }))
      const [, stream] = /^\/([\w-]+)\/json$/.exec(pathname) ?? []
      if (request.method === 'GET' && stream !== undefined) {
        if (!readers.includes(token)) return refuse()
        response.writeHead(200, { 'content-type': 'application/x-ndjson' })
        response.write(`${JSON.stringify({ id: `o${++last}`, event: 'open', topic: stream })}\n`)
        for (const message of published.filter(({ topic }) => topic === stream))
          response.write(`${JSON.stringify({ id: `m${++last}`, event: 'message', ...message })}\n`)
        return void streams.push({ topic: stream, response })
      }
      if (!writers.includes(token)) return refuse()
      const message = pathname === '/' ? (JSON.parse(text) as Published) : { topic: pathname.slice(1), message: text }
      if (Buffer.byteLength(message.message) > 4096)
        return void response.writeHead(413).end(JSON.stringify({ code: 41301, http: 413, error: 'attachment too large' }))
      publish(message)
      return void response.writeHead(200).end('{}')
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  const press: NtfyServer['press'] = async ({ actions = [] }, button) => {
    const { url, method, headers, body } = actions[button]!
    return (await fetch(url, { method, headers, body })).status
  }
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, published, press }
}
