import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { tempFolder } from '../../../test/support/folder.ts'
import { readReport } from '../../adapters/project/agent-report-file.ts'

const program = fileURLToPath(new URL('../../../test/fixtures/mcp-server.mjs', import.meta.url))
const folder = tempFolder()

/** What the server answers to all of this, and how it ends. */
function served(input: string, env: Record<string, string>): { answers: string[]; status: number | null; stderr: string } {
  const options = { input, env: { PATH: process.env['PATH'], HOME: folder, ...env }, encoding: 'utf8' as const }
  const { stdout, stderr, status } = spawnSync(process.execPath, [program], options)
  return { answers: stdout.split('\n').slice(0, -1).map(toldIn), status, stderr }
}

function toldIn(line: string): string {
  const { result, error } = JSON.parse(line)
  if (error) return `error ${error.code}`
  return result.content ? `${result.isError ? 'refused' : 'taken'}: ${result.content[0].text}` : Object.keys(result).join(' ')
}

const line = (message: object): string => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`
const call = (id: number, input: object): string =>
  line({ id, method: 'tools/call', params: { name: 'report_status', arguments: input } })

test('a session from greeting to end: what is wrong is refused, the last report counts, and the end of input is the end', () => {
  const path = join(folder, 'new', 'report.json')
  const input = [
    line({ id: 0, method: 'initialize', params: { protocolVersion: '2025-06-18' } }),
    line({ method: 'notifications/initialized' }),
    line({ id: 1, method: 'tools/list' }),
    'no JSON at all\n',
    call(2, { status: 'in_progress', summary: 'Half.' }),
    call(3, { status: 'complete', summary: 'All of it.' }),
    call(4, { status: 'done' }),
    call(5, { status: 'blocked' }).slice(0, -4),
  ].join('')
  assert.deepEqual(served(input, { RALPH_REPORT: path }), {
    answers: [
      'protocolVersion capabilities serverInfo',
      'tools',
      'error -32700',
      'taken: Ralph has your report: in_progress.',
      'taken: Ralph has your report: complete.',
      'refused: Nothing was reported. status must be one of complete, in_progress, blocked, testing. Correct it and call the tool again.',
      'error -32700',
    ],
    status: 0,
    stderr: '',
  })
  assert.deepEqual(readReport(path), { status: 'complete', summary: 'All of it.', blockedReason: '', question: '' })
})

test('a refused report writes nothing', () => {
  const path = join(folder, 'refused.json')
  served(call(1, { status: 'blocked' }), { RALPH_REPORT: path })
  assert.equal(existsSync(path), false)
})

test('without a run that listens, or where the report cannot be written, the agent is told so', () => {
  writeFileSync(join(folder, 'file'), '')
  const input = call(1, { status: 'complete' })
  const nobody = 'refused: No Ralph run is listening: this session was not started by one. Continue without this tool.'
  for (const env of [{}, { RALPH_REPORT: '' }, { RALPH_REPORT: 'relative.json' }] as Record<string, string>[])
    assert.deepEqual(served(input, env).answers, [nobody])
  const [answer] = served(input, { RALPH_REPORT: join(folder, 'file', 'report.json') }).answers
  assert.match(answer!, /^refused: The report could not be written: .+ Say how the work ended in your last message instead\.$/)
})
