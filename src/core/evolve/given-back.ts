/** Attempts that a flaky gate has cost are given back, once the gate passes on the same content. */
import { isRed } from '../decide/gates.ts'
import { isSameGate } from '../proof/flaky/flaky.ts'
import type { JudgedFlight, Refusal, StoryState } from '../state.ts'
import type { GateResult } from '../types.ts'

/** Nothing else refused it, so passing gates would have been enough. */
export const isByGatesAlone = ({ content, gates = [] }: JudgedFlight, results: GateResult[]): boolean =>
  content !== undefined && results.filter(isRed).every((red) => red.kind === 'command' && gates.includes(red))

export function withoutFlaky(story: StoryState, { content, gates = [] }: JudgedFlight): StoryState {
  const isFlakyNow = (red: GateResult): boolean => gates.some((result) => result.flaky !== undefined && isSameGate(result, red))
  const isFlaky = (refusal: Refusal): boolean =>
    refusal.content !== undefined && refusal.content === content && refusal.gates.length > 0 && refusal.gates.every(isFlakyNow)
  const back = story.refusals.filter((refusal) => isFlaky(refusal) && !refusal.isUnfinished && refusal.cut === undefined)
  if (back.length === 0) return story
  const errors = { ...story.errors }
  for (const { hash } of back) errors[hash] = Math.max(0, (errors[hash] ?? 0) - 1)
  return {
    ...story,
    failedAttempts: Math.max(0, story.failedAttempts - back.length),
    refusals: story.refusals.filter((refusal) => !back.includes(refusal)),
    errors,
  }
}
