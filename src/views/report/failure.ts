/** A failed story, for people: the message of the commit with its work, and its part of the report. */
import { keyLine } from '../../core/proof/key-lines.ts'
import { howItFailed } from '../../core/proof/last-failure.ts'
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
    `- Error: ${errorOf(state, story)}`,
    `- Reason: ${story.failed?.reason ?? ''}`,
    `- Stuck: ${stuckWords(state, story.id)}`,
    `- Quality warnings: ${known?.warnings ?? 0}`,
  ]
}

export const failureData = (state: State, story: Story): object => {
  const { id, title, failed } = story
  const known = state.stories[id]
  return {
    id,
    title,
    ...failed,
    attempts: known?.failedAttempts ?? 0,
    maxAttempts: state.policy.maxAttempts,
    lastGate: lastGate(state, id),
    error: errorOf(state, story),
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

/** What the gate's output says failed, or a reviewer's first finding. */
function errorOf(state: State, { id, failed }: Story): string {
  const gate = state.stories[id]?.refusals.at(-1)?.gates[0]
  if (gate === undefined) return failed?.reason ?? ''
  const first = gate.output.split('\n').find((line) => line.trim() !== '')
  const words = gate.kind === 'command' ? keyLine(gate.output) : first?.trim()
  return (gate.ended === 'timeout' ? undefined : words?.slice(0, 200)) ?? `gate ${gate.name} ${howItFailed(gate)}`
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
