/** What failed last and still stands: the first thing that somebody asks about a run that did not end well. */
import { isRed } from '../decide/gates.ts'
import type { Refusal, State } from '../state.ts'
import { sayDuration } from '../text/time.ts'
import type { GateResult, StoryId } from '../types.ts'
import { keyLines } from './key-lines.ts'

/** `iteration` 0: a check of the whole project. `lines`: at most five, from the output. */
export type LastFailure = { iteration: number; story: StoryId | null; what: string; lines: string[] }

export function lastFailure(state: State): LastFailure | null {
  return ofStory(state) ?? ofWhole(state) ?? ofAgent(state)
}

/** `iteration 3, S-2: gate tests failed in 0.2s (exit 1)` */
export const failureWords = ({ iteration, story, what }: LastFailure): string =>
  `${iteration === 0 ? 'the whole project' : `iteration ${iteration}`}${story === null ? '' : `, ${story}`}: ${what}`

/** Of the story that failed for good, else of the last one that was rejected and does not pass yet. */
function ofStory({ plan, stories }: State): LastFailure | null {
  const open = (plan?.stories ?? []).filter(({ passes }) => !passes)
  const failed = open.filter((story) => story.failed !== undefined)
  const rejected = (failed.length > 0 ? failed : open).flatMap(({ id }) => {
    const last = stories[id]?.refusals.at(-1)
    return last === undefined ? [] : [{ id, last }]
  })
  const newest = rejected.sort((one, other) => other.last.iteration - one.last.iteration)[0]
  return newest === undefined ? null : { iteration: newest.last.iteration, story: newest.id, ...fromRefusal(newest.last) }
}

function fromRefusal({ gates, because }: Refusal): Pick<LastFailure, 'what' | 'lines'> {
  const [red] = gates
  return red === undefined ? { what: because, lines: [] } : fromResult(red)
}

function fromResult(result: GateResult): Pick<LastFailure, 'what' | 'lines'> {
  const { name, kind, output } = result
  if (kind === 'command') return { what: `gate ${name} ${howItFailed(result)}`, lines: linesOf(result, output) }
  const lines = output.split('\n').filter((text) => text.trim() !== '')
  return { what: kind === 'review' ? `${name} review failed` : `${name} check failed`, lines: lines.slice(0, 5) }
}

/** status.json is written at every event: the same output is read once. */
const read = new WeakMap<GateResult, string[]>()
function linesOf(result: GateResult, output: string): string[] {
  const lines = read.get(result) ?? keyLines(output)
  read.set(result, lines)
  return lines
}

function ofWhole({ check, baseline, iteration }: State): LastFailure | null {
  const results = check.phase === 'red' ? check.results : iteration === 0 ? (baseline ?? []) : []
  const red = results.find(isRed)
  return red === undefined ? null : { iteration: 0, story: null, ...fromResult(red) }
}

/** An agent that never did its work: its own error. */
function ofAgent({ last }: State): LastFailure | null {
  if (last === undefined || last.judged.verdict !== 'failed') return null
  const error = last.ended.signals.find((signal) => signal.kind === 'error')
  const lines = error === undefined ? [] : keyLines(error.message)
  return { iteration: last.iteration, story: last.story, what: last.judged.because, lines }
}

export function howItFailed({ ended, exitCode, durationMs }: GateResult): string {
  const took = sayDuration(durationMs)
  if (ended === 'timeout') return `timed out after ${took}`
  if (ended === 'stopped') return `stopped after ${took}`
  return `failed in ${took} (${exitCode === null ? 'killed' : `exit ${exitCode}`})`
}
