/** One call of a real agent, as Ralph makes it, in a small repository with a scripted model: what it said, and what happened to the files. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { agentNamed } from '../../src/adapters/agents/list.ts'
import type { AgentOptions } from '../../src/adapters/agents/shared/choice.ts'
import { masker } from '../../src/adapters/mask/mask.ts'
import { type CallEnd, callAgent } from '../../src/adapters/process/agent-call.ts'
import { readReport } from '../../src/adapters/project/agent-report-file.ts'
import type { StatusReport } from '../../src/core/reading/status-report.ts'
import type { Entry } from '../../src/core/reading/transcript.ts'
import type { Task } from '../../src/ports.ts'
import type { RealAgent } from './agent-call.ts'
import { onDisk } from './memory.ts'
import { type ModelRequest, startModelServer, type Turn } from './model-server.ts'

export type RealCall = CallEnd & {
  entries: Entry[]
  requests: ModelRequest[]
  /** What differs from the commit, including ignored files. */
  changes: string
  commits: string
  report: StatusReport | string | null
}
type Given = {
  task?: Partial<Omit<Task, 'schema'>> & { schema?: object }
  options?: Partial<AgentOptions>
  /** As soon as an entry is one of these, the call is ended. */
  until?: (entry: Entry) => boolean
  /** Instead of the scripted model. */
  modelUrl?: string
}

/** The repository has one file, a.txt, with a unique word. */
export async function realCall(
  agent: RealAgent,
  turns: Turn[],
  { task = {}, options, until, modelUrl }: Given,
): Promise<RealCall> {
  const folder = mkdtempSync(join(onDisk(), `ralph-${agent.name}-`)) // sandboxes of agents have a /dev of their own
  const [home, project, schemaPath, report] = ['home', 'project', 'schema.json', 'report.json'].map((name) => join(folder, name))
  for (const each of [home!, project!]) mkdirSync(each)
  const server = await startModelServer(turns)
  const stop = new AbortController()
  const entries: Entry[] = []
  try {
    const env = { ...agent.environment(home!, modelUrl ?? server.url), RALPH_REPORT: report! }
    const git = (...args: string[]): string => spawnSync('git', args, { cwd: project, env, encoding: 'utf8' }).stdout
    git('init', '-q', '-b', 'main')
    git('config', 'user.name', 'Test')
    git('config', 'user.email', 'test@localhost')
    writeFileSync(join(project!, 'a.txt'), 'amaranth\n')
    git('add', '-A')
    git('commit', '-q', '-m', 'first')
    const { schema, ...rest } = task
    if (schema) writeFileSync(schemaPath!, JSON.stringify(schema))
    const end = await callAgent({
      agent: agentNamed(
        {
          name: agent.name,
          command: [agent.program(), ...(agent.args ?? [])],
          ...(agent.format ? { format: agent.format } : {}),
        },
        { allowedTools: '', skipPermissions: false, root: project!, ...options },
      ),
      task: {
        ...{ prompt: 'Do story S-1, please.', cwd: project!, model: '', env, ...rest },
        ...(schema ? { schema: { name: 'answer', path: schemaPath!, schema } } : {}),
      },
      tag: `${basename(folder)}:1`,
      logPath: join(folder, 'call.log'),
      timeoutMs: 60_000,
      graceMs: 500,
      sandbox: null,
      keep: [],
      mask: masker({}),
      stop: stop.signal,
      onEntry(entry) {
        entries.push(entry)
        if (until?.(entry)) stop.abort()
      },
    })
    return {
      ...end,
      ...{ entries, requests: server.requests, report: readReport(report!) },
      ...{ changes: git('status', '--porcelain', '--ignored'), commits: git('log', '--format=%s') },
    }
  } finally {
    await server.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** A port of this machine on which nobody listens. */
export const deadUrl = 'http://127.0.0.1:9'
