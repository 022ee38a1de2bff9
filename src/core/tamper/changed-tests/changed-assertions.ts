/** What changed inside existing tests: assertions, expected values, conditions. */
import type { Finding, FindingRule } from '../../proof/finding.ts'
import { type Change, keyOf } from '../code/change.ts'
import { type Language, languageOf, testsIn } from '../code/languages.ts'
import type { SourceLine } from '../code/source-lines.ts'
import { changedLiterals, literalsIn, skeletonOf, statementAt } from '../code/statements.ts'
import type { MatchedTests, TestPair } from './matched-tests.ts'
import { type Assertion, outsideTests, type TestBlock, testBlocks, tolerance } from './test-blocks.ts'

/** `what` completes "… in test/a.test.ts (line 3)". */
type ChangeMark = { rule: FindingRule; path: string; at: number; what: string }

const most = 3

export function changedTests(changes: Change[], { pairs, fresh }: MatchedTests): Finding[] {
  const all = [...pairs, ...aroundTests(changes)]
  const moved = new Set([...fresh.flatMap(({ assertions }) => assertions), ...all.flatMap(gainedIn)].map(({ text }) => text))
  const come = new Set(changes.flatMap(({ path, added }) => (testsIn(path) === null ? [] : added.map(keyOf))))
  const isFewer = countOf(changes, 'after') < countOf(changes, 'before')
  const rowsIn = Map.groupBy(
    changes.flatMap(({ path, added }) => (testsIn(path) === null ? [] : added.map((line) => ({ path, line })))),
    ({ path }) => path,
  )
  const marks = all.flatMap((pair) => [
    ...changedAssertions(withInner(pair, fresh), moved, rowsIn.get(pair.after.path)?.map(({ line }) => line) ?? []).filter(
      ({ rule }) => isFewer || pair.before.name !== '' || rule.startsWith('assertion-w') || rule === 'assertion-changed',
    ),
    ...changedValues(pair, come),
    ...newConditions(pair),
  ])
  return [...Map.groupBy(marks, ({ rule, path }) => `${rule} ${path}`).values()].map(asFinding)
}

/** New tests inside a test, such as those of a table, are part of it. */
function withInner({ before, after }: TestPair, fresh: TestBlock[]): TestPair {
  const inner = fresh.filter(({ path, at }) => path === after.path && at > after.at && at <= after.end)
  if (inner.length === 0 || after.name === '') return { before, after }
  const lines = [...after.lines, ...inner.flatMap((block) => block.lines)]
  return {
    before,
    after: { ...after, lines, assertions: [...after.assertions, ...inner.flatMap(({ assertions }) => assertions)] },
  }
}

/** How many assertions all changed files of tests have together. */
const countOf = (changes: Change[], side: 'before' | 'after'): number =>
  changes.flatMap(({ path, [side]: lines }) => lines.filter(({ code }) => testsIn(path)?.language.asserts.test(code) === true))
    .length

function asFinding(marks: ChangeMark[]): Finding {
  const { rule, path, at } = marks[0] as ChangeMark
  const shown = marks.slice(0, most).map(({ what, at: line }) => `${what} (line ${line})`)
  const rest = marks.length > most ? ` and ${marks.length - most} more` : ''
  return { rule, file: path, line: at, words: `${shown.join('; ')}${rest} in ${path}` }
}

/** What test files have around their tests, and files that help tests. */
function aroundTests(changes: Change[]): TestPair[] {
  return changes.flatMap((change): TestPair[] => {
    const { path, kind, before, after } = change
    const tests = testsIn(path)
    const language = tests === null || (tests.language.isAnywhere && !tests.isNamed) ? languageOfHelper(change) : tests.language
    if (kind !== 'modified' || language === undefined) return []
    return [{ before: outsideTests({ path, lines: before, language }), after: outsideTests({ path, lines: after, language }) }]
  })
}

/** A file outside of the tests that asserts for them. */
const languageOfHelper = ({ path, before }: Change): Language | undefined =>
  /(?:expect|assert|helper|support|matcher|check|testing|testutil)/i.test(path) &&
  before.some(({ bare }) => loadsAssertions.test(bare))
    ? languageOf(path)
    : undefined
const loadsAssertions =
  /['"](?:node:)?(?:assert(?:\/strict)?|chai|vitest|expect|@jest\/globals)['"]|^\s*(?:import|from)\s+(?:unittest|pytest)\b|^\s*(?:import\s+)?"testing"/

const gainedIn = ({ before, after }: TestPair): Assertion[] => surplus(after.assertions, before.assertions)

function surplus(some: Assertion[], others: Assertion[]): Assertion[] {
  const known = others.map(({ text }) => text)
  return some.filter(({ text }) => {
    const at = known.indexOf(text)
    if (at !== -1) known.splice(at, 1)
    return at === -1
  })
}

function changedAssertions(pair: TestPair, moved: Set<string>, come: SourceLine[]): ChangeMark[] {
  const { before, after } = pair
  const lost = surplus(before.assertions, after.assertions).filter(({ text, strength }) => strength > 0 && !moved.has(text))
  if (lost.length === 0) return []
  const test = before.name === '' ? '' : ` of test ${JSON.stringify(before.name)}`
  const path = after.path
  if (!after.assertions.some(({ strength }) => strength > 0))
    return [{ rule: 'test-emptied', path, at: after.at, what: `removed all assertions${test}` }]
  const gained = gainedIn(pair).filter(({ strength }) => strength > 0)
  const take = (isIt: (one: Assertion) => boolean): Assertion | undefined => {
    const at = gained.findIndex(isIt)
    return at === -1 ? undefined : gained.splice(at, 1)[0]
  }
  // What is there in other words is found first: nothing else takes its place.
  const left = lost.filter((one) => {
    const isSame = ({ text }: Assertion): boolean => skeletonOf(text) === skeletonOf(one.text) // its values are compared with those of all lines
    const isEqual = (other: Assertion): boolean =>
      other.strength === one.strength && (keepsValues(one, other) || shapeOf(one) === shapeOf(other))
    return take(isSame) === undefined && take(isEqual) === undefined
  })
  return left.flatMap((one): ChangeMark[] => {
    const unawaited = take(({ text }) => `await ${text}` === one.text)
    if (unawaited !== undefined)
      return [{ rule: 'assertion-weakened', path, at: unawaited.at, what: `no longer awaits ${quoted(one)}` }]
    if (take(({ strength }) => strength > one.strength) !== undefined || inRows(one, pair, come)) return []
    const weaker = take(({ strength }) => strength < one.strength)
    if (weaker !== undefined)
      return [{ rule: 'assertion-weakened', path, at: weaker.at, what: `replaced ${quoted(one)} by ${quoted(weaker)}` }]
    const other = take(() => true)
    if (other !== undefined)
      return [{ rule: 'assertion-changed', path, at: other.at, what: `replaced ${quoted(one)} by ${quoted(other)}` }]
    return [{ rule: 'assertion-removed', path, at: after.at, what: `removed ${quoted(one)}${test}` }]
  })
}

/** The other compares with all values that this one compared with. */
function keepsValues(one: Assertion, other: Assertion): boolean {
  const values = literalsIn(one.text)
  if (values.length === 0) return other.strength > one.strength || hasSubjectsOf(one, other)
  const there = new Set(literalsIn(other.text))
  const errors = one.text.match(/\b[A-Z]\w*(?:Error|Exception)\b/g) ?? []
  return values.every((value) => there.has(value)) && errors.every((error) => other.text.includes(error))
}

/** In the words of another library: about the same values, and denied or not as before. */
function hasSubjectsOf(one: Assertion, other: Assertion): boolean {
  const [own, theirs] = [subjectsOf(one), subjectsOf(other)]
  return own.length > 0 && own.every((word) => theirs.includes(word)) && isDenied(one) === isDenied(other)
}

const subjectsOf = ({ text }: Assertion): string[] =>
  (text.replace(/"(?:[^"\\]|\\.)*"|\$this->|\b(?:self|static)::/g, '').match(/(?<![\w$.])[A-Za-z_$][\w$]*/g) ?? []).filter(
    (word) => !ofAssertions.test(word),
  )
/** What fails if something holds asserts the contrary. */
const isDenied = ({ text }: Assertion): boolean =>
  (/\bnot\b|\bnot[A-Z]|Not(?![a-z])|\bNo[A-Z]|!|\brefute|\bwont_|doesNot|unless/.test(text.replace(/NoError|is None/g, ''))
    ? 1
    : 0) !== (text.startsWith('fails') ? 1 : 0)

/** The assertion without the names of values: the same if only these were renamed. */
const shapeOf = ({ text }: Assertion): string =>
  literalsIn(text).length > 0 ? text : text.replace(/[A-Za-z_$][\w$]*/g, (word) => (ofAssertions.test(word) ? word : '□'))
const ofAssertions =
  /^(?:(?:assert|expect|not|equal|deep|strict|throws|rejects|require|Should|Error|Fatal|(?:to|be|is)(?=[A-Z_]))[A-Za-z_]*|to|be|is|in|and|or|if|with|fails|None|True|False|null|nil|undefined|ok|t|self|this|pytest|raises)$/

/** What it compared with is in the test still, perhaps in a row of a table, or of one that its file gives to the test. */
function inRows(one: Assertion, { before, after }: TestPair, come: SourceLine[]): boolean {
  const values = literalsIn(one.text)
  if (values.length === 0) return false
  const asserting = new Set(after.assertions.map(({ at }) => at))
  const isGiven = after.lines.some(({ code }) => gives.test(code))
  const rows = [...surplusLines(after, before), ...(isGiven ? come : [])].filter(({ at }) => !asserting.has(at))
  const there = new Set(rows.flatMap(({ text }) => literalsIn(text).flatMap(partsOf)))
  return values.every((value) => there.has(value))
}

/** Takes its values from a table outside of it. */
const gives =
  /DataProvider|MethodSource|MemberData|TestCaseSource|\bparametrize\b|\bof\s+[a-z]\w*\)|\.each\b|\brange\s+\w+\s*\{|\bin\s+[A-Za-z_]\w*\s*:/

/** A row that is written as one text, such as `"200, 10, 180"`. */
const partsOf = (value: string): string[] => (/^".*,.*"$/.test(value) ? [value, ...value.slice(1, -1).split(/\s*,\s*/)] : [value])

const quoted = ({ text }: { text: string }): string => `"${text.length > 60 ? `${text.slice(0, 57)}…` : text}"`

const isNoValue =
  /^\s*(?:import\b|from\b.*\bimport\b|require\b|using\b|use\b|#include\b|package\b|export\b.*\bfrom\b|describe\b|context\b|suite\b|\*)|\brequire\(|\btimeout\b/i
/** A text of its own (a docstring, an import of Go), or the words of a failure. */
const isMessage = /^\s*(?:"{1,3}|'{1,3})\s*,?$|^\s*\w+\.(?:Errorf?|Fatalf?|Logf?|Skipf?)\(/
const loop =
  /^\s*(?:for|while|repeat|loop)\b|\brange\(|\.times\b|\.(?:plan|assertions)\(|\b(?:numRuns|max_examples|iterations|repeats?|runs|count)\b/

/** Lines that differ in values alone. */
function changedValues({ before, after }: TestPair, elsewhere: Set<string>): ChangeMark[] {
  const [gone, come] = [surplusLines(before, after), surplusLines(after, before)]
  const paired = new Set<SourceLine>()
  const marks = gone.flatMap((line): ChangeMark[] => {
    if (isNoValue.test(line.text) || isMessage.test(line.code) || elsewhere.has(keyOf(line))) return []
    const skeleton = skeletonOf(line.text)
    const at = skeleton.includes('□') ? come.findIndex(({ text }) => skeletonOf(text) === skeleton) : -1
    const now = at === -1 ? undefined : come.splice(at, 1)[0]
    if (now === undefined) return []
    paired.add(line)
    const [value, ...more] = changedLiterals(line.text, now.text)
    if (value === undefined) return []
    const said = ({ from, to }: typeof value): string => `from ${from} to ${to}`
    const isLess = Number(value.to) < Number(value.from)
    const mark = { path: after.path, at: now.at }
    if (tolerance.test(line.code)) return [{ rule: 'tolerance-changed', ...mark, what: `changed a tolerance ${said(value)}` }]
    if (loop.test(line.code)) return isLess ? [{ rule: 'loop-shortened', ...mark, what: `changed a loop ${said(value)}` }] : []
    return [value, ...more].map((each) => ({
      rule: 'expected-changed',
      ...mark,
      what: `changed an expected value ${said(each)}`,
    }))
  })
  const lost = gone.filter((line) => !elsewhere.has(keyOf(line)) && !paired.has(line))
  // Assertions in brackets are no rows: they are compared by themselves.
  const asserting = new Set([...before.assertions, ...after.assertions].map(({ at }) => at))
  const rows = (lines: SourceLine[]): SourceLine[] =>
    lines.filter((line) => isRow(line) && !(isTest(line) && asserting.has(line.at)))
  return [...marks, ...cutTables(come, after), ...lostValues(lost, come, after), ...lostRows(rows(lost), rows(come), after)]
}

const surplusLines = (one: TestBlock, other: TestBlock): SourceLine[] => {
  const there = new Map<string, number>()
  for (const line of other.lines.slice(1)) there.set(keyOf(line), (there.get(keyOf(line)) ?? 0) + 1)
  return one.lines.slice(1).filter((line) => {
    const left = there.get(keyOf(line)) ?? 0
    if (left > 0) there.set(keyOf(line), left - 1)
    return left === 0 && line.code.trim() !== ''
  })
}

const cuts = /\.(?:slice|filter|splice|take|head|first|limit|skip|find)\s*\(|\[:-?\d+\]|\[-?\d+:\]/
const table = /^\s*(?:for|foreach)\b|\.(?:each|for|forEach|map)\b|\bparametrize\b/

function cutTables(come: SourceLine[], after: TestBlock): ChangeMark[] {
  return come.flatMap((line): ChangeMark[] =>
    table.test(line.code) && cuts.test(line.code)
      ? [
          {
            rule: 'table-row-removed',
            path: after.path,
            at: line.at,
            what: `runs only some rows: ${quoted({ text: line.text.trim() })}`,
          },
        ]
      : [],
  )
}

/** A table on one line that has fewer values now. */
function lostValues(gone: SourceLine[], come: SourceLine[], after: TestBlock): ChangeMark[] {
  return gone.flatMap((line): ChangeMark[] => {
    const values = literalsIn(line.text)
    if (values.length < 4 || !/[[({]/.test(line.code)) return []
    const start = skeletonOf(line.text).slice(0, 12)
    const now = come.find(({ text }) => skeletonOf(text).startsWith(start))
    const left = now === undefined ? values : literalsIn(statementAt(after.lines, after.lines.indexOf(now)))
    if (now === undefined || left.length >= values.length || !left.every((value) => values.includes(value))) return []
    const lost = values.filter((value) => !left.includes(value)).slice(0, most)
    return [{ rule: 'table-row-removed', path: after.path, at: now.at, what: `removed ${lost.join(', ')} from a table` }]
  })
}

const isRow = ({ text, code }: SourceLine): boolean => /^\s*[[({|].*[\])}|],?\s*$/.test(code) && literalsIn(text).length > 0

/** The command `[` or `[[`. */
const isTest = ({ code }: SourceLine): boolean => /^\s*\[\[? .* \]\]?\s*$/.test(code)

function lostRows(lost: SourceLine[], gained: SourceLine[], after: TestBlock): ChangeMark[] {
  const count = lost.length - gained.length
  if (count <= 0 || lost[0] === undefined) return []
  const what = `removed ${count} ${count === 1 ? 'row' : 'rows'} of a table, such as ${quoted({ text: lost[0].text.trim() })}`
  return [{ rule: 'table-row-removed', path: after.path, at: after.at, what }]
}

const swallows = /\bcatch\b|^\s*except\b|^\s*rescue\b/
const tellsOn = /\b(?:throw|raise|fail|assert\w*|expect\w*|rejects|reject|panic|done)\b/
const leaves = /^\s*(?:if\b.{0,200}\s)?return\b\s*;?\s*\}?\s*$/
const definesFunction =
  /^\s*(?:const|let|var)\s+\w+\s*=\s*(?:async\s*)?(?:\(|function\b|\w+\s*=>)|^\s*(?:async\s+)?function\b|^\s*(?:async\s+)?def\s|^\s*\w+\s*:?=\s*func\b/
const condition = /^\s*(?:\}\s*else\s+)?if\b|^\s*unless\b/
/** Tests may depend on where they run. */
const ofPlace =
  /platform|\bos\b|win(?:dows|32)?\b|darwin|linux|macos|version|GOOS|GOARCH|\bShort\(\)|browser|mobile|\barch\b|feature/i

function newConditions({ before, after }: TestPair): ChangeMark[] {
  if (before.name === '') return []
  const known = new Set(before.lines.map(keyOf))
  const asserted = new Set(before.assertions.map(({ text }) => text))
  const test = `test ${JSON.stringify(after.name)}`
  return after.lines.slice(1).flatMap((line, index): ChangeMark[] => {
    if (known.has(keyOf(line)) || ofPlace.test(line.text)) return []
    const mark = { path: after.path, at: line.at }
    const next = after.lines.slice(index + 1, index + 5)
    if (swallows.test(line.code) && !next.some(({ code }) => tellsOn.test(code)))
      return [{ rule: 'assertion-guarded', ...mark, what: `catches what fails in ${test}` }]
    if (leaves.test(line.code)) return [{ rule: 'test-conditional', ...mark, what: `leaves ${test} early` }]
    const inner = after.assertions.find(({ at }) => at === line.at + 1 || at === line.at)
    if (definesFunction.test(line.code) && inner !== undefined && asserted.has(inner.text))
      return [{ rule: 'test-conditional', ...mark, what: `asserts only in a function of its own in ${test}` }]
    if (condition.test(line.code) && inner !== undefined && asserted.has(inner.text))
      return [{ rule: 'test-conditional', ...mark, what: `asserts only under a condition in ${test}` }]
    return []
  })
}

/** Assertions on a promise that nobody waits for, in tests that are new or changed. */
export function unawaited(changes: Change[]): Finding[] {
  return changes.flatMap(({ path, after, added }) => {
    const tests = testsIn(path)
    if (tests === null || !/\.[cm]?[jt]sx?$/.test(path)) return []
    const fresh = new Set(added)
    const blocks = testBlocks({ path, lines: after, language: tests.language })
    // The old checks say nothing about a new test.
    const isNew = (at: number): boolean => blocks.some(({ lines: [head] }) => head?.at === at && fresh.has(head))
    const marks = blocks.flatMap(({ lines, at }) =>
      lines.flatMap((line, index): (ChangeMark & { isBeyondChecks?: true })[] => {
        if (!fresh.has(line) || !floating.test(line.code) || /(?:=>|[=([,&|?:]|\breturn)\s*$/.test(lines[index - 1]?.code ?? ''))
          return []
        return [
          {
            rule: 'assertion-weakened',
            path,
            at: line.at,
            what: `does not await ${quoted({ text: line.text.trim() })}`,
            ...(isNew(at) && { isBeyondChecks: true }),
          },
        ]
      }),
    )
    if (marks.length === 0) return []
    return [{ ...asFinding(marks), ...(marks.some(({ isBeyondChecks }) => isBeyondChecks) && { isBeyondChecks: true }) }]
  })
}

const floating = /^\s*(?:assert(?:\.strict)?\.(?:rejects|doesNotReject)\s*\(|expect\(.{0,300}\)\.(?:rejects|resolves)\b)/
