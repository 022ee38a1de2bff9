/** Finds each old test among the new ones, over all changed files: moved, renamed and rewritten tests are not lost. */
import { type Change, keyOf } from '../code/change.ts'
import { isTestCode } from '../code/files.ts'
import { testsIn } from '../code/languages.ts'
import type { SourceLine } from '../code/source-lines.ts'
import { literalsIn, skeletonOf } from '../code/statements.ts'
import { type TestBlock, testBlocks } from './test-blocks.ts'

export type TestPair = { before: TestBlock; after: TestBlock }
export type MatchedTests = {
  /** With the same name, or with most of the same lines. */
  pairs: TestPair[]
  lost: TestBlock[]
  fresh: TestBlock[]
  /** Gone with the code that they were about, with its names. */
  ended: { block: TestBlock; names: string[] }[]
}

/** More are not compared with each other: a change that large is a new suite. */
const most = 400

export function matchedTests(changes: Change[], others: () => TestBlock[]): MatchedTests {
  const before = blocksOf(changes, 'before')
  const after = blocksOf(changes, 'after')
  const pairs: TestPair[] = []
  const lost: TestBlock[] = []
  const left = new Set(after)
  const byName = Map.groupBy(after, ({ name }) => name)
  for (const block of before) {
    const same = (byName.get(block.name) ?? []).filter((each) => left.has(each))
    const found = same.find(({ path }) => path === block.path) ?? same[0]
    if (found === undefined || block.name === '') lost.push(block)
    else take(block, found)
  }
  // The same name as another framework spells it.
  const bySpelling = Map.groupBy([...left], ({ name }) => spelled(name))
  for (const block of lost.splice(0)) {
    const found = bySpelling.get(spelled(block.name))?.find((each) => left.has(each))
    if (found === undefined || spelled(block.name) === '') lost.push(block)
    else take(block, found)
  }
  for (const isLike of [hasSameBody, isRewritten]) {
    const candidates = [...left].slice(0, most)
    for (const [index, block] of lost.splice(0).entries()) {
      const found = index < most ? candidates.find((each) => left.has(each) && isLike(block, each)) : undefined
      if (found === undefined) lost.push(block)
      else if (isLike === hasSameBody || hasSameForm(block, found)) take(block, found)
      else left.delete(found)
    }
  }
  function take(one: TestBlock, other: TestBlock): void {
    left.delete(other)
    pairs.push({ before: one, after: other })
  }
  return { pairs, fresh: [...left], lost: really(lost, { changes, after, others }), ended: ended(lost, changes) }
}

function ended(lost: TestBlock[], changes: Change[]): MatchedTests['ended'] {
  if (lost.length === 0) return []
  const gone = goneNames(changes)
  const deleted = deletedSources(changes)
  return lost.flatMap((block) => {
    const names = [...(wentWithItsCode(block, deleted) ? [stemOf(block.path)] : []), ...mentioned(block, gone)]
    return names.length === 0 ? [] : [{ block, names }]
  })
}

/** `test_takes_a_tenth`, `TestTakesATenth` and `takes a tenth` are the same. */
const spelled = (name: string): string =>
  name
    .replace(/^test(?=[_A-Z ])/i, '')
    .replace(/[^A-Za-z\d]/g, '')
    .toLowerCase()

const blocksOf = (changes: Change[], side: 'before' | 'after'): TestBlock[] =>
  changes.flatMap((change) => {
    const tests = testsIn(change.path)
    return tests === null ? [] : testBlocks({ path: change.path, lines: change[side], language: tests.language })
  })

const bodyOf = once(
  ({ lines }: TestBlock): Set<string> =>
    new Set(
      lines
        .slice(1)
        .map(keyOf)
        .filter((key) => key.length > 3),
    ),
)

function hasSameBody(one: TestBlock, other: TestBlock): boolean {
  const body = [...bodyOf(one)]
  if (body.length === 0) return false
  const there = bodyOf(other)
  return body.filter((key) => there.has(key)).length > body.length / 2
}

/** Tests are compared with many others. */
function once<R>(make: (block: TestBlock) => R): (block: TestBlock) => R {
  const known = new WeakMap<TestBlock, { made: R }>()
  return (block) => {
    const { made } = known.get(block) ?? { made: make(block) }
    known.set(block, { made })
    return made
  }
}

/** In the same file, about the same thing, and no less strict. */
function isRewritten(one: TestBlock, other: TestBlock): boolean {
  if (one.path !== other.path || strengthOf(other) < strengthOf(one)) return false
  const subjects = subjectsOf(one)
  return subjects.size === 0 || [...subjectsOf(other)].some((word) => subjects.has(word))
}

/** It compares the same with other values. */
const hasSameForm = (one: TestBlock, other: TestBlock): boolean =>
  one.assertions.length > 0 && formsOf(one).join('\n') === formsOf(other).join('\n')
const formsOf = ({ assertions }: TestBlock): string[] => assertions.map(({ text }) => skeletonOf(text))

const strengthOf = ({ assertions }: TestBlock): number => assertions.reduce((sum, { strength }) => sum + strength, 0)

const subjectsOf = once(
  ({ assertions }: TestBlock): Set<string> =>
    new Set(
      assertions.flatMap(({ text }) =>
        (text.replace(/"(?:[^"\\]|\\.)*"/g, '').match(/[A-Za-z_$][\w$]*(?=\()/g) ?? []).filter(
          (word) => !ofAssertions.test(word),
        ),
      ),
    ),
)

const ofAssertions =
  /^(?:assert|expect|to[A-Z]|equal|deep|strict|ok$|not|is[A-Z]|rejects|throws|eq$|be_|Equal|Nil|True|False|Should|Be)/

type Around = { changes: Change[]; after: TestBlock[]; others: () => TestBlock[] }

/** Without duplicates of others, what is in a table now, and what went with the code that it was about. */
function really(lost: TestBlock[], { changes, after, others }: Around): TestBlock[] {
  if (lost.length === 0) return []
  const asserted = new Set(after.flatMap(({ assertions }) => assertions.map(({ text }) => text)))
  const table = tableLiterals(changes)
  const gone = goneNames(changes)
  const deleted = deletedSources(changes)
  const isElsewhere = ({ assertions }: TestBlock, there: Set<string>): boolean => {
    const own = assertions.filter(({ strength }) => strength > 0)
    return own.length > 0 && own.every(({ text }) => there.has(text))
  }
  const left = lost.filter(
    (block) =>
      !isElsewhere(block, asserted) && !isInTable(block, table) && !mentions(block, gone) && !wentWithItsCode(block, deleted),
  )
  if (left.length === 0) return []
  const unchanged = new Set(others().flatMap(({ assertions }) => assertions.map(({ text }) => text)))
  return left.filter((block) => !isElsewhere(block, unchanged))
}

const isTable =
  /\.(?:each|for)\b|\bparametrize\b|@ParameterizedTest|\[(?:InlineData|TestCase|DataRow)\b|^\s*for\b|\bforEach\b|\.each\s+do\b|\bt\.Run\(|#\[(?:case|test_case)\b|\bdataProvider\b|#\[DataProvider/

/** null: no table came. */
function tableLiterals(changes: Change[]): Set<string> | null {
  const added = changes.filter(({ path }) => testsIn(path) !== null).flatMap((change) => change.added)
  return added.some(({ code }) => isTable.test(code)) ? new Set(added.flatMap(({ text }) => literalsIn(text))) : null
}

function isInTable({ assertions }: TestBlock, table: Set<string> | null): boolean {
  if (table === null) return false
  const own = assertions.flatMap(({ text }) => literalsIn(text))
  return own.filter((value) => table.has(value)).length >= own.length * 0.6
}

const definition =
  /\b(?:function\*?|def|fn|func|class|const|let|var|val|fun|interface|struct|type|module|trait|enum|record)\s+(?:\([^)]{0,80}\)\s*)?(?:self\.)?([A-Za-z_$][\w$]*)/
const method = /^\s*(?:[\w<>[\]?,]+\s+){0,5}([A-Za-z_$][\w$]*)\s*\([^)]{0,200}\)\s*(?:\w+\s+\w+\s*)?(?::\s*[\w<>[\]| ]+)?\{/

const namesIn = (lines: SourceLine[]): string[] =>
  lines.flatMap(({ code }) => {
    const name = definition.exec(code)?.[1] ?? method.exec(code)?.[1]
    return name === undefined || name.length < 3 || /^(?:if|for|while|switch|catch|constructor|return|main|init|self)$/.test(name)
      ? []
      : [name]
  })

/** What the changed source files defined, and no longer do. */
function goneNames(changes: Change[]): Set<string> {
  const sources = changes.filter(({ path }) => testsIn(path)?.isNamed !== true)
  const now = new Set(sources.flatMap(({ after }) => namesIn(after)))
  return new Set(sources.flatMap(({ removed }) => namesIn(removed)).filter((name) => !now.has(name)))
}

const mentions = (block: TestBlock, names: Set<string>): boolean => mentioned(block, names).length > 0

function mentioned({ lines }: TestBlock, names: Set<string>): string[] {
  if (names.size === 0) return []
  return [...new Set(lines.flatMap(({ code }) => (code.match(/[A-Za-z_$][\w$]*/g) ?? []).filter((word) => names.has(word))))]
}

/** test/cart.test.ts, test_cart.py and CartTest.java are about cart. */
export const stemOf = (path: string): string =>
  path
    .replace(/^.*\//s, '')
    .replace(/\..*$/, '')
    .replace(/^test_|[-_](?:test|spec)s?$|(?:Tests?|Spec)$/g, '')
    .toLowerCase()

/** What the deleted source files were about. */
export const deletedSources = (changes: Change[]): Set<string> =>
  new Set(changes.filter(({ kind, path }) => kind === 'deleted' && !isTestCode(path)).map(({ path }) => stemOf(path)))

export const wentWithItsCode = ({ path }: { path: string }, deleted: Set<string>): boolean =>
  deleted.size > 0 && deleted.has(stemOf(path))
