import assert from 'node:assert/strict'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { tempFolder } from '../../../test/support/folder.ts'
import type { Entry } from '../../core/reading/transcript.ts'
import type { Agent } from '../../ports.ts'
import { masker } from '../mask/mask.ts'
import { type CallOptions, callAgent } from './agent-call.ts'

const folder = tempFolder()
const fixture = (name: string) => fileURLToPath(new URL(`../../../test/fixtures/${name}`, import.meta.url))
const env = { PATH: process.env['PATH'] ?? '', HOME: folder, LANG: 'C.UTF-8', CLAUDECODE: '1', MY_TOKEN: 'secret-value-1' }

/** Prints entries as they are, one JSON object a line. */
function plainAgent(command: string, args: string[], more: Partial<Agent> = {}): Agent {
  return {
    name: 'plain',
    tellsWordsApart: true,
    tells: 'tokens',
    program: command,
    install: '',
    launch: (task) => ({ command, args, env: { FROM_LAUNCH: 'yes' }, stdin: task.prompt }),
    reader: () => (line, stream) =>
      stream === 'out' && line.startsWith('{') ? [JSON.parse(line) as Entry] : [{ kind: 'noise', text: line }],
    ...more,
  }
}

let count = 0
async function call(agent: Agent, more: Partial<CallOptions> = {}) {
  const logPath = join(folder, `logs/${++count}.log`)
  const entries: Entry[] = []
  const { end, transcript } = await callAgent({
    agent,
    task: { prompt: 'do it', cwd: folder, model: '', env },
    tag: `call-${process.pid}-${count}:1`,
    logPath,
    timeoutMs: 60_000,
    graceMs: 100,
    sandbox: null,
    keep: [],
    mask: masker(env),
    stop: new AbortController().signal,
    onEntry: (entry) => entries.push(entry),
    ...more,
  })
  return { end, transcript, entries, logPath, log: () => readFileSync(logPath, 'utf8') }
}
const sh = (script: string, more?: Partial<Agent>) => plainAgent('sh', ['-c', script], more)

test('X04: what the agent said before it hung is kept, and it counts as exited', async () => {
  const { end, transcript, entries } = await call(plainAgent('sh', [fixture('hangs-after-its-end.sh')]), {
    lingerMs: 20,
    graceMs: 10_000,
  })
  assert.deepEqual(
    [end.how, end.signal, transcript.finalMessage, transcript.isStructuredEnd],
    ['exited', 'SIGTERM', 'all done', true],
  )
  assert.deepEqual(entries, [
    { kind: 'said', text: 'done', isSub: false },
    { kind: 'end', isError: false, text: 'all done' },
  ])
})

test('X13: the prompt comes by stdin, the environment from task and launch, without marks of an outer agent', async () => {
  const { log } = await call(sh('cat; echo; env | grep -E "^(FROM_LAUNCH|CLAUDECODE|RALPH_RUN)=" | sort'))
  assert.equal(log(), `do it\nFROM_LAUNCH=yes\nRALPH_RUN=call-${process.pid}-${count}:1\n`)
})

test('R-FILE-3: credentials are masked in the log, in entries and in what is shown', async () => {
  let raw = ''
  const said = '{"kind":"said","isSub":false,"text":"use secret-value-1"}'
  const { entries, transcript, log } = await call(sh(`echo '${said}'; echo sk-0123456789abcdef >&2`), {
    onRaw: (text) => (raw += text),
  })
  const masked = ['{"kind":"said","isSub":false,"text":"use [RALPH masked MY_TOKEN]"}', 'sk-***']
  const lines = (text: string) => text.trimEnd().split('\n').sort()
  assert.deepEqual([lines(log()), lines(raw)], [masked.sort(), masked.sort()])
  assert.equal(transcript.finalMessage, 'use [RALPH masked MY_TOKEN]')
  assert.deepEqual(entries.map((entry) => ('text' in entry ? entry.text : '')).sort(), ['sk-***', 'use [RALPH masked MY_TOKEN]'])
})

test('a password that is a word of the format does not make the agent unreadable', async () => {
  const mask = masker({ A_PASSWORD: '"kind":"said"' })
  const { transcript } = await call(sh(`echo '{"kind":"said","isSub":false,"text":"hello"}'`), { mask })
  assert.equal(transcript.finalMessage, 'hello')
})

test('where words cannot be told apart, the end of the output is the message', async () => {
  const reader: Agent['reader'] = () => (text) => [{ kind: 'said', text, isSub: false }]
  const short = await call(sh('echo one; echo two; echo no >&2', { tellsWordsApart: false, reader }))
  assert.equal(short.transcript.finalMessage, 'one\ntwo\n')
  const long = await call(sh('head -c 300000 /dev/zero | tr "\\0" x; echo end', { tellsWordsApart: false, reader }))
  assert.equal(long.transcript.finalMessage, `${'x'.repeat(64 * 1024 - 4)}end\n`)
})

test('a missing agent is an end like any other', async () => {
  const { end, transcript } = await call(plainAgent('no-such-agent', []))
  assert.deepEqual([end.how, end.error, transcript.finalMessage], ['missing', 'no-such-agent: no such program', ''])
})

test('T35, R-ITER-3: 50 MB of output are in the log, whole', async () => {
  const { end, transcript, logPath } = await call(plainAgent(process.execPath, [fixture('prints-megabytes.mjs'), '50']), {
    onEntry: () => {},
  })
  assert.deepEqual(
    [end.code, transcript.noise, statSync(logPath).size],
    [0, 50 * 1024 + 1, 50 * 1024 * 1024 + 'the key is sk-***\n'.length],
  )
})
