/** Tests that are newly skipped, expected to fail, or hidden by another one. Counted by file: marks that existed, or moved from another file, are not new. */
import type { Finding, FindingRule } from '../../proof/finding.ts'
import { type Change, keyOf } from '../code/change.ts'
import { type Language, markOf, testsIn } from '../code/languages.ts'
import type { SourceLine } from '../code/source-lines.ts'
import { sayMarks } from '../rules/line-rule.ts'

type Marked = { mark: string; at: number; line: SourceLine }

/** `removed`: in which files each line was. `work`: the functions that changed, or that the story names. */
type Around = { removed: Map<string, Set<string>>; work: Set<string> }

export function skippedTests(change: Change, around: Around): Finding[] {
  const tests = testsIn(change.path)
  if (tests === null) return []
  const { language } = tests
  const kinds: Kind[] = [
    {
      rule: 'test-skipped',
      marks: (line, above) => skipsIn(line, above, language),
      say: (count) => `${sayTests(count)} newly skipped in`,
    },
    {
      rule: 'test-expected-to-fail',
      marks: (line) => marksIn(line, language.fails),
      say: (count) => `${sayTests(count)} expected to fail in`,
    },
    {
      rule: 'test-conditional',
      // A new file of tests may need what is not installed everywhere.
      marks: (line, above) =>
        conditionalIn(line, above, language).filter((mark) => change.kind !== 'added' || !/importorskip/.test(mark)),
      say: (count) => `${sayTests(count)} newly skipped under a condition in`,
    },
    { rule: 'test-focused', marks: (line) => marksIn(line, language.focuses), say: () => 'disabled the other tests of' },
  ]
  return [...kinds.flatMap((kind) => fresh(change, around, kind)), ...panicsOfAssertions(change)]
}

/** A test in Rust that should panic passes where its own assertion fails; with the words of the panic it does not. */
function panicsOfAssertions({ path, added, after }: Change): Finding[] {
  if (!path.endsWith('.rs')) return []
  return added.flatMap((line): Finding[] => {
    if (!/^\s*#\[should_panic\s*\]/.test(line.code)) return []
    const rest = after.slice(after.indexOf(line) + 1)
    const body = rest.slice(0, 1 + rest.findIndex(({ code }) => /^\s*\}\s*$/.test(code)))
    const asserted = body.find(({ code }) => /\bassert(?:_eq|_ne)?!/.test(code))
    const words = `expects an assertion to fail in ${path} (#[should_panic], line ${line.at})`
    return asserted === undefined
      ? []
      : [{ rule: 'test-expected-to-fail', file: path, line: line.at, words, isBeyondChecks: true }]
  })
}

type Kind = { rule: FindingRule; marks: (line: SourceLine, above: string) => string[]; say: (count: number) => string }

function fresh(change: Change, { removed: removedIn, work }: Around, { rule, marks, say }: Kind): Finding[] {
  const { path, added, removed, after, before } = change
  const within = (lines: SourceLine[], whole: SourceLine[]): Marked[] =>
    lines.flatMap((line) => {
      const found = marks(line, '')
      if (found.length === 0) return []
      return marks(line, aboveOf(whole, line)).map((mark) => ({ mark, at: line.at, line }))
    })
  const now = within(added, after)
  if (now.length === 0) return []
  const was = within(removed, before)
  const isOfOthers = (line: SourceLine): boolean => [...(removedIn.get(keyOf(line)) ?? [])].some((other) => other !== path)
  const own = now.filter(({ line }) => !isOfOthers(line))
  const count = own.length - was.length
  if (count <= 0) return []
  const known = new Set(removed.map(keyOf))
  const shown = own.filter(({ line }) => !known.has(keyOf(line))).slice(0, count)
  return [
    {
      rule,
      file: path,
      ...(shown[0] === undefined ? {} : { line: shown[0].at }),
      ...(isUnconditional(rule) && shown.some(({ line }) => isOfNewTest(change, line, work)) ? { isBeyondChecks: true } : {}),
      words: `${say(count)} ${path} (${sayMarks(shown)})`,
    },
  ]
}

const isUnconditional = (rule: FindingRule): boolean => rule === 'test-skipped' || rule === 'test-expected-to-fail'

/** Above a test, one a line. */
const attribute = /^\s*(?:@|#\[|\[)/

/** The old checks do not have it: that they pass says nothing about it. A known bug of something else may be written down. */
function isOfNewTest({ path, before, after }: Change, line: SourceLine, work: Set<string>): boolean {
  const declares = testsIn(path)?.language.declares
  if (declares === undefined) return false
  // With a name of its own it is for others.
  if (/^\w+\s*=/.test(line.code) && !/^pytestmark\b/.test(line.code)) return true
  const at = after.indexOf(line)
  const first = after.slice(0, at + 1).findLastIndex(({ code }) => !attribute.test(code)) + 1
  const below = after.slice(first, at + 6).find(({ code }) => declares.test(code))
  const marked = attribute.test(line.code) ? below : after.slice(0, at + 1).findLast(({ code }) => declares.test(code))
  const isMark = marked !== undefined && attribute.test(marked.code) && !/\bfn\b|\(\)\s*\{/.test(marked.code)
  const test = isMark ? after.slice(after.indexOf(marked)).find(({ code }) => !attribute.test(code)) : marked
  const from = test === undefined ? -1 : after.indexOf(test)
  const end = after.findIndex(({ code }, index) => index > from && declares.test(code))
  const words = after.slice(from, end === -1 ? after.length : end).flatMap(({ code }) => code.match(/\w+/g) ?? [])
  if (work.size > 0 && !words.some((word) => work.has(word))) return false
  if (test === undefined) return false
  // A short title has no long word: without a name to look for, nothing says that it is new.
  const name = /(['"`])([^'"`]+)\1/.exec(test.text)?.[2] ?? test.text.match(/[A-Za-z_]\w{5,}/g)?.at(-1)
  return name !== undefined && !before.some(({ text }) => text.includes(name))
}

const aboveOf = (lines: SourceLine[], line: SourceLine): string => lines[lines.indexOf(line) - 1]?.code ?? ''

function skipsIn(line: SourceLine, above: string, { skips, skipsNow }: Language): string[] {
  return [...marksIn(line, skips), ...(isCondition.test(above) && isOfPlace.test(above) ? [] : marksIn(line, skipsNow))]
}

/** Where tests run, and what is installed there, may decide. */
function conditionalIn(line: SourceLine, above: string, { skipsNow }: Language): string[] {
  const { code, bare } = line
  const mark =
    /\b(?:skipIf|runIf)\s*\(|\bskip\s*:\s*(?!true\b|false\b|['"`])\S|\bpytest\.(?:mark\.skipif|importorskip)\b|@(?:unittest\.)?skip(?:If|Unless)\b/.exec(
      code,
    )?.[0] ??
    /\bassume(?:True|That|False)\([^;]*\bget(?:env|Property)\b/.exec(code)?.[0] ??
    (/^\s*(?:if|unless)\b.*\.skip\w*\s*\(|\.(?:skip|skipTest|Skip\w*)\(.*\)\s*(?:if|unless)\b/.test(code) ? 'skip' : undefined) ??
    (isCondition.test(above) && skipsNow !== undefined && code.search(skipsNow) !== -1 ? 'skip' : undefined)
  return mark === undefined || isPlace.test(bare) || isPlace.test(above) ? [] : [mark.trim()]
}

const isPlace =
  /platform|\bos\b|win(?:dows|32)|darwin|linux|macos|version|GOOS|GOARCH|Short\(\)|browser|mobile|\barch\b|\bisCI\b|installed|available|which|has[A-Z_]|HAVE_|exists|network|docker|root|getuid|support|feature/i

const isCondition = /^\s*(?:\}\s*)?(?:if|elif|else|unless|except|catch|rescue|guard)\b|\?\s*$/
/** Tests may depend on where they run, and on what is installed there. */
const isOfPlace = /^(?!.*(?:\bCI\b|\btrue\b|\bTrue\b|\b1\b))/

const marksIn = ({ code }: SourceLine, pattern: RegExp | undefined): string[] =>
  pattern === undefined ? [] : [...code.matchAll(pattern)].map(([found]) => markOf(found))

const sayTests = (count: number): string => `${count} ${count === 1 ? 'test' : 'tests'}`
