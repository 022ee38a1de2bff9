/** A receipt in words: what proved the story, and what only warned. */
import { receiptProof } from '../core/proof/receipt.ts'
import type { StoryState } from '../core/state.ts'

type Receipt = NonNullable<StoryState['receipt']>

/** "proven by tests, spec; lint warned". */
export function proofWords(receipt: Receipt): string {
  const { by, warned } = receiptProof(receipt)
  return [by.length === 0 ? 'unproven' : `proven by ${by.join(', ')}`, ...warnedWords(warned)].join('; ')
}

/** The same with durations, for a column about proof. */
export function gateWords({ gates, ...receipt }: Receipt, duration: (ms: number) => string): string {
  const { by, warned } = receiptProof({ ...receipt, gates })
  const proved = gates.filter(({ name, passed, soft }) => passed && soft !== true && by.includes(name))
  const words = proved.map(({ name, durationMs }) => `${name} ✓ ${duration(durationMs)}`)
  return [words.length === 0 ? 'none: unproven' : words.join(', '), ...warnedWords(warned)].join('; ')
}

const warnedWords = (warned: string[]): string[] => (warned.length === 0 ? [] : [`${warned.join(', ')} warned`])
