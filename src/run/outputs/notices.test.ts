import assert from 'node:assert/strict'
import { test } from 'node:test'
import { settingsWith } from '../../../test/support/world.ts'
import type { Settings } from '../../config/table.ts'
import type { Notice } from '../../core/notice/notice.ts'
import { maskerOf } from '../preflight/begin.ts'
import { sendAtOnce } from './notices.ts'

const notice: Notice = {
  what: 'stop',
  title: 't',
  text: 'the word is hushhush',
  feature: 'x',
  run: '',
  at: '2026-01-05T08:00:00.000Z',
}

test('a run without an end is told by the channels of every run: the terminal’s here and now, all others by a process of their own [R-NOTE-1]', () => {
  const sent = (more: Partial<Settings>, isTerminal = true): string[] => {
    const seen: string[] = []
    const out = (text: string): void => void seen.push(text)
    const io = { cwd: '/', env: { MY_TOKEN: 'hushhush' }, out, raw: out, err: assert.fail, isTerminal, isAttended: false }
    sendAtOnce(notice, { root: '/', settings: settingsWith(more) }, io, ({ text }) => seen.push(text))
    return seen
  }
  const [bell, apart] = ['\u0007', 'the word is [RALPH masked MY_TOKEN]']
  assert.deepEqual(sent({}), [])
  assert.deepEqual(sent({ 'notify.bell': true }), [bell])
  assert.deepEqual(sent({ 'notify.bell': true }, false), [])
  assert.deepEqual(sent({ 'notify.desktop': true }), [apart])
  assert.deepEqual(sent({ 'notify.command': 'true' }), [apart])
  assert.deepEqual(sent({ 'notify.webhook.url': 'http://127.0.0.1:1/', 'notify.webhook.secret_env': 'GONE' }), [apart])
  assert.deepEqual(sent({ 'notify.bell': true, 'notify.desktop': true, 'notify.command': 'true' }), [bell, apart])
})

test('the key of a channel is masked whatever its variable is called, and takes no other variable’s place', () => {
  const env = { HOOK: 'signed-with-this', WEBHOOK_SECRET: 'of-another-program' }
  const { text } = maskerOf(env, settingsWith({ 'notify.webhook.secret_env': 'HOOK' }))
  assert.equal(
    text('signed-with-this, of-another-program'),
    '[RALPH masked secret of notify.webhook.secret_env], [RALPH masked WEBHOOK_SECRET]',
  )
})
