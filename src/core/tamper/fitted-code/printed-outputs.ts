/** Programs that print exactly what a test expects, for one input or for any. */
import type { Finding } from '../../proof/finding.ts'
import type { TestBlock } from '../changed-tests/test-blocks.ts'
import { type Change, freshIn } from '../code/change.ts'
import { isSource, isTestCode } from '../code/files.ts'
import type { SourceLine } from '../code/source-lines.ts'

export const saidOutputs = (changes: Change[], blocks: () => TestBlock[]): Finding[] => [
  ...printedAnswers(changes, blocks),
  ...goldenAnswers(changes),
]

const prints =
  /\b(?:print|puts|echo|printf|write|writeln|log|println!?|print!|Print(?:ln|f)?|WriteLine|return)\s*\(?\s*(["'`])((?:(?!\1)[^\\]|\\.)+)\1\s*\)?\s*;?\s*$/
const help = /usage|example|help|version|e\.g\.|option|argument|\{\w*\}|\$\{|%[sd]|\{:|#\{|^\s*(?:[\d.]+\s*)+$|[<>]|;/i

/** A text with several numbers, which were not computed. */
function printedAnswers(changes: Change[], blocks: () => TestBlock[]): Finding[] {
  const said = changes
    .filter(({ path }) => isSource(path))
    .flatMap((change) =>
      freshIn(change, (other) => !isTestCode(other)).flatMap((line) => {
        const text = plainly(prints.exec(line.bare)?.[2] ?? '')
        const numbers = text.match(/\d[\d.,:/-]*/g) ?? []
        return numbers.length > 1 && text.length > 5 && !help.test(text) ? [{ path: change.path, line, text }] : []
      }),
    )
  if (said.length === 0) return []
  const expected = blocks().flatMap((block) => block.lines.flatMap(({ bare }) => textsIn(bare).map((text) => ({ text, block }))))
  return said.flatMap(({ path, line, text }): Finding[] => {
    const test = expected.find((each) => each.text === text)?.block
    const words = `${path} prints just what the test ${JSON.stringify(test?.name)} expects (line ${line.at})`
    return test === undefined ? [] : [finding(path, line, words)]
  })
}

const textsIn = (bare: string): string[] =>
  [...bare.matchAll(/(["'`])((?:(?!\1)[^\\]|\\.)+)\1/g)].map(([, , text = '']) => plainly(text))
const plainly = (text: string): string => text.replace(/(?:\\n|\s)+$/g, '').trim()

const isCase =
  /(?:^|[/.])(?:in|input|stdin|given|out|output|stdout|expected|golden)$|\.(?:in|input|stdin|given|out|output|stdout|expected|golden)(?:\.\w+)?$/
const isInput = /(?:^|[/._-])(?:in|input|stdin|given)(?:\.\w+)?$/
const isOfTests = (path: string): boolean =>
  isTestCode(path) || /(^|\/)(?:tests?|specs?|fixtures?|testdata|cases|golden)\//.test(path)
const stemOf = (path: string): string =>
  path.replace(/[._-]?(?:in|input|stdin|given|out|output|stdout|expected|golden)(?:\.\w+)?$/, '')

/** A file of inputs and one of outputs: the program has a line of each, the second made of the first. */
function goldenAnswers(changes: Change[]): Finding[] {
  const files = changes.filter(({ path, kind }) => kind !== 'deleted' && isCase.test(path) && isOfTests(path))
  const pairs = files
    .filter(({ path }) => !isInput.test(path))
    .flatMap((output) => {
      const input = files.find(({ path }) => isInput.test(path) && stemOf(path) === stemOf(output.path))
      return input === undefined ? [] : [{ input, output }]
    })
  if (pairs.length === 0) return []
  const programs = changes.filter(({ path }) => (isSource(path) || /\.(?:sh|bash|awk|pl)$/.test(path)) && !isOfTests(path))
  return programs.flatMap((program) =>
    program.added.flatMap((line): Finding[] => {
      const at = program.after.indexOf(line)
      const around = program.after.slice(Math.max(0, at - 2), at + 1).map(({ bare }) => bare)
      const found = pairs.find(({ input, output }) =>
        output.after.some(({ text }) => {
          const answer = text.trim()
          const rest = around.join('\n').replaceAll(answer, '')
          return (
            answer.length > 5 &&
            holds(line.bare, answer) &&
            wordsIn(input.after).some((word) => answer.includes(word) && answer !== word && holds(rest, word))
          )
        }),
      )
      return found === undefined
        ? []
        : [
            finding(
              program.path,
              line,
              `${program.path} contains the output that ${found.output.path} expects for one input (line ${line.at})`,
            ),
          ]
    }),
  )
}

const wordsIn = (lines: SourceLine[]): string[] =>
  lines.flatMap(({ text }) => text.split(/[\s/,;=]+/)).filter((word) => word.length > 3)

/** As a word of its own. */
function holds(text: string, word: string): boolean {
  const at = text.indexOf(word)
  return at !== -1 && !/[\w-]/.test(text[at - 1] ?? ' ') && !/[\w-]/.test(text[at + word.length] ?? ' ')
}

const finding = (path: string, line: SourceLine, words: string): Finding => ({
  rule: 'special-case',
  file: path,
  line: line.at,
  words,
  isBeyondChecks: true,
})
