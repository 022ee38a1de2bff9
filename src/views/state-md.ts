/** state.md: the failures of the current story, verbatim, with a header that programs can read. */
import type { Flight, State } from '../core/state.ts'

/** null: the story of this iteration has no failure to show. */
export function stateMarkdown(state: State, flight: Flight): string | null {
  const id = flight.story
  const story = id === null ? undefined : state.stories[id]
  const last = story?.refusals.at(-1)
  if (id === null || story === undefined || last === undefined || story.receipt !== undefined) return null
  const gate = last.gates[0]
  const header = [
    '---',
    `task_id: ${JSON.stringify(id)}`,
    `iteration: ${last.iteration}`,
    `max_iterations: ${state.policy.maxAttempts}`,
    `last_gate: ${JSON.stringify(gate?.name ?? 'timeout')}`,
    `exit_code: ${gate?.exitCode ?? 'null'}`,
    `error_hash: ${JSON.stringify(gate?.outputHash ?? '')}`,
    `timestamp: ${state.at}`,
    `stuck_count: ${state.breaker.idle}`,
    'strategy_shifts: 0',
    'files_modified:',
    ...[...(flight.ended?.files ?? []), ...(flight.ended?.uncommitted ?? [])]
      .slice(0, 30)
      .map((file) => `  - ${JSON.stringify(file)}`),
    '---',
  ]
  const bodies = last.gates.map((result) =>
    [`## Gate ${result.name} (verbatim)`, '```', result.output.trimEnd(), '```'].join('\n'),
  )
  const history = story.refusals.map(
    (refusal) =>
      `| ${refusal.iteration} | ${refusal.gates.map((result) => result.name).join(', ') || 'timeout'} | ${refusal.gates[0]?.outputHash ?? ''} | no |`,
  )
  const table = [
    '## Attempt History',
    '| # | Gate | Error Hash | Strategy Shift |',
    '|---|------|------------|----------------|',
    ...history,
  ].join('\n')
  return `${[header.join('\n'), ...bodies, table].join('\n\n')}\n`
}
