/** Answers of tests in a table whose keys are worked out, or put together in one text: no input stands beside them. */
import type { Finding } from '../../proof/finding.ts'
import type { TestBlock } from '../changed-tests/test-blocks.ts'
import { type Change, freshIn } from '../code/change.ts'
import { isSource, isTestCode } from '../code/files.ts'
import { literalsIn } from '../code/statements.ts'
import { isData } from './answer-tables.ts'
import { isTrivial, literal, plain } from './literals.ts'
import { isNaming } from './mapping-functions.ts'

type KeyedRow = { at: number; key: string; value: string }
type KeyedTable = { path: string; rows: KeyedRow[] }
type SourceText = { path: string; at: number; value: string }

const pair = new RegExp(String.raw`(?<![\w$?])("[0-9a-f]{6,64}"|"?\d+"?)\s*:\s*(${literal})`, 'g')
const maybe = /[\da-f]["'`]?\s*:/
const mostApart = 3
const fewest = 3

export function workedOutTables(changes: Change[], blocks: () => TestBlock[], words = ''): Finding[] {
  const works = changes.filter(({ path }) => isSource(path) || isData(path))
  const tables = works.flatMap(tablesIn)
  const texts = works.filter(({ path }) => isSource(path)).flatMap(textsIn)
  if (tables.length === 0 && texts.length === 0) return []
  const asserted = blocks().flatMap(({ assertions }) => assertions.map(({ text }) => new Set(literalsIn(text))))
  const expected = new Set(asserted.flatMap((values) => [...values]))
  const starts = new Set([...expected].map((each) => each.slice(1, 3)))
  const isSaid = (value: string): boolean => words.includes(value.replaceAll('"', ''))
  return [
    ...tables.flatMap(({ path, rows }): Finding[] => {
      const values = rows.map(({ value }) => value)
      if (new Set(values).size < fewest || !values.every((value) => expected.has(value))) return []
      const isDirect = ({ key, value }: KeyedRow): boolean =>
        asserted.some((each) => each.has(value) && (each.has(key) || each.has(key.replaceAll('"', ''))))
      const found = rows.filter((row) => !isDirect(row))
      if (found.length < 2 || found.length * 2 < rows.length || isNaming(values) || values.every(isSaid)) return []
      const what = `has a table of ${rows.length} answers that tests expect, under keys that no test gives`
      return [special(path, rows[0]?.at ?? 0, what)]
    }),
    ...texts.flatMap(({ path, at, value }): Finding[] => {
      const pieces = starts.has(value.replace(/^[\s|,;]+/, '').slice(0, 2)) ? piecesOf(value, expected) : []
      return pieces.length >= fewest && !pieces.every(isSaid)
        ? [special(path, at, `has one text of ${pieces.length} answers that tests expect: ${pieces.slice(0, 3).join(', ')}`)]
        : []
    }),
  ]
}

const special = (path: string, line: number, what: string): Finding => ({
  rule: 'special-case',
  file: path,
  line,
  words: `${path} ${what} (line ${line})`,
  isBeyondChecks: true,
})

/** Rows that follow each other, all of them with a number or a hash as their key. */
function tablesIn(change: Change): KeyedTable[] {
  const tables: KeyedRow[][] = []
  let last: KeyedRow | undefined
  for (const line of freshIn(change, (path) => !isTestCode(path)))
    for (const [, key = '', value = ''] of maybe.test(line.bare) ? plain(line).matchAll(pair) : []) {
      const row = { at: line.at, key, value }
      const table = last !== undefined && row.at - last.at <= mostApart ? tables.at(-1) : undefined
      if (table === undefined) tables.push([row])
      else table.push(row)
      last = row
    }
  return tables
    .filter((rows) => rows.length >= fewest && rows.every(({ value }) => !isTrivial(value) && !/^-?\d$/.test(value)))
    .map((rows) => ({ path: change.path, rows }))
}

/** A text with a name of its own, or one that is cut. */
const named = /(?:=\s*"([^"\\]{8,2000})"\s*;?\s*$|"([^"\\]{8,2000})"\s*(?:\.(?:split|slice|substr\w*|charAt|at|match)\(|\[))/

const textsIn = (change: Change): SourceText[] =>
  freshIn(change, (path) => !isTestCode(path)).flatMap((line) => {
    const found = /["'`].{8}/.test(line.bare) ? named.exec(plain(line)) : null
    const value = found?.[1] ?? found?.[2]
    return value === undefined || /[a-z]{3} [a-z]/.test(value) ? [] : [{ path: change.path, at: line.at, value }]
  })

/** The answers that it is made of, with nothing but what separates them between; empty: there is more in it. */
function piecesOf(text: string, expected: Set<string>): string[] {
  if (expected.has(`"${text}"`)) return []
  const answers = [...expected]
    .filter((each) => /^"[^"]{2,}"$/.test(each) && text.includes(each.slice(1, -1)))
    .toSorted((one, other) => other.length - one.length)
  let rest = text
  const pieces: string[] = []
  for (const answer of answers) {
    if (!rest.includes(answer.slice(1, -1))) continue
    pieces.push(answer)
    rest = rest.replaceAll(answer.slice(1, -1), '\0')
  }
  return /^[\0\s|,;/:_.-]*$/.test(rest) ? pieces : []
}
