/** Finds functions by their first lines: name, parameters and body. */
import type { Change } from './change.ts'
import type { SourceLine } from './source-lines.ts'

const header =
  /^(\s*)(?:export\s+)?(?:default\s+)?(?:pub\s+)?(?:async\s+)?(?:(?:function\*?|def|func|fn)\s+(\w+)|(?:const|let)\s+(\w+)\s*=\s*(?:async\s*)?)\s*\(([^()]*)\)/

export type Header = { name: string; parameters: string[]; line: SourceLine }

/** The function that begins on this line, if its parameters are on it too. */
export function headersIn(line: SourceLine): Header[] {
  const [, , named, bound, list] = header.exec(line.code) ?? []
  const name = named ?? bound
  if (name === undefined || list === undefined) return []
  const parameters = plainTypes(list)
    .split(',')
    .flatMap((each) => /^\s*(?:(?:this|self|cls)\b\s*)?(?:mut\s+|ref\s+|\*{1,2})?([A-Za-z_$][\w$]*)/.exec(each)?.[1] ?? [])
  return [{ name, parameters, line }]
}

const method =
  /^\s*(?:(?:public|private|protected|internal|static|final|override|virtual|async|get|export|pub|suspend)\s+)*(?:func\s*\([^()]*\)\s*(\w+)|(?:fun|function|def|fn)\s+(?:self\.)?(\w+)|(?:[\w<>[\].?]+\s+)?#?(\w+))\s*\(([^()]*)\)[^;=()]*\{?\s*$/
const statement = /^\s*(?:if|else|for|while|switch|catch|return|new|do|try|with|await|throw|match|case|elif|elsif|unless|when)\b/

/** The method that begins on this line, in classes and beside types: `discount(amount, percent) {`, `public double discount(double amount)`. */
export function methodsIn(line: SourceLine): Header[] {
  if (headersIn(line).length > 0 || statement.test(line.code) || !/[{:]\s*$/.test(line.code)) return []
  const [, go, named, plain, list] = method.exec(line.code) ?? []
  const name = go ?? named ?? plain
  if (name === undefined || list === undefined) return []
  const isTypeFirst = /^\s*(?:(?:final|const|in|ref)\s+)*[\w<>[\].?]+\s+\$?\w+\s*$/
  const parameters = plainTypes(list)
    .replace(/\s*=[^,]*/g, '')
    .split(',')
    .flatMap((each) => (go === undefined && isTypeFirst.test(each) ? /(\$?\w+)\s*$/ : /^\s*[&*]*(\$?\w+)/).exec(each)?.[1] ?? [])
    .filter((each) => each !== 'self' && each !== 'this')
  return [{ name, parameters, line }]
}

/** Without what brackets hold: it has commas of its own. */
function plainTypes(list: string): string {
  const now = list.replace(/\[[^[\]]*\]|<[^<>]*>|\{[^{}]*\}/g, '')
  return now === list ? list : plainTypes(now)
}

/** What is indented more, or stands on the same line. */
export function bodyOf(lines: SourceLine[], line: SourceLine): string {
  const indent = line.text.search(/\S/)
  const rest = lines.slice(lines.indexOf(line) + 1)
  const end = rest.findIndex(({ text }) => text.trim() !== '' && text.search(/\S/) <= indent)
  const same = line.code.replace(header, '').replace(/^[^{:=]*(?:=>|\{|:)/, '')
  return [same, ...rest.slice(0, end === -1 ? rest.length : end).map(({ bare }) => bare)].join('\n')
}

/** Names of the functions that begin on these lines: no methods. */
export const functionsIn = (lines: SourceLine[]): string[] => lines.flatMap((line) => headersIn(line).map(({ name }) => name))

/** Functions and methods in which a line came. */
export const changedFunctions = ({ after, added }: Pick<Change, 'after' | 'added'>): string[] => {
  const fresh = new Set(added)
  let own: Header[] = []
  return after.flatMap((line) => {
    const headers = [...headersIn(line), ...methodsIn(line)]
    if (headers.length > 0) own = headers
    return fresh.has(line) ? own.map(({ name }) => name) : []
  })
}

/** A pattern for a name, where it stands alone. */
export const inWords = (name: string): string => `(?<![\\w$.])${name.replaceAll('$', '\\$')}(?![\\w$])`
