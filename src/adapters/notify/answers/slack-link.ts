/** One WebSocket connection of Slack's socket mode: envelopes come in, each is acknowledged when it has been dealt with. */
import { type Json, jsonIn, recordOf, textOf } from '../../../core/text/json.ts'

export type Received = { type: string; payload: Json }
export type Link = {
  /** null: Slack or we want a new connection; otherwise why it broke. */
  over: Promise<string | null>
  close(): void
}

/** Nobody sends that much; it must not fill the memory. */
const longestMessage = 1 << 20
/** How long Slack may take to say hello. */
const helloMs = 15_000

/**
 * There when Slack has said hello; throws when it does not.
 * `freshMs`: after this time it asks to be replaced, because a connection that broke while the machine slept looks like a silent one.
 */
export async function openLink(
  address: string,
  server: string,
  received: (envelope: Received) => Promise<void>,
  { stop, freshMs }: { stop: AbortSignal; freshMs: number },
): Promise<Link> {
  // Only encrypted, unless the server is reached without encryption too.
  const allowed = ['wss:', ...(server.startsWith('http://') ? ['ws:'] : [])]
  if (!URL.canParse(address) || !allowed.includes(new URL(address).protocol))
    throw new LinkBroken('Slack gave no address to connect to')
  const socket = new WebSocket(address)
  const hello = Promise.withResolvers<void>()
  const over = Promise.withResolvers<string | null>()
  const late = setTimeout(() => hello.reject(new LinkBroken('no hello')), helloMs)
  const old = setTimeout(() => over.resolve(null), freshMs)
  const close = (): void => {
    clearTimeout(late)
    clearTimeout(old)
    stop.removeEventListener('abort', stopped)
    over.resolve(null)
    socket.close()
  }
  const broke = (why: string): void => {
    hello.reject(new LinkBroken(why))
    over.resolve(why)
  }
  const stopped = (): void => {
    broke('stopped')
    close()
  }
  stop.addEventListener('abort', stopped)
  socket.addEventListener('error', () => broke('the connection failed'))
  socket.addEventListener('close', () => broke('the connection was closed'))
  socket.addEventListener('message', ({ data }) => {
    if (typeof data !== 'string' || data.length > longestMessage) return
    const { type, envelope_id: id, payload, reason } = recordOf(jsonIn(data))
    if (type === 'hello') return hello.resolve()
    // Its time is over, or there are too many: the next one opens before this one is closed. "link_disabled": socket mode was switched off.
    if (type === 'disconnect') return over.resolve(reason === 'link_disabled' ? 'socket mode is switched off in the app' : null)
    if (typeof id !== 'string') return
    const acknowledge = (): void => {
      if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify({ envelope_id: id }))
    }
    // Afterwards: what was not taken is shown as failed, or comes again.
    void received({ type: textOf(type), payload: payload as Json }).then(acknowledge, () =>
      broke('an answer could not be processed'),
    )
  })
  try {
    if (stop.aborted) stopped()
    await hello.promise
    clearTimeout(late)
    return { over: over.promise, close }
  } catch (error) {
    close()
    throw error
  }
}

/** Its message says why, without the address, which holds a ticket. */
export class LinkBroken extends Error {}
