/** New tests that pass where another value stands in place of the one that they expect: no gate runs them, or nobody heeds what they say. */

import { type TestBlock, testBlocks } from '../../tamper/changed-tests/test-blocks.ts'
import { changesOf, type FileChange } from '../../tamper/code/change.ts'
import { isTestCode } from '../../tamper/code/files.ts'
import { type Language, testsIn } from '../../tamper/code/languages.ts'
import { lineNumbers } from '../../text/line-numbers.ts'
import { isOwnTest } from '../check-files.ts'
import type { Finding } from '../finding.ts'
import { type ExpectedValue, expectedIn } from './expected-values.ts'
import { isNamedIn } from './unheeded.ts'

/** A new test that expects a value; `name` is empty where only its runner can tell tests apart. */
export type Expecting = { name: string; file: string; line: number }
/** `texts`: the files with other values in them. */
export type OtherValues = { tests: Expecting[]; texts: Map<string, string> }

/** In lines that came with the story; `all`: in every line. */
export function withOtherValues(files: FileChange[], all = false): OtherValues {
  const found: OtherValues = { tests: [], texts: new Map() }
  for (const { path, after, afterText, added, movedFrom } of changesOf(files)) {
    if (!mayExpect(path) || afterText === '') continue
    const fresh = new Set((all ? after : added.filter((line) => !movedFrom.has(line))).map(({ at }) => at))
    const language = testsIn(path)?.language
    const blocks = language === undefined ? [] : testBlocks({ path, lines: after, language })
    const isOnlyTests = blocks.length === 0 && isOwnTest(path) && !offers.test(afterText)
    const isMarked = ({ lines }: TestBlock): boolean =>
      language !== undefined && lines.some(({ code }) => marks(language).some((mark) => code.search(mark) !== -1))
    const lineAt = lineNumbers(afterText)
    const places = expectedIn(path, afterText).flatMap((place) => {
      const line = lineAt(place.from)
      const around = blocks.findLast(({ at, end }) => at <= line && line <= end)
      return fresh.has(line) && (around === undefined ? isOnlyTests : !isMarked(around)) ? [{ ...place, line, around }] : []
    })
    if (places.length === 0) continue
    const tests = new Map<number, Expecting>()
    for (const { line, around } of places) {
      const name = around?.name ?? ''
      const at = around?.at ?? line
      const key = name === '' ? 0 : at // without names nothing tells them apart
      if (!tests.has(key)) tests.set(key, { name, file: path, line: at })
    }
    found.tests.push(...tests.values())
    found.texts.set(path, withOther(afterText, places))
  }
  return found
}

/** Tests of browsers and the like are run elsewhere. */
const ofOtherRunners = /(^|\/)(?:e2e|cypress|playwright|bench(?:marks?)?)\//
const hasCode = /\.(?:[cm]?[jt]sx?|py|go|rs|java|kts?|rb|php|cs|swift|c|cc|cpp|cxx|exs?|sh|bash|bats)$/

export const mayExpect = (path: string): boolean =>
  hasCode.test(path) && !ofOtherRunners.test(path) && (isTestCode(path) || isOwnTest(path) || path.endsWith('.rs'))

/** Skipped, or expected to fail: that is told elsewhere. */
const marks = ({ skips, skipsNow, fails }: Language): RegExp[] => [skips, skipsNow, fails].filter((mark) => mark !== undefined)

/** What others load helps them: what it compares may be anything. */
const offers = /^\s*export\s|\bmodule\.exports\b|^exports\.\w/m

function withOther(text: string, places: ExpectedValue[]): string {
  let [now, at] = ['', 0]
  for (const { from, to, other } of places.toSorted((one, two) => one.from - two.from)) {
    if (from < at) continue
    now += text.slice(at, from) + other
    at = to
  }
  return now + text.slice(at)
}

/** `failing`: the tests that fail now, by the names that the runner prints. */
export const passingStill = (tests: Expecting[], failing: string[]): Expecting[] =>
  tests.filter(({ name }) => !isNamedIn(failing, name))

/** `isWhole`: every gate is green, whatever the new tests of a file expect. */
export type Accepting = Expecting & { isWhole?: true }

export function fromAccepting(accepting: Accepting[]): Finding[] {
  const whole = accepting.filter(({ isWhole }) => isWhole === true)
  const [first] = whole
  const files = [...new Set(whole.map(({ file }) => file))]
  const ofGates: Finding[] =
    first === undefined
      ? []
      : [
          {
            rule: 'test-weak',
            file: first.file,
            line: first.line,
            words: `has new tests that its gates do not run or heed: they stay green when these expect other values: ${files.slice(0, 3).join(', ')}`,
            isBeyondChecks: true,
          },
        ]
  const single = accepting
    .filter(({ isWhole }) => isWhole !== true)
    .map(
      ({ name, file, line }): Finding => ({
        rule: 'test-weak',
        file,
        line,
        words: `has a test that also passes when it expects another value: ${JSON.stringify(name)} in ${file} (line ${line})`,
        isBeyondChecks: true,
      }),
    )
  return [...ofGates, ...single]
}
