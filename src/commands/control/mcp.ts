/** `ralph mcp`: gives the agent that Ralph started a tool to report its status, over standard input and output. */
import { once } from 'node:events'
import { isAbsolute } from 'node:path'
import { type McpTool, mcpServer } from '../../adapters/agents/shared/mcp-server.ts'
import { errorCode } from '../../adapters/files/files.ts'
import { masker } from '../../adapters/mask/mask.ts'
import { reportVariable, writeReport } from '../../adapters/project/agent-report-file.ts'
import { reportTool, statusReportOf } from '../../core/reading/status-report.ts'
import type { Io } from '../../io.ts'
import { version } from '../../version.ts'

export async function runMcp(_args: object, io: Io): Promise<number> {
  const { stdin, stdout } = process
  let answers = ''
  const server = mcpServer([{ ...reportTool, annotations, call: (input) => taken(input, io.env) }], version, (line) => {
    answers += line
  })
  const send = () => {
    if (answers !== '') io.raw(answers)
    answers = ''
  }
  try {
    for await (const chunk of stdin) {
      server.push(chunk as Buffer)
      send()
      if (stdout.writableNeedDrain) await once(stdout, 'drain') // a client that does not read gets no more answers
    }
    server.end()
    send()
  } catch (error) {
    if (errorCode(error) === '') throw error // a killed client leaves a broken pipe; anything else is our bug
  }
  return 0
}

/** It changes nothing, so no person needs to be asked. */
const annotations = {
  title: 'Report status',
  readOnlyHint: false,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
}

function taken(input: unknown, env: Io['env']): ReturnType<McpTool['call']> {
  const path = env[reportVariable] ?? ''
  if (!isAbsolute(path))
    return refused('No run of Ralph is listening: this session was not started by one. Go on without this tool.')
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
