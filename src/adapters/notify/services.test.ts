import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { test } from 'node:test'
import { receiver } from '../../../test/support/receiver.ts'
import type { Notice } from '../../core/notice/notice.ts'
import { discord } from './discord.ts'
import type { Channel } from './notify.ts'
import { ntfy } from './ntfy.ts'
import { slack } from './slack.ts'
import { telegram } from './telegram.ts'

const notice: Notice = {
  what: 'decide',
  title: 'Ralph: login: a question',
  text: '<!channel> @everyone *a* & <b>',
  feature: 'login',
  run: 'r',
  at: '2026-01-05T08:00:00.000Z',
  next: 'ralph answer "<yes>"',
}
const never = new AbortController().signal
const quick = { warn: assert.fail, pausesMs: [1, 1, 1], timeoutMs: 60_000 }
const answers =
  (code: number, body = '', headers = {}) =>
  (response: ServerResponse) =>
    void response.writeHead(code, headers).end(body)

/** Each service behind `host`, and where and how it gets the notice. */
const services = {
  slack: (host: string) =>
    slack({ 'notify.slack.url_env': 'URL' }, { ...quick, env: { URL: `http://${host}/services/T/B/key` } }),
  discord: (host: string) =>
    discord({ 'notify.discord.url_env': 'URL' }, { ...quick, env: { URL: `http://${host}/api/webhooks/1/key` } }),
  telegram: (host: string) =>
    telegram(
      { 'notify.telegram.token_env': 'TOKEN', 'notify.telegram.chat': '42', 'notify.telegram.server': `http://${host}/` },
      { ...quick, env: { TOKEN: '1:key' } },
    ),
  ntfy: (host: string) =>
    ntfy(
      { 'notify.ntfy.url': `http://${host}/below/my-topic`, 'notify.ntfy.token_env': 'TOKEN' },
      { ...quick, env: { TOKEN: 'tk_key' } },
    ),
} satisfies Record<string, (host: string) => Channel | null>

const expected: Record<keyof typeof services, { path: string; body: object }> = {
  slack: {
    path: '/services/T/B/key',
    body: {
      text: 'Ralph: login: a question',
      blocks: [
        { type: 'header', text: { type: 'plain_text', text: 'Ralph: login: a question', emoji: false } },
        { type: 'section', text: { type: 'mrkdwn', text: '&lt;!channel&gt; @everyone *a* &amp; &lt;b&gt;' } },
        { type: 'section', text: { type: 'mrkdwn', text: '*Next:* ralph answer "&lt;yes&gt;"' } },
      ],
      unfurl_links: false,
    },
  },
  discord: {
    path: '/api/webhooks/1/key',
    body: {
      embeds: [
        {
          title: 'Ralph: login: a question',
          description: '<!channel\\> @everyone \\*a\\* & <b\\>',
          color: 0xd29922,
          fields: [{ name: 'Next', value: 'ralph answer "<yes\\>"' }],
          footer: { text: 'login' },
          timestamp: '2026-01-05T08:00:00.000Z',
        },
      ],
      allowed_mentions: { parse: [] },
    },
  },
  telegram: {
    path: '/bot1:key/sendMessage',
    body: {
      chat_id: '42',
      text: '<b>Ralph: login: a question</b>\n\n&lt;!channel&gt; @everyone *a* &amp; &lt;b&gt;\n\n<b>Next:</b> <code>ralph answer "&lt;yes&gt;"</code>',
      parse_mode: 'HTML',
      link_preview_options: { is_disabled: true },
    },
  },
  ntfy: {
    path: '/below/',
    body: {
      topic: 'my-topic',
      title: 'Ralph: login: a question',
      message: '<!channel> @everyone *a* & <b>\n\nNext: ralph answer "<yes>"',
      priority: 4,
      tags: ['question'],
    },
  },
}

for (const name of Object.keys(services) as (keyof typeof services)[])
  test(`${name} gets a notice in its own shape, in which an agent's words call nobody [R-NOTE-2]`, async (t) => {
    const { got, host } = await receiver(t, answers(200, 'ok'))
    assert.equal(await services[name](host)?.send(notice, never), null)
    const [{ method, path, headers, body } = assert.fail('nothing came')] = got
    assert.deepEqual([method, headers['content-type']], ['POST', 'application/json'])
    assert.deepEqual({ path, body: JSON.parse(body) }, expected[name])
    assert.equal(headers.authorization, name === 'ntfy' ? 'Bearer tk_key' : undefined)
  })

test('a refusal is told in the words of the service, and without the key in its address [R-NOTE-2]', async (t) => {
  const said = {
    slack: 'no_service',
    discord: '{"message":"Unknown Webhook","code":10015}',
    telegram: '{"ok":false,"error_code":400,"description":"Bad Request: chat not found"}',
    ntfy: '{"code":40301,"http":403,"error":"forbidden"}',
  }
  const told: string[] = []
  for (const [name, words] of Object.entries(said)) {
    const { host } = await receiver(t, answers(404, words))
    told.push(((await services[name as keyof typeof said](host)?.send(notice, never)) ?? '').replace(host, 'HOST'))
  }
  assert.deepEqual(told, [
    'Slack at http://HOST/*** did not accept the notice "decide": it answered 404 (no_service) (1 try). Check the incoming webhook in URL',
    'Discord at http://HOST/*** did not accept the notice "decide": it answered 404 (Unknown Webhook) (1 try). Check the webhook in URL',
    'Telegram at http://HOST/*** did not accept the notice "decide": it answered 404 (Bad Request: chat not found) (1 try). Check the bot\'s token in TOKEN, and notify.telegram.chat',
    'ntfy at http://HOST/*** did not accept the notice "decide": it answered 404 (forbidden) (1 try). Fix notify.ntfy.url, or check the token in TOKEN',
  ])
})

test('a service that is too busy gets the notice once it takes it [R-NOTE-2]', async (t) => {
  const { got, host } = await receiver(t, (response, nth) => answers(nth === 1 ? 429 : 204, '', { 'retry-after': '0' })(response))
  assert.equal(await services.discord(host)?.send(notice, never), null)
  assert.equal(got.length, 2)
})

test('a channel without its address, key or chat says so once, and sends nothing [R-NOTE-2]', () => {
  const warnings: string[] = []
  const options = { warn: (text: string) => warnings.push(text), env: { BAD: 'hooks.slack.com/x', TOKEN: 'x' } }
  const usual = { 'notify.telegram.server': 'https://api.telegram.org' }
  const opened = [
    slack({ 'notify.slack.url_env': '' }, options),
    slack({ 'notify.slack.url_env': 'GONE' }, options),
    discord({ 'notify.discord.url_env': 'BAD' }, options),
    telegram({ ...usual, 'notify.telegram.token_env': 'GONE', 'notify.telegram.chat': '1' }, options),
    telegram({ ...usual, 'notify.telegram.token_env': 'TOKEN', 'notify.telegram.chat': '' }, options),
    ntfy({ 'notify.ntfy.url': 'https://ntfy.sh/', 'notify.ntfy.token_env': '' }, options),
    ntfy({ 'notify.ntfy.url': 'https://ntfy.sh/x', 'notify.ntfy.token_env': 'GONE' }, options),
  ]
  assert.deepEqual(
    opened,
    opened.map(() => null),
  )
  assert.deepEqual(warnings, [
    '! notify.slack.url_env names GONE, which is not set: no notices go to Slack',
    '! BAD, which notify.discord.url_env names, is not an http(s) address: no notices go to Discord',
    '! notify.telegram.token_env names GONE, which is not set: no notices go to Telegram',
    '! notify.telegram.chat is empty: no notices go to Telegram. Set it to the number of your chat with the bot',
    '! notify.ntfy.url has no topic: no notices go to ntfy. Use an address such as https://ntfy.sh/my-topic',
    '! notify.ntfy.token_env names GONE, which is not set: no notices go to ntfy',
  ])
})
