/** Slack's socket mode against a server that behaves like it: whose words count, and what happens when connections end. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { until } from '../../../../test/support/processes.ts'
import { slackServer, slackTokens } from '../../../../test/support/slack-server.ts'
import { slackAnswers } from './slack.ts'

const env = { APP: slackTokens.app, BOT: slackTokens.bot }
const question = { code: 'c0de', title: 'Ralph: thing has a question', text: 'Which?', choices: ['red', 'blue'] }
type More = { users?: string[]; freshMs?: number; env?: Record<string, string> }

/** A channel that has asked and listens; `said` what it took, `troubles` what it told. */
async function listening(t: TestContext, { users = [], freshMs = 300_000, env: given = env }: More = {}) {
  const server = await slackServer(t)
  const settings = {
    'notify.slack.app_token_env': 'APP',
    'notify.slack.bot_token_env': 'BOT',
    'notify.slack.channel': '#ralph',
    'notify.slack.users': users,
    'notify.slack.server': server.url,
  }
  const warnings: string[] = []
  const channel = slackAnswers(settings, { env: given, warn: (text) => warnings.push(text), pauseMs: 1, freshMs })
  assert.ok(channel, warnings.join())
  const taken: { text: string; who: string }[] = []
  const troubles: string[] = []
  const stop = new AbortController()
  const asked = await channel.ask(question)
  const listen = () => {
    const over = channel.listen(
      async ({ text, who, code }) => {
        assert.equal(code, question.code)
        taken.push({ text, who })
        return `Answered <${text}>`
      },
      (why) => troubles.push(why),
      stop.signal,
    )
    t.after(async () => {
      stop.abort()
      await over
    })
    return over
  }
  return { server, asked, taken, troubles, stop, listen, message: server.sent[0]! }
}

test('only the chosen users count, only under the question, and every envelope is acknowledged', async (t) => {
  const { server, asked, taken, troubles, listen, message } = await listening(t, { users: ['U7'] })
  assert.equal(asked, null)
  listen()
  await until('hello', () => server.hellos() === 1)
  const other = { ...message, ts: '1600000000.000001' }
  const ids = [
    server.press(message, 0, { user: 'U8' }),
    server.press(message, 0, { user: 'U7', channel: 'C43' }),
    server.press(other, 0, { user: 'U7' }),
    server.reply(other, 'red', { user: 'U7' }),
    server.reply(message, 'red', { user: 'U8' }),
    server.reply(message, 'red', { user: 'U7', channel: 'C43' }),
    server.reply(message, 'red', { user: 'U7', more: { bot_id: 'B9' } }),
    server.reply(message, 'red', { user: 'U7', more: { subtype: 'message_changed' } }),
    server.reply(message, 'a &lt; b &amp;&amp; c', { user: 'U7' }),
    server.press(message, 1, { user: 'U7' }),
  ]
  await until('the acknowledgements', () => server.acknowledged.length === ids.length)
  assert.deepEqual(server.acknowledged, ids)
  assert.deepEqual(taken, [
    { text: 'a < b && c', who: 'Slack user U7' },
    { text: 'blue', who: 'Slack user name-of-U7' },
  ])
  await until('what is said about both', () => server.sent.length === 3)
  const [, first, second] = server.sent
  assert.deepEqual(
    [first?.text, first?.thread_ts, second?.text],
    ['Answered &lt;a &lt; b &amp;&amp; c&gt;', message.ts, 'Answered &lt;blue&gt;'],
  )
  assert.deepEqual(troubles, [])
})

test('a connection that Slack wants to replace is left only when the next one has said hello, and one that broke is opened again', async (t) => {
  const { server, taken, troubles, listen, message } = await listening(t)
  listen()
  await until('hello', () => server.hellos() === 1)
  server.disconnect('refresh_requested')
  await until('the second hello', () => server.hellos() === 2)
  await until('the end of the first', () => server.open() === 1)
  assert.deepEqual(troubles, [])
  server.refuseNext('internal_error')
  server.cut()
  await until('the third hello', () => server.hellos() === 3)
  assert.deepEqual(troubles.toSorted(), ['apps.connections.open answered 200: internal_error', troubles.toSorted()[1]])
  assert.match(troubles.toSorted()[1]!, /^the connection (failed|was closed)$/)
  server.press(message, 0, { user: 'U1' })
  await until('the answer', () => taken.length === 1)
  assert.equal(taken[0]?.text, 'red')
})

test('a reply that was written while nobody was connected is read afterwards, once', async (t) => {
  const { server, taken, listen, message } = await listening(t)
  assert.equal(server.reply(message, 'blue, please', { user: 'U1' }), '')
  listen()
  await until('the answer', () => taken.length === 1)
  server.disconnect('warning')
  await until('the second hello', () => server.hellos() === 2)
  server.reply(message, 'red', { user: 'U2' })
  await until('the second answer', () => taken.length === 2)
  assert.deepEqual(
    taken.map(({ text }) => text),
    ['blue, please', 'red'],
  )
})

test('a connection is replaced after a while, because a broken one may look like a silent one', async (t) => {
  const { server, troubles, listen } = await listening(t, { freshMs: 5 })
  listen()
  await until('several connections', () => server.hellos() > 3)
  assert.deepEqual(troubles, [])
})

test('what Slack refuses is told in its own words, without tokens or tickets', async (t) => {
  const { server, asked, troubles, listen } = await listening(t, { env: { APP: 'xapp-wrong', BOT: 'xoxb-wrong' } })
  assert.equal(asked, 'chat.postMessage answered 200: invalid_auth')
  listen()
  await until('two tries', () => troubles.length > 1)
  assert.deepEqual(new Set(troubles), new Set(['apps.connections.open answered 200: not_allowed_token_type']))
  assert.equal(server.hellos(), 0)
})

test('an app whose socket mode is switched off is told so', async (t) => {
  const { server, troubles, listen } = await listening(t)
  listen()
  await until('hello', () => server.hellos() === 1)
  server.disconnect('link_disabled')
  await until('a word about it', () => troubles.length > 0)
  assert.equal(troubles[0], 'socket mode is switched off in the app')
})

test('an answer is acknowledged before anything is said about it: Slack waits three seconds', async (t) => {
  const { server, listen, message, stop, taken } = await listening(t)
  const over = listen()
  await until('hello', () => server.hellos() === 1)
  const letGo = server.holdReplies()
  server.press(message, 1, { user: 'U7' })
  await until('the acknowledgement', () => server.acknowledged.length === 1)
  assert.deepEqual([taken.map(({ text }) => text), server.sent.length], [['blue'], 1])
  stop.abort()
  letGo()
  await over
  assert.equal(server.sent.at(-1)?.text, 'Answered &lt;blue&gt;')
})
