/** What every agent must respect in a read-only call: run with each real program. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { RealAgent } from './agent-call.ts'
import type { Turn } from './model-server.ts'
import { realCall } from './real-call.ts'

/**
 * `look`: a tool that reads a.txt. `changes`: all ways in which its model could try to change something. `answer`: for agents that answer
 * through a tool.
 */
type Particulars = { look: Turn; changes: Turn[]; answer?: Turn }

const schema = {
  type: 'object',
  properties: { verdict: { type: 'string' } },
  required: ['verdict'],
  additionalProperties: false,
}
const given = { verdict: 'pass' }

export function looksOnly(agent: RealAgent, { look, changes, answer = { text: JSON.stringify(given) } }: Particulars): void {
  test(`${agent.name}: a read-only call reads files, changes nothing whatever it tries, and gives its answer [R-GATE-1]`, async () => {
    const call = await realCall(agent, [look, ...changes, answer, { text: 'Enough.' }], {
      task: { isReadOnly: true, schema },
      options: { allowedTools: 'Read,Write,Edit,Bash', skipPermissions: true },
    })
    assert.deepEqual([call.end.how, call.changes, call.commits], ['exited', '', 'first\n'])
    assert.deepEqual(JSON.parse(call.transcript.finalMessage), given)
    assert.match(JSON.stringify(call.requests), /amaranth/)
    const tried = call.requests.filter(({ body }) => body.tools?.length).length
    assert.ok(tried >= changes.length + 2, `${tried} requests`)
  })
}
