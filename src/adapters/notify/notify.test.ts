import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Notice } from '../../core/notice/notice.ts'
import { type Channel, openNotifier } from './notify.ts'

const notice = (what: string): Notice => ({ what, title: 't', text: '', feature: 'x', run: 'r', at: '2026-01-05T08:00:00.000Z' })

test('every channel gets every notice, and one that throws or refuses is told once and holds up no other [R-NOTE-1]', async () => {
  const got: string[] = []
  const told: string[] = []
  const channels: Channel[] = [
    { name: 'desktop', send: () => Promise.reject(new Error('no bus')) },
    { name: 'webhook', send: async ({ what }) => `refused ${what}` },
    { name: 'command', send: async ({ what }) => (got.push(what) > 0 ? null : what) },
  ]
  const notifier = openNotifier(channels, (detail) => told.push(detail))
  notifier.send([notice('stop'), notice('limit')])
  notifier.send([notice('blocked')])
  await notifier.close(0)
  assert.deepEqual(got, ['stop', 'limit', 'blocked'])
  assert.deepEqual(told.sort(), ['The desktop notice failed: Error: no bus', 'refused stop'])
})

test('what is under way at the end gets its time, and is dropped with a word after it [R-NOTE-1]', async () => {
  const told: string[] = []
  const ends = (stop: AbortSignal): Promise<string> =>
    new Promise((resolve) => stop.addEventListener('abort', () => resolve('given up')))
  const notifier = openNotifier([{ name: 'webhook', send: (_, stop) => ends(stop) }], (detail) => told.push(detail))
  notifier.send([notice('stop')])
  await notifier.close(1)
  assert.deepEqual(told, ['given up'])
})

test('notices do not pile up behind a channel that hangs, and a fault in telling disturbs nobody [R-NOTE-1]', async () => {
  let sent = 0
  const told: string[] = []
  const hangs: Channel = {
    name: 'webhook',
    send: (_, stop) => {
      sent += 1
      return new Promise((resolve) => stop.addEventListener('abort', () => resolve(null)))
    },
  }
  const notifier = openNotifier([hangs], (detail) => {
    told.push(detail)
    throw new Error('the log is full')
  })
  notifier.send(Array.from({ length: 20 }, () => notice('noticed')))
  await notifier.close(0)
  assert.deepEqual([sent, told], [16, ['16 notices by webhook are still being sent: "noticed" was skipped']])
})
