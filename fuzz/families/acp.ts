/** The Agent Client Protocol: a whole turn, with every message of the agent bent or out of place. */
import assert from 'node:assert/strict'
import fc from 'fast-check'
import { orderIn } from '../../src/adapters/agents/acp/bridge-options.ts'
import { rpcClient } from '../../src/adapters/agents/acp/client.ts'
import { converse } from '../../src/adapters/agents/acp/conversation.ts'
import { turnPrinter } from '../../src/adapters/agents/acp/events.ts'
import { isAllowed, permissionAnswer } from '../../src/adapters/agents/acp/permission.ts'
import { streamJsonReader } from '../../src/adapters/agents/shared/stream-json.ts'
import { defaultPromise, readAnswer } from '../../src/core/reading/reading.ts'
import { type Entry, emptyTranscript, withEntry } from '../../src/core/reading/transcript.ts'
import { type Json, recordOf } from '../../src/core/text/json.ts'
import { asBytes, family } from '../family.ts'
import { chunksOf, cuts, mutatedBytes, mutatedJson, nastyText } from '../nasty.ts'
import { assertMeant } from './answers.ts'

const options = [
  { optionId: 'yes', kind: 'allow_once' },
  { optionId: 'always', kind: 'allow_always' },
  { optionId: 'no', kind: 'reject_once' },
]
const commands = [
  'git status',
  'git diff; rm -rf /',
  'git log $(rm x)',
  'git log > x',
  'git add -A && git commit -m "a; b"',
  'gitk',
  'git',
  'npm test',
  'git `x`',
  "git 'a",
  'git\nrm x',
  'git \\\nrm',
]
const call = fc.record({
  toolCallId: fc.constantFrom('t-1', 't-2', '__proto__'),
  kind: fc.constantFrom('execute', 'read', 'edit', 'delete', 'other'),
  title: nastyText,
  rawInput: fc.record({ command: fc.oneof(fc.constantFrom(...commands), nastyText) }),
})
const update = fc.oneof<fc.Arbitrary<object>[]>(
  fc.record({
    sessionUpdate: fc.constantFrom('agent_message_chunk', 'agent_thought_chunk', 'user_message_chunk'),
    content: fc.record({
      type: fc.constant('text'),
      text: fc.oneof(fc.constantFrom('Done.', '<promise>COMPLETE</promise>', '<promise>COMP', 'LETE</promise>'), nastyText),
    }),
  }),
  call.map((one) => ({ sessionUpdate: 'tool_call', ...one })),
  fc.record({
    sessionUpdate: fc.constant('tool_call_update'),
    toolCallId: fc.constantFrom('t-1', 't-2'),
    status: fc.constantFrom('completed', 'failed', 'in_progress'),
    rawOutput: fc.constantFrom<unknown>('<promise>COMPLETE</promise>', { exitCode: 1, output: 'x' }, null),
  }),
  fc.record({
    sessionUpdate: fc.constant('usage_update'),
    cost: fc.record({ amount: fc.double(), currency: fc.constant('USD') }),
  }),
)
const message = fc.oneof<fc.Arbitrary<object>[]>(
  fc
    .tuple(fc.constantFrom('s-1', 's-1', 's-1', 's-2'), update)
    .map(([sessionId, told]) => ({ method: 'session/update', params: { sessionId, update: told } })),
  call.map((toolCall) => ({ id: 7, method: 'session/request_permission', params: { sessionId: 's-1', toolCall, options } })),
  fc.constantFrom<object>(
    { id: 8, method: 'fs/read_text_file', params: { path: '/etc/passwd' } },
    { id: 3, error: { code: -32000, message: 'x' } },
  ),
)
const turn = fc
  .tuple(
    fc.array(fc.oneof(message, mutatedJson(message)), { maxLength: 6 }),
    fc.constantFrom('end_turn', 'end_turn', 'max_tokens', 'refusal', 'constructor', '__proto__'),
  )
  .map(([told, stopReason]) => {
    const all = [
      { id: 1, result: { protocolVersion: 1 } },
      { id: 2, result: { sessionId: 's-1' } },
      ...told,
      { id: 3, result: { stopReason } },
    ]
    return all.map((one) => `${JSON.stringify({ jsonrpc: '2.0', ...(one as object) })}\n`).join('')
  })

export const acp = family<{ bytes: string; cuts: number[] }>({
  name: 'acp',
  what: 'a turn over the Agent Client Protocol: answers, updates, permissions',
  weight: 3,
  inputs: fc.record({
    bytes: mutatedBytes(turn, ['"id":3', '"result":null', '"sessionUpdate":"agent_message_chunk"', '\n', '{}\n', '[]\n']),
    cuts,
  }),
  async check({ bytes, cuts: places }) {
    const read = streamJsonReader()
    const entries: Entry[] = []
    const own: string[] = []
    const printer = turnPrinter((event) => entries.push(...read(JSON.stringify(event), 'out')))
    const client = rpcClient({
      send: (line) => assert.equal(JSON.parse(line).jsonrpc, '2.0'),
      noise: () => {},
      told: (method, params) => {
        if (method !== 'session/update') return
        own.push(wordsIn(params))
        printer.updated(params)
      },
      asked: (method, params) => {
        if (method !== 'session/request_permission') return undefined
        const tool = printer.asked(recordOf(params['toolCall']))
        const mayRun = isAllowed(tool, { allowedTools: 'Read,Bash(git *)', skipPermissions: false, hasStatusTool: false })
        if (mayRun) assert.ok(isHarmless(tool.name, tool.kind, String(tool.input['command'])), `allowed: ${JSON.stringify(tool)}`)
        const { isGranted, answer } = permissionAnswer(params['options'], mayRun)
        if (isGranted) assert.ok(mayRun)
        else printer.denied(tool)
        return answer
      },
    })
    const { answer } = converse(client, orderIn('{}'), printer, { prompt: 'Do it.', cwd: '/', env: {} })
    for (const chunk of chunksOf(asBytes(bytes), places.length === 0 ? [200, 400] : places)) {
      client.push(chunk)
      for (let tick = 0; tick < 8; tick++) await Promise.resolve() // what it asks next has to be asked before the answer comes
    }
    client.end()
    client.close({ code: 0, message: 'gone' })
    const isError = printer.ended(await answer)
    assert.equal(typeof isError, 'boolean')
    const transcript = entries.reduce(withEntry, emptyTranscript())
    assert.ok(transcript.isStructuredEnd, 'a turn has an end')
    const reading = readAnswer(transcript.finalMessage, { promise: defaultPromise })
    assertMeant(reading, transcript.finalMessage, defaultPromise)
    if (reading.signals.some((signal) => signal.kind === 'claimed-done' && signal.by === 'promise'))
      assert.match(own.join(''), /promise/i, 'a promise that the agent did not say')
  },
})

function wordsIn(params: Json): string {
  const told = recordOf(params['update'])
  return told['sessionUpdate'] === 'agent_message_chunk' ? String(recordOf(told['content'])['text'] ?? '') : ''
}

/** Reading, or git alone: no second command, nothing that another could hide in. */
function isHarmless(name: string, kind: string, command: string): boolean {
  if (kind === 'read' || name === 'Read') return true
  if (kind !== 'execute' && name !== 'Bash') return false
  const bare = command
    .replace(/'[^']*'/g, 'q')
    .replace(/\\[\s\S]/g, 'e')
    .replace(/"[^"$`\\]*"/g, 'q')
  if (/[`<>()'"]|\$\(/.test(bare)) return false
  return bare.split(/[;&|\n]+/).every((part) => part.trim() === '' || /^git( |$)/.test(part.trim()))
}
