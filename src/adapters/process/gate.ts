/** Runs one command gate and keeps its output: all of it in the log, the important parts for people and prompts. */
import { createHash } from 'node:crypto'
import { censusReader } from '../../core/proof/test-census.ts'
import { longestTimerMs, sayDuration } from '../../core/text/time.ts'
import type { Gate, GateResult } from '../../core/types.ts'
import { noNeeds } from '../../ports.ts'
import { lineSplitter } from '../files/lines.ts'
import { type Masker, maskedLog } from '../mask/mask.ts'
import type { Sandbox } from '../sandbox/wrapped.ts'
import { childEnv } from './child-env.ts'
import { runTree, type TreeEnd, type TreeLimits } from './tree.ts'

export type GateOptions = TreeLimits & {
  cwd: string
  env: Record<string, string | undefined>
  /** The soft limit: `onSoft` is called once, and the gate continues. */
  softMs?: number
  onSoft?(): void
  logPath: string
  /** Said of it in the log: what it judges, if not the work. */
  about?: string
  mask: Masker
  /** The sandbox; null: none. */
  sandbox: Sandbox | null
  /** What it reads; absent: nothing. */
  input?: string
  /** Its command is in no list of processes; `files`: what a sandbox must show it besides the project. */
  isUnlisted?: true
  files?: string[]
  /** Each line of its output, masked and cut. */
  onLine?(line: string): void
}

/** Reads the command from its input, and runs it with none. */
const fromInput = 'eval "$(cat)" < /dev/null'

export async function runGate({ name, command }: Gate, options: GateOptions): Promise<GateResult> {
  const hash = createHash('sha256')
  const excerpt = excerptOf()
  const census = censusReader()
  const lines = lineSplitter((line) => {
    excerpt.push(line)
    census.line(line)
    options.onLine?.(line)
  }, 4 * longestLine)
  const log = maskedLog(options.logPath, options.mask, (bytes) => {
    hash.update(bytes)
    lines.push(bytes)
  })
  const soft = softTimer(options)
  const { isUnlisted = false, files = [] } = options
  const inner = { command: 'sh', args: ['-c', isUnlisted ? fromInput : command], env: childEnv(options.env) }
  const shown = options.about === undefined ? name : `${name} (${options.about})`
  const shutIn = { ...inner, cwd: options.cwd, needs: noNeeds, files, isReadOnly: false }
  const { end: endSandbox, ...started } = options.sandbox?.wrap(shutIn) ?? { ...inner, end: async () => {} }
  try {
    log.note(`=== gate ${shown}: ${command}`)
    const end = await runTree({
      ...options,
      ...started,
      stdin: isUnlisted ? command : (options.input ?? ''),
      isMerged: true,
      onSoft: undefined, // a gate has its own
      onOutput: log.push,
    })
    log.end()
    lines.end()
    const passed = end.how === 'exited' && end.code === 0
    const counted = census.counted(passed)
    log.note(`=== gate ${shown}: ${passed ? 'passed' : 'failed'} in ${sayDuration(end.durationMs)} (${sayEnd(end)})`)
    return {
      name,
      kind: 'command',
      command: options.mask.text(command),
      passed,
      exitCode: end.code,
      ended: end.how,
      durationMs: end.durationMs,
      ...(counted === null ? {} : { census: counted }),
      output: end.error === undefined ? excerpt.text() : end.error,
      outputHash: hash.digest('hex').slice(0, 16),
    }
  } finally {
    clearTimeout(soft)
    log.end()
    log.close()
    await endSandbox()
  }
}

const firstLines = 20
const lastLines = 80
const longestLine = 500

/** A soft limit above the hard one has no effect. */
function softTimer({ softMs, timeoutMs, onSoft }: GateOptions): NodeJS.Timeout | undefined {
  if (onSoft === undefined || softMs === undefined || softMs >= Math.min(timeoutMs, longestTimerMs)) return undefined
  return setTimeout(onSoft, softMs)
}

function sayEnd({ how, code, signal, error }: TreeEnd): string {
  switch (how) {
    case 'exited':
      return signal ? `ended by ${signal}` : `exit ${code}`
    case 'timeout':
      return 'timed out'
    case 'stopped':
      return 'stopped'
    case 'missing':
      return `could not start: ${error}`
  }
}

/** The beginning and the end of many lines, without storing the middle. */
function excerptOf() {
  const first: string[] = []
  const last: string[] = []
  let count = 0
  return {
    push(line: string) {
      const cut = line.length > longestLine ? `${line.slice(0, longestLine - 1)}…` : line
      if (count < firstLines) first.push(cut)
      else last[(count - firstLines) % lastLines] = cut
      count += 1
    },
    text(): string {
      const truncated = Math.max(0, count - firstLines - lastLines)
      const oldest = truncated % lastLines
      const note = truncated > 0 ? [`[... ${truncated} lines truncated ...]`] : []
      return [...first, ...note, ...last.slice(oldest), ...last.slice(0, oldest)].join('\n')
    },
  }
}
