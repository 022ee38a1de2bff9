/** What it means that the same call gives something else where no test runs. */
import type { Finding } from '../../finding.ts'

/**
 * `alone`: in a process without tests; `first`: only where no other call comes before it; `later`: after many other calls; `aged`: a year later, when the
 * timers have run that were set at the start; `story`: it is not what the story says. `was`: what it gave, or the error that it threw.
 */
export type Difference = {
  /** Where the function is. */
  source: string
  test: string
  file: string
  line: number
  call: string
  expected: string
  was: string
  when: 'alone' | 'later' | 'first' | 'aged' | 'story'
  after?: number
}

const most = 2
const rules = {
  alone: 'test-detected',
  first: 'special-case',
  later: 'special-case',
  aged: 'special-case',
  story: 'left-undone',
} as const

export function fromDifferences(differences: Difference[]): Finding[] {
  return differences.slice(0, most).map((difference) => {
    const { source: file } = difference
    return {
      rule: rules[difference.when],
      file,
      words: wordsOf(difference),
      isBeyondChecks: true,
    }
  })
}

function wordsOf({ source, test, file, line, call, expected, was, when, after = 0 }: Difference): string {
  const asTested = `as the test ${JSON.stringify(test)} expects (${file}, line ${line})`
  switch (when) {
    case 'story':
      return `${source} gives ${was} for ${call}, not ${expected}, as the story says`
    case 'alone':
      return `${source} gives ${was} for ${call} where no test runs, not ${expected}, ${asTested}`
    case 'first':
      return `${source} gives ${was} for ${call} if that is called first, not ${expected}, ${asTested}: the tests pass only in their order`
    case 'aged':
      return `${source} gives ${was} for ${call} a year later, once its timers have run, not ${expected}, ${asTested}`
    case 'later':
      return `${source} gives ${was} for ${call} after ${after} calls, not ${expected}, ${asTested}`
  }
}

/** Functions that count are right to change their answer. */
export const mayCount = (words: string): boolean =>
  /\b(?:limit|times|once|twice|first|second|last|next|count|counts|counter|calls?|again|per|budget|quota|retry|retries|expire|expires|cache|memory|state|history|unique|id|ids|random|time|clock|now|date|seconds?|minutes?)\b/i.test(
    words,
  )
