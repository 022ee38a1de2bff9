/** Questions that go out to Telegram, Slack and ntfy, and answers that come back: whose count, and how they reach a run. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { asks, eventsOf, finishes, keptProjectFor } from './support/loop.ts'
import { ntfyServer } from './support/ntfy-server.ts'
import { until, untilEvent } from './support/processes.ts'
import { go, projectFor } from './support/project.ts'
import { slackServer, slackTokens } from './support/slack-server.ts'
import { telegramServer } from './support/telegram-server.ts'

const key = 'ghp_0123456789abcdefghijABCDEFGHIJ012345'

test('a question goes to the chat with its choices as buttons, and only the chosen user’s press there is an answer', async (t) => {
  const bot = await telegramServer(t, { token: '1:bot-token', chat: 42 })
  const project = keptProjectFor(t, {
    script: { iterations: [asks(`Which store, with ${key}?\nA) SQLite\nB) PostgreSQL`), finishes] },
    config: { notify: { telegram: { token_env: 'BOT', chat: '42', users: ['7'], server: bot.url } } },
  })
  assert.equal((await project.run('run', '--no-archive')).code, 3)
  project.env['BOT'] = '1:bot-token' // the run itself has no need of it
  const listening = project.start('listen', '--once')
  const [question] = await until('the question', () => bot.sent.length > 0 && bot.sent)
  const buttons = question!.reply_markup!.inline_keyboard!.flat().map(({ text }) => text)
  assert.deepEqual(buttons, ['SQLite', 'PostgreSQL'])
  assert.match(question!.text, /^Ralph: thing \(S-1\) has a question\n\nWhich store, with ghp_\*\*\*\?/)
  bot.press(question!.message_id, 0, { user: 7, chat: 43 })
  bot.press(question!.message_id, 0, { user: 8, chat: 42 })
  bot.reply(999, 'SQLite', { user: 7, chat: 42 })
  bot.press(question!.message_id, 1, { user: 7, chat: 42 })
  const { code, out, err } = await listening.ended
  assert.equal(code, 0, out + err)
  assert.doesNotMatch(out + err + bot.sent.map(({ text }) => text).join(), new RegExp(`${key}|bot-token`))
  const answers = eventsOf(project, 'question.answered')
  assert.deepEqual(
    answers.map(({ text }) => text),
    ['PostgreSQL'],
  )
  assert.match(answers[0]!.by ?? '', /\(through Telegram user user7\)$/)
  assert.match(bot.sent.at(-1)!.text, /^Answered for S-1\. /)
  assert.equal((await project.run('run', '--no-archive')).code, 0)
  assert.match(project.prompt(2), /PostgreSQL/)
})

test('a question that comes again is sent again, and a button of the first one answers nothing any more', async (t) => {
  const bot = await telegramServer(t, { token: '1:bot-token', chat: 42 })
  const again = asks('Which store?\nA) SQLite\nB) PostgreSQL')
  const project = keptProjectFor(t, {
    script: { iterations: [again, again] },
    config: { notify: { telegram: { token_env: 'BOT', chat: '42', server: bot.url } } },
  })
  project.env['BOT'] = '1:bot-token'
  const asked = () => bot.sent.filter(({ text }) => text.includes(' has a question')) // not the notices of the run
  const press = (place: number, button: number) => bot.press(asked()[place]!.message_id, button, { user: 7, chat: 42 })
  const answers = () => eventsOf(project, 'question.answered').map(({ text }) => text)
  assert.equal((await project.run('run', '--no-archive')).code, 3)
  const listening = project.start('listen')
  await until('the question', () => asked().length === 1)
  press(0, 0)
  await until('its answer', () => answers().length === 1)
  assert.equal((await project.run('run', '--no-archive')).code, 3)
  await until('the second question', () => asked().length === 2)
  press(0, 0)
  await until('the refusal', () => bot.sent.some(({ text }) => text === 'This question has been answered already.'))
  press(1, 1)
  await until('its answer', () => answers().length === 2)
  listening.child.kill('SIGINT')
  assert.deepEqual([(await listening.ended).code, answers()], [130, ['SQLite', 'PostgreSQL']])
})

test('a long question is cut to what a service takes; a reply in words answers a live run through its signed inbox', async (t) => {
  const bot = await telegramServer(t, { token: '1:bot-token', chat: 42 })
  const waits = { run: 'while [ ! -f "$TMPDIR/go" ]; do sleep 0.05; done' }
  const project = keptProjectFor(t, {
    stories: [{ id: 'S-1' }, { id: 'S-2' }],
    script: { iterations: [asks(`Tabs or spaces? ${'Ähem. '.repeat(2000)}`), [waits, ...finishes], finishes] },
    config: { defaults: { decide: 'park' }, notify: { telegram: { token_env: 'BOT', chat: '42', server: bot.url } } },
  })
  const run = project.start('run', '--no-archive')
  await until(
    'the question in the log',
    () => project.has('.ralph/thing/events.jsonl') && eventsOf(project, 'iteration.judged').length > 0,
  )
  project.env['BOT'] = '1:bot-token'
  const listening = project.start('listen', '--once')
  const [question] = await until('the question', () => bot.sent.length > 0 && bot.sent)
  assert.equal(question!.reply_markup?.force_reply, true)
  assert.match(
    question!.text,
    /Tabs or spaces\? Ähem\. [^\uFFFD]*…\nAll of it: ralph status -f thing\n\nReply to this message\.$/,
  )
  bot.reply(question!.message_id, 'Tabs, as everywhere.', { user: 1, chat: 42 })
  const { code, out } = await listening.ended
  assert.equal(code, 0, out)
  assert.match(bot.sent.at(-1)!.text, /^Answered for S-1\. The running loop will use it\.$/)
  await untilEvent(project, 'question.answered')
  go(project)
  const ended = await run.ended
  assert.equal(ended.code, 0, ended.out)
  assert.match(project.prompt(3), /Tabs, as everywhere\./)
})

test('a button in Slack answers over a connection that ralph listen opened, and neither tokens nor credentials are shown', async (t) => {
  const slack = await slackServer(t)
  const names = { app_token_env: 'APP', bot_token_env: 'SLACK_BOT', channel: 'C42', users: ['U7'], server: slack.url }
  const project = keptProjectFor(t, {
    script: { iterations: [asks(`Which store, with ${key}?\nA) SQLite\nB) PostgreSQL`), finishes] },
    config: { notify: { slack: names } },
  })
  assert.equal((await project.run('run', '--no-archive')).code, 3)
  Object.assign(project.env, { APP: slackTokens.app, SLACK_BOT: slackTokens.bot })
  const listening = project.start('listen', '--once')
  await until('hello', () => slack.hellos() === 1)
  const [question] = slack.sent
  assert.deepEqual(
    question!.blocks.map(({ text, elements }) => text?.text ?? elements?.map((button) => button.text.text)),
    [
      'Ralph: thing (S-1) has a question',
      'Which store, with ghp_***?\nA) SQLite\nB) PostgreSQL',
      ['SQLite', 'PostgreSQL'],
      'Press a button, or reply in the thread.',
    ],
  )
  slack.press(question!, 0, { user: 'U8' })
  slack.press(question!, 1, { user: 'U7' })
  const { code, out, err } = await listening.ended
  assert.equal(code, 0, out + err)
  assert.doesNotMatch(out + err + JSON.stringify(slack.sent), new RegExp(`${key}|xapp-|xoxb-|ticket`))
  const [answer, ...more] = eventsOf(project, 'question.answered')
  assert.deepEqual([answer!.text, more], ['PostgreSQL', []])
  assert.match(answer!.by ?? '', /\(through Slack user name-of-U7\)$/)
  assert.match(slack.sent.at(-1)!.text, /^Answered for S-1\. /)
})

test('a button of ntfy answers through the second topic, which needs access control', async (t) => {
  const server = await ntfyServer(t, { readers: ['tk_mine'], writers: ['tk_mine', 'tk_answers'] })
  const config = (more: object) => ({ notify: { ntfy: { url: `${server.url}/ralph`, answers: 'ralph-answers', ...more } } })
  const project = projectFor(t, {
    script: { otherwise: asks(`Which one?\n1. red\n2. blue\n${'Ähem. '.repeat(2000)}`) },
    config: config({ token_env: 'MINE', answer_token_env: 'ANSWERS' }),
  })
  assert.equal((await project.run('run', '--no-archive')).code, 3)
  Object.assign(project.env, { MINE: 'tk_mine', ANSWERS: 'tk_answers' })
  const listening = project.start('listen', '--once')
  const [question] = await until('the question', () => server.published.length > 0 && server.published)
  assert.deepEqual(
    question!.actions?.map(({ label, headers }) => [label, headers['Authorization']]),
    [
      ['red', 'Bearer tk_answers'],
      ['blue', 'Bearer tk_answers'],
    ],
  )
  assert.equal(await server.press({ ...question!, actions: [{ ...question!.actions![0]!, headers: {} }] }, 0), 403)
  assert.equal(await server.press({ ...question!, actions: [{ ...question!.actions![0]!, body: 'guessed 0' }] }, 0), 200)
  assert.equal(await server.press(question!, 1), 200)
  const { code, out, err } = await listening.ended
  assert.equal(code, 0, out + err)
  const [answer] = eventsOf(project, 'question.answered')
  assert.deepEqual([answer!.text, / \(through ntfy topic ralph-answers\)$/.test(answer!.by ?? '')], ['blue', true])
})

test('without a channel that can bring answers it says what to set, and where no question is open --once waits for none', async (t) => {
  const project = projectFor(t, { script: { otherwise: finishes } })
  const none = await project.run('listen')
  assert.equal(none.code, 78, none.err)
  assert.match(none.err, /notify\.telegram\.token_env and notify\.telegram\.chat; or notify\.slack\.app_token_env/)
  project.env['RALPH_NOTIFY_NTFY_URL'] = 'http://127.0.0.1:9/ralph'
  project.env['RALPH_NOTIFY_NTFY_ANSWERS'] = 'answers'
  const open = await project.run('listen')
  assert.equal(open.code, 78, open.err)
  assert.match(open.err, /anybody could write to a topic without access control/)
  Object.assign(project.env, { RALPH_NOTIFY_NTFY_TOKEN_ENV: 'MINE', MINE: 'tk_mine' })
  const idle = await project.run('listen', '--once')
  assert.equal(idle.code, 64, idle.err)
  assert.match(idle.err, /thing has no open question/)
})
