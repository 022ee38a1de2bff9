/** The MCP server: whatever a client sends, nothing but answers goes out. */
import assert from 'node:assert/strict'
import fc from 'fast-check'
import { mcpServer } from '../../src/adapters/agents/shared/mcp-server.ts'
import { reportTool, statusReportOf } from '../../src/core/reading/status-report.ts'
import { asBytes, family } from '../family.ts'
import { chunksOf, cuts, mutatedBytes, mutatedJson, nastyText } from '../nasty.ts'

const report = fc.record({
  status: fc.constantFrom('complete', 'blocked', 'x'),
  summary: nastyText,
  exit_signal: fc.constantFrom(true, false, null),
})
const message = fc.oneof<fc.Arbitrary<unknown>[]>(
  fc.constantFrom<unknown>(
    { jsonrpc: '2.0', id: 1, method: 'initialize', params: { protocolVersion: '2025-06-18', capabilities: {} } },
    { jsonrpc: '2.0', method: 'notifications/initialized' },
    { jsonrpc: '2.0', id: 'a', method: 'tools/list' },
    { jsonrpc: '2.0', id: 2, method: 'ping' },
    { jsonrpc: '2.0', id: 3, result: {} },
  ),
  report.map((given) => ({ jsonrpc: '2.0', id: 4, method: 'tools/call', params: { name: 'report_status', arguments: given } })),
)
const line = fc
  .oneof(message, mutatedJson(message), fc.array(message, { maxLength: 3 }))
  .map((value) => `${JSON.stringify(value) ?? ''}\n`)
const session = fc.array(line, { minLength: 1, maxLength: 5 }).map((lines) => lines.join(''))

export const mcp = family<{ bytes: string; cuts: number[] }>({
  name: 'mcp',
  what: 'requests to the MCP server',
  weight: 3,
  inputs: fc.record({
    bytes: mutatedBytes(session, ['"id":null', '"method":"tools/call"', '[]\n', '\n', '"__proto__"', '{}']),
    cuts,
  }),
  check({ bytes, cuts: places }) {
    const whole = asBytes(bytes)
    const once = answersTo([whole])
    assert.deepEqual(answersTo(chunksOf(whole, places)), once, 'chunks make no difference')
    assert.ok(once.lines.length <= bytes.split('\n').length, 'one line for a line')
    for (const sent of once.lines) {
      assert.ok(sent.endsWith('\n') && sent.indexOf('\n') === sent.length - 1, 'one line a message')
      const answer = JSON.parse(sent)
      for (const { jsonrpc, id, result, error } of Array.isArray(answer) ? answer : [answer]) {
        assert.equal(jsonrpc, '2.0')
        assert.ok(id === null || typeof id === 'string' || typeof id === 'number')
        assert.equal((result === undefined) !== (error === undefined), true)
        if (error !== undefined) assert.ok(Number.isInteger(error.code) && typeof error.message === 'string')
      }
    }
    for (const given of once.reports) if (typeof given !== 'string' && given.exitSignal) assert.match(bytes, /true/)
  },
})

function answersTo(chunks: Buffer[]): { lines: string[]; reports: ReturnType<typeof statusReportOf>[] } {
  const lines: string[] = []
  const reports: ReturnType<typeof statusReportOf>[] = []
  const call = (input: unknown) => {
    const read = statusReportOf(input)
    reports.push(read)
    return { text: typeof read === 'string' ? read : 'Noted.', isError: typeof read === 'string' }
  }
  const server = mcpServer([{ ...reportTool, annotations: {}, call }], { version: '0' }, (sent) => lines.push(sent))
  for (const chunk of chunks) server.push(chunk)
  server.end()
  return { lines, reports }
}
