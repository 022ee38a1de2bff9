/** One call of a real agent through its adapter, with a scripted model: the resulting entries. */
import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { agentNamed } from '../../src/adapters/agents/list.ts'
import type { AgentOptions } from '../../src/adapters/agents/shared/choice.ts'
import type { Entry } from '../../src/core/reading/transcript.ts'
import { type ModelRequest, startModelServer, type Turn } from './model-server.ts'

export type RealAgent = {
  name: string
  program(): string
  environment(home: string, modelUrl: string): Record<string, string>
  /** For whole runs with an agent behind a general adapter. */
  args?: string[]
  format?: 'acp'
}
export type Called = { code: number | null; entries: Entry[]; requests: ModelRequest[]; log: string }

export async function called(agent: RealAgent, turns: Turn[], options: Partial<AgentOptions> = {}): Promise<Called> {
  const folder = mkdtempSync(join(tmpdir(), `ralph-${agent.name}-`))
  const [home, project] = [join(folder, 'home'), join(folder, 'project')]
  mkdirSync(home)
  const server = await startModelServer(turns)
  try {
    const env = agent.environment(home, server.url)
    const git = (...args: string[]) => spawnSync('git', ['-C', project, ...args], { env, encoding: 'utf8' }).stdout
    spawnSync('git', ['init', '-q', '-b', 'main', project], { env })
    git('config', 'user.name', 'Test')
    git('config', 'user.email', 'test@localhost')
    const { launch, reader } = agentNamed(
      { name: agent.name, command: [agent.program()] },
      { allowedTools: '', skipPermissions: false, root: project, ...options },
    )
    const { command, args, ...start } = launch({ prompt: 'Do story S-1, please.', cwd: project, model: '', env: {} })
    const child = spawn(command, args, { cwd: project, env: { ...env, ...start.env }, stdio: ['pipe', 'pipe', 'ignore'] })
    child.stdin.end(start.stdin)
    const exit = new Promise<number | null>((resolve) => child.on('exit', resolve))
    const entries: Entry[] = []
    const read = reader()
    for await (const line of createInterface(child.stdout)) entries.push(...read(line, 'out'))
    return { code: await exit, entries, requests: server.requests, log: git('log', '--format=%s') }
  } finally {
    await server.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Session ids and model names vary between runs. */
export const withoutSession = (entries: Entry[]): Entry[] => entries.filter(({ kind }) => kind !== 'session')
