/** state.md: the failures of the current story, verbatim, with a machine-readable header. */
import { timesAlike } from '../../core/evolve/alike.ts'
import type { Refusal, State, StoryState } from '../../core/state.ts'
import type { GateResult, StoryId } from '../../core/types.ts'
import { lastGate } from '../report/failure.ts'

/** null: the story has no failures. */
export function stateMarkdown(state: State, id: StoryId): string | null {
  const story = state.stories[id]
  const last = story?.refusals.at(-1)
  if (story === undefined || last === undefined || story.receipt !== undefined) return null
  const header = [
    '---',
    taskLine(id),
    `iteration: ${countedAttempts(story, last, state.policy)}`,
    `max_iterations: ${state.policy.maxAttempts}`,
    `last_gate: ${JSON.stringify(lastGate(state, id))}`,
    `exit_code: ${exitCodeOf(last)}`,
    `error_hash: ${JSON.stringify(last.hash)}`,
    `timestamp: ${state.at}`,
    `stuck_count: ${timesAlike(story, last.hash)}`,
    `strategy_shifts: ${story.shifts}`,
    ...(last.files.length === 0
      ? ['files_modified: []']
      : ['files_modified:', ...last.files.map((file) => `  - ${JSON.stringify(file)}`)]),
    '---',
  ]
  return `${[header.join('\n'), ...bodies(last), history(story.refusals)].join('\n\n')}\n`
}

/** How many attempts count against the story, and the maximum: failed ones, or those with this error. */
function countedAttempts(story: StoryState, { hash }: Refusal, { maxAttempts }: State['policy']): number {
  const counted = Math.max(story.failedAttempts, timesAlike(story, hash))
  return maxAttempts > 0 ? Math.min(counted, maxAttempts) : counted
}

/** Exit code as from timeout(1); reviewers, and everything else without an exit code, fail with 1. */
function exitCodeOf({ gates: [gate], cut }: Refusal): number {
  const isTimeout = gate === undefined ? cut === 'timeout' : gate.ended === 'timeout'
  return isTimeout ? 124 : (gate?.exitCode ?? 1)
}

/** Whether a state.md is about this story. */
export const isStateOf = (text: string, id: StoryId): boolean => text.startsWith(`---\n${taskLine(id)}\n`)

const taskLine = (id: StoryId): string => `task_id: ${JSON.stringify(id)}`

function bodies({ gates, because }: Refusal): string[] {
  if (gates.length === 0) return [`## What happened\n${because}`]
  return gates.map((result) => [`## ${title(result)} (verbatim)`, '```', result.output.trimEnd(), '```'].join('\n'))
}

function title({ name, kind }: GateResult): string {
  if (kind === 'review') return name === 'spec' ? 'Spec Reviewer Output' : `Reviewer Output: ${name}`
  return name === 'tests' ? 'Test Output' : `Gate Output: ${name}`
}

const history = (refusals: Refusal[]): string =>
  [
    '## Attempt History',
    '| # | Gate | Error Hash | Strategy Shift |',
    '|---|------|------------|----------------|',
    ...refusals.map(
      ({ attempt, gates, cut, hash, wasShift }) =>
        `| ${attempt} | ${gates.map((result) => result.name).join(', ') || cut || '-'} | ${hash} | ${wasShift ? 'yes' : 'no'} |`,
    ),
  ].join('\n')
