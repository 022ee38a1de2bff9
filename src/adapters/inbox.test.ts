import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, mock, test } from 'node:test'
import { dropRequest, finishRequest, takeRequests, watchInbox } from './inbox.ts'

const folder = mkdtempSync(join(tmpdir(), 'ralph-inbox-'))
after(() => rmSync(folder, { recursive: true }))
let features = 0
const newFeature = () => join(folder, String(++features))

test('requests come in the order they were dropped, with their file as id, until they are finished', () => {
  const feature = newFeature()
  const first = dropRequest(feature, { kind: 'said', text: 'mind the tests' })
  const second = dropRequest(feature, { kind: 'stop.requested', by: 'user', now: true })
  const both = [
    { id: first, report: { kind: 'said', id: first, text: 'mind the tests' } },
    { id: second, report: { kind: 'stop.requested', id: second, by: 'user', now: true } },
  ]
  assert.deepEqual(takeRequests(feature), both)
  assert.deepEqual(takeRequests(feature), both)
  finishRequest(feature, first)
  finishRequest(feature, first)
  assert.deepEqual(takeRequests(feature), both.slice(1))
})

test('without a folder there are no requests', () => {
  assert.deepEqual(takeRequests(newFeature()), [])
})

test('what is no request is put aside, and what is only half there is left alone', () => {
  const feature = newFeature()
  mkdirSync(join(feature, 'inbox'), { recursive: true })
  const bad = {
    '1.json': '{"kind":"said"',
    '2.json': '{"kind":"run.ended","outcome":"complete"}',
    '3.json': '{"kind":"said","text":5}',
    '4.json': 'null',
    '5.json': '{"kind":"constructor"}',
  }
  for (const [name, text] of Object.entries(bad)) writeFileSync(join(feature, 'inbox', name), text)
  writeFileSync(join(feature, 'inbox', '.6.json.tmp-1-1'), '{"ki')
  assert.deepEqual(takeRequests(feature), [])
  assert.deepEqual(readdirSync(join(feature, 'inbox')).sort(), ['.6.json.tmp-1-1', 'bad'])
  assert.deepEqual(readdirSync(join(feature, 'inbox', 'bad')).sort(), Object.keys(bad))
})

test('a watched inbox calls back, also after its folder was deleted', { timeout: 10_000 }, async () => {
  const feature = newFeature()
  let onChange = () => {}
  mock.timers.enable({ apis: ['setInterval'] }) // the looks now and then are not what brings it
  const stop = watchInbox(feature, () => onChange())
  const keepAlive = setTimeout(() => {}, 9000) // the watch itself keeps no program alive
  try {
    for (const text of ['one', 'two', 'three']) {
      const called = new Promise<void>((resolve) => {
        onChange = resolve
      })
      const id = dropRequest(feature, { kind: 'said', text })
      await called
      assert.deepEqual(takeRequests(feature), [{ id, report: { kind: 'said', id, text } }])
      rmSync(feature, { recursive: true })
    }
  } finally {
    clearTimeout(keepAlive)
    stop()
    mock.timers.reset()
  }
})

test('where changes are not told, a look now and then finds what was dropped', () => {
  const feature = newFeature()
  mock.timers.enable({ apis: ['setInterval'] })
  let calls = 0
  const stop = watchInbox(feature, () => {
    calls += 1
  })
  mock.timers.tick(1000)
  dropRequest(feature, { kind: 'pause.requested' })
  mock.timers.tick(1000)
  stop()
  mock.timers.tick(1000)
  mock.timers.reset()
  assert.equal(calls, 1)
})

test('watching where no folder can be made does not throw', () => {
  const feature = newFeature()
  writeFileSync(feature, 'a file, not a folder')
  watchInbox(feature, () => {})()
})
