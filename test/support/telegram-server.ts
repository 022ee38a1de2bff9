/** As much of Telegram's Bot API as questions and answers need, on the loopback interface: held requests for updates, and what a client must confirm. */
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'

type Sent = {
  chat_id: string
  text: string
  reply_markup?: { inline_keyboard?: { text: string; callback_data: string }[][]; force_reply?: boolean }
}
export type TelegramServer = {
  url: string
  /** What the bot has written, with the number of each message. */
  sent: (Sent & { message_id: number })[]
  /** Somebody presses a button under a message, or replies to it. */
  press(message: number, button: number, who: { user: number; chat: number }): void
  reply(message: number, text: string, who: { user: number; chat: number }): void
}

export async function telegramServer(t: TestContext, { token, chat }: { token: string; chat: number }): Promise<TelegramServer> {
  const updates: { update_id: number }[] = []
  const got: TelegramServer['sent'] = []
  let held: { offset: number; response: ServerResponse }[] = []
  let last = 100
  const send = (response: ServerResponse, status: number, body: object): void =>
    void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  const refuse = (response: ServerResponse, code: number, description: string): void =>
    send(response, code, { ok: false, error_code: code, description })
  const deliver = (): void => {
    const waiting = held
    held = []
    for (const one of waiting) {
      const news = updates.filter(({ update_id }) => update_id >= one.offset)
      if (news.length === 0) held.push(one)
      else send(one.response, 200, { ok: true, result: news })
    }
  }
  const update = (fields: object): void => {
    updates.push({ update_id: ++last, ...fields })
    deliver()
  }
  const server = createServer((request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => {
      const [, key, method] = /^\/bot([^/]+)\/(\w+)$/.exec(request.url ?? '') ?? []
      if (key !== token) return refuse(response, 401, 'Unauthorized')
      const body = JSON.parse(Buffer.concat(parts).toString('utf8')) as Sent & { offset?: number }
      if (method === 'answerCallbackQuery') return send(response, 200, { ok: true, result: true })
      if (method === 'getUpdates') {
        const { offset = 0 } = body
        while ((updates[0]?.update_id ?? offset) < offset) updates.shift() // confirmed
        if (held.length > 0) return refuse(response, 409, 'Conflict: terminated by other getUpdates request')
        held.push({ offset, response })
        request.socket.once('close', () => (held = held.filter((one) => one.response !== response)))
        return deliver()
      }
      if (method !== 'sendMessage') return refuse(response, 404, 'Not Found')
      if (body.chat_id !== String(chat)) return refuse(response, 400, 'Bad Request: chat not found')
      if (body.text.length > 4096) return refuse(response, 400, 'Bad Request: message is too long')
      const buttons = body.reply_markup?.inline_keyboard?.flat() ?? []
      if (buttons.some(({ callback_data }) => Buffer.byteLength(callback_data) > 64))
        return refuse(response, 400, 'Bad Request: BUTTON_DATA_INVALID')
      const message = { ...body, message_id: 1000 + got.length }
      got.push(message)
      return send(response, 200, { ok: true, result: { message_id: message.message_id, chat: { id: chat } } })
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  const messageOf = (number: number) => got.find(({ message_id }) => message_id === number)
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    sent: got,
    press(number, button, { user, chat: where }) {
      const data = messageOf(number)?.reply_markup?.inline_keyboard?.flat()[button]?.callback_data
      const message = { message_id: number, chat: { id: where } }
      update({ callback_query: { id: `q${last}`, from: { id: user, username: `user${user}` }, message, data } })
    },
    reply: (number, text, { user, chat: where }) =>
      update({
        message: {
          message_id: 5000 + last,
          from: { id: user },
          chat: { id: where },
          text,
          reply_to_message: { message_id: number },
        },
      }),
  }
}
