/** `ralph mcp serve`: tools for agents and editors that drive Ralph. `ralph mcp`: a tool for the agent that Ralph started, to report its status. */
import { once } from 'node:events'
import { statSync } from 'node:fs'
import { isAbsolute, resolve } from 'node:path'
import { type McpTool, mcpServer, type ServerInfo, type ToolResult } from '../../adapters/agents/shared/mcp-server.ts'
import { errorCode } from '../../adapters/files/files.ts'
import { masker } from '../../adapters/mask/mask.ts'
import { reportVariable, writeReport } from '../../adapters/project/agent-report-file.ts'
import { EXIT, Failure } from '../../core/failure.ts'
import { reportTool, statusReportOf } from '../../core/reading/status-report.ts'
import type { Io } from '../../io.ts'
import { version } from '../../version.ts'

export async function runMcp({ action, project }: { action?: string; project?: string }, io: Io): Promise<number> {
  if (action === undefined) return served([statusTool(io)], { version }, io)
  if (action !== 'serve')
    throw new Failure(EXIT.usage, `Unknown action "${action}". Use ralph mcp serve, or ralph mcp for the status tool of agents.`)
  if (process.stdin.isTTY)
    io.err('Serves tools to an agent or editor, which starts it: claude mcp add ralph -- ralph mcp serve. Ctrl+C ends it.\n')
  const { controlTools } = await import('./tools.ts')
  const { tools, info } = controlTools(project === undefined ? io : { ...io, cwd: folderAt(resolve(io.cwd, project)) })
  return served(tools, { version, ...info }, io)
}

function folderAt(path: string): string {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return path
  throw new Failure(EXIT.usage, `${path} is not a folder. Name the folder of your project: ralph mcp serve --project <folder>`)
}

/** Until the client closes its end. */
async function served(tools: McpTool[], info: ServerInfo, io: Io): Promise<number> {
  const { stdin, stdout } = process
  const server = mcpServer(tools, info, io.raw)
  try {
    for await (const chunk of stdin) {
      server.push(chunk as Buffer)
      if (stdout.writableNeedDrain) await once(stdout, 'drain') // a client that does not read gets no more answers
    }
    server.end()
    await server.idle()
  } catch (error) {
    if (errorCode(error) === '') throw error // a killed client leaves a broken pipe; anything else is our bug
  }
  return 0
}

const statusTool = (io: Io): McpTool => ({ ...reportTool, annotations, call: (input) => taken(input, io.env) })

/** It changes nothing, so no person needs to be asked. */
const annotations = {
  title: 'Report status',
  readOnlyHint: false,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
}

function taken(input: unknown, env: Io['env']): ToolResult {
  const path = env[reportVariable] ?? ''
  if (!isAbsolute(path))
    return refused('No Ralph run is listening: this session was not started by one. Continue without this tool.')
  const report = statusReportOf(input)
  if (typeof report === 'string') return refused(`Nothing was reported. ${report} Correct it and call the tool again.`)
  try {
    writeReport(path, report, masker(env))
  } catch (error) {
    return refused(
      `The report could not be written: ${(error as Error).message}. Say how the work ended in your last message instead.`,
    )
  }
  return { text: `Ralph has your report: ${report.status}.`, isError: false }
}

const refused = (text: string) => ({ text, isError: true })
