/** Rows with the inputs and the expected value of a test: in a table of the source, in a condition, or in a file that the program reads. */
import type { Finding } from '../../proof/finding.ts'
import type { TestBlock } from '../changed-tests/test-blocks.ts'
import { type Change, freshIn } from '../code/change.ts'
import { isCode, isFixture, isSettings, isSnapshot, isSource, isTestCode, mayMatter } from '../code/files.ts'
import type { SourceLine } from '../code/source-lines.ts'

type WrittenRow = { at: number; numbers: Set<string>; text: string }
type TestNumbers = { name: string; path: string; numbers: Set<string> }

export function writtenRows(changes: Change[], blocks: () => TestBlock[]): Finding[] {
  const sources = changes.filter(({ path }) => isSource(path)).map((change) => ({ change, rows: sourceRows(change) }))
  const data = changes.filter(({ path }) => isRead(path)).map((change) => ({ change, rows: dataRows(change) }))
  if ([...sources, ...data].every(({ rows }) => rows.length === 0)) return []
  const told = blocks().flatMap(toldBy)
  const found = ({ change: { path }, rows }: (typeof data)[number], fewest: number): Finding[] => {
    const tests = rows.map((row) => told.find(({ numbers }) => [...row.numbers].every((each) => numbers.has(each))))
    const count = tests.filter((test) => test !== undefined).length
    const at = tests.findIndex((test) => test !== undefined)
    const [row, test] = [rows[at], tests[at]]
    if (row === undefined || test === undefined || count < fewest || (fewest > 1 && count < rows.length * 0.6)) return []
    const words = `${path} contains the inputs and the answer of the test ${JSON.stringify(test.name)} in ${test.path}: ${row.text} (line ${row.at})`
    return [{ rule: 'special-case', file: path, line: row.at, words, isBeyondChecks: true }]
  }
  return [...sources.flatMap((one) => found(one, 1)), ...data.flatMap((one) => found(one, 2))]
}

/** Text that no tool of the project owns: the program may read it. */
const isRead = (path: string): boolean =>
  !isCode(path) &&
  !isTestCode(path) &&
  !isFixture(path) &&
  !isSnapshot(path) &&
  !isSettings(path) &&
  mayMatter(path) &&
  !/(^|\/)(?:tests?|specs?|e2e|docs?|examples?|\.\w+)\/|lock|\.(?:sh|bash|html?|css|sql|xml|toml|ini|cfg)$|(^|\/)(?:\w*[mM]akefile|\.\w+)$/.test(
    path,
  )

/** An entry of a table, `(1000, 3): [334, 333, 333]`, with several inputs; or a condition on several numbers and what is returned below. */
const entry =
  /^\s*(?:case\b|when\b)?.*?([[({"'`](?:[^[\](){}"'`]|[[({][^[\](){}]*[\])}])*[\])}"'`])\s*(?::|=>|->|,|then\b|\|\||\])\s*(?:return\b)?(.*)$/
const condition = /\b(?:if|elif|elsif|case|when)\b(.*(?:===?|\beq\b).*)/
const answer = /(?:\breturn\b|=>|\bthen\b|:)(.*[[({].*)$/

function sourceRows(change: Change): WrittenRow[] {
  const { after } = change
  return freshIn(change, (other) => !isTestCode(other)).flatMap((line): WrittenRow[] => {
    const { bare } = line
    const asked = condition.exec(bare)?.[1]
    const at = after.indexOf(line)
    const given = asked === undefined ? undefined : (answer.exec(bare)?.[1] ?? returned(after[at + 1]))
    const row = entry.exec(bare)
    const below = row !== null && /^\s*(?:case|when)\b/.test(bare) ? returned(after[at + 1]) : undefined
    return [
      ...(asked === undefined || given === undefined ? [] : rowOf(line, asked, given)),
      ...(row === null ? [] : rowOf(line, row[1] ?? '', below ?? row[2] ?? '')),
    ].slice(0, 1)
  })
}

const returned = (line: SourceLine | undefined): string | undefined => answer.exec(line?.bare ?? '')?.[1]

/** Inputs and answer are several numbers each, and three different ones together: nothing that is there by chance. */
function rowOf(line: SourceLine, asked: string, given: string): WrittenRow[] {
  const [inputs, answers] = [numbersIn(asked), numbersIn(given)]
  const numbers = new Set([...inputs, ...answers].filter(tells))
  const isRow =
    inputs.length > 1 && inputs.some(tells) && answers.length > 1 && answers.some((each) => tells(each) && !inputs.includes(each))
  return isRow && numbers.size > 2 ? [{ at: line.at, numbers, text: line.text.trim().slice(0, 60) }] : []
}

/** One row for each line, or for each list of a text that stands on one line. */
function dataRows({ added }: Change): WrittenRow[] {
  return added.flatMap(({ at, text }) =>
    text.split(/(?<=[\]}]\s*,)/).flatMap((part): WrittenRow[] => {
      const numbers = new Set(numbersIn(part).filter(tells))
      return numbers.size > 2 ? [{ at, numbers, text: part.trim().slice(0, 60) }] : []
    }),
  )
}

/** `3.34` is 334 too, as amounts are written. */
function toldBy({ name, path, lines, assertions }: TestBlock): TestNumbers[] {
  const texts = [...assertions.map(({ text }) => text), ...lines.map(({ bare }) => bare)]
  return texts.flatMap((text) => {
    const numbers = numbersIn(text)
    return numbers.length < 2
      ? []
      : [{ name, path, numbers: new Set([...numbers, ...numbers.map((each) => each.replace('.', ''))]) }]
  })
}

const numbersIn = (text: string): string[] =>
  text.replace(/(?<=\d)_(?=\d)/g, '').match(/(?<![A-Za-z_$\d.])\d+(?:\.\d+)?(?![A-Za-z_\d])/g) ?? []
const tells = (number: string): boolean => !/^[012]$/.test(number)
