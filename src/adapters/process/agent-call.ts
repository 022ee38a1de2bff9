/** One call of an agent: starts it, keeps and reads its output as it arrives, and ends its process tree. */
import { StringDecoder } from 'node:string_decoder'
import { isUntold } from '../../core/figures/price.ts'
import { type Entry, emptyTranscript, type Transcript, withEntry } from '../../core/reading/transcript.ts'
import type { Usage } from '../../core/types.ts'
import { type Agent, noNeeds, type Task } from '../../ports.ts'
import { withFiles } from '../agents/shared/launch-files.ts'
import { watchUsage } from '../agents/shared/live-usage.ts'
import { lineSplitter } from '../files/lines.ts'
import { withoutLines } from '../files/without-lines.ts'
import { upkeepInFront, withSettings } from '../git/settings.ts'
import { type Masker, maskedLog } from '../mask/mask.ts'
import type { Sandbox } from '../sandbox/wrapped.ts'
import { childEnv } from './child-env.ts'
import { runTree, type TreeEnd, type TreeLimits } from './tree.ts'

export type CallOptions = TreeLimits & {
  agent: Agent
  /** Its `env` is everything the agent gets, plus what the agent's own launch adds. */
  task: Task
  logPath: string
  mask: Masker
  /** The sandbox; null: none. */
  sandbox: Sandbox | null
  onEntry(entry: Entry, transcript: Transcript): void
  /** The output, masked, as it arrives. */
  onRaw?(text: string): void
  /** Something was printed. */
  onHeard?(): void
  /** Something depends on what the call has used so far: it is looked up while the agent works, if it does not print that. */
  isUsageWatched?: boolean
  onSoft?(): void
  lingerMs?: number
}
/** `printed`: lines on standard output that are not empty. */
export type CallEnd = { end: TreeEnd; transcript: Transcript; printed: number }

export async function callAgent(options: CallOptions): Promise<CallEnd> {
  const { agent, task, mask, onEntry, onRaw } = options
  const { launch, files, remove } = withFiles(agent.launch(task))
  const finished = new AbortController()
  const since = Date.now()
  let transcript = emptyTranscript()

  // Entries are masked after reading: a password that happens to be a word of the agent's format would make its lines unreadable.
  const read = agent.reader()
  const lineMasks = { out: mask.lines(), err: mask.lines() }
  let printedLines = 0
  let isInterrupted = false
  const take = (line: string, stream: 'out' | 'err') => {
    if (stream === 'out' && line.trim() !== '') printedLines += 1
    for (const entry of read(line, stream)) {
      const masked = maskedEntry(entry, mask, lineMasks[stream])
      if (masked.kind === 'end') finished.abort()
      if (masked.kind === 'usage') isLookedUp = false
      if (isInterrupted && isFailure(masked)) continue
      transcript = withEntry(transcript, masked)
      onEntry(masked, transcript)
    }
  }
  const usageLeft = (): Usage | undefined =>
    agent.usageLeft?.({ session: transcript.session, cwd: task.cwd, env, files: files[0] ?? '', since })
  let isLookedUp = false
  const tellUsage = (usage: Usage): void => {
    if (!isLookedUp && !isUntold(transcript.usage)) return // it prints its own
    isLookedUp = true
    const entry: Entry = { kind: 'usage', usage }
    transcript = withEntry(transcript, entry)
    onEntry(entry, transcript)
  }
  const live = options.isUsageWatched === true && agent.isUsageLeftLive === true ? watchUsage(usageLeft, tellUsage) : null
  const lines = { out: lineSplitter((line) => take(line, 'out')), err: lineSplitter((line) => take(line, 'err')) }

  const lastWords = tailOf(wordsBytes)
  const decoders = { out: new StringDecoder('utf8'), err: new StringDecoder('utf8') }
  const log = maskedLog(options.logPath, mask, (bytes, stream) => {
    if (stream === 'out' && !agent.tellsWordsApart) lastWords.push(bytes)
    onRaw?.(decoders[stream].write(bytes))
  })
  const keep = (chunk: Buffer, stream: 'out' | 'err'): void => {
    log.push(chunk, stream)
    lines[stream].push(chunk)
  }
  const all = { push: (chunk: Buffer) => keep(chunk, 'out'), end: () => {} }
  const printed = agent.repeats ? withoutLines(agent.repeats, (bytes) => keep(bytes, 'out')) : all
  const env = withSettings(childEnv({ ...task.env, ...launch.env }), upkeepInFront)
  const { command, args } = launch
  const shutIn = { command, args, cwd: task.cwd, env, needs: agent.needs ?? noNeeds, files, isReadOnly: task.isReadOnly === true }
  const { end: endSandbox, ...started } = options.sandbox?.wrap(shutIn) ?? { command, args, env, end: async () => {} }
  try {
    const end = await runTree({
      ...options,
      ...started,
      cwd: task.cwd,
      stdin: launch.stdin,
      isStdinPipe: launch.isStdinPipe,
      finished: finished.signal,
      onInterrupt: agent.reportsAtInterrupt ? () => (isInterrupted = true) : undefined,
      onOutput(chunk, stream) {
        options.onHeard?.()
        live?.heard()
        if (stream === 'out') printed.push(chunk)
        else keep(chunk, stream)
      },
    })
    printed.end()
    lines.out.end()
    lines.err.end()
    log.end()
    const left = isLookedUp || isUntold(transcript.usage) ? usageLeft() : undefined
    if (left !== undefined) transcript = withEntry(transcript, { kind: 'usage', usage: left })
    // If words cannot be told from other output, the end of the output is the message.
    const whole = agent.tellsWordsApart ? transcript : { ...transcript, finalMessage: lastWords.text() }
    return { end, transcript: whole, printed: printedLines }
  } finally {
    live?.close()
    log.end()
    log.close()
    await endSandbox()
    remove()
  }
}

const wordsBytes = 64 * 1024

/** After an interrupt, an error is our doing, and hides what happened before: for example, that the provider could not be reached. */
const isFailure = (entry: Entry): boolean => entry.kind === 'error' || (entry.kind === 'end' && entry.isError)

function maskedEntry(entry: Entry, mask: Masker, line: (text: string) => string): Entry {
  const masked: Record<string, unknown> = { ...entry }
  for (const key in masked) {
    const value = masked[key]
    if (typeof value === 'string' && key !== 'kind') masked[key] = key === 'text' ? line(value) : mask.text(value)
  }
  return masked as Entry
}

/** The last bytes of a stream. They are copied: a kept chunk would survive until a full garbage collection. */
function tailOf(maxBytes: number) {
  let bytes = Buffer.alloc(0)
  let length = 0
  return {
    push(chunk: Buffer) {
      const piece = chunk.subarray(-maxBytes)
      if (length + piece.length > bytes.length) {
        const last = bytes.subarray(Math.max(0, length - maxBytes), length)
        const bytesWanted = Math.min(2 * maxBytes, 2 * (last.length + piece.length)) // most agents print a few lines at their end
        const next = bytesWanted > bytes.length ? Buffer.allocUnsafeSlow(bytesWanted) : bytes
        length = last.copy(next)
        bytes = next
      }
      length += piece.copy(bytes, length)
    },
    text: () => bytes.subarray(Math.max(0, length - maxBytes), length).toString('utf8'),
  }
}
