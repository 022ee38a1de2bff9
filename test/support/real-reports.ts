/** The tool for reports, as every agent with MCP servers must offer it: run with each real program. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import type { RealAgent } from './agent-call.ts'
import { realCall } from './real-call.ts'

const server = { command: process.execPath, args: [fileURLToPath(new URL('../fixtures/mcp-server.mjs', import.meta.url))] }

/** `tool`: the name under which the model sees the tool. */
export function reportsByTool(agent: RealAgent, tool: string): void {
  test(`${agent.name}: the tool to report with is offered from the start, needs nobody's permission, and its report arrives [R-SIG-2]`, async () => {
    const args = { status: 'complete', summary: 'Login works.', exit_signal: true }
    const call = await realCall(agent, [{ tool: { name: tool, args } }, { text: 'Done.' }], { task: { statusTool: server } })
    assert.deepEqual([call.end.code, call.transcript.finalMessage, call.transcript.denied], [0, 'Done.', []])
    assert.deepEqual(call.report, {
      ...{ status: 'complete', summary: 'Login works.', exitSignal: true, blockedReason: '', question: '' },
    })
    const [first] = call.requests.filter(({ body }) => body.tools?.length)
    assert.ok(JSON.stringify(first?.body.tools).includes(`"${tool}"`))
    assert.equal(call.changes, '')
  })
}
