/** Findings about parts of changed functions that no test reaches. */
import type { Finding } from '../finding.ts'
import type { Reach } from './probes.ts'
import type { Telling } from './telling-parts.ts'

const most = 3

/** `found`: what is known of these files already; nobody needs to be told twice. */
export function fromUnreached(unreached: Reach[], found: Finding[]): Finding[] {
  const fresh = unreached
    .map(findingOf)
    .filter(({ rule, file }) => !found.some((other) => other.rule === rule && other.file === file))
  return fresh.filter((one, index) => fresh.findIndex((other) => isAlike(one, other)) === index).slice(0, most)
}

const isAlike = (one: Finding, other: Finding): boolean =>
  one.rule === other.rule && one.file === other.file && one.line === other.line

const rules = {
  surroundings: 'test-detected',
  value: 'not-shown',
  equal: 'special-case',
  assertions: 'test-weak',
  declares: 'test-weak',
  calls: 'not-shown',
} as const

function findingOf({ file, line, shown, told, isElse }: Reach): Finding {
  const words = `${(isElse && always[told]) || never[told]}: ${shown} in ${file} (line ${line})`
  return { rule: rules[told], file, line, words, isBeyondChecks: true }
}

const always: Partial<Record<Telling, string>> = {
  surroundings: 'checks something that is always true in tests, whatever the arguments',
  value: 'has a condition that is always true in tests',
  equal: 'checks for a value, and no test passes another one',
}
const never = {
  assertions: 'added a test none of whose assertions runs',
  declares: 'declares tests in a loop that never runs',
  calls: 'has a function that the story asks for and no test calls',
  surroundings: 'has a branch that tests never reach, whatever the arguments',
  value: 'has a result that no test reaches',
  equal: 'has a case that no test reaches',
}
