/** When the steps of a transcript began and ended, as far as agents print it, and how long each took. */
import { isText, jsonIn, numberOf, recordOf } from '../../core/text/json.ts'
import { epochMs, instantOf, msBetween } from '../../core/text/time.ts'
import type { Instant } from '../../core/types.ts'

/** `end` null: it still runs, or its end is unknown. */
export type StepTime = { start: Instant; end: Instant | null }

/** When this line was written, and when what it reports began. null: it does not say. Codex and Qwen never do. */
export function timeIn(line: string): { start: Instant; end: Instant } | null {
  if (!line.startsWith('{') || !line.includes('"timestamp"')) return null
  const { timestamp, message, part } = recordOf(jsonIn(line))
  const end = instantIn(timestamp) ?? instantIn(recordOf(message)['timestamp'])
  if (end === null) return null
  const { time, state } = recordOf(part)
  const began = recordOf(recordOf(state)['time'])['start'] ?? recordOf(time)['start'] // OpenCode reports a step when it is over
  return { start: instantIn(began) ?? end, end }
}

function instantIn(value: unknown): Instant | null {
  const ms = isText(value) ? epochMs(value) : (numberOf(value) ?? 0)
  return ms > 0 && ms < lastMs ? instantOf(ms) : null
}

/** The last that a date can hold. */
const lastMs = 8.64e15

/**
 * A tool from its call to its result; words since the step before, because the agent thought and wrote all that time. null: unknown.
 * `before`: when the step before them ended, or the iteration began.
 */
export function tookMs(kind: 'tool' | 'words' | 'note', own: StepTime | undefined, before: Instant | null): number | null {
  if (own === undefined) return null
  const from = kind === 'tool' ? own.start : before
  const to = kind === 'words' || kind === 'note' ? (own.end ?? own.start) : own.end
  return from === null || to === null ? null : Math.max(0, msBetween(from, to))
}
