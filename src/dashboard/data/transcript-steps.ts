/** An iteration's log as steps: what the agent said, each tool with its result, each gate with its output. */
import type { Entry } from '../../core/reading/transcript.ts'
import { plain } from '../../core/text/plain.ts'
import type { Instant } from '../../core/types.ts'
import { gateBegin, gateEnd, noteMark } from '../../views/log-lines.ts'
import { type StepTime, timeIn } from './step-times.ts'

export type TranscriptStep =
  | { kind: 'words'; text: string; isSub: boolean }
  | { kind: 'tool'; name: string; target: string; result: { failed: boolean; text: string } | null }
  | { kind: 'gate'; name: string; passed: boolean | null; text: string; end: string }
  | { kind: 'note'; tone: 'warn' | 'bad' | 'plain'; text: string }

export type StepReader = {
  /** `seenAt`: when the line was first seen, if that is known better than never. */
  push(line: string, seenAt?: Instant): void
  steps: TranscriptStep[]
  /** Of the steps whose times are known. */
  times: Map<TranscriptStep, StepTime>
}

/** Takes the lines of a log one by one. The last steps may still change: a tool gets its result, a gate its output. */
export function stepReader(read: (line: string) => Entry[]): StepReader {
  const steps: TranscriptStep[] = []
  const times = new Map<TranscriptStep, StepTime>()
  let now: { start: Instant; end: Instant } | null = null
  let gate: Extract<TranscriptStep, { kind: 'gate' }> | null = null
  let waiting: Extract<TranscriptStep, { kind: 'tool' }>[] = []
  let lastWords = ''

  const add = (step: TranscriptStep): void => {
    steps.push(step)
    if (now !== null) times.set(step, { start: now.start, end: step.kind === 'tool' ? null : now.end })
  }
  const say = (text: string, isSub: boolean): void => {
    if (text.trim() === '') return
    add({ kind: 'words', text: clipped(plain(text)), isSub })
    if (!isSub) lastWords = text.trim()
  }
  const note = (tone: 'warn' | 'bad' | 'plain', text: string): void => {
    const last = steps.at(-1)
    const shown = plain(text)
    // What nobody could read comes line by line.
    if (tone === 'plain' && last?.kind === 'note' && last.tone === tone) last.text = clipped(`${last.text}\n${shown}`)
    else if (shown.trim() !== '') add({ kind: 'note', tone, text: clipped(shown) })
  }
  const take = (entry: Entry): void => {
    switch (entry.kind) {
      case 'said':
        return say(entry.text, entry.isSub)
      case 'tool': {
        const target = clipped(plain(entry.command ?? entry.target))
        const step = { kind: 'tool' as const, name: plain(entry.name), target, result: null }
        add(step)
        waiting.push(step)
        return
      }
      case 'tool-result': {
        const result = { failed: entry.failed, text: clipped(plain(entry.text)) }
        const [asked, ...others] = waiting
        waiting = others
        const time = asked && times.get(asked)
        if (time !== undefined) time.end = now?.end ?? null
        if (asked !== undefined) asked.result = result
        else if (entry.failed) note('bad', entry.text)
        return
      }
      case 'end':
        waiting = []
        // Some agents repeat their last words at the end, some give them only there.
        return (entry.text ?? '').trim() === lastWords ? undefined : say(entry.text ?? '', false)
      case 'denied':
        return note('warn', `Denied: ${entry.tool}`)
      case 'error':
        return note('bad', entry.message)
      case 'retrying':
      case 'throttled':
        return note('warn', entry.message)
      case 'noise':
        return note('plain', entry.text)
      case 'session':
      case 'usage':
        return
    }
  }

  const push = (line: string, seenAt?: Instant): void => {
    now = timeIn(line) ?? (seenAt === undefined ? null : { start: seenAt, end: seenAt })
    const [, before = '', end, name, how] = gateEnd.exec(line) ?? []
    if (end !== undefined && gate !== null && name === gate.name) {
      if (before !== '') gate.text = clippedEnd(`${gate.text}${plain(before)}\n`)
      gate.passed = how === 'passed'
      gate.end = plain(end.replace(/^=== gate [^:]+: /, ''))
      gate = null
      return
    }
    if (gate !== null) {
      gate.text = clippedEnd(`${gate.text}${plain(line)}\n`)
      return
    }
    const begins = gateBegin.exec(line)?.[1]
    if (begins !== undefined) {
      gate = { kind: 'gate', name: begins, passed: null, text: '', end: '' }
      add(gate)
      return
    }
    if (line.startsWith(noteMark)) return note('warn', line.slice(noteMark.length))
    const entries = read(line)
    const [only, ...more] = entries
    const last = steps.at(-1)
    // An agent that prints plain text says one line at a time.
    const isPlain = only?.kind === 'said' && only.text === line && more.length === 0
    if (isPlain && last?.kind === 'words' && !last.isSub) {
      last.text = clipped(`${last.text}\n${plain(line)}`)
      const time = times.get(last)
      if (time !== undefined && now !== null) time.end = now.end
    } else for (const entry of entries) take(entry)
  }
  return { push, steps, times }
}

const longest = 8000
const clipped = (text: string): string => (text.length > longest ? `${text.slice(0, longest - 1)}…` : text)
/** Of a gate's output the end tells most. */
const clippedEnd = (text: string): string => (text.length > 2 * longest ? `…${text.slice(1 - longest)}` : text)
