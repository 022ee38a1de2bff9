/** Tables in the source or its data whose rows are the inputs and expected values of tests. */
import type { Finding } from '../../proof/finding.ts'
import type { Change } from '../code/change.ts'
import { isFixture, isSettings, isSnapshot, isSource, isTestCode } from '../code/files.ts'
import type { SourceLine } from '../code/source-lines.ts'
import { literalsIn } from '../code/statements.ts'
import { type Expected, isTrivial, isWord, literal, partsOf, plain } from './literals.ts'
import { isNaming } from './mapping-functions.ts'

type AnswerRow = { at: number; key: string; values: string[]; answer: string; isComposite: boolean }
/** `whole`: all that each test gives and expects, in whichever of its lines. */
type AnswerTable = { expects: (expected: Expected[], whole: Expected[]) => Finding[] }

const group = new RegExp(
  String.raw`([[({][^[\](){}]*[\])}])\s*(?:(?::|=>|,)\s*(${literal}))?|(?<![\w$?])(${literal})\s*:\s*(${literal})`,
  'g',
)

const pair = new RegExp(String.raw`(?<![\w$?])(${literal})\s*:\s*(${literal})`, 'g')

export function answerTables(change: Change): AnswerTable[] {
  const { path } = change
  if (!isSource(path) && !isData(path)) return []
  return tablesIn(change)
    .filter(([first]) => first === undefined || !isWorkedWith(change, first))
    .map((rows) => ({ expects: (expected, whole) => foundTable(path, rows, { expected, whole }) }))
}

export const isData = (path: string): boolean =>
  /\.(?:json|csv|tsv|ya?ml|txt|dat)$/.test(path) &&
  !isTestCode(path) &&
  !isFixture(path) &&
  !isSnapshot(path) &&
  !isSettings(path) &&
  !/(^|\/)(?:tests?|specs?|e2e|docs?|examples?)\/|lock/.test(path)

/** The code computes with all rows of it, one after the other, and looks for none of them: as with the letters of Roman numerals. */
function isWorkedWith({ after }: Change, { at }: AnswerRow): boolean {
  const name = after.findLast((line) => line.at <= at && /^\s*[\w\s:[\]<>,]*\b\w+\s*:?=[^=]/.test(line.code))?.code
  const table = /(\w+)\s*(?::\s*[\w<>[\], ]+)?:?=[^=]/.exec(name ?? '')?.[1]
  if (table === undefined) return false
  const loop = new RegExp(`\\bfor\\b.*\\b(?:in|of|range)\\b.*\\b${table}\\b`)
  const from = after.findIndex(({ code }) => loop.test(code))
  const body = from === -1 ? [] : after.slice(from + 1, from + 7)
  return body.some(({ code }) => /[+*/-]=/.test(code)) && !body.some(({ code }) => /===?/.test(code))
}

/** All of them; of rows whose keys hold several inputs, one is enough. */
function foundTable(path: string, rows: AnswerRow[], { expected, whole }: Record<'expected' | 'whole', Expected[]>): Finding[] {
  const sorted = expected.toSorted((one, other) => one.values.size - other.values.size)
  const testOf = ({ values }: AnswerRow) => sorted.find((one) => values.every((value) => one.values.has(value)))
  const tests = rows.map(testOf)
  const composite = rows.filter((row) => row.isComposite).map(testOf)
  const isWhole = !tests.includes(undefined) && new Set(tests).size > 1 && !isNaming(rows.map(({ answer }) => answer))
  const joined = rows.filter(({ key }) => isJoined.test(key)).flatMap((row) => whole.find(isOf(row)) ?? [])
  const first = isWhole ? tests[0] : (composite.find((test) => test !== undefined) ?? joined[0])
  if (first === undefined) return []
  const at = rows[0]?.at ?? 0
  const words = `${path} has a table of ${rows.length === 1 ? 'one answer' : `${rows.length} answers`} (line ${at}), as the test ${JSON.stringify(first.name)} in ${first.path} expects`
  return [{ rule: 'special-case', file: path, line: at, words, isBeyondChecks: true }]
}

/** Three numbers or more, such as "3,3,3|19": arguments of a call, and no date, version or size. */
const isJoined = /^"-?\d+(?:\.\d+)?(?:(?:[,;|]\s?|[^\d\s,;|.:"-])-?\d+(?:\.\d+)?){2,}"$/

/** The test expects the answer, and gives what the key holds; what was worked out before is not in the test. */
const isOf =
  ({ key, values, answer }: AnswerRow) =>
  (test: Expected): boolean =>
    !isTrivial(answer) &&
    test.values.has(answer) &&
    (values.every((value) => test.values.has(value)) || (/[,;|]/.test(key) && /^-?\d[\d.]{2,}$/.test(answer)))

/** Rows that follow each other; a single one only if its key holds several inputs. */
function tablesIn(change: Change): AnswerRow[][] {
  const tables: AnswerRow[][] = []
  let last: AnswerRow | undefined
  for (const row of change.added.flatMap((line) => rowsIn(line, change))) {
    const table = last !== undefined && row.at - last.at <= mostApart ? tables.at(-1) : undefined
    if (table === undefined) tables.push([row])
    else table.push(row)
    last = row
  }
  return tables.filter((rows) => rows.length > 1 || rows[0]?.isComposite)
}

const mostApart = 3

function rowsIn(line: SourceLine, { path, after }: Change): AnswerRow[] {
  if (/\.(?:csv|tsv)$/.test(path))
    return rowOf(
      line.at,
      line.text.split(/[,;\t]/).map((cell) => (/^-?[\d.]+$/.test(cell) ? cell : `"${cell}"`)),
    )
  const text = plain(line)
  const [, key] = opens.exec(text) ?? []
  if (key !== undefined && isJoined.test(key)) return objectOf(key, line, after)
  if (/^\s*(?:case|when)\b/.test(line.code)) return rowOf(line.at, [...literalsIn(text), ...answerBelow(line, after)])
  return [...text.matchAll(group)].flatMap(([, inside, answer, key, value]) => {
    if (inside === undefined) return rowOf(line.at, [key ?? '', value ?? ''])
    const pairs = [...inside.matchAll(pair)].map(([, one = '', other = '']) => [one, other])
    return pairs.length > 0
      ? pairs.flatMap((each) => rowOf(line.at, each))
      : rowOf(line.at, [...literalsIn(inside), ...(answer === undefined ? [] : [answer])])
  })
}

const opens = new RegExp(String.raw`(${literal})\s*:\s*[[{]`)

/** Each value of an object or a list that is the answer, over some lines. */
function objectOf(key: string, line: SourceLine, lines: SourceLine[]): AnswerRow[] {
  const from = lines.findIndex(({ at }) => at === line.at)
  const text = lines
    .slice(from, from + mostLines)
    .map(plain)
    .join('\n')
  const inside = /[[{]([^\]}]*)/.exec(text.slice(text.indexOf(key) + key.length))?.[1] ?? ''
  return literalsIn(inside.replace(/"\w+"\s*:/g, '')).flatMap((answer) => rowOf(line.at, [key, answer]))
}
const mostLines = 8

/** Of a case, what is returned on the next line. */
function answerBelow(line: SourceLine, after: SourceLine[]): string[] {
  if (/\breturn\b|=>/.test(line.code)) return []
  const next = after[after.indexOf(line) + 1]
  return next !== undefined && /^\s*(?:return|->|yield)\b/.test(next.code) ? literalsIn(next.text) : []
}

/** At least one input and one answer; inputs that are words are names of something. */
function rowOf(at: number, all: string[]): AnswerRow[] {
  const inputs = all.slice(0, -1)
  if (inputs.length === 0 || inputs.some((value) => isWord(value) && !isTrivial(value))) return []
  const isComposite = inputs.some((value) => partsOf(value).length > 1)
  const values = all.flatMap(partsOf).filter((value) => !isTrivial(value))
  return values.length > 1 ? [{ at, key: inputs[0] ?? '', values, answer: all.at(-1) ?? '', isComposite }] : []
}
