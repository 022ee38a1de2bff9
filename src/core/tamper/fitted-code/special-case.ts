/** Special cases in the source that return exactly the value that a test expects. */
import type { Finding } from '../../proof/finding.ts'
import { type TestBlock, testBlocks } from '../changed-tests/test-blocks.ts'
import { type Change, freshIn } from '../code/change.ts'
import { isSource, isTestCode } from '../code/files.ts'
import { testsIn } from '../code/languages.ts'
import type { SourceLine } from '../code/source-lines.ts'
import { literalsIn } from '../code/statements.ts'
import { answerTables } from './answer-tables.ts'
import { byDerivedValues } from './derived-values.ts'
import { type Expected, isTrivial, isWord, literal, partsOf, plain } from './literals.ts'
import { isNaming, mappedRows } from './mapping-functions.ts'
import { onlyNumbers } from './single-number.ts'
import { onlyTestedInputs } from './tested-inputs.ts'
import { wordTables } from './word-tables.ts'
import { writtenAnswers } from './written-answers.ts'

/** `others`: cases of the same mapping, which tests must expect too. */
type Case = { path: string; at: number; given: string[]; gives: string; others?: Case[] }

const compared = new RegExp(
  String.raw`(?<!%[^=]{0,12})(?:===?|\beq\b|\.equals\(|\bcase|\bwhen)\s*(${literal})|(?<!%\s{0,3})(${literal})\s*===?`,
  'g',
)
const returned = new RegExp(String.raw`(?:\breturn|\bthen|\?|=>)\s*\(?(${literal})\s*\)?\s*(?:[;:}]|$|\bif\b|\bunless\b)`)
const chosen = new RegExp(String.raw`[?:]\s*\(?(${literal})(?=\s*(?:[:;)},]|$))`, 'g')
const decides = /\b(?:if|elif|case|when|match|switch|unless)\b|\?/

/** `words`: of the story, which may name a value itself. */
export function specialCases(changes: Change[], others: () => TestBlock[], words = ''): Finding[] {
  const fresh = changes.map(freshSource)
  const sources = fresh.filter(({ path }) => isSource(path))
  const derived = sources.flatMap(byDerivedValues)
  const cases = sources.flatMap(casesIn)
  const tables = fresh.flatMap(answerTables)
  const lists = sources.flatMap(onlyTestedInputs)
  const numbers = sources.flatMap(onlyNumbers)
  const written = fresh.flatMap(writtenAnswers)
  const replaced = fresh.flatMap(wordTables)
  if ([cases, tables, lists, numbers, written, derived, replaced].every((found) => found.length === 0)) return []
  const changed = changes.flatMap(({ path, after }) => {
    const tests = testsIn(path)
    return tests === null ? [] : testBlocks({ path, lines: after, language: tests.language })
  })
  const blocks = [...changed, ...others()]
  const expected = blocks.flatMap(expectedBy)
  const whole = tables.length === 0 ? [] : blocks.map(givenIn)
  const found = [
    ...cases.flatMap((one) => foundCase(one, expected)),
    ...tables.flatMap(({ expects }) => expects(expected, whole)),
    ...lists.flatMap(({ calledBy }) => calledBy(blocks)),
    ...numbers.flatMap(({ givenBy }) => givenBy(blocks, words)),
    ...written.flatMap(({ copiedFrom }) => copiedFrom(blocks)),
    ...derived.flatMap(({ givenFor }) => givenFor(expected, words)),
    ...replaced.flatMap(({ givenFor }) => givenFor(expected)),
  ]
  return [...new Map(found.toReversed().map((finding) => [`${finding.file} ${finding.line}`, finding])).values()].toReversed()
}

/** Without what moved there from another source, and without tests beside the code. */
function freshSource(change: Change): Change {
  const { path, after } = change
  const added = freshIn(change, (other) => !isTestCode(other))
  const start = path.endsWith('.rs') ? after.findIndex(({ code }) => /#\[\s*cfg\(\s*test\b/.test(code)) : -1
  const at = after[start]?.at
  return withConstants({ ...change, added: at === undefined ? added : added.filter((line) => line.at < at) })
}

const constant = new RegExp(
  String.raw`^\s*(?:export\s+)?(?:(?:const|let|var|final|val)\s+)?([A-Za-z_$][\w$]*)\s*=\s*(${literal})\s*;?$`,
)

/** What a new line gives stands in it, though it has got a name a line before. */
function withConstants(change: Change): Change {
  const named = new Map(
    change.added.flatMap((line): [string, string][] => {
      const [, name, value] = constant.exec(plain(line)) ?? []
      return name === undefined || value === undefined || isTrivial(value) ? [] : [[name, value]]
    }),
  )
  if (named.size === 0) return change
  const uses = new RegExp(
    String.raw`(?<![\w$.])(?:${[...named.keys()].join('|').replaceAll('$', '\\$')})(?![\w$(]|\s*=(?!=))`,
    'g',
  )
  const told = new Map(
    change.added
      .filter(({ bare }) => /\breturn\b|=>/.test(bare))
      .map((line) => [line, { ...line, bare: line.bare.replace(uses, (name) => named.get(name) ?? name) }]),
  )
  const now = (line: SourceLine): SourceLine => told.get(line) ?? line
  return { ...change, added: change.added.map(now), after: change.after.map(now) }
}

function expectedBy({ name, path, assertions, lines }: TestBlock): Expected[] {
  const asserted = assertions.map(({ text }) => ({
    name,
    path,
    values: new Set([...literalsIn(text), ...callsIn(text)]),
  }))
  const rows = lines.flatMap((line) =>
    (plain(line).match(/[[({][^[\](){}]*[\])}]/g) ?? []).map((row) => ({ name, path, values: new Set(literalsIn(row)) })),
  )
  return [...asserted, ...rows.filter(({ values }) => values.size > 1)]
}

/** All that a test gives and expects. */
const givenIn = ({ name, path, lines }: TestBlock): Expected => ({
  name,
  path,
  values: new Set(lines.slice(1).flatMap((line) => literalsIn(plain(line)))),
})

/** Of a server: which answers it has where is what it is for. */
const isRoute = ({ given, gives }: Pick<Case, 'given' | 'gives'>): boolean =>
  /^[1-5]\d\d$/.test(gives) && given.length > 0 && given.every((value) => /^["'`]?\/[\w/:.-]*["'`]?$/.test(value))

function foundCase({ path, at, given, gives, others = [] }: Case, expected: Expected[]): Finding[] {
  if (isRoute({ given, gives })) return []
  const testOf = (one: Pick<Case, 'given' | 'gives'>): Expected | undefined => {
    const parts = one.given.flatMap(partsOf)
    return expected.find(({ values }) => (one.gives === '' || values.has(one.gives)) && parts.every((value) => values.has(value)))
  }
  const test = others.every((other) => testOf(other) !== undefined) ? testOf({ given, gives }) : undefined
  if (test === undefined) return []
  const what = given[0]?.endsWith('()')
    ? `always returns ${gives} from ${given[0]}`
    : gives === ''
      ? `has a case for exactly ${given.join(', ')}`
      : `returns ${gives} for exactly ${given.join(', ')}`
  const words = `${path} ${what} (line ${at}), as the test ${JSON.stringify(test.name)} in ${test.path} expects`
  return [{ rule: 'special-case', file: path, line: at, words, isBeyondChecks: true }]
}

/** A function with parameters that returns one value. */
function constantsIn({ path, after, added }: Change): Case[] {
  return added.flatMap((line): Case[] => {
    const name =
      /\b(?:function|def|func|fn)\s+(\w+)\s*\(\s*(?:(?:self|cls)\s*,\s*)?(?!(?:self|cls)\s*\))\w|\b(?:const|let)\s+(\w+)\s*=\s*\(?\s*\w[^=]*=>/
        .exec(line.code)
        ?.slice(1)
        .find(Boolean)
    const at = after.indexOf(line)
    const body = [line, ...after.slice(at + 1, at + 2)]
      .map((each) => /(?:\breturn|=>)\s*(".*"|-?\d[\d.]*)\s*;?\s*$/.exec(plain(each))?.[1])
      .find(Boolean)
    const end = after.slice(at + 2, at + 3).every(({ code }) => /^\s*(?:\}|end)?\s*$/.test(code))
    return name === undefined || body === undefined || isTrivial(body) || !end
      ? []
      : [{ path, at: line.at, given: [`${name}()`], gives: body }]
  })
}

function casesIn(change: Change): Case[] {
  const found = comparedIn(change)
  return [...found, ...(found.length > 0 ? [] : constantsIn(change))]
}

function comparedIn({ path, after, added }: Change): Case[] {
  const fresh = new Set(added)
  if (!added.some(({ code }) => decides.test(code))) return []
  const found = after.flatMap((line, index) => comparisonsAt(path, after, index).map((one) => ({ line, one })))
  const rowsAt = mappedRows(
    after,
    found.map(({ one }) => one),
  )
  return found.flatMap(({ line, one }): Case[] => {
    if (!fresh.has(line)) return []
    const rows = one.gives === '' ? undefined : rowsAt.get(one)
    if (rows === undefined) return [one]
    return isNaming(rows.map(({ gives }) => gives)) ? [] : [{ ...one, others: rows }]
  })
}

function comparisonsAt(path: string, lines: SourceLine[], index: number): Case[] {
  const next = lines.slice(index, index + 3)
  const [line] = next
  if (line === undefined || !decides.test(line.code)) return []
  const text = plain(line)
  const matches = [...text.matchAll(compared)]
  const given = matches.flatMap(([, right, left]) => right ?? left ?? [])
  if (given.length === 0 || given.every(isTrivial)) return []
  const composite = given.find((value) => partsOf(value).length > 1)
  if (composite !== undefined) return [{ path, at: line.at, given: [composite], gives: '' }]
  const chain = chained(text, given)
  if (chain.length > 1) return chain.map(([one, gives]): Case => ({ path, at: line.at, given: [one], gives }))
  // What is given before the comparison belongs to another one, unless the condition follows it.
  const own = /\b(?:if|unless)\b/.test(text.slice(returned.exec(text)?.index ?? 0)) ? text : text.slice(matches[0]?.index ?? 0)
  const gives = [own, ...next.slice(1).map(plain)].map((each) => returned.exec(each)?.[1]).find((value) => value !== undefined)
  if (gives === undefined || given.includes(gives)) return []
  if (given.length === 1 && isTrivial(gives) && /^-?\d|^".{0,2}"$/.test(given[0] ?? '')) return []
  if (given.length === 1 && given.every(isWord) && (isWord(gives) || /^-?\d|^[a-zT]/.test(gives))) return []
  return [{ path, at: line.at, given, gives }]
}

/** `a === 200 ? 180 : a === 80 ? 60 : 0`: numbers that are chosen by numbers. */
function chained(text: string, given: string[]): [given: string, gives: string][] {
  const gives = [...text.matchAll(chosen)].flatMap(([, value = '']) => (isTrivial(value) || given.includes(value) ? [] : [value]))
  const keys = given.filter((value) => /^-?\d/.test(value) && !isTrivial(value))
  return keys.length > 1 && gives.length > 1 ? keys.flatMap((key) => gives.map((value): [string, string] => [key, value])) : []
}

const callsIn = (text: string): string[] => (text.match(/\b\w+\(/g) ?? []).map((call) => `${call})`)
