import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { commits, linesOf, options, readBy, said, tool } from '../../../test/support/recordings.ts'
import type { Entry } from '../../core/reading/transcript.ts'
import { jsonIn, recordOf } from '../../core/text/json.ts'
import { agentNamed } from './list.ts'

const kilo = agentNamed({ name: 'kilo' }, options)
const recorded = (name: string): Entry[] => readBy(kilo.reader)(...linesOf('kilo', name))

const session: Entry = { kind: 'session', id: 'ses_0', model: '' }
const usage = (steps: number): Entry => ({
  kind: 'usage',
  usage: { inputTokens: 1200 * steps, outputTokens: 50 * steps, costUsd: 0.00375 * steps, cacheReadTokens: 200 * steps },
  contextTokens: 1200,
})

describe('starting Kilo Code', () => {
  const task = { prompt: 'Do it.', cwd: '/project', model: '', env: { RALPH_RUN: 'r:1' } }

  test('the prompt is on standard input, and permissions are granted only when asked for', () => {
    const args = ['run', '--format', 'json', '--print-logs', '--log-level', 'ERROR']
    assert.deepEqual(kilo.launch(task), { command: 'kilo', args, env: { RALPH_RUN: 'r:1' }, stdin: 'Do it.' })
    const free = agentNamed({ name: 'kilo' }, { ...options, skipPermissions: true })
    assert.deepEqual(free.launch({ ...task, model: 'a/b' }).args, [...args, '-m', 'a/b', '--auto'])
  })

  test('a read-only call has an agent of its own that may only read, in the variable that Kilo reads', () => {
    const { args, env } = kilo.launch({ ...task, isReadOnly: true, env: { KILO_CONFIG_CONTENT: '{"theme":"x"}' } })
    assert.deepEqual(args.slice(-2), ['--agent', 'ralph-reader'])
    const { agent, theme } = recordOf(jsonIn(env['KILO_CONFIG_CONTENT'] ?? ''))
    assert.deepEqual([theme, env['OPENCODE_CONFIG_CONTENT']], ['x', undefined])
    assert.deepEqual(recordOf(recordOf(agent)['ralph-reader'])['permission'], {
      '*': 'deny',
      read: 'allow',
      grep: 'allow',
      glob: 'allow',
      list: 'allow',
    })
  })
})

describe('recordings of Kilo Code', () => {
  test('a session with a command and a final word; the usage adds up', () => {
    assert.deepEqual(recorded('success'), [
      session,
      { ...tool('bash', commits), command: commits },
      { kind: 'tool-result', failed: false, text: '1\n' },
      usage(1),
      said('Done.'),
      usage(2),
    ])
  })

  test('a command that fails, and one that was refused', () => {
    const failed = recorded('tool-fails').find(({ kind }) => kind === 'tool-result')
    assert.deepEqual(failed, { kind: 'tool-result', failed: true, text: 'usage limit reached\n' })
    assert.deepEqual(
      recorded('permission-denied').filter(({ kind }) => kind === 'denied'),
      [{ kind: 'denied', tool: 'bash' }],
    )
  })

  test('errors of the provider are told apart', () => {
    const kinds = ['rate-limit', 'usage-limit', 'bad-key', 'unknown-model'].map((name) => {
      const [entry] = recorded(name).slice(1)
      return entry?.kind === 'throttled' ? entry.by : entry?.kind
    })
    assert.deepEqual(kinds, ['rate', 'usage-limit', 'login', 'error'])
  })
})
