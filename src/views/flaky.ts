/** Tests that failed and passed on the same content, in words and as data. */
import type { State } from '../core/state.ts'
import type { Instant } from '../core/types.ts'

/** `test` null: the runner of the gate names no tests. `iteration`: the last one before or in which it was seen. */
export type FlakyTest = { gate: string; test: string | null; times: number; iteration: number }

/** Often seen ones first. */
export const flakyTests = ({ flakes }: Pick<State, 'flakes'>): FlakyTest[] =>
  flakes
    .map(({ gate, test, times, iteration }) => ({ gate, test: test === '' ? null : test, times, iteration }))
    .toSorted((one, other) => other.times - one.times)

/** "net (gate tests, 2 times, last in iteration 4)" */
export function flakyWords({ gate, test, times, iteration }: FlakyTest): string {
  const often = times === 1 ? 'once' : `${times} times, last`
  const where = iteration === 0 ? 'before the first iteration' : `in iteration ${iteration}`
  return `${test ?? 'a test'} (gate ${gate}, ${often} ${where})`
}

/** Those that an event has shown, by gate. */
export function flakyAt({ flakes }: State, at: Instant): string[] {
  const found = flakes.filter((flake) => flake.at === at)
  return [...new Set(found.map(({ gate }) => gate))].map((gate) => {
    const tests = found.flatMap((flake) => (flake.gate === gate && flake.test !== '' ? [flake.test] : []))
    return `gate ${gate} is flaky: ${tests.length === 0 ? 'it' : tests.join(', ')} failed and passed on the same content`
  })
}
