/** The tests of a file, each with its lines and what it asserts. */
import type { Language } from '../code/languages.ts'
import type { SourceLine } from '../code/source-lines.ts'
import { isChained, statementAt } from '../code/statements.ts'

/** `strength`: 0 says nothing (two literals, a value and itself), 1 says little (that a value is there), 2 compares. */
export type Assertion = { at: number; text: string; strength: 0 | 1 | 2 }

/** `end`: its last line, with the tests inside it, which are blocks of their own. */
export type TestBlock = { name: string; path: string; at: number; end: number; lines: SourceLine[]; assertions: Assertion[] }

type Source = { path: string; lines: SourceLine[]; language: Language }

/** Each with what announces it, until the next line that is not indented more. */
export function testBlocks({ path, lines, language }: Source): TestBlock[] {
  return rangesIn(lines, language).map(({ start, from, to, end }): TestBlock => {
    const body = [...lines.slice(start, start + 1), ...lines.slice(from, start), ...lines.slice(start + 1, to)]
    const name = nameAt(lines, start)
    const at = lines[start]?.at ?? 0
    return { name, path, at, end: lines[end - 1]?.at ?? at, lines: body, assertions: assertionsIn(body, language) }
  })
}

/** What is in no test: settings, tables and helpers. */
export function outsideTests({ path, lines, language }: Source): TestBlock {
  const inside = new Set(rangesIn(lines, language).flatMap(({ from, to }) => lines.slice(from, to)))
  const rest = lines.filter((line) => !inside.has(line))
  return { name: '', path, at: 1, end: 1, lines: [nothing, ...rest], assertions: assertionsIn(rest, language) }
}

const nothing: SourceLine = { at: 0, text: '', bare: '', code: '', comment: '' }

/** `start`: where it is declared. */
function rangesIn(lines: SourceLine[], language: Language): { start: number; from: number; to: number; end: number }[] {
  const starts = lines.flatMap((line, index) => (language.declares.test(line.code) ? [index] : []))
  const froms = starts.map((start) => withDecorators(lines, start))
  return starts.map((start, index) => {
    const from = froms[index] ?? start
    const end = endOf(lines, start)
    return { start, from, to: Math.min(end, froms[index + 1] ?? lines.length), end }
  })
}

function endOf(lines: SourceLine[], start: number): number {
  const indent = indentOf(lines[start]?.text ?? '')
  let at = start + 1
  if (isAnnounced(lines[start]?.code ?? '')) {
    while (at < lines.length && (isAnnounced(lines[at]?.code ?? '') || indentOf(lines[at]?.text ?? '') > indent)) at++
    at += 1
  }
  const goesOn = ({ text }: SourceLine): boolean =>
    text.trim() === '' || indentOf(text) > indent || /^\s*(?:[)\]}]|end\b|\{)/.test(text)
  while (at < lines.length && goesOn(lines[at] ?? nothing)) at++
  return at
}

const isAnnounced = (code: string): boolean => /^\s*(?:@|#\[|\[)/.test(code)

/** What is written above a test, without a blank line between, and begins with a decorator or an attribute. */
function withDecorators(lines: SourceLine[], start: number): number {
  let first = start
  const indent = indentOf(lines[start]?.text ?? '')
  for (let at = start - 1; at >= 0 && start - at < mostAbove; at--) {
    const { text } = lines[at] ?? { text: '' }
    if (text.trim() === '' || indentOf(text) < indent) break
    if (indentOf(text) === indent && /^\s*(?:@|#\[|\[)/.test(text)) first = at
  }
  return first
}

const mostAbove = 300
export const indentOf = (text: string): number => text.length - text.trimStart().length

function assertionsIn(lines: SourceLine[], language: Language): Assertion[] {
  const isAssertion = ({ code: whole }: SourceLine): boolean => {
    const code = whole.replace(defined, '')
    return language.asserts.test(code) || (helper.test(code) && !assigned.test(code))
  }
  let counted = -1
  return lines.flatMap((line, index) => {
    if (!isAssertion(line)) return []
    const start = startOf(lines, index)
    // The other calls of a chain belong to its first one.
    if (start <= counted) return []
    counted = index
    const text = failsOnly.test(line.code) ? `fails ${conditionOf(lines, index)}` : withoutBrackets(statementAt(lines, start))
    return [{ at: line.at, text, strength: strengthOf(text, line.code, language) }]
  })
}

/** A formatter puts what is too long for a line into brackets. A tuple stays one. */
function withoutBrackets(text: string): string {
  const inside = /^assert \((.*)\)$/.exec(text)?.[1]
  if (inside === undefined) return text
  let depth = 0
  for (const char of inside.replace(/"(?:[^"\\]|\\.)*"/g, '""')) {
    depth += '([{'.includes(char) ? 1 : ')]}'.includes(char) ? -1 : 0
    if (depth < 0 || (depth === 0 && char === ',')) return text
  }
  return `assert ${inside}`
}

/** Where the statement begins whose calls go over several lines. */
function startOf(lines: SourceLine[], index: number): number {
  let at = index
  while (at > 0 && index - at < 10 && isChained(lines[at]?.code ?? '')) at--
  return at
}

/** What a function gives is used: it prepares something. */
const assigned = /^\s*(?:(?:const|let|var|val|final)\s+)?[\w\s,{}[\]*&<>]+?(?::?=)(?![=>])/

/** What such a line says is for people; what it asserts is the condition above it. */
const failsOnly = /^\s*\w+\.(?:Errorf?|Fatalf?|Fail(?:Now)?)\s*\(/

const conditionOf = (lines: SourceLine[], index: number): string =>
  lines
    .slice(Math.max(0, index - 3), index)
    .findLast(({ code }) => /^\s*(?:\} else )?if\b/.test(code))
    ?.text.trim() ?? ''

/** Where a function is defined, its name asserts nothing. */
const defined =
  /\b(?:function\*?|def|func|fn|fun|void)\s+\w+\s*\(|^\s*(?:(?:public|private|protected|internal|static|final|async|override)\s+)+[\w<>[\],.? ]*?\b\w+\s*\(/

/** A function of the project that asserts, by its name; not where it is defined. */
const helper =
  /(?<![\w$.])(?<!\b(?:function|def|func|fn|fun)\s)(?:assert|expect|require|verify|validate|ensure|must|compare|check|test|want)(?:[A-Z]\w*|_\w+)\s*!?\(/

/** What an attribute or a decorator announces is on one of the next lines. */
function nameAt(lines: SourceLine[], index: number): string {
  const isAbove = isAnnounced(lines[index]?.code ?? '')
  for (const { text } of lines.slice(index + (isAbove ? 1 : 0), index + 5)) {
    const name = nameIn(text)
    if (name !== '' && !(isAbove && isAnnounced(text))) return name
  }
  return nameIn(lines[index]?.text ?? '')
}

const nameIn = (text: string): string =>
  (named.exec(text)?.[1] ?? /(['"`])((?:\\.|(?!\1).)+)\1/.exec(text)?.[2] ?? /(\w+)\s*\(/.exec(text)?.[1] ?? '').slice(0, 80)

const named =
  /^\s*(?:(?:async|public|private|protected|static|pub|override|final|suspend|internal)\s+)*(?:def|func|fn|fun|void|function)\s+(?:\([^)]*\)\s*)?(\w+)/

function strengthOf(text: string, code: string, { weak, extension }: Language): Assertion['strength'] {
  // A tuple is true, whatever is in it.
  if (saysNothing(text) || (extension.test('.py') && /^assert ?\(.*, ?f?"[^"]*"\)$/.test(text))) return 0
  return tolerance.test(text) || weak.test(code.slice(0, 500)) || weak.test(text.slice(0, 500)) ? 1 : 2
}

/** Compares with what is near. */
export const tolerance =
  /toBeCloseTo|approx|almost_?equal|InDelta|InEpsilon|within|tolerance|epsilon|\beps\b|delta|precision|places|\batol\b|\brtol\b|\b(?:abs|rel)_tol\b/i

const ofAssertions =
  /^(?:assert\w*|expect\w*|self|this|t|is|ok|not|to|\.to[A-Z_]\w*|be|be_\w*|\.be[A-Z]\w*|eq|equals?|deepEqual|strictEqual|deepStrictEqual|strict|true|false|null|None|nil|undefined|True|False|require|Assert|That|Is|EqualTo|Equal|must_equal|and|static)$/

/** No value of the program is in it, or the same one twice. */
function saysNothing(text: string): boolean {
  if (/\bor True\b|\|\| ?true\b/.test(text)) return true
  const bare = text.replace(/"(?:[^"\\]|\\.)*"/g, '""')
  // A matcher such as .toBe() has a point before it; toRoman() is the program's.
  const words = bare.match(/(?:\.(?=(?:to|be)[A-Z]))?[A-Za-z_$][\w$]*/g) ?? []
  if (words.every((word) => ofAssertions.test(word))) return true
  const [, one = '', other = ''] =
    /(?:assert\w*|equals?|\w*Equals?|same|eq|is)!?[ (](?:t, ?)?([^(),]{1,80}(?:\([^()]*\))?), ?([^(),]{1,80}(?:\([^()]*\))?)\)?$/i.exec(
      text,
    ) ?? []
  if (one !== '' && one.trim() === other.trim()) return true
  const [, subject = '', value = ''] =
    /expect\(([^()]{1,80}(?:\([^()]*\))?)\)\.to\w+\(([^()]{1,80}(?:\([^()]*\))?)\)/.exec(text) ?? []
  if (subject !== '' && subject === value) return true
  const [, left = '', right = ''] = /^assert ([^=]{1,80}) == ([^=]{1,80})$/.exec(text) ?? []
  return left !== '' && left === right
}
