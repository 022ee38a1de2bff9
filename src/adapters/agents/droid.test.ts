import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { commits, end, linesOf, options, readBy, said, tool } from '../../../test/support/recordings.ts'
import type { Entry } from '../../core/reading/transcript.ts'
import { agentNamed } from './list.ts'

const droid = agentNamed({ name: 'droid' }, options)
const recorded = (name: string): Entry[] => readBy(droid.reader)(...linesOf('droid', name))
const session: Entry = { kind: 'session', id: '00000000-0000-4000-8000-000000000000', model: 'gpt-5.6-sol' }
const usage = (requests: number): Entry => ({
  kind: 'usage',
  usage: { inputTokens: 1200 * requests, outputTokens: 50 * requests, costUsd: null, cacheReadTokens: 200 * requests },
})

describe('starting Droid', () => {
  const task = { prompt: 'Do it.', cwd: '/project', model: '', env: { RALPH_RUN: 'r:1' } }
  const args = ['exec', '--output-format', 'stream-json']
  const argsWith = (allowedTools: string): string[] =>
    agentNamed({ name: 'droid' }, { ...options, allowedTools }).launch(task).args

  test('the prompt is on standard input; a shell is all or nothing, because the model says itself how risky a command is', () => {
    assert.deepEqual(droid.launch(task), {
      command: 'droid',
      args: [...args, '--auto', 'medium', '--only-tools', 'Read,LS,Grep,Glob,TodoWrite'],
      env: { RALPH_RUN: 'r:1' },
      stdin: 'Do it.',
    })
    assert.equal(argsWith('Read,Edit,Bash(git *)').at(-1), 'Read,LS,Grep,Glob,TodoWrite,Edit,ApplyPatch,Create')
    assert.equal(argsWith('Write,Bash,WebFetch').at(-1), 'Read,LS,Grep,Glob,TodoWrite,Edit,ApplyPatch,Create,Execute,FetchUrl')
    const free = agentNamed({ name: 'droid' }, { ...options, skipPermissions: true })
    assert.deepEqual(free.launch({ ...task, model: 'm' }).args, [...args, '--model', 'm', '--skip-permissions-unsafe'])
  })

  test('without a shell it is told to leave its work uncommitted', () => {
    const limits = (allowedTools: string) => agentNamed({ name: 'droid' }, { ...options, allowedTools }).limits
    assert.match(limits('Edit,Bash(git *)') ?? '', /^You may not run commands\. You cannot commit/)
    assert.equal(limits('Edit,Bash'), undefined)
  })

  test('a read-only call has tools that look', () => {
    assert.deepEqual(droid.launch({ ...task, isReadOnly: true }).args, [
      ...args,
      ...['--only-tools', 'Read,LS,Grep,Glob', '--disable-builtin-skills'],
    ])
  })
})

describe('recordings of Droid', () => {
  test('a session with a command and a final word; cached tokens come on top of the others', () => {
    assert.deepEqual(recorded('success'), [
      session,
      { ...tool('Execute', commits), command: commits },
      { kind: 'tool-result', failed: false, text: '1\n\n\n[Process exited with code 0]' },
      said('Done.'),
      usage(2),
      end('Done.'),
    ])
  })

  test('edits are known with their text, and a command that fails by its exit code', () => {
    assert.deepEqual(
      recorded('file-change').filter(({ kind }) => kind === 'tool'),
      [
        { ...tool('Create', 'new.txt'), edit: { path: 'new.txt', to: 'hello\n' } },
        { ...tool('Edit', 'new.txt'), edit: { path: 'new.txt', from: 'hello', to: 'bye' } },
      ],
    )
    const text = 'Error: Command failed (exit code: 3)\nusage limit reached\n\n\n[Process exited with code 3]'
    assert.deepEqual(
      recorded('tool-fails').find(({ kind }) => kind === 'tool-result'),
      { kind: 'tool-result', failed: true, text },
    )
  })

  test('errors of the provider are told apart, and an empty answer is a failure', () => {
    const kinds = ['usage-limit', 'bad-key', 'unknown-model'].map((name) => {
      const entry = recorded(name).find(({ kind }) => kind === 'throttled' || kind === 'error')
      return entry?.kind === 'throttled' ? entry.by : entry?.kind
    })
    assert.deepEqual(kinds, ['usage-limit', 'login', 'error'])
    for (const name of ['usage-limit', 'empty-answer'])
      assert.deepEqual(recorded(name).at(-1), { kind: 'end', isError: true }, name)
    assert.deepEqual(recorded('rate-limit-once').slice(1), [said('Done.'), usage(1), end('Done.')])
  })
})
