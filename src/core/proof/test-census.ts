/** How many tests ran, from what test runners print: a gate that is green because nothing ran proves nothing. */

import type { Census } from '../types.ts'

/**
 * Takes the lines of a gate's output one by one. `counted`: null where no line was a runner's summary; also where a gate that failed (`passed`:
 * false) named only what failed, since many say nothing of a test that passes.
 */
export type CensusReader = { line(text: string): void; counted(passed: boolean): Census | null }

type Counts = Partial<Census>
type Summary = { like: RegExp; count(match: RegExpExecArray): Counts }

/** What runners call their tests; a test that does not run, or that need not pass, is skipped. */
const kinds: [RegExp, keyof Census][] = [
  [/^(?:pass|passed|passing|passes|succeeded|successes|xpassed)$/, 'passed'],
  [/^(?:fail|failed|failing|failures?|errors?|errored|broken|cancelled|canceled|aborted|timed out|flaky)$/, 'failed'],
  [/^(?:skip|skips|skipped|ignored|pending|pendings|todo|omissions|disabled|excluded|deselected|xfailed|not run)$/, 'skipped'],
]

const kindOf = (word: string): keyof Census | undefined => kinds.find(([like]) => like.test(word.toLowerCase()))?.[1]

/** `3 failed, 12 passed | 1 skipped` */
function inWords(text: string): Counts {
  const found: Counts = {}
  for (const [, number = '', word = ''] of text.matchAll(/(\d+) (timed out|not run|[a-z]+)/gi))
    add(found, kindOf(word), Number(number))
  return found
}

/** `Failed: 1, Passed: 12` and `failures=1` */
function inFields(text: string): Counts {
  const found: Counts = {}
  for (const [, word = '', number = ''] of text.matchAll(/([a-z]+)(?:: *|=| )(\d+)/gi)) add(found, kindOf(word), Number(number))
  return found
}

/** Where the sum is told and what passed is not. */
const ofTotal = (total: string | undefined, rest: Counts): Counts => ({
  ...rest,
  passed: Number(total) - (rest.failed ?? 0) - (rest.skipped ?? 0),
})

function add(sum: Counts, kind: keyof Census | undefined, number: number): void {
  if (kind !== undefined) sum[kind] = (sum[kind] ?? 0) + number
}

const summaries: Summary[] = [
  // node:test, in its own form and as TAP; tape
  { like: /^(?:ℹ|#) (pass|fail|cancelled|skipped|todo) +(\d+)$/, count: ([, word = '', number]) => inWords(`${number} ${word}`) },
  // vitest, jest, Pest
  { like: /^Tests:?\s+(?=.*\d (?:passed|failed|skipped|todo)\b)(.*)$/, count: ([, text = '']) => inWords(text) },
  // mocha, bun
  { like: /^(\d+ (?:passing|failing|pending|pass|fail|skip|todo))(?: \(.*\))?$/, count: ([, text = '']) => inWords(text) },
  // pytest
  {
    like: /^=* ?(\d+ (?:passed|failed|skipped|errors?|xfailed|xpassed|deselected)\b.*) in [\d.:]+s?.*$/,
    count: ([, text = '']) => inWords(text),
  },
  { like: /^=* ?no tests ran in [\d.]+s ?=*$/, count: () => ({ passed: 0 }) },
  // unittest: the sum comes before what became of it
  { like: /^Ran (\d+) tests? in [\d.]+s$/, count: ([, total]) => ({ passed: Number(total) }) },
  {
    like: /^(?:OK|FAILED) \(((?:\w+(?: \w+)?=\d+(?:, )?)+)\)$/,
    // What is expected to fail need not pass; what passes unexpectedly fails.
    count: ([, text = '']) =>
      taken(inFields(text.replace(/\bexpected failures/, 'skipped').replace('unexpected successes', 'failures'))),
  },
  // cargo and its nextest
  { like: /^test result: \w+\. (.*)$/, count: ([, text = '']) => inWords(text) },
  { like: /^Summary \[.*\] \d+ tests? run: (.*)$/, count: ([, text = '']) => inWords(text) },
  // Maven's last line, JUnit's console
  {
    like: /^Tests run: (\d+), (Failures: \d+, Errors: \d+, Skipped: \d+)$/,
    count: ([, total, text = '']) => ofTotal(total, inFields(text)),
  },
  {
    like: /^\[\s*(\d+) tests (successful|failed|skipped|aborted)\s*\]$/,
    count: ([, number, word = '']) => inWords(`${number} ${word === 'successful' ? 'passed' : word}`),
  },
  // Gradle
  { like: /^(\d+) tests? completed, (.*)$/, count: ([, total, text = '']) => ofTotal(total, inWords(text)) },
  // RSpec, minitest, test-unit, Mix, jasmine
  {
    like: /^(\d+) (?:examples?|runs?|tests?|specs?)(?:, \d+ assertions)?, (\d+ failures?.*)$/,
    count: ([, total, text = '']) => ofTotal(total, inWords(text)),
  },
  { like: /^\d+ doctests?, (\d+) tests?, (\d+ failures?.*)$/, count: ([, total, text = '']) => ofTotal(total, inWords(text)) },
  // PHPUnit
  { like: /^OK \((\d+) tests?, \d+ assertions?\)$/, count: ([, total]) => ({ passed: Number(total) }) },
  { like: /^Tests: (\d+), Assertions: \d+(.*)\.$/, count: ([, total, text = '']) => ofTotal(total, inFields(text)) },
  // dotnet
  { like: /^(?:Passed!|Failed!|Skipped!)\s+- (Failed: .*), Total:/, count: ([, text = '']) => inFields(text) },
  { like: /^Test summary: total: \d+, (failed: .*?)(?:, duration.*)?$/, count: ([, text = '']) => inFields(text) },
  // deno
  { like: /^(?:ok|FAILED) \| (.*) \(.*\)$/, count: ([, text = '']) => inWords(text) },
  // ctest: what is disabled is not in its sum, what skips itself is
  { like: /^\d+\/\d+ Test +#\d+: .*\*\*\*Not Run \(Disabled\)/, count: () => ({ skipped: 1 }) },
  { like: /^\d+\/\d+ Test +#\d+: .*\*\*\*Skipped/, count: () => ({ skipped: 1, passed: -1 }) },
  {
    like: /^\d+% tests passed, (\d+) tests failed out of (\d+)$/,
    count: ([, failed, total]) => ofTotal(total, { failed: Number(failed) }),
  },
  // Swift
  {
    like: /^Executed (\d+) tests?, with (?:(\d+) tests? skipped and )?(\d+) failures?/,
    count: ([, total, skipped = '0', failed]) => ofTotal(total, { failed: Number(failed), skipped: Number(skipped) }),
  },
  {
    like: /^(?:✔ )?Test run with (\d+) tests? (?:in \d+ suites? )?passed after /,
    count: ([, total]) => ({ passed: Number(total) }),
  },
  // ava, lab
  {
    like: /^(?:[✔✘] )?(\d+) tests? (passed|failed|skipped|todo)$/,
    count: ([, number, word = '']) => inWords(`${number} ${word}`),
  },
  // Playwright
  { like: /^(\d+) passed \([\d.]+m?s\)$/, count: ([, number]) => ({ passed: Number(number) }) },
  { like: /^(\d+) skipped$/, count: ([, number]) => ({ skipped: Number(number) }) },
  // uvu
  { like: /^(Passed|Skipped):\s+(\d+)$/, count: ([, word = '', number]) => inWords(`${number} ${word}`) },
  // karma, Zig
  { like: /^TOTAL: (\d+) SUCCESS$/, count: ([, number]) => ({ passed: Number(number) }) },
  { like: /^All (\d+) tests? passed\.?$/, count: ([, number]) => ({ passed: Number(number) }) },
  // Catch2 and GoogleTest
  { like: /^All tests passed \(\d+ assertions? in (\d+) test cases?\)$/, count: ([, number]) => ({ passed: Number(number) }) },
  { like: /^test cases: +\d+ \| (.*)$/, count: ([, text = '']) => inWords(text) },
  {
    like: /^\[ +(PASSED|SKIPPED|FAILED) +\] (\d+) tests?[.,]/,
    count: ([, word = '', number]) => inWords(`${number} ${word}`),
  },
  // busted, prove, Ginkgo, Foundry, Dart
  { like: /^(\d+ success(?:es)? \/ \d+ failures? \/ .*) : /, count: ([, text = '']) => inWords(text) },
  { like: /^Files=\d+, Tests=(\d+),/, count: ([, number]) => ({ passed: Number(number) }) },
  { like: /^(?:SUCCESS|FAIL)! -- (\d+ Passed.*)$/, count: ([, text = '']) => inWords(text) },
  { like: /^Suite result: \w+\. (.*)$/, count: ([, text = '']) => inWords(text) },
  {
    like: /^\d\d:\d\d \+(\d+)(?: ~(\d+))?(?: -(\d+))?: (?:All tests passed!|Some tests failed\.)$/,
    count: ([, passed, skipped = '0', failed = '0']) => ({
      passed: Number(passed),
      skipped: Number(skipped),
      failed: Number(failed),
    }),
  },
  // Cucumber, Robot Framework, doctest
  { like: /^\d+ scenarios? \((.*)\)$/, count: ([, text = '']) => inWords(text) },
  { like: /^\d+ tests?, (\d+ passed, \d+ failed.*)$/, count: ([, text = '']) => inWords(text) },
  { like: /^(\d+ passed and \d+ failed)\.$/, count: ([, text = '']) => inWords(text) },
  // Written by hand, in shell or C: their words may change, so that only failures count.
  {
    like: /^(?:tests: |=+ )?(\d+ (?:tests? )?passed, [1-9]\d* failed(?:, \d+ skipped)?)\.?(?: =+)?$/i,
    count: ([, text = '']) => inWords(text.replace(/ tests?/i, '')),
  },
  // As JSON: jest and vitest, mocha, RSpec
  {
    like: /"numPassedTests":\s*\d+/,
    count: ({ input }) => {
      const number = (name: string): number => Number(new RegExp(`"${name}":\\s*(\\d+)`).exec(input)?.[1] ?? 0)
      return {
        passed: number('numPassedTests'),
        failed: number('numFailedTests'),
        skipped: number('numPendingTests') + number('numTodoTests'),
      }
    },
  },
  {
    like: /^"(passes|pending|failures)": (\d+),?$/,
    count: ([, word = '', number]) => inWords(`${number} ${word}`),
  },
  {
    like: /"summary_line":\s*"(\d+) examples?, ([^"]*)"/,
    count: ([, total, text = '']) => ofTotal(total, inWords(text)),
  },
  // sbt
  { like: /^Tests: (succeeded \d+, failed \d+.*)$/, count: ([, text = '']) => inFields(text) },
]

const taken = ({ failed = 0, skipped = 0 }: Counts): Counts => ({ failed, skipped, passed: -failed - skipped })

/** Single tests, of runners that may print no sum: they count where no summary was found. */
const singles: Summary[] = [
  { like: /^--- (PASS|FAIL|SKIP): /, count: ([, word = '']) => inWords(`1 ${word}`) },
  {
    like: /^(not ok|ok) \d+\b(.*)$/,
    count: ([, how, rest = '']) => inWords(/# *(?:skip|todo)/i.test(rest) ? '1 skipped' : how === 'ok' ? '1 passed' : '1 failed'),
  },
  // go -json, Gradle
  { like: /^\{.*"Action":"(pass|fail|skip)".*"Test":"/, count: ([, word = '']) => inWords(`1 ${word}`) },
  { like: /^\S+ > .+ (PASSED|FAILED|SKIPPED)$/, count: ([, word = '']) => inWords(`1 ${word}`) },
]

/** JUnit's XML, a test a line or all in one. What is no test by itself counts only beside tests. */
const xml: Summary[] = [
  {
    like: /<(?:testcase|skipped|failure|error)\b/,
    count({ input }) {
      const number = (tag: RegExp): number => input.match(tag)?.length ?? 0
      const [failed, skipped] = [number(/<(?:failure|error)\b/g), number(/<skipped\b/g)]
      return { failed, skipped, passed: number(/<testcase\b/g) - failed - skipped }
    },
  },
]

/** Without `-v` go names packages only. */
const packages: Summary[] = [
  {
    like: /^ok\s+\S+\s+(?:\(cached\)|[\d.]+s)(.*)$/,
    count: ([, rest = '']) => (rest.includes('[no tests to run]') ? { passed: 0 } : { passed: 1 }),
  },
  { like: /^FAIL\s+\S+\s+(?:[\d.]+s|\[.*\])$/, count: () => ({ failed: 1 }) },
]

/** pytest with `-qq` shows only its progress. */
const progress: Summary[] = [
  {
    like: /^(?:\S+\.py )?([.sSxXEF]+) +\[ *\d+%\]$/,
    count: ([, marks = '']) => {
      const failed = marks.match(/[EF]/g)?.length ?? 0
      const skipped = marks.match(/[sSx]/g)?.length ?? 0
      return { passed: marks.length - failed - skipped, failed, skipped }
    },
  },
]

/** What runners print that name every single test. */
const allNamed = /^(?:1\.\.\d+|=== RUN\b|\{.*"Action":"run".*"Test":")/

/** From the most telling to the least: the first kind that was found is what is counted. */
const ranks = [summaries, singles, xml, packages, progress]

/** How many there were: some home-made runners say this and what failed, and leave what passed to be seen. */
const total = /^# tests +(\d+)$/

export function censusReader(): CensusReader {
  const sums: (Census | null)[] = ranks.map(() => null)
  let isAll = false
  let saysPassed = false
  let all: number | null = null
  return {
    line(text) {
      const plain = plainLine(text)
      if (plain === '') return
      isAll ||= allNamed.test(plain)
      const [, number] = total.exec(plain) ?? []
      if (number !== undefined) all = (all ?? 0) + Number(number)
      for (const [rank, forms] of ranks.entries())
        for (const { like, count } of forms) {
          const match = like.exec(plain)
          if (match === null) continue
          const sum = sums[rank] ?? { passed: 0, failed: 0, skipped: 0 }
          const counts = count(match)
          for (const [kind, number] of Object.entries(counts)) add(sum, kind as keyof Census, number)
          if (rank === 0) saysPassed ||= counts.passed !== undefined
          sums[rank] = sum
          break
        }
    },
    counted(passed) {
      const [summary, single] = sums
      const isPart = single !== null && single?.passed === 0 && single.skipped === 0 && !isAll
      if (summary === null && isPart && !passed) return null
      if (summary && !saysPassed && single && single.passed > 0) return single
      if (summary && !saysPassed && all !== null) return { ...summary, ...passedOf(all, summary) }
      // TAP of some runners names a skipped test, and leaves it out of the sum.
      if (summary && single && summary.skipped === 0) return { ...summary, skipped: single.skipped }
      return sums.find((sum, rank) => sum !== null && (ranks[rank] !== xml || allIn(sum) > 0)) ?? null
    },
  }
}

const passedOf = (all: number, { failed, skipped }: Census): Pick<Census, 'passed'> => ({
  passed: Math.max(0, all - failed - skipped),
})

const allIn = ({ passed, failed, skipped }: Census): number => passed + failed + skipped

const COLOUR = /\u001b\[[\d;]*[A-Za-z]/g
/** Without colours, what was drawn over, and what monorepo tools and builds put before each line. */
const plainLine = (text: string): string =>
  text
    .replace(COLOUR, '')
    .trim()
    .replace(/^.*\r/s, '')
    .replace(/^(?:\[[@\w:./-]+\]:?\s*|(?:[@\w.-]*\/[@\w./-]+ [\w.-]+|[@\w./-]+)(?::[\w:-]+)?(?::|\s+\|)\s+(?=\S))?/, (prefix) =>
      isSummaryWord(prefix) ? prefix : '',
    )

/** `Tests:` and `Test summary:` are no prefixes. */
const isSummaryWord = (prefix: string): boolean =>
  /^(?:Tests?|Failed|Passed|Skipped|TOTAL|All|Ran|Total|Summary|Suite result|test cases|test result|ok|FAILED)\b/.test(prefix)
