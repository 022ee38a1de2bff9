/** Tests that are skipped now, expected to fail, or hidden by another one. Counted by file: marks that were there, or came from another file, are not new. */
import type { Finding, FindingRule } from '../../proof/finding.ts'
import { type Change, keyOf } from '../code/change.ts'
import { type Language, markOf, testsIn } from '../code/languages.ts'
import type { SourceLine } from '../code/source-lines.ts'
import { sayMarks } from './line-rule.ts'

type Marked = { mark: string; at: number; line: SourceLine }

/** `removed`: in which files each line was. */
export function skippedTests(change: Change, removed: Map<string, Set<string>>): Finding[] {
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
  return kinds.flatMap((kind) => fresh(change, removed, kind))
}

type Kind = { rule: FindingRule; marks: (line: SourceLine, above: string) => string[]; say: (count: number) => string }

function fresh(change: Change, removedIn: Map<string, Set<string>>, { rule, marks, say }: Kind): Finding[] {
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
      words: `${say(count)} ${path} (${sayMarks(shown)})`,
    },
  ]
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
