/** Small mistakes in source code, one line each: what a wrong story looks like to the tests. */
import { sourceLines, syntaxOf } from '../../core/tamper/code/source-lines.ts'

/** `text`: the whole file with the mistake. */
export type WrongLine = { path: string; line: number; text: string; before: string; after: string }

const mistakes: [from: RegExp, to: string][] = [
  [/ === /, ' !== '],
  [/ !== /, ' === '],
  [/ == /, ' != '],
  [/ != /, ' == '],
  [/ \+ /, ' - '],
  [/(?<=[\w)\]]) - /, ' + '],
  [/ \* /, ' + '],
  [/ \/ /, ' * '],
  [/ % /, ' * '],
  [/ <= /, ' > '],
  [/ >= /, ' < '],
  [/ < /, ' >= '],
  [/ > /, ' <= '],
  [/ && /, ' || '],
  [/ and /, ' or '],
  [/\btrue\b/, 'false'],
  [/\bTrue\b/, 'False'],
  [/\bfalse\b/, 'true'],
  [/\bFalse\b/, 'True'],
  [/(?<=\breturn )(\d+)\b(?![.\w])/, '$1 + 1'],
]

/** In one string, where a line returns it or is one entry of a table. */
const inString: [from: RegExp, to: string] = [/(["'`])([^"'`\\]+)\1/, '$1$2~$1']

/** A loop with a mistake may never end; an import or a declaration with one does not even start. */
const unfit =
  /^\s*(?:import|from|use|using|package|require|include|#|@|export \*|module|namespace|type|interface)\b|^\s*[#@]|\b(?:for|while|loop|until|do)\b|[-+]=|\+\+|--|=>\s*\{?$|\bversion\b/

/** From the most likely to be noticed: what a function returns, then conditions, then the rest. */
export function wrongLines(path: string, text: string): WrongLine[] {
  const all = text.split('\n')
  const found = sourceLines(text, syntaxOf(path)).flatMap((line) => {
    if (unfit.test(line.code) || line.text !== all[line.at - 1] || line.comment !== '') return []
    const after = withMistake(line.text, line.code)
    if (after === null || after === line.text) return []
    const lines = all.with(line.at - 1, after)
    return [{ path, line: line.at, text: lines.join('\n'), before: line.text.trim(), after: after.trim() }]
  })
  const rank = ({ before }: WrongLine): number =>
    /\breturn\b|=>/.test(before) ? 0 : /\b(?:if|elif|case|when)\b/.test(before) ? 1 : 2
  return found.toSorted((one, other) => rank(one) - rank(other))
}

/** Only outside of strings, unless the whole value is one. */
function withMistake(text: string, code: string): string | null {
  const [from, to] = mistakes.find(([pattern]) => pattern.test(code) && countOf(pattern, code) === countOf(pattern, text)) ?? []
  if (from !== undefined && to !== undefined) return text.replace(from, to)
  const isValue = /\breturn\b|=>|^\s*["'`]|[:=]\s*["'`]/.test(code) && !/require\(|import\(/.test(code)
  return isValue && inString[0].test(text) ? text.replace(...inString) : null
}

const countOf = (pattern: RegExp, text: string): number => text.match(new RegExp(pattern.source, 'g'))?.length ?? 0
