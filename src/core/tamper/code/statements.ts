/** Statements over several lines, and the literals in them. */
import type { SourceLine } from './source-lines.ts'

const mostLines = 40

/** From this line until its brackets are closed and no call follows, on one line. */
export function statementAt(lines: SourceLine[], index: number): string {
  let depth = 0
  let whole = ''
  for (const [at, { text, code }] of lines.slice(index, index + mostLines).entries()) {
    whole += `${at === 0 || isChained(code) ? '' : ' '}${text.trim()}`
    for (const char of code) depth += '([{'.includes(char) ? 1 : ')]}'.includes(char) ? -1 : 0
    if (depth < 0 || (depth === 0 && !isChained(lines[index + at + 1]?.code ?? ''))) break
  }
  return plainly(whole)
}

/** Calls a method of what the line before it gives. */
export const isChained = (code: string): boolean => /^\s*(?:\??\.|->|::)\s*[A-Za-z_]/.test(code)

/** The same for a statement in another form: spaces, kind of quotes, a comma before a bracket, what ends it. */
const plainly = (text: string): string =>
  text
    .slice(0, longest)
    .replace(/\s+/g, ' ')
    .replace(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`(?:[^`\\]|\\.)*`/g, withDoubleQuotes)
    .replace(/,? ?([)\]}])/g, '$1')
    .replace(/([([{]) /g, '$1')
    .replace(/[ ;,{]+$/, '')

const withDoubleQuotes = (found: string): string =>
  `"${found
    .slice(1, -1)
    .replace(/\\(['"`])/g, '$1')
    .replaceAll('"', "'")}"`

const longest = 4000

/** Patterns too: what a text must match is a value. */
const literal =
  /"(?:[^"\\]|\\.)*"|(?<=[(,=] ?)\/(?![*/])(?:[^/\\[]|\\.|\[(?:[^\]\\]|\\.)*\])+\/[a-z]*|(?<![\w.$])-?\d[\d_]*(?:\.\d+)?(?:e[+-]?\d+)?\b|\b(?:true|false|True|False|null|None|nil|undefined)\b/g

export const literalsIn = (text: string): string[] => plainly(text).match(literal) ?? []

/** The statement without its literals: two with the same differ in values alone. */
export const skeletonOf = (text: string): string => plainly(text).replace(literal, '□')

/** The literals in which two statements of the same skeleton differ, except names and messages. */
export function changedLiterals(before: string, after: string): { from: string; to: string }[] {
  const now = literalsIn(after)
  const text = plainly(before)
  return [...text.matchAll(literal)].flatMap(({ 0: from, index }, at) => {
    const to = now[at] ?? ''
    const isSame = from === to || Number(from) === Number(to)
    return isSame || (from.startsWith('"') && isName.test(text.slice(Math.max(0, index - 30), index))) ? [] : [{ from, to }]
  })
}

const isName = /\b(?:name|desc|description|title|id|ids|message|msg|reason|comment|label|doc)\b["']?\s*[:=(]\s*$/i
