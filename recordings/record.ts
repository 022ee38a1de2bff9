/** Makes the recordings again: real agents, driven by a scripted model, with ids, paths and times taken out. Run: node recordings/record.ts codex [scenario…] */
import type { AgentOptions } from '../src/adapters/agents/shared/choice.ts'
import { spawn, spawnSync } from 'node:child_process'
import { globSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { inputPipe } from '../src/adapters/process/named-pipe.ts'
import { withFiles } from '../src/adapters/agents/shared/launch-files.ts'
import { agentNamed } from '../src/adapters/agents/list.ts'
import { startModelServer, type Turn } from '../test/support/model-server.ts'

/** One agent: how the real one is started, and what happens to it. */
export type Recorded = {
  program(): string
  environment(home: string, modelUrl: string): Record<string, string>
  scenarios: Record<string, Scenario>
  /** Its failures, which it prints on standard error, are recorded too. */
  withErrors?: true
  /** Replaces or removes what its events reveal about the machine and the time. */
  plain?(event: Record<string, unknown>): void
}
export type Scenario = {
  turns: Turn[]
  options?: Partial<AgentOptions>
  model?: string
  environment?: Recorded['environment']
}

const [only, ...names] = process.argv.slice(2)
for (const file of globSync('*/scenarios.ts', { cwd: import.meta.dirname }).sort()) {
  const name = dirname(file)
  if (only !== undefined && only !== name) continue
  const { [name]: agent } = (await import(`./${file}`)) as Record<string, Recorded>
  if (agent === undefined) throw new Error(`recordings/${file} exports no ${name}`)
  for (const [scenario, told] of Object.entries(agent.scenarios)) {
    if (names.length > 0 && !names.includes(scenario)) continue
    const lines = await record(name, agent, told)
    writeFileSync(join(import.meta.dirname, name, `${scenario}.jsonl`), `${lines.join('\n')}\n`)
    console.log(`${name} ${scenario}: ${lines.length} lines`)
  }
}

async function record(name: string, recorded: Recorded, scenario: Scenario): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'ralph-record-'))
  const [home, project] = [join(folder, 'home'), join(folder, 'project')]
  mkdirSync(home)
  const server = await startModelServer(scenario.turns)
  try {
    const env = { ...(scenario.environment ?? recorded.environment)(home, server.url), TZ: 'UTC' }
    for (const args of [
      ['init', '-q', '-b', 'main', project],
      ['-C', project, 'config', 'user.name', 'Test'],
      ['-C', project, 'config', 'user.email', 'test@localhost'],
    ]) {
      spawnSync('git', args, { env })
    }
    const options = { allowedTools: '', skipPermissions: false, root: project, ...scenario.options }
    const agent = agentNamed({ name, command: [recorded.program()] }, options)
    const task = { prompt: 'Do the story.', cwd: project, model: scenario.model ?? '', env: {} }
    const { launch, remove } = withFiles(agent.launch(task))
    const input = launch.isStdinPipe ? inputPipe() : undefined
    const child = spawn(launch.command, launch.args, {
      cwd: project,
      env: { ...env, ...launch.env },
      stdio: [input?.read ?? 'pipe', 'pipe', 'pipe'],
    })
    const stdin = input?.write ?? child.stdin
    stdin?.end(launch.stdin)
    const [out, err] = await Promise.all([text(child.stdout!), text(child.stderr!)]).finally(remove)
    const failures = recorded.withErrors ? err.split('\n').filter((line) => line.startsWith('error: ')) : []
    const lines = [...out.trimEnd().split('\n'), ...failures]
    return lines.map((line) => withoutTraces(line, { folder, url: server.url }, recorded))
  } finally {
    await server.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** What differs from machine to machine and run to run becomes the same everywhere. */
function withoutTraces(line: string, { folder, url }: { folder: string; url: string }, { plain }: Recorded): string {
  const same = line
    .replaceAll(folder, '/home/me')
    .replaceAll(folder.replaceAll('/', '-'), '-work')
    .replaceAll(url.replace('http://', ''), '127.0.0.1:1')
    .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '00000000-0000-4000-8000-000000000000')
  if (!same.startsWith('{')) return same
  const event = JSON.parse(same)
  plain?.(event)
  return JSON.stringify(event)
}
