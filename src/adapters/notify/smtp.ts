/** Sends one mail over SMTP: TLS at once on port 465, otherwise with STARTTLS, and no password without it. */
import { randomUUID } from 'node:crypto'
import { connect, isIP, type Socket } from 'node:net'
import { hostname } from 'node:os'
import { connect as connectTls } from 'node:tls'
import { lineSplitter } from '../files/lines.ts'

export type MailServer = {
  host: string
  port: number
  user: string
  /** '': no login. */
  password: string
  /** Of a server whose certificate no public authority has signed. */
  ca?: string
  timeoutMs?: number
}

type Delivery = { from: string; to: string; mail: string }

/** null: accepted. Otherwise what went wrong. */
export async function sendMail(server: MailServer, envelope: Delivery, stop: AbortSignal): Promise<string | null> {
  const signal = AbortSignal.any([stop, AbortSignal.timeout(server.timeoutMs ?? 30_000)])
  const open: Socket[] = []
  const close = (): void => {
    for (const socket of open) socket.destroy()
  }
  signal.addEventListener('abort', close, { once: true })
  try {
    if (signal.aborted) return 'the run is over'
    await converse(server, envelope, (socket) => {
      open.push(socket)
      return socket
    })
    return null
  } catch (error) {
    if (stop.aborted) return 'the run is over'
    return signal.aborted ? 'it did not answer in time' : (error as Error).message
  } finally {
    signal.removeEventListener('abort', close)
    close()
  }
}

async function converse(server: MailServer, { from, to, mail }: Delivery, opened: (socket: Socket) => Socket): Promise<void> {
  const { host, port, user, password, ca } = server
  const safely = { host, ...(isIP(host) === 0 ? { servername: host } : {}), ...(ca === undefined ? {} : { ca }) }
  const isTlsAtOnce = port === 465
  const plain = opened(isTlsAtOnce ? connectTls({ ...safely, port }) : connect({ host, port }))
  let talk = talkOver(plain)
  await talk.expect(220)
  let offers = await talk.say(`EHLO ${ownName()}`, 250)
  let isSafe = isTlsAtOnce
  if (!isSafe && /^STARTTLS$/im.test(offers)) {
    await talk.say('STARTTLS', 220)
    talk.end()
    talk = talkOver(opened(connectTls({ ...safely, socket: plain })))
    offers = await talk.say(`EHLO ${ownName()}`, 250)
    isSafe = true
  }
  if (password !== '') {
    if (!isSafe && !isLoopback(host)) throw new Error('it offers no encryption, so the password was not sent')
    await logIn(talk, offers, user, password)
  }
  await talk.say(`MAIL FROM:<${from}>`, 250)
  await talk.say(`RCPT TO:<${to}>`, 250)
  await talk.say('DATA', 354)
  await talk.say(`${mail.replace(/^\./gm, '..')}\r\n.`, 250, 'the mail')
  await talk.say('QUIT', 221).catch(() => {}) // it has the mail
}

async function logIn(talk: Talk, offers: string, user: string, password: string): Promise<void> {
  const base64 = (text: string): string => Buffer.from(text).toString('base64')
  if (/^AUTH\b.*\bPLAIN\b/im.test(offers)) {
    await talk.say(`AUTH PLAIN ${base64(`\0${user}\0${password}`)}`, 235, 'the login')
    return
  }
  await talk.say('AUTH LOGIN', 334, 'the login')
  await talk.say(base64(user), 334, 'the login')
  await talk.say(base64(password), 235, 'the login')
}

type Talk = {
  /** The answer's lines without their codes. `what`: the command in words, where it holds a secret or is long. */
  say(command: string, code: number, what?: string): Promise<string>
  expect(code: number, what?: string): Promise<string>
  /** Somebody else reads from here on. */
  end(): void
}

function talkOver(socket: Socket): Talk {
  const answers: { code: number; text: string }[] = []
  const waiting: { resolve(answer: { code: number; text: string }): void; reject(error: Error): void }[] = []
  let failed: Error | null = null
  let begun: string[] = []
  const lines = lineSplitter((line) => {
    const [, code = '', dash = '', text = ''] = /^(\d{3})([ -]?)(.*)$/.exec(line.trimEnd()) ?? []
    if (code === '') return fail(new Error('it does not speak SMTP'))
    begun.push(text)
    if (dash === '-') return
    const answer = { code: Number(code), text: begun.join('\n') }
    begun = []
    const next = waiting.shift()
    if (next === undefined) answers.push(answer)
    else next.resolve(answer)
  }, longestLine)
  const fail = (error: Error): void => {
    failed ??= error
    for (const { reject } of waiting.splice(0)) reject(failed)
  }
  const onData = (chunk: Buffer): void => lines.push(chunk)
  const onClose = (): void => fail(new Error('it closed the connection'))
  socket.on('data', onData).on('error', fail).on('close', onClose)

  async function expect(code: number, what = 'the connection'): Promise<string> {
    const answer =
      answers.shift() ??
      (await new Promise<{ code: number; text: string }>((resolve, reject) => {
        if (failed === null) waiting.push({ resolve, reject })
        else reject(failed)
      }))
    if (answer.code !== code) throw new Error(`it refused ${what}: ${answer.code} ${answer.text.split('\n').at(-1) ?? ''}`.trim())
    return answer.text
  }

  return {
    expect,
    say(command, code, what = command) {
      socket.write(`${command}\r\n`)
      return expect(code, what)
    },
    end() {
      socket.off('data', onData).off('close', onClose)
    },
  }
}

const longestLine = 4096

const isLoopback = (host: string): boolean => host === 'localhost' || host === '::1' || /^127\./.test(host)

const ownName = (): string => hostname().replace(/[^A-Za-z0-9.-]/g, '') || 'localhost'

/** With CRLF at each line's end. Base64 holds every character, and no line that is too long. */
export function mailOf({
  from,
  to,
  subject,
  text,
  at,
}: {
  from: string
  to: string
  subject: string
  text: string
  at: string
}): string {
  const base64 = (words: string): string => Buffer.from(words).toString('base64')
  return [
    `From: Ralph <${from}>`,
    `To: <${to}>`,
    `Subject: ${encodedWords(subject)}`,
    `Date: ${new Date(at).toUTCString().replace('GMT', '+0000')}`,
    `Message-ID: <${randomUUID()}@ralph.invalid>`,
    'Auto-Submitted: auto-generated',
    'MIME-Version: 1.0',
    'Content-Type: text/plain; charset=utf-8',
    'Content-Transfer-Encoding: base64',
    '',
    ...(base64(text.replaceAll('\n', '\r\n')).match(/.{1,76}/g) ?? []),
  ].join('\r\n')
}

/** A header holds ASCII, in pieces of at most 75 characters that each end with a whole character. */
function encodedWords(text: string): string {
  if (/^[ -~]*$/.test(text)) return text
  const pieces: string[] = ['']
  for (const character of text) {
    const last = pieces.length - 1
    if (Buffer.byteLength(`${pieces[last]}${character}`) > 42) pieces.push(character)
    else pieces[last] += character
  }
  return pieces.map((piece) => `=?utf-8?B?${Buffer.from(piece).toString('base64')}?=`).join('\r\n ')
}
