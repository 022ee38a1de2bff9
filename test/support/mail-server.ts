/** A mail server on loopback that speaks as much SMTP as a mail needs, with STARTTLS and a login, and keeps what it got. */
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import type { TestContext } from 'node:test'
import { TLSSocket } from 'node:tls'
import { fileURLToPath } from 'node:url'

const pem = (name: string): string =>
  readFileSync(fileURLToPath(new URL(`../fixtures/mail-server/${name}.pem`, import.meta.url)), 'utf8')

/** Signed by nobody else, for localhost. */
export const certificate = pem('certificate')

export type MailServer = {
  port: number
  /** What each client said, without the mails; whether it was encrypted. */
  said: { line: string; isSafe: boolean }[]
  mails: string[]
}

/** `answers`: its answer to a command that begins so, instead of the usual one; '': none. */
export async function mailServer(
  t: TestContext,
  { hasTls = true, logins = 'PLAIN LOGIN', answers = {} as Record<string, string> } = {},
): Promise<MailServer> {
  const got: MailServer = { port: 0, said: [], mails: [] }
  const open = new Set<Socket>()
  const server = createServer((socket) => {
    open.add(socket)
    talk(socket, false, '220 ready')
  })

  function talk(socket: Socket, isSafe: boolean, greeting: string): void {
    let mail: string[] | null = null
    let login = 0
    let rest = ''
    const say = (text: string): void => void socket.write(`${text}\r\n`)
    if (greeting !== '') say(greeting)
    socket.on('error', () => {})
    socket.on('data', (chunk) => {
      rest += chunk.toString()
      const lines = rest.split('\r\n')
      rest = lines.pop() ?? ''
      for (const line of lines) take(line)
    })

    function take(line: string): void {
      if (mail !== null) {
        if (line !== '.') return void mail.push(line)
        got.mails.push(mail.join('\n'))
        mail = null
        return say(answers['.'] ?? '250 taken')
      }
      got.said.push({ line, isSafe })
      const special = Object.entries(answers).find(([begin]) => line.startsWith(begin))
      if (special !== undefined) return special[1] === '' ? undefined : say(special[1])
      if (login > 0) {
        login -= 1
        return say(login === 0 ? '235 in' : '334 UGFzc3dvcmQ6')
      }
      if (line.startsWith('EHLO')) {
        const offers = [...(hasTls && !isSafe ? ['STARTTLS'] : []), ...(logins === '' ? [] : [`AUTH ${logins}`]), '8BITMIME']
        return say(['250-here', ...offers.map((offer, at) => `250${at === offers.length - 1 ? ' ' : '-'}${offer}`)].join('\r\n'))
      }
      if (line === 'STARTTLS') {
        say('220 go')
        socket.removeAllListeners('data')
        const safe = new TLSSocket(socket, { isServer: true, key: pem('key'), cert: certificate })
        return talk(safe, true, '')
      }
      if (line === 'AUTH LOGIN') {
        login = 2
        return say('334 VXNlcm5hbWU6')
      }
      if (line.startsWith('AUTH')) return say('235 in')
      if (line === 'DATA') {
        mail = []
        return say('354 go on')
      }
      say(line === 'QUIT' ? '221 bye' : '250 ok')
    }
  }

  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    for (const socket of open) socket.destroy()
    server.close()
  })
  got.port = (server.address() as AddressInfo).port
  return got
}
