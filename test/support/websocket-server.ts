/** The server's end of WebSockets (RFC 6455), as far as short text messages go. */
import { createHash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'

export type ServerSocket = {
  send(text: string): void
  /** With a closing frame, as a server that goes. */
  close(): void
  /** Without a word, as a network that breaks. */
  cut(): void
}

const magic = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11'
const kinds = { text: 1, close: 8, ping: 9, pong: 10 }

/** Takes an upgrade of an HTTP server. */
export function acceptWebSocket(
  request: IncomingMessage,
  stream: Duplex,
  { onText, onGone }: { onText(text: string): void; onGone(): void },
): ServerSocket {
  const accept = createHash('sha1').update(`${request.headers['sec-websocket-key']}${magic}`).digest('base64')
  stream.write(
    `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
  )
  const frame = (kind: number, body: Buffer): void => {
    const length = body.length < 126 ? Buffer.from([body.length]) : Buffer.from([126, body.length >> 8, body.length & 255])
    if (!stream.destroyed) stream.write(Buffer.concat([Buffer.from([128 | kind]), length, body]))
  }
  let rest = Buffer.alloc(0)
  stream.on('data', (part: Buffer) => {
    rest = Buffer.concat([rest, part])
    for (;;) {
      if (rest.length < 2) return
      const short = rest[1]! & 127
      const head = short === 126 ? 4 : 2
      if (rest.length < head) return
      const length = short === 126 ? rest.readUInt16BE(2) : short
      if (rest.length < head + 4 + length) return
      const mask = rest.subarray(head, head + 4)
      const body = Buffer.from(rest.subarray(head + 4, head + 4 + length).map((byte, index) => byte ^ mask[index % 4]!))
      const kind = rest[0]! & 15
      rest = rest.subarray(head + 4 + length)
      if (kind === kinds.text) onText(body.toString('utf8'))
      if (kind === kinds.ping) frame(kinds.pong, body)
      if (kind === kinds.close) {
        frame(kinds.close, body)
        stream.end()
      }
    }
  })
  stream.on('error', () => {})
  stream.once('close', onGone)
  return {
    send: (text) => frame(kinds.text, Buffer.from(text)),
    close: () => {
      frame(kinds.close, Buffer.from([1000 >> 8, 1000 & 255]))
      stream.end()
    },
    cut: () => void stream.destroy(),
  }
}
