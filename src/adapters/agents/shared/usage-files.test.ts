import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { newFolder } from '../../../../test/support/repository.ts'
import { codexUsage, copilotUsage, kimiUsage } from './usage-files.ts'

test('Kimi: the usage of a call is in the file of its session, by id or by folder, and only what came since it began counts', () => {
  const home = newFolder()
  const folder = join(home, '.kimi-code', 's1')
  mkdirSync(join(folder, 'agents', 'main'), { recursive: true })
  const entry = { sessionId: 'session_1', sessionDir: folder, workDir: '/project' }
  writeFileSync(join(home, '.kimi-code', 'session_index.jsonl'), `${JSON.stringify(entry)}\n`)
  const record = (time: number) => ({
    type: 'usage.record',
    time,
    usage: { inputOther: 1000, output: 50, inputCacheRead: 200, inputCacheCreation: 0 },
  })
  const lines = [record(5), { type: 'turn.ended' }, record(10), record(20)].map((line) => JSON.stringify(line))
  writeFileSync(join(folder, 'agents', 'main', 'wire.jsonl'), `${lines.join('\n')}\n{"type":"usage.rec`)
  const left = { session: 'session_1', cwd: '/project', env: { HOME: home }, files: '', since: 10 }
  const both = { inputTokens: 2400, outputTokens: 100, costUsd: null, cacheReadTokens: 400 }
  assert.deepEqual(kimiUsage(left), both)
  assert.deepEqual(kimiUsage({ ...left, session: '' }), both)
  assert.equal(kimiUsage({ ...left, session: '', cwd: '/other' }), undefined)
  assert.equal(kimiUsage({ ...left, env: { HOME: newFolder() } }), undefined)
})

test('Codex: what came since the call began counts, with what was cached, and a session that is not there says nothing', () => {
  const home = newFolder()
  const folder = join(home, 'sessions', '2026', '03', '09')
  mkdirSync(folder, { recursive: true })
  const told = (timestamp: string, requests: number) => ({
    timestamp,
    type: 'event_msg',
    payload: {
      type: 'token_count',
      info: {
        total_token_usage: { input_tokens: 1200 * requests, cached_input_tokens: 200 * requests, output_tokens: 50 * requests },
      },
    },
  })
  const lines = [
    told('2026-03-09T23:50:00.000Z', 1),
    { timestamp: '2026-03-10T00:04:00.000Z', type: 'event_msg', payload: { type: 'token_count', info: null } },
    told('2026-03-10T00:05:00.000Z', 3),
  ]
  const text = lines.map((line) => JSON.stringify(line)).join('\n')
  writeFileSync(join(folder, 'rollout-2026-03-09T23-50-00-thread-1.jsonl'), `${text}\n{"timest`)
  const left = {
    session: 'thread-1',
    cwd: '/',
    env: { CODEX_HOME: home },
    files: '',
    since: Date.parse('2026-03-10T00:00:00.000Z'),
  }
  assert.deepEqual(codexUsage(left), { inputTokens: 2400, outputTokens: 100, costUsd: null, cacheReadTokens: 400 })
  assert.deepEqual(codexUsage({ ...left, since: Date.parse('2026-03-09T23:00:00.000Z') })?.inputTokens, 3600)
  assert.equal(codexUsage({ ...left, since: Date.parse('2026-03-10T01:00:00.000Z') }), undefined)
  assert.deepEqual([codexUsage({ ...left, session: '' }), codexUsage({ ...left, session: 'other' })], [undefined, undefined])
})

test('Copilot: its file has the usage of each model; an empty or missing one says nothing', () => {
  const folder = newFolder()
  mkdirSync(folder, { recursive: true })
  const left = { session: '', cwd: '/', env: {}, files: folder, since: 0 }
  assert.equal(copilotUsage(left), undefined)
  writeFileSync(join(folder, 'usage.json'), '')
  assert.equal(copilotUsage(left), undefined)
  const usage = { inputTokens: 1200, outputTokens: 50, cacheReadTokens: 200, cacheWriteTokens: 0 }
  writeFileSync(join(folder, 'usage.json'), JSON.stringify({ modelMetrics: { a: { usage }, b: { usage }, c: {} } }))
  assert.deepEqual(copilotUsage(left), { inputTokens: 2400, outputTokens: 100, costUsd: null, cacheReadTokens: 400 })
})
