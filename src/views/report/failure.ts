/** A failed story, for people: the message of the commit with its work, and its part of the report. */
import { looksLikeError } from '../../core/reading/reading.ts'
import type { State } from '../../core/state.ts'
import type { Story, StoryId } from '../../core/types.ts'

export function failureMessage(id: StoryId, state: State, statePath: string): string {
  const story = state.stories[id]
  const last = story?.refusals.at(-1)
  return [
    `Ralph Loop failed: ${id}`,
    '',
    `Iterations: ${story?.failedAttempts ?? 0}/${state.policy.maxAttempts}`,
    `Last gate: ${lastGate(state, id)}`,
    `Error hash: ${last?.hash ?? '-'}`,
    '',
    `See ${statePath} for full history`,
  ].join('\n')
}

export function failureLines(state: State, story: Story): string[] {
  const known = state.stories[story.id]
  return [
    `### ${story.id}: ${story.title}`,
    `- Attempts: ${known?.failedAttempts ?? 0}/${state.policy.maxAttempts}`,
    `- Last gate: ${lastGate(state, story.id)}`,
    `- Branch: ${story.failed?.branch || '- (its work stays where it is)'}`,
    `- Error: ${firstError(state, story)}`,
    `- Reason: ${story.failed?.reason ?? ''}`,
    `- Stuck: ${stuckWords(state, story.id)}`,
    `- Quality warnings: ${known?.warnings ?? 0}`,
  ]
}

export const failureData = (state: State, { id, title, failed }: Story): object => {
  const known = state.stories[id]
  return {
    id,
    title,
    ...failed,
    attempts: known?.failedAttempts ?? 0,
    maxAttempts: state.policy.maxAttempts,
    lastGate: lastGate(state, id),
    errorHash: known?.refusals.at(-1)?.hash ?? null,
    strategyShifts: known?.shifts ?? 0,
    isStuck: isStuck(state, id),
    qualityWarnings: known?.warnings ?? 0,
  }
}

/** What rejected it last; if no gate did, it timed out or went in circles. */
export function lastGate(state: State, id: StoryId): string {
  const last = state.stories[id]?.refusals.at(-1)
  if (last === undefined) return '-'
  return last.gates[0]?.name ?? (last.cut === 'circling' ? 'watch' : 'timeout')
}

/** The first error line of a gate's output; if there is none, the last line, or a reviewer's first finding. */
function firstError(state: State, { id, failed }: Story): string {
  const gate = state.stories[id]?.refusals.at(-1)?.gates[0]
  const lines = (gate?.output ?? '').split('\n').filter((line) => line.trim() !== '')
  const other = gate?.exitCode === null ? lines[0] : lines.at(-1)
  return (lines.find(looksLikeError) ?? other)?.trim().slice(0, 200) ?? failed?.reason ?? ''
}

const isStuck = (state: State, id: StoryId): boolean => timesSame(state, id) >= 3

/** How often its last error occurred. */
function timesSame(state: State, id: StoryId): number {
  const story = state.stories[id]
  return story?.errors[story.refusals.at(-1)?.hash ?? ''] ?? 0
}

function stuckWords(state: State, id: StoryId): string {
  if (!isStuck(state, id)) return 'No'
  const hasShifted = (state.stories[id]?.shifts ?? 0) > 0
  return `Yes (same error ${timesSame(state, id)}x${hasShifted ? ', strategy shift failed' : ''})`
}
