/** What every ACP agent must do in whole runs, in addition to what every agent must. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { RealAgent } from './agent-call.ts'
import { eventsOf } from './loop.ts'
import { looksOnly } from './real-looks.ts'
import { does, realProject } from './real-project.ts'
import { wholeRuns } from './whole-runs.ts'

/** `reportTool`: the name under which the model sees the tool for reports. `looks`: how it reads, and how it could try to change something. */
type Particulars = Parameters<typeof wholeRuns>[1] & { reportTool: string; looks: Parameters<typeof looksOnly>[1] }

/** Ralph decides about each tool for which it is asked. */
export const strict = { claude: { dangerously_skip_permissions: false, allowed_tools: 'Read,Bash(git *)' } }

export function acpRuns(agent: RealAgent, { reportTool, looks, ...particulars }: Particulars): void {
  wholeRuns(agent, particulars)
  looksOnly(agent, looks)

  test(`${agent.name}: what is not allowed is refused, told as denied, and not done [R-CB-2]`, async (t) => {
    const { project } = await realProject(t, agent, [does('S-1'), { text: 'I was not allowed to.' }], { config: strict })
    const { code, out } = await project.run('run', '-n', '1')
    assert.equal(code, 1, out)
    const [ended] = eventsOf(project, 'iteration.ended')
    assert.equal(ended!.signals.filter(({ kind }) => kind === 'permission-denied').length, 1)
    assert.deepEqual([ended!.exit, ended!.commits, ended!.uncommitted, project.passing()], ['ok', [], [], []])
  })

  test(`${agent.name}: the tool to report with is offered, and allowed without asking [R-HUM-1]`, async (t) => {
    const args = { status: 'blocked', blocked_reason: 'No database.' }
    const turns = [{ tool: { name: reportTool, args } }, { text: 'I cannot go on.' }]
    const { project } = await realProject(t, agent, turns, { config: strict })
    const { code, out } = await project.run('run')
    assert.equal(code, 2, out)
    assert.match(project.read('.ralph/thing/blocked.txt'), /No database\./)
  })
}
