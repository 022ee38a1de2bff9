import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { commits, end, linesOf, options, readBy, said, tool } from '../../../test/support/recordings.ts'
import type { Entry } from '../../core/reading/transcript.ts'
import { agentNamed } from './list.ts'

const kimi = agentNamed({ name: 'kimi' }, options)
const recorded = (name: string): Entry[] => readBy(kimi.reader)(...linesOf('kimi', name))
const session: Entry = { kind: 'session', id: 'session_0', model: '' }

describe('starting Kimi Code', () => {
  const task = { prompt: 'Do it.', cwd: '/project', model: '', env: { RALPH_RUN: 'r:1' } }
  const toolsWith = (allowedTools: string, isReadOnly = false): string | undefined => {
    const agent = agentNamed({ name: 'kimi' }, { ...options, allowedTools })
    return /^tools: \[(.*)\]$/m.exec(agent.launch({ ...task, isReadOnly }).files?.['profile.md'] ?? '')?.[1]
  }

  test('the prompt is an argument, and a profile has the tools that it may use: it asks for nothing itself', () => {
    assert.deepEqual(kimi.launch(task), {
      command: 'kimi',
      args: ['--output-format', 'stream-json', '--agent-file', '{files}/profile.md', '--prompt', 'Do it.'],
      env: { KIMI_CODE_NO_AUTO_UPDATE: '1', RALPH_RUN: 'r:1' },
      stdin: '',
      files: {
        'profile.md': `---\nname: ralph\ndescription: Works with these tools alone.\ntools: [Read, Glob, Grep, TodoList]\nsubagents: []\n---\n\${base_prompt}\n`,
      },
    })
    assert.equal(toolsWith('Edit,Bash(git *)'), 'Read, Glob, Grep, TodoList, Edit, Write')
    assert.equal(toolsWith('Write,Bash,WebFetch'), 'Read, Glob, Grep, TodoList, Edit, Write, Bash, FetchURL')
    assert.equal(toolsWith('Write,Bash,WebFetch', true), 'Read, Glob, Grep, TodoList')
    const free = agentNamed({ name: 'kimi' }, { ...options, skipPermissions: true }).launch({ ...task, model: 'm' })
    assert.deepEqual(
      [free.args, free.files],
      [['--output-format', 'stream-json', '--model', 'm', '--prompt', 'Do it.'], undefined],
    )
  })

  test('a prompt that is too long for an argument is in a file', () => {
    const prompt = 'é'.repeat(70_000)
    const { args, files } = kimi.launch({ ...task, prompt })
    assert.equal(args.at(-1), 'Read the file {files}/prompt.md to its end, and do what it says.')
    assert.equal(files?.['prompt.md'], prompt)
  })
})

describe('recordings of Kimi Code', () => {
  test('a session with a command and a final word', () => {
    assert.deepEqual(recorded('success'), [
      { ...tool('Bash', commits), command: commits },
      { kind: 'tool-result', failed: false, text: '1\n' },
      said('Done.'),
      session,
      end('Done.'),
    ])
  })

  test('edits are known with their text, and a command that fails by its exit code', () => {
    assert.deepEqual(
      recorded('file-change').filter(({ kind }) => kind === 'tool'),
      [
        { ...tool('Write', 'new.txt'), edit: { path: 'new.txt', to: 'hello\n' } },
        { ...tool('Edit', 'new.txt'), edit: { path: 'new.txt', from: 'hello', to: 'bye' } },
      ],
    )
    const failed = recorded('tool-fails').find(({ kind }) => kind === 'tool-result')
    assert.deepEqual(failed, {
      kind: 'tool-result',
      failed: true,
      text: 'usage limit reached\nCommand failed with exit code: 3.',
    })
  })

  test('errors of the provider are told apart, and retries are no failures', () => {
    const kinds = ['usage-limit', 'rate-limit', 'overloaded', 'bad-key', 'unknown-model', 'empty-answer'].map((name) => {
      const entry = recorded(name).findLast(({ kind }) => kind === 'throttled' || kind === 'error')
      return entry?.kind === 'throttled' ? entry.by : entry?.kind
    })
    assert.deepEqual(kinds, ['usage-limit', 'rate', 'overload', 'login', 'error', 'error'])
    const [retry, ...rest] = recorded('rate-limit-once')
    assert.deepEqual([retry?.kind, rest], ['retrying', [said('Done.'), session, end('Done.')]])
  })

  test('lines that are none of its own never make its reader throw', () => {
    const read = readBy(kimi.reader)
    for (const line of [
      '{"role":"assistant","tool_calls":[{"function":{"arguments":"{"}}]}',
      '{"role":7}',
      '{"role":"x"}',
      '[1]',
      'See log: x',
    ])
      assert.ok(Array.isArray(read(line)))
  })
})
