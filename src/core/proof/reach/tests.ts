/** New tests in JavaScript whose assertions may never run: all of them stand in callbacks and loops, or behind a return. */
import { outsideTests, type TestBlock, testBlocks } from '../../tamper/changed-tests/test-blocks.ts'
import { mayAssert } from '../../tamper/changed-tests/weak-tests.ts'
import type { Change } from '../../tamper/code/change.ts'
import { isTestCode } from '../../tamper/code/files.ts'
import { testsIn } from '../../tamper/code/languages.ts'
import { type Code, type CodeLine, codeOf, type Insertion } from './places.ts'

/** `of`: the line of its test; 0: the file. Without `told` it only shows that this ran. */
export type TestPlace = {
  line: number
  shown: string
  of: number
  told?: 'assertions' | 'declares'
  puts: (probe: string) => Insertion[]
}

const script = /\.[cm]?[jt]sx?$/

export function placesInTests(change: Change, all: Change[], plainCode: (change: Change) => string): TestPlace[] {
  const { path, after, afterText, added, movedFrom } = change
  const language = script.test(path) && isTestCode(path) ? testsIn(path)?.language : undefined
  if (language === undefined || afterText === '') return []
  const code = codeOf(afterText, plainCode(change))
  if (code.code.length !== afterText.length) return []
  const source = { path, lines: after, language }
  const fresh = new Set(added.filter((line) => !movedFrom.has(line)))
  const helpers = helpersIn(outsideTests(source))
  const places = testBlocks(source).flatMap((block) => {
    const [first] = block.lines
    const from = code.lines[block.at - 1]
    if (first === undefined || from === undefined || !fresh.has(first)) return []
    return [...declaredAt(code, from), ...assertedIn(code, block, all, helpers)]
  })
  const isInLoop = places.some(({ told }) => told === 'declares')
  return isInLoop ? [...places, endOf(afterText)] : places
}

/** Shows that the file was run to its end. */
const endOf = (text: string): TestPlace => ({
  line: text.split('\n').length,
  shown: '',
  of: 0,
  puts: (probe) => [{ at: text.length, text: `\n;${probe}\n`, rank: 2 }],
})

/** Also where the line before has no semicolon. */
const beside = (from: number, to: number, probe: string): Insertion[] => [
  { at: from, text: `Array.of(${probe}, `, rank: 2 },
  { at: to, text: ').pop()', rank: 0 },
]

const declares = /^(\s+)((?:it|test|specify))(?=\s*\()/
const loop = /^\s*for\s*(?:await\s*)?\(|\.forEach\(/

/** In a loop. */
function declaredAt({ lines, text }: Code, line: CodeLine): TestPlace[] {
  const [, blank = '', name = ''] = declares.exec(line.code) ?? []
  const around = lines.slice(0, line.index).findLast(({ indent }) => indent !== -1 && indent < line.indent)
  if (name === '' || around === undefined || !loop.test(around.code)) return []
  const from = line.from + blank.length
  const shown = text.slice(around.from, around.from + around.code.length).trim()
  return [{ line: around.index + 1, shown, of: 0, told: 'declares', puts: (probe) => beside(from, from + name.length, probe) }]
}

const asserts =
  /(?<![\w$.#]|\bfunction\s)(?:(?:assert|expect|verify|check|ensure|compare)(?:[A-Z]\w*)?|ok|equal|deepEqual|strictEqual|deepStrictEqual|rejects|throws|(?:t|is)(?=\.(?:is|not|deepEqual|like|true|false|truthy|falsy|throws\w*|regex|snapshot|equal|same|match|ok|assert)\b))(?=(?:\.\w+)*\s*\()/g
/** Nobody expects them to be reached. */
const isEnd = /^\w+\.(?:fail|ifError|unreachable|notCalled)\b/
const counts = /\.should\b|\.plan\s*\(|\.(?:assertions|hasAssertions)\s*\(/

function assertedIn(code: Code, block: TestBlock, all: Change[], helpers: Set<string>): TestPlace[] {
  const { name, at, end } = block
  const [head, last] = [code.lines[at - 1], code.lines[end - 1]]
  if (head === undefined || last === undefined || mayAssert(block, all)) return []
  const text = code.code.slice(head.from, last.from + last.code.length)
  const opened = /(?:=>|\bfunction\b[^{;]*\))\s*\{/.exec(text)
  if (opened === null || counts.test(text) || (text.match(/\w+(?=\()/g) ?? []).some((each) => helpers.has(each))) return []
  const start = opened.index + opened[0].length
  const found = [...text.slice(start).matchAll(asserts)].filter(({ index }) => !isEnd.test(text.slice(start + index)))
  if (found.length === 0 || found.some(({ index }) => isSure(text.slice(start, start + index)))) return []
  const begins = head.from + start
  return [
    { line: at, shown: name, of: at, puts: (probe) => [{ at: begins, text: ` ${probe};`, rank: 1 }] },
    ...found.map((one): TestPlace => {
      const from = begins + one.index
      return {
        line: at,
        shown: JSON.stringify(name),
        of: at,
        told: 'assertions',
        puts: (probe) => beside(from, from + one[0].length, probe),
      }
    }),
  ]
}

/** What stands before it in the test ends all that it opens, is no condition and does not return. */
function isSure(before: string): boolean {
  if (/(?:\)[ \t]*|\belse\s*)$/.test(before)) return false
  let depth = 0
  for (const sign of before) depth += '([{'.includes(sign) ? 1 : ')]}'.includes(sign) ? -1 : 0
  return depth <= 0 && !/\breturn\b/.test(before)
}

/** Functions of the file that may assert for its tests. */
const helpersIn = ({ lines, assertions }: TestBlock): Set<string> =>
  new Set(assertions.length === 0 ? [] : lines.flatMap(({ code }) => /\b(?:function\*?|const|let)\s+(\w+)/.exec(code)?.[1] ?? []))
