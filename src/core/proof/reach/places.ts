/** Where a probe can stand in source text: what goes in, and where. */
import { lineNumbers } from '../../text/line-numbers.ts'

/** At an offset of the text. `rank`: of several at one offset, the lower first. */
export type Insertion = { at: number; text: string; rank: number }

/**
 * Part of a function that runs only sometimes; `isElse`: what follows where this condition does not hold. `given`: the code of its condition, or of
 * what it stands in for; `isOperand`: one of several in a condition. `puts`: what goes into the text, given the probe as an expression.
 */
export type ProbePlace = {
  line: number
  shown: string
  given?: string
  isElse?: true
  isOperand?: true
  puts: (probe: string) => Insertion[]
}

/** A text beside the same with blanks instead of comments, and quotes all over its strings. */
export type Code = { text: string; code: string; lines: CodeLine[]; lineAt: (at: number) => number }
/** `from`: its offset. */
export type CodeLine = { from: number; code: string; indent: number; index: number }

export function codeOf(text: string, code: string): Code {
  let from = 0
  const lines = code.split('\n').map((line, index): CodeLine => {
    // Of a string over several lines nothing is indented.
    const isInside = line.startsWith('"') && !/["'`]/.test(text[from] ?? '')
    const one = { from, code: line, indent: isInside ? -1 : line.search(/\S/), index }
    from += line.length + 1
    return one
  })
  return { text, code, lines, lineAt: lineNumbers(code) }
}

/** A probe, and the expression that stood there: in brackets, so that it is still one. */
export const around = (from: number, to: number, [before, after]: [string, string]): Insertion[] => [
  { at: from, text: before, rank: 2 },
  { at: to, text: after, rank: 0 },
]

/** Every bracket that it opens is closed in it. */
export function isClosed(code: string): boolean {
  let depth = 0
  for (const char of code) {
    depth += '([{'.includes(char) ? 1 : ')]}'.includes(char) ? -1 : 0
    if (depth < 0) return false
  }
  return depth === 0
}

/** From the line on that begins a function, all that is indented more; and what closes it. */
export function regionOf(lines: CodeLine[], first: CodeLine): CodeLine[] {
  const end = lines.findIndex(
    ({ index, indent, code }) => index > first.index && indent !== -1 && indent <= first.indent && !/^\s*[)\]}]/.test(code),
  )
  return lines.slice(first.index, end === -1 ? lines.length : end)
}

/** The `if` that this `else` belongs to: the nearest above with the same indentation. */
export const ifOf = (lines: CodeLine[], { index, indent }: CodeLine): CodeLine | undefined =>
  lines.slice(0, index).findLast((line) => line.indent === indent && /^\s*(?:\}\s*else\s+)?(?:el)?if\b/.test(line.code))

/** The operands of a condition, from the offset where it begins; empty: it has only one. */
export function operandsIn(condition: string, from: number, operator: RegExp): { from: number; to: number }[] {
  const parts: { from: number; to: number }[] = []
  let [depth, start] = [0, 0]
  const end = (at: number): void => {
    const part = condition.slice(start, at)
    parts.push({ from: from + start + Math.max(0, part.search(/\S/)), to: from + start + part.trimEnd().length })
  }
  for (let at = 0; at < condition.length; at++) {
    depth += '([{'.includes(condition[at] ?? '') ? 1 : ')]}'.includes(condition[at] ?? '') ? -1 : 0
    operator.lastIndex = at
    const found = depth === 0 ? operator.exec(condition) : null
    if (found === null) continue
    end(at)
    start = at + found[0].length
    at = start - 1
  }
  if (parts.length > 0) end(condition.length)
  return parts.filter((part) => part.to > part.from)
}

export function withInsertions(text: string, insertions: Insertion[]): string {
  const sorted = insertions.toSorted((one, other) => one.at - other.at || one.rank - other.rank)
  let [result, from] = ['', 0]
  for (const { at, text: put } of sorted) {
    result += text.slice(from, at) + put
    from = at
  }
  return result + text.slice(from)
}
