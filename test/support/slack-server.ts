/** As much of Slack as questions and answers need, on the loopback interface: its Web API, and socket mode with tickets, envelopes and acknowledgements. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'
import { acceptWebSocket, type ServerSocket } from './websocket-server.ts'

type Button = { type: string; action_id: string; value: string; text: { type: string; text: string } }
type Block = { type: string; text?: { type: string; text: string }; elements?: Button[] }
type Sent = { channel: string; text: string; blocks: Block[]; ts: string; thread_ts?: string }
type Who = { user: string; channel?: string }
type Reply = Record<string, unknown> & { ts: string }
export type SlackServer = {
  url: string
  /** What the bot has written. */
  sent: Sent[]
  /** Envelopes that were acknowledged, in that order. */
  acknowledged: string[]
  /** How many connections said hello so far, and how many are open. */
  hellos(): number
  open(): number
  /** Somebody presses a button, or writes in the thread of a message. Returns the envelope's id; '': nobody is connected, as Slack shows the user. */
  press(message: Sent, button: number, who: Who): string
  reply(message: Sent, text: string, who: Who & { more?: object }): string
  /** Asks the client to connect again. */
  disconnect(reason: 'warning' | 'refresh_requested' | 'link_disabled'): void
  /** The connections break without a word. */
  cut(): void
  /** What is said in threads is answered only when the returned function is called. */
  holdReplies(): () => void
  /** The next connection gets no ticket. */
  refuseNext(error: string): void
}

export const slackTokens = { app: 'xapp-1-A1-socket', bot: 'xoxb-1-bot-words' }

export async function slackServer(t: TestContext, channel = 'C42'): Promise<SlackServer> {
  const sent: Sent[] = []
  const replies: (Reply & { channel: string })[] = []
  const acknowledged: string[] = []
  const tickets = new Set<string>()
  const sockets = new Set<ServerSocket>()
  let last = 0
  let hellos = 0
  let refusal = ''
  let held: (() => void)[] | null = null
  const stamp = (): string => `1700000000.${String(++last).padStart(6, '0')}`

  function postMessage(fields: URLSearchParams): object {
    if (![channel, '#ralph'].includes(fields.get('channel') ?? '')) return { ok: false, error: 'channel_not_found' }
    const blocks = JSON.parse(fields.get('blocks') ?? '[]') as Block[]
    const buttons = blocks.flatMap(({ elements }) => elements ?? [])
    const isTooLong =
      buttons.some(({ text }) => text.text.length > 75) || blocks.some(({ text }) => (text?.text.length ?? 1) > 3000)
    const isEmpty = blocks.some(({ text, elements }) => text?.text === '' || elements?.length === 0)
    const isTwice = new Set(buttons.map(({ action_id }) => action_id)).size !== buttons.length
    if (isTooLong || isEmpty || isTwice) return { ok: false, error: 'invalid_blocks' }
    const thread = fields.get('thread_ts')
    const message = {
      channel,
      text: fields.get('text') ?? '',
      blocks,
      ts: stamp(),
      ...(thread === null ? {} : { thread_ts: thread }),
    }
    sent.push(message)
    if (thread !== null) replies.push({ ...message, type: 'message', bot_id: 'B1', user: 'U_BOT' })
    return { ok: true, channel, ts: message.ts, message }
  }

  const server = createServer((request, response) => {
    let text = ''
    request.on('data', (part) => (text += part))
    request.on('end', () => {
      const say = (body: object): void =>
        void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
      const method = (request.url ?? '').replace(/^\/api\//, '')
      const token = /^Bearer (\S+)$/.exec(request.headers.authorization ?? '')?.[1]
      const fields = new URLSearchParams(text)
      if (method === 'apps.connections.open') {
        if (token !== slackTokens.app) return say({ ok: false, error: 'not_allowed_token_type' })
        if (refusal !== '') {
          say({ ok: false, error: refusal })
          refusal = ''
          return
        }
        const ticket = `ticket-${++last}`
        tickets.add(ticket)
        return say({ ok: true, url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}/link/?ticket=${ticket}&app_id=A1` })
      }
      if (token !== slackTokens.bot) return say({ ok: false, error: 'invalid_auth' })
      if (method === 'chat.postMessage' && held !== null && fields.has('thread_ts'))
        return void held.push(() => say(postMessage(fields)))
      if (method === 'chat.postMessage') return say(postMessage(fields))
      if (method !== 'conversations.replies') return say({ ok: false, error: 'unknown_method' })
      const thread = fields.get('ts')
      const [parent] = sent.filter(({ ts }) => ts === thread)
      const there = replies.filter((one) => one['thread_ts'] === thread && one.channel === fields.get('channel'))
      if (parent === undefined) return say({ ok: false, error: 'thread_not_found' })
      say({ ok: true, messages: [{ ...parent, type: 'message', bot_id: 'B1', thread_ts: thread }, ...there] })
    })
  })
  server.on('upgrade', (request, stream) => {
    const ticket = new URL(request.url ?? '', 'ws://slack').searchParams.get('ticket') ?? ''
    if (!tickets.delete(ticket)) return void stream.end('HTTP/1.1 404 Not Found\r\n\r\n')
    const socket = acceptWebSocket(request, stream, {
      onText: (text) => acknowledged.push((JSON.parse(text) as { envelope_id: string }).envelope_id),
      onGone: () => sockets.delete(socket),
    })
    sockets.add(socket)
    hellos += 1
    socket.send(JSON.stringify({ type: 'hello', num_connections: sockets.size, connection_info: { app_id: 'A1' } }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    for (const socket of sockets) socket.cut()
    server.closeAllConnections()
    server.close()
  })

  /** Over one of the connections, as Slack does. */
  function envelope(type: string, payload: object): string {
    const socket = [...sockets].at(-1)
    if (socket === undefined) return ''
    const id = `envelope-${++last}`
    socket.send(JSON.stringify({ envelope_id: id, type, accepts_response_payload: false, payload }))
    return id
  }
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/api`,
    sent,
    acknowledged,
    hellos: () => hellos,
    holdReplies() {
      held = []
      return () => {
        for (const answer of held ?? []) answer()
        held = null
      }
    },
    open: () => sockets.size,
    press(message, button, { user, channel: where = channel }) {
      const pressed = message.blocks.flatMap(({ elements }) => elements ?? [])[button]!
      return envelope('interactive', {
        type: 'block_actions',
        user: { id: user, username: `name-of-${user}`, team_id: 'T1' },
        container: { type: 'message', message_ts: message.ts, channel_id: where, is_ephemeral: false },
        channel: { id: where, name: 'ralph' },
        actions: [{ ...pressed, block_id: 'b1', action_ts: stamp() }],
      })
    },
    reply(message, text, { user, channel: where = channel, more = {} }) {
      const event = {
        type: 'message',
        user,
        text,
        ts: stamp(),
        thread_ts: message.ts,
        channel: where,
        channel_type: 'channel',
        ...more,
      }
      replies.push(event)
      return envelope('events_api', { type: 'event_callback', team_id: 'T1', api_app_id: 'A1', event })
    },
    disconnect(reason) {
      for (const socket of sockets) socket.send(JSON.stringify({ type: 'disconnect', reason, debug_info: { host: 'wss' } }))
    },
    cut() {
      for (const socket of sockets) socket.cut()
    },
    refuseNext: (error) => void (refusal = error),
  }
}
