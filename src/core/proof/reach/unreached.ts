/** What it means that no test reaches a part of a changed function. */
import type { Finding } from '../finding.ts'
import type { Reach } from './probes.ts'

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

const rules = { surroundings: 'test-detected', value: 'not-shown', equal: 'special-case' } as const

function findingOf({ file, line, shown, told, isElse }: Reach): Finding {
  const words = `${isElse ? always[told] : never[told]}: ${shown} in ${file} (line ${line})`
  return { rule: rules[told], file, line, words, isBeyondChecks: true }
}

const always = {
  surroundings: 'asks for something that is always so when the tests run, whatever the function is given',
  value: 'has a condition that always holds when the tests run',
  equal: 'asks for a value, and no test gives another one',
}
const never = {
  surroundings: 'does something else where the tests never get, whatever the function is given',
  value: 'has a result that no test reaches',
  equal: 'has a case that no test reaches',
}
