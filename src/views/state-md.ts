/** state.md: the failures of the current story, verbatim, with a header that programs can read. */
import type { Flight, Refusal, State } from '../core/state.ts'
import type { GateResult } from '../core/types.ts'
import { lastGate } from './failure.ts'

/** null: the story of this iteration has no failure to show. */
export function stateMarkdown(state: State, flight: Flight): string | null {
  const id = flight.story
  const story = id === null ? undefined : state.stories[id]
  const last = story?.refusals.at(-1)
  if (id === null || story === undefined || last === undefined || story.receipt !== undefined) return null
  const header = [
    '---',
    `task_id: ${JSON.stringify(id)}`,
    `iteration: ${last.iteration}`,
    `max_iterations: ${state.policy.maxAttempts}`,
    `last_gate: ${JSON.stringify(lastGate(state, id))}`,
    `exit_code: ${last.gates[0]?.exitCode ?? 'null'}`,
    `error_hash: ${JSON.stringify(last.hash)}`,
    `timestamp: ${state.at}`,
    `stuck_count: ${story.errors[last.hash] ?? 0}`,
    `strategy_shifts: ${story.shifts}`,
    ...(last.files.length === 0
      ? ['files_modified: []']
      : ['files_modified:', ...last.files.map((file) => `  - ${JSON.stringify(file)}`)]),
    '---',
  ]
  return `${[header.join('\n'), ...bodies(last), history(story.refusals)].join('\n\n')}\n`
}

function bodies({ gates, because }: Refusal): string[] {
  if (gates.length === 0) return [`## What happened\n${because}`]
  return gates.map((result) => [`## ${title(result)} (verbatim)`, '```', result.output.trimEnd(), '```'].join('\n'))
}

function title({ name, command }: GateResult): string {
  if (command.startsWith('review by ')) return name === 'spec' ? 'Spec Reviewer Output' : `Reviewer Output: ${name}`
  return name === 'tests' ? 'Test Output' : `Gate Output: ${name}`
}

const history = (refusals: Refusal[]): string =>
  [
    '## Attempt History',
    '| # | Gate | Error Hash | Strategy Shift |',
    '|---|------|------------|----------------|',
    ...refusals.map(
      ({ iteration, gates, hash, wasShift }) =>
        `| ${iteration} | ${gates.map((result) => result.name).join(', ') || 'timeout'} | ${hash} | ${wasShift ? 'yes' : 'no'} |`,
    ),
  ].join('\n')
