import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import type { Entry } from '../../../core/reading/transcript.ts'
import type { Json } from '../../../core/text/json.ts'
import type { Task } from '../../../ports.ts'
import { agentNamed } from '../list.ts'
import type { AgentOptions } from '../shared/choice.ts'

const fixture = join(dirname(fileURLToPath(import.meta.url)), '../../../../test/fixtures/acp-agent.mjs')
const update = (sessionUpdate: string, more: Json) => ({ update: { sessionUpdate, ...more } })
const says = (text: string) => update('agent_message_chunk', { content: { type: 'text', text } })
const makes = (command: string) => ({ toolCallId: 't-1', title: command, kind: 'execute', rawInput: { command } })
const options = ['allow_always', 'allow_once', 'reject_once'].map((kind) => ({ optionId: kind, kind, name: kind }))
const asksFor = (command: string) => ({
  ask: 'session/request_permission',
  params: { toolCall: makes(command), options },
})

type Told = { code: number | null; entries: Entry[]; heard: Json[]; cwd: string }

/** One call through the bridge; `during` sees each entry as it comes. */
async function called(
  script: Json,
  { task = {}, given = {}, during }: { task?: Partial<Task>; given?: Partial<AgentOptions>; during?: During } = {},
): Promise<Told> {
  const cwd = realpathSync(mkdtempSync(join(tmpdir(), 'ralph-acp-')))
  try {
    const agent = agentNamed(
      { name: 'mine', command: [process.execPath, fixture, JSON.stringify(script)], format: 'acp' },
      { allowedTools: '', skipPermissions: false, root: cwd, ...given },
    )
    const env = { PATH: process.env['PATH'] ?? '', HOME: cwd, LANG: 'C.UTF-8', ACP_HEARD: join(cwd, 'heard') }
    const launch = agent.launch({ prompt: 'Do it.', cwd, model: '', env, ...task })
    const child = spawn(launch.command, launch.args, { cwd, env: { ...env, ...launch.env }, stdio: ['pipe', 'pipe', 'ignore'] })
    const exit = new Promise<number | null>((resolve) => child.on('exit', resolve))
    child.stdin.end(launch.stdin)
    const entries: Entry[] = []
    const read = agent.reader()
    for await (const line of createInterface(child.stdout)) {
      for (const entry of read(line, 'out')) {
        entries.push(entry)
        during?.(entry, child)
      }
    }
    return { code: await exit, entries, heard: linesOf(env.ACP_HEARD), cwd }
  } finally {
    rmSync(cwd, { recursive: true, force: true })
  }
}
type During = (entry: Entry, bridge: ChildProcess) => void

function linesOf(path: string): Json[] {
  const text = readFileSync(path, 'utf8').trimEnd()
  return text.split('\n').map((line) => JSON.parse(line))
}
const answersIn = (heard: Json[]) => heard.flatMap(({ answer }) => (answer === undefined ? [] : [answer]))
const paramsOf = (heard: Json[], method: string) => heard.find((message) => message['method'] === method)?.['params']
const failure = (message: string): Entry[] => [
  { kind: 'error', message },
  { kind: 'end', isError: true, text: message },
]

test('the bridge is started with the agent’s command, and told the rest in the environment', () => {
  const agent = agentNamed(
    { name: 'mine', command: ['./agent', '--acp'], format: 'acp', env: { A: 'b' } },
    { allowedTools: 'Read', skipPermissions: true, root: '/project' },
  )
  const { launch, reader: _reader, ...rest } = agent
  assert.deepEqual(rest, {
    name: 'mine',
    tellsWordsApart: true,
    tells: 'tokens',
    takesStatusTool: true,
    program: '/project/agent',
    install: 'make /project/agent executable, or set another program in agent.command',
  })
  const { env, ...start } = launch({ prompt: 'Do it.', cwd: '/project', model: 'm', env: { C: 'd' } })
  assert.deepEqual(start, {
    command: process.execPath,
    args: [join(import.meta.dirname, 'bridge.ts'), '/project/agent', '--acp'],
    stdin: 'Do it.',
  })
  const { RALPH_ACP, ...others } = env
  assert.deepEqual(others, { A: 'b', C: 'd' })
  assert.deepEqual(JSON.parse(RALPH_ACP!), { model: 'm', allowedTools: 'Read', skipPermissions: true, isReadOnly: false })
})

test('greeting, session and prompt, and the answer', async () => {
  const { code, entries, heard, cwd } = await called({ session: { models: { currentModelId: 'small' } } })
  assert.equal(code, 0)
  assert.deepEqual(entries, [
    { kind: 'session', id: 'session-1', model: 'small' },
    { kind: 'said', text: 'You said: Do it.', isSub: false },
    { kind: 'end', isError: false, text: 'You said: Do it.' },
  ])
  const noFiles = { fs: { readTextFile: false, writeTextFile: false }, terminal: false }
  assert.deepEqual(
    heard.map(({ method, params }) => [method, params]),
    [
      ['initialize', { protocolVersion: 1, clientCapabilities: noFiles }],
      ['session/new', { cwd, mcpServers: [] }],
      ['session/prompt', { sessionId: 'session-1', prompt: [{ type: 'text', text: 'Do it.' }] }],
    ],
  )
})

test('the tool to report with is a server of the session, with what it must know', async () => {
  const statusTool = { command: 'node', args: ['ralph.js', 'mcp'] }
  const env = { PATH: process.env['PATH'] ?? '', RALPH_REPORT: '/r.json', RALPH_RUN: 'r:1' }
  const { heard } = await called({}, { task: { statusTool, env } })
  assert.deepEqual(recordAt(paramsOf(heard, 'session/new'), 'mcpServers'), [
    {
      name: 'ralph',
      ...statusTool,
      env: [
        { name: 'RALPH_REPORT', value: '/r.json' },
        { name: 'RALPH_RUN', value: 'r:1' },
      ],
    },
  ])
})
const recordAt = (params: unknown, key: string) => (params as Json)[key]

test('a permission is answered by the list of allowed tools, for this once, and a refusal is told', async () => {
  const steps = [asksFor('git status'), asksFor('rm -rf x'), says('I tried.'), { end: { result: { stopReason: 'end_turn' } } }]
  const { heard, entries } = await called({ steps }, { given: { allowedTools: 'Bash(git *)' } })
  const outcome = (optionId: string) => ({ outcome: { outcome: 'selected', optionId } })
  assert.deepEqual(answersIn(heard), [outcome('allow_once'), outcome('reject_once')])
  assert.deepEqual(entries.slice(1), [
    { kind: 'tool', name: 'execute', target: 'git status', isSub: false },
    { kind: 'denied', tool: 'execute' },
    { kind: 'said', text: 'I tried.', isSub: false },
    { kind: 'end', isError: false, text: 'I tried.' },
  ])
  const skipped = await called({ steps }, { given: { skipPermissions: true } })
  assert.deepEqual(answersIn(skipped.heard), [outcome('allow_once'), outcome('allow_once')])
})

test('what it was not offered the agent does not get, and lines that are no messages do no harm', async () => {
  const steps = [{ print: 'Loading…' }, { ask: 'fs/read_text_file', params: { path: '/etc/passwd' } }]
  const { code, heard, entries } = await called({ steps })
  assert.deepEqual(answersIn(heard), [{ code: -32601, message: 'Unknown method fs/read_text_file.' }])
  assert.deepEqual([code, entries.at(-1)], [0, { kind: 'end', isError: false, text: 'You said: Do it.' }])
})

test('a model is chosen in the way that the agent offers; where it offers none, the call fails and says so', async () => {
  const option = { id: 'llm', category: 'model', currentValue: 'small' }
  const byOption = await called({ session: { configOptions: [option] } }, { task: { model: 'large' } })
  assert.deepEqual(paramsOf(byOption.heard, 'session/set_config_option'), {
    sessionId: 'session-1',
    configId: 'llm',
    value: 'large',
  })
  assert.deepEqual(byOption.entries[0], { kind: 'session', id: 'session-1', model: 'large' })
  const byMethod = await called({ session: { models: {} } }, { task: { model: 'large' } })
  assert.deepEqual(paramsOf(byMethod.heard, 'session/set_model'), { sessionId: 'session-1', modelId: 'large' })
  const none = await called({}, { task: { model: 'large' } })
  assert.deepEqual(
    [none.code, none.entries],
    [1, failure('the agent does not support choosing a model over the protocol: set the model in its command, not in "model"')],
  )
})

test('an agent that needs a login, speaks another version or dies is a failure with its words', async () => {
  const login = await called({ refuses: { 'session/new': { code: -32000, message: 'Log in first' } } })
  assert.deepEqual([login.code, login.entries[0]], [1, { kind: 'throttled', by: 'login', message: 'Log in first' }])
  const newer = await called({ version: 2 })
  assert.deepEqual(newer.entries, failure('the agent uses protocol version 2; version 1 is needed'))
  const dead = await called({ steps: [says('I begin.'), { exit: 7 }] })
  assert.deepEqual(dead.entries.slice(2), failure('the agent exited with 7 before its turn ended: something broke'))
})

test('SIGTERM cancels the turn, and the agent leaves', async () => {
  const steps = [update('tool_call', { ...makes('sleep 300'), status: 'in_progress' }), { hang: true }]
  const { code, heard, entries } = await called(
    { steps },
    { during: ({ kind }, bridge) => kind === 'tool' && bridge.kill('SIGTERM') },
  )
  assert.deepEqual(paramsOf(heard, 'session/cancel'), { sessionId: 'session-1' })
  assert.deepEqual([code, entries.slice(2)], [1, failure('the turn was cancelled')])
})

test('an agent that hears nothing is ended by force, and so is one that does not leave', async () => {
  const steps = [update('tool_call', { ...makes('sleep 300'), status: 'in_progress' }), { hang: true }]
  const during: During = ({ kind }, bridge) => kind === 'tool' && bridge.kill('SIGTERM')
  const [stopped, stays] = await Promise.all([called({ steps, isDeaf: true }, { during }), called({ isDeaf: true })])
  assert.deepEqual([stopped.code, stopped.entries.slice(2)], [1, failure('the agent was told to stop')])
  assert.deepEqual([stays.code, stays.entries.at(-1)], [0, { kind: 'end', isError: false, text: 'You said: Do it.' }])
  for (const { heard } of [stopped, stays]) assert.equal(heard.at(-1), 'SIGTERM')
})

test('in a read-only call edits and commands are refused, and the agent is put into a mode in which it asks', async () => {
  const reads = { toolCallId: 'r', kind: 'read', title: 'Read a.txt', rawInput: { path: 'a.txt' } }
  const edits = { toolCallId: 'e', kind: 'edit', title: 'Edit a.txt', rawInput: { path: 'a.txt' } }
  const asks = (toolCall: Json) => ({ ask: 'session/request_permission', params: { toolCall, options } })
  const modesOf = (...ids: string[]) => ({
    modes: { currentModeId: 'yolo', availableModes: ids.map((id) => ({ id, name: id })) },
  })
  const { heard } = await called(
    { steps: [asks(reads), asks(edits), asksFor('git commit -m x')], session: modesOf('yolo', 'plan', 'default') },
    { task: { isReadOnly: true }, given: { allowedTools: 'Read,Edit,Bash', skipPermissions: true } },
  )
  assert.deepEqual(paramsOf(heard, 'session/set_mode'), { sessionId: 'session-1', modeId: 'default' })
  assert.deepEqual(
    answersIn(heard).map((answer) => (answer as { outcome: Json }).outcome['optionId']),
    ['allow_once', 'reject_once', 'reject_once'],
  )
  const named = await called(
    { session: modesOf('https://example.com/modes#agent', 'https://example.com/modes#plan') },
    { task: { isReadOnly: true } },
  )
  assert.deepEqual(paramsOf(named.heard, 'session/set_mode'), {
    sessionId: 'session-1',
    modeId: 'https://example.com/modes#plan',
  })
  const option = { id: 'mode', category: 'mode', options: [{ value: 'build' }, { value: 'plan' }] }
  const byOption = await called({ session: { configOptions: [option] } }, { task: { isReadOnly: true } })
  assert.deepEqual(paramsOf(byOption.heard, 'session/set_config_option'), {
    sessionId: 'session-1',
    configId: 'mode',
    value: 'plan',
  })
  const at = await called({ session: modesOf('yolo', 'default') })
  assert.equal(paramsOf(at.heard, 'session/set_mode'), undefined)
})

test('codex is put into the mode that fits the permissions; other agents keep theirs', async () => {
  const modesOf = (...ids: string[]) => ({
    modes: { currentModeId: ids[0], availableModes: ids.map((id) => ({ id, name: id })) },
  })
  const chosen = async (session: Json, skipPermissions: boolean, isReadOnly = false) => {
    const { heard } = await called({ session }, { given: { skipPermissions }, task: { isReadOnly } })
    return (paramsOf(heard, 'session/set_mode') as Json | undefined)?.['modeId']
  }
  const codex = modesOf('read-only', 'auto', 'full-access')
  assert.deepEqual(
    [
      await chosen(codex, false),
      await chosen(codex, true),
      await chosen(codex, true, true),
      await chosen(modesOf('auto', 'yolo'), true),
    ],
    ['auto', 'full-access', 'read-only', undefined],
  )
})

test('a turn without a word and without a tool call is a failure: some agents hide a rejected login behind it', async () => {
  const end = { end: { result: { stopReason: 'end_turn' } } }
  const empty = await called({ steps: [end] })
  assert.deepEqual(
    [empty.code, empty.entries.slice(1)],
    [1, failure('the agent ended its turn without a word and without a tool call: check its login and its quota')],
  )
  const silent = await called({ steps: [update('tool_call', { ...makes('true'), status: 'completed' }), end] })
  assert.equal(silent.code, 0)
})

test('what an agent puts into the data of an error is read: texts, JSON, records', async () => {
  const told = async (data: unknown) => {
    const { entries } = await called({ refuses: { 'session/prompt': { code: -32603, message: 'Internal error', data } } })
    const [entry] = entries.slice(1)
    return entry?.kind === 'throttled' ? [entry.by, entry.message] : entry?.kind === 'error' ? ['error', entry.message] : []
  }
  const limit = "You've hit your usage limit. Upgrade to Pro, or try again in 3 days."
  assert.deepEqual(await told(limit), ['usage-limit', limit])
  assert.deepEqual(await told('unexpected status 401 Unauthorized: bad key'), [
    'login',
    'unexpected status 401 Unauthorized: bad key',
  ])
  assert.deepEqual(await told({ error: { message: 'Insufficient balance' } }), ['usage-limit', 'Insufficient balance'])
  assert.deepEqual(await told({ message: 'Please log in first' }), ['login', 'Please log in first'])
  assert.deepEqual(await told('{"error":{"code":429,"message":"Slow down"}}'), ['rate', 'Slow down'])
  assert.deepEqual(await told('{"message":"The disk is full"}'), ['error', 'The disk is full'])
  assert.deepEqual(await told({ retries: 3 }), ['error', 'Internal error'])
})
