/** The tests that ran last, by gate. */
import type { Census, GateResult } from '../types.ts'

/** A story's own gates say nothing about other stories. */
export function withCounted(known: Record<string, Census>, results: GateResult[]): Record<string, Census> {
  const counted = results.flatMap(({ name, story, census }) =>
    census === undefined || story !== undefined ? [] : [[name, census] as const],
  )
  return counted.length === 0 ? known : { ...known, ...Object.fromEntries(counted) }
}
