import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { mock, test } from 'node:test'
import { tempFolder } from '../../../test/support/folder.ts'
import { keyPath, personKey } from './person-key.ts'
import { dropRequest, finishRequest, takeRequests, watchInbox } from './signed-inbox.ts'

const folder = tempFolder()
let features = 0
const newFeature = () => join(folder, String(++features))
const home = join(folder, 'home')
const requestsIn = (feature: string) => takeRequests(feature, home).requests

test('requests come in the order they were dropped, with their file as id, until they are finished', () => {
  const feature = newFeature()
  const first = dropRequest(feature, home, { kind: 'said', text: 'mind the tests' })
  const second = dropRequest(feature, home, { kind: 'stop.requested', by: 'user', now: true })
  const both = [
    { id: first, report: { kind: 'said', id: first, text: 'mind the tests' } },
    { id: second, report: { kind: 'stop.requested', id: second, by: 'user', now: true } },
  ]
  assert.deepEqual(requestsIn(feature), both)
  assert.deepEqual(requestsIn(feature), both)
  finishRequest(feature, first)
  finishRequest(feature, first)
  assert.deepEqual(requestsIn(feature), both.slice(1))
})

test('without a folder there are no requests', () => {
  assert.deepEqual(requestsIn(newFeature()), [])
})

test('what no command of a person has signed does not count and goes to the logs; what is only half there is left alone', () => {
  const feature = newFeature()
  const inbox = join(feature, 'inbox')
  const signed = dropRequest(feature, home, { kind: 'story.skipped', story: 'S-1' })
  const text = readFileSync(join(inbox, signed), 'utf8')
  const other = newFeature()
  mkdirSync(join(other, 'inbox'), { recursive: true })
  writeFileSync(join(other, 'inbox', signed), text) // signed, but for another feature
  const bad = {
    '1.json': '{"kind":"said"',
    '2.json': '{"kind":"run.ended","outcome":"complete"}',
    '3.json': '{"kind":"story.skipped","story":"S-1"}',
    '4.json': 'null',
    '5.json': '{"kind":"constructor"}',
    '6.json': text, // the same again under another name
    '7.json': text.replace('S-1', 'S-2'),
    '8.json': '{"kind":"story.skipped","story":"S-1","signature":""}',
    '9.json': '{"kind":["said"]}',
    'a.json': '[]',
    'b.json': '"said"',
    'c.json': '{"kind":"said","text":{}}',
  }
  for (const [name, content] of Object.entries(bad)) writeFileSync(join(inbox, name), content)
  spawnSync('mkfifo', [join(inbox, 'd.json')])
  writeFileSync(join(inbox, '.6.json.tmp-1-1'), '{"ki')
  const { requests, refused } = takeRequests(feature, home)
  assert.deepEqual(
    requests.map(({ report }) => report),
    [{ kind: 'story.skipped', story: 'S-1', id: signed }],
  )
  assert.deepEqual(
    refused.map(({ kind }) => kind),
    [
      ...['unreadable', 'unreadable', 'story.skipped', 'unreadable', 'unreadable', ...Array(3).fill('story.skipped')],
      ...['unreadable', 'unreadable', 'unreadable', 'said', 'unreadable'],
    ],
  )
  assert.deepEqual(readdirSync(inbox).sort(), ['.6.json.tmp-1-1', signed])
  assert.deepEqual(
    readdirSync(join(feature, 'logs')).sort(),
    Object.keys(bad).map((name) => `request-${name}.rejected`),
  )
  assert.deepEqual(takeRequests(other, home).requests, [])
})

test('the key is for this user alone, and the one that a process began with stays', () => {
  const own = join(folder, 'another-home')
  const key = personKey(own)
  assert.equal(statSync(keyPath(own)).mode & 0o777, 0o600)
  writeFileSync(keyPath(own), 'f'.repeat(64))
  assert.equal(personKey(own), key)
})

test('a watched inbox calls back, also after its folder was deleted', { timeout: 110_000 }, async () => {
  const feature = newFeature()
  let onChange = () => {}
  mock.timers.enable({ apis: ['setInterval'] }) // the looks now and then are not what brings it
  const stop = watchInbox(feature, () => onChange())
  const keepAlive = setTimeout(() => {}, 100_000) // the watch itself keeps no program alive
  try {
    for (const text of ['one', 'two', 'three']) {
      const called = new Promise<void>((resolve) => {
        onChange = resolve
      })
      const id = dropRequest(feature, home, { kind: 'said', text })
      await called
      assert.deepEqual(requestsIn(feature), [{ id, report: { kind: 'said', id, text } }])
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
  dropRequest(feature, home, { kind: 'pause.requested' })
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
