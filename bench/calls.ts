/** Calls and tokens for a story that passes at once, with the real Claude Code and Codex and a scripted model: implementer, reviewer, and no learner. */
import { Failure, sure } from '../src/core/failure.ts'
import type { Turn } from '../test/support/model-server.ts'
import { claude } from '../test/support/real-claude.ts'
import { codex } from '../test/support/real-codex.ts'
import { does, realProject } from '../test/support/real-project.ts'
import type { Row } from './rows.ts'

const passes = { missing: [], extra: [], reason: 'It is there.', verdict: 'pass' }
const reviews: Record<string, Turn> = {
  claude: { tool: { name: 'StructuredOutput', args: passes } },
  codex: { text: JSON.stringify(passes) },
}

export async function callRows(): Promise<Row[]> {
  const rows: Row[] = []
  for (const agent of [claude, codex]) {
    const { calls, tokens } = await taken(agent)
    const [once, noise] = ['for a story that passes at once', 0]
    rows.push(
      {
        what: `calls of ${agent.name} ${once}`,
        unit: 'calls',
        floor: 1,
        ralph: calls,
        over: calls - 1,
        judged: calls,
        noise,
        goal: 2,
      },
      {
        what: `tokens that ${agent.name} sends for it`,
        unit: 'tokens',
        floor: null,
        ralph: tokens,
        over: tokens,
        noise,
        goal: null,
      },
    )
  }
  return rows
}

/** Tokens at four characters each, over all requests. */
async function taken(agent: typeof claude): Promise<{ calls: number; tokens: number }> {
  const closing: (() => unknown)[] = []
  const after = { after: (close: () => unknown) => void closing.push(close) } as Parameters<typeof realProject>[0]
  const turns = [does('S-1'), { text: 'It is there.' }, sure(reviews[agent.name], agent.name)]
  const { project, server } = await realProject(after, agent, turns, {
    config: { review: { enabled: true }, learn: { enabled: true } },
  })
  try {
    const { code, out } = await project.run('run', '--no-archive')
    if (code !== 0) throw new Failure(1, `the run with ${agent.name} ended with ${code}:\n${out}`)
    const asked = server.requests.filter(({ body }) => body.tools?.length)
    return {
      calls: project.events().filter(({ kind }) => kind === 'call.granted').length,
      tokens: Math.round(asked.reduce((sum, { body }) => sum + JSON.stringify(body).length, 0) / 4),
    }
  } finally {
    for (const close of closing) await close()
  }
}
