import assert from 'node:assert/strict'
import { test } from 'node:test'
import { certificate, mailServer } from '../../../test/support/mail-server.ts'
import { sure } from '../../core/failure.ts'
import type { Notice } from '../../core/notice/notice.ts'
import { email as openEmail } from './email.ts'

const notice: Notice = {
  what: 'blocked',
  title: 'Ralph: login: BLOCKED – Größe unbekannt 🙂',
  text: 'no key\n.a line with a dot',
  feature: 'login',
  run: 'r',
  at: '2026-01-05T08:00:00.000Z',
  next: 'ralph unblock',
}
const never = new AbortController().signal
const settings = (port: number, more: object = {}) => ({
  'notify.email.to': 'me@example.org',
  'notify.email.from': 'ralph@example.org',
  'notify.email.host': 'localhost',
  'notify.email.port': port,
  'notify.email.user': '',
  'notify.email.password_env': 'MAIL_KEY',
  ...more,
})
const email = (port: number, more: object = {}, ca = certificate) =>
  sure(
    openEmail(settings(port, more), { env: { MAIL_KEY: 'pass word' }, warn: assert.fail, ca, timeoutMs: 60_000 }),
    'the channel',
  )

test('a notice goes out encrypted, after a login, as a mail that any program can read [R-NOTE-2]', async (t) => {
  const server = await mailServer(t)
  assert.equal(await email(server.port).send(notice, never), null)
  const [, ...afterHello] = server.said
  assert.deepEqual(
    afterHello.map(({ line, isSafe }) => [line.replace(/^EHLO .*/, 'EHLO'), isSafe]),
    [
      ['STARTTLS', false],
      ['EHLO', true],
      [`AUTH PLAIN ${Buffer.from('\0ralph@example.org\0pass word').toString('base64')}`, true],
      ['MAIL FROM:<ralph@example.org>', true],
      ['RCPT TO:<me@example.org>', true],
      ['DATA', true],
      ['QUIT', true],
    ],
  )
  const [head = '', body = ''] = (server.mails[0] ?? '').split('\n\n')
  const subject = /^Subject: (.*(?:\n .*)*)/m.exec(head)?.[1] ?? ''
  const words = [...subject.matchAll(/=\?utf-8\?B\?([^?]*)\?=/g)].map(([, piece = '']) => Buffer.from(piece, 'base64').toString())
  assert.deepEqual(
    [words.join(''), words.length, /^Date: (.*)$/m.exec(head)?.[1], Buffer.from(body, 'base64').toString()],
    [notice.title, 2, 'Mon, 05 Jan 2026 08:00:00 +0000', 'no key\r\n.a line with a dot\r\n\r\nNext: ralph unblock'],
  )
})

test('a server that knows only LOGIN gets user and password one by one [R-NOTE-2]', async (t) => {
  const server = await mailServer(t, { logins: 'LOGIN' })
  assert.equal(await email(server.port, { 'notify.email.user': 'me' }).send(notice, never), null)
  const at = server.said.findIndex(({ line }) => line === 'AUTH LOGIN')
  const told = server.said.slice(at + 1, at + 3).map(({ line }) => Buffer.from(line, 'base64').toString())
  assert.deepEqual([told, server.mails.length], [['me', 'pass word'], 1])
})

test('a password is not sent to a server whose certificate is not trusted [R-NOTE-2]', async (t) => {
  const server = await mailServer(t)
  const other = await openEmail(settings(server.port), { env: { MAIL_KEY: 'pass word' }, warn: assert.fail })?.send(notice, never)
  assert.match(
    other ?? '',
    /^The mail server localhost:\d+ did not accept the notice "Ralph: login: BLOCKED .*": self-signed certificate.* Check the settings notify\.email\.\*$/,
  )
  assert.deepEqual([server.mails, server.said.filter(({ line }) => line.startsWith('AUTH'))], [[], []])
})

test('what the server says is told when it refuses, without the password [R-NOTE-2]', async (t) => {
  const cases: [Record<string, string>, RegExp][] = [
    [{ AUTH: '535 5.7.8 wrong user or password' }, /it refused the login: 535 5\.7\.8 wrong user or password\./],
    [{ RCPT: '550 no such user' }, /it refused RCPT TO:<me@example\.org>: 550 no such user\./],
    [{ '.': '554 looks like spam' }, /it refused the mail: 554 looks like spam\./],
  ]
  for (const [answers, expected] of cases) {
    const server = await mailServer(t, { answers })
    assert.match((await email(server.port).send(notice, never)) ?? '', expected)
  }
})

test('a stopped run does not wait for a mail server that says nothing [R-NOTE-2]', async (t) => {
  const server = await mailServer(t, { answers: { MAIL: '' } })
  const stop = new AbortController()
  const sent = email(server.port, { 'notify.email.password_env': '' }).send(notice, stop.signal)
  while (!server.said.some(({ line }) => line.startsWith('MAIL'))) await new Promise(setImmediate)
  stop.abort()
  assert.match((await sent) ?? '', /: the run is over\. /)
})

test('settings that cannot work are named once, and send nothing [R-NOTE-2]', () => {
  const warnings: string[] = []
  const open = (more: object) => openEmail(settings(25, more), { env: {}, warn: (text) => warnings.push(text) })
  assert.equal(open({ 'notify.email.to': '', 'notify.email.host': '' }), null)
  assert.equal(open({ 'notify.email.host': '', 'notify.email.from': 'x\r\nRCPT TO:<all@example.org>' }), null)
  assert.equal(open({}), null)
  assert.deepEqual(warnings, [
    '! No notices go out by e-mail: notify.email.host and notify.email.from must be set',
    '! notify.email.password_env names MAIL_KEY, which is not set: no notices go to me@example.org',
  ])
})
