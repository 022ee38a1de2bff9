/** Sends a question through every service for notices, to servers on this machine, and keeps what each of them was sent. */
import type { TestContext } from 'node:test'
import { mailServer } from '../../test/support/mail-server.ts'
import { ntfyServer } from '../../test/support/ntfy-server.ts'
import { until } from '../../test/support/processes.ts'
import { makeProject } from '../../test/support/project.ts'
import { receiver } from '../../test/support/receiver.ts'
import { slackServer, slackTokens } from '../../test/support/slack-server.ts'
import { telegramServer } from '../../test/support/telegram-server.ts'

type Fields = Record<string, unknown>
/** By service: its messages, the notice of the run first, then the question of `ralph listen`, as they were sent; a mail as its text. */
export type SentNotices = { slack: Fields[]; discord: Fields[]; telegram: Fields[]; ntfy: Fields[]; email: string[] }

const question = `May a guest cancel an order that is paid?
A) Yes, until it is packed
B) No, only through support`

export async function sentNotices(at: string): Promise<SentNotices> {
  const ends: (() => void)[] = []
  const t = { after: (end: () => void) => void ends.push(end) } as unknown as TestContext
  const hooks = await receiver(t, (response, nth) => void response.end(nth > 0 ? 'ok' : ''))
  const bot = await telegramServer(t, { token: '1:key', chat: 42 })
  const app = await slackServer(t)
  const phone = await ntfyServer(t, { readers: ['tk_mine'], writers: ['tk_mine', 'tk_answers'] })
  const post = await mailServer(t, { hasTls: false })
  const made = makeProject({
    ...{ at, feature: 'checkout', branch: 'feature/checkout' },
    stories: [{ id: 'C-3', title: 'Check out as a guest' }],
    script: { iterations: [[{ say: `<promise>DECIDE:${question}</promise>` }]] },
    config: {
      notify: {
        on: ['decide'],
        slack: { url_env: 'SLACK', app_token_env: 'APP', bot_token_env: 'BOT', channel: 'C42', server: app.url },
        discord: { url_env: 'DISCORD' },
        telegram: { token_env: 'TELEGRAM', chat: '42', server: bot.url },
        ntfy: { url: `${phone.url}/ralph`, token_env: 'NTFY', answers: 'ralph-answers', answer_token_env: 'ANSWERS' },
        email: { to: 'me@example.org', from: 'ralph@example.org', host: '127.0.0.1', port: post.port },
      },
    },
  })
  Object.assign(made.env, {
    ...{ SLACK: `http://${hooks.host}/slack`, DISCORD: `http://${hooks.host}/discord`, TELEGRAM: '1:key', NTFY: 'tk_mine' },
    ...{ APP: slackTokens.app, BOT: slackTokens.bot, ANSWERS: 'tk_answers' },
  })
  try {
    await made.run('run', '--no-archive')
    made.start('listen')
    await until('the questions', () => [bot.sent.length, app.sent.length, phone.published.length].join() === '2,1,2')
    const posted = (path: string): Fields[] => hooks.got.filter((one) => one.path === path).map(({ body }) => JSON.parse(body))
    return {
      slack: [...posted('/slack'), ...app.sent],
      ...{ discord: posted('/discord'), telegram: bot.sent, ntfy: phone.published, email: post.mails },
    }
  } finally {
    made.remove() // with what was started there
    for (const end of ends) end()
  }
}
