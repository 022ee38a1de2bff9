/** Small changes to one line of code that keep its syntax: operators, constants, conditions, returns, removed calls. */

/** A line, and the same as code in place; the code of the lines before and after it that have any. */
export type MutableLine = { text: string; code: string; before: string; after: string }
/** Part of a line, and what stands there instead. */
export type LineChange = { from: number; to: number; instead: string }

type Dialect = {
  files: RegExp
  /** How a condition is negated: in brackets, or up to the mark that begins its block. */
  condition: 'brackets' | { until: RegExp; not: string }
  /** What a function gives that gives nothing. Absent: it depends on its type. */
  nothing?: string
  /** What stands for a removed statement. */
  empty: string
  /** Words for operators. */
  hasWords?: true
  hasSteps?: true
}

const dialects: Dialect[] = [
  { files: /\.[cm]?[jt]sx?$|\.(?:vue|svelte)$/, condition: 'brackets', nothing: 'undefined', empty: '', hasSteps: true },
  { files: /\.pyi?$/, condition: { until: /:\s*$/, not: 'not ' }, nothing: 'None', empty: 'pass', hasWords: true },
  { files: /\.(?:rb|rake)$/, condition: { until: /(?:\bthen\b.*)?$/, not: '!' }, nothing: 'nil', empty: 'nil', hasWords: true },
  { files: /\.exs?$/, condition: { until: /\bdo\s*$/, not: '!' }, empty: ':ok', hasWords: true },
  { files: /\.(?:go|rs|swift)$/, condition: { until: /\{\s*$/, not: '!' }, empty: '', hasSteps: true },
  { files: /\.php$/, condition: 'brackets', nothing: 'null', empty: '', hasSteps: true },
  { files: /\.(?:java|kts?|scala|groovy|cs|c|cc|cpp|cxx|dart)$/, condition: 'brackets', empty: '', hasSteps: true },
]

/** Nothing of these runs as code of the story. */
const declares =
  /^\s*(?:import|from|export\s+(?:\*|type|interface|\{.*\}\s*from)|use|using|include|require\w*|package|namespace|module|type|interface|declare|#|@)\b|^\s*[#@]/
const logs = /\b(?:console|log(?:ger|ging)?|print\w*|puts|echo|fmt\.\w*Print\w*|System\.(?:out|err)|debug|trace|warn|info)\b/i
const keywords =
  /^\s*(?:return|if|else|elif|elsif|for|while|until|switch|case|when|match|do|try|catch|except|finally|throw|raise|super|function|def|fn|func|fun|class|struct|new|yield|await\s+import|assert\w*|defer|go|using|lock|sizeof|typeof|unless|begin|end|with|in)\b/

const longest = 300

/** All of them, in order; none where the line is not known well enough. */
export function changesTo(path: string, line: MutableLine): LineChange[] {
  const dialect = dialects.find(({ files }) => files.test(path))
  const { code, text } = line
  if (dialect === undefined || text.length > longest || code.trim() === '' || declares.test(code)) return []
  const of = [operators, constants, condition, returned, removed]
  return of.flatMap((changes) => changes(line, dialect))
}

type Swap = [what: RegExp, instead: string]

const swaps: Swap[] = [
  [/(?<![=!<>])===(?!=)/g, '!=='],
  [/!==/g, '==='],
  [/(?<![=!<>])==(?!=)/g, '!='],
  [/!=(?!=)/g, '=='],
  [/(?<=\s)<=(?=\s)/g, '<'],
  [/(?<=\s)>=(?=\s)/g, '>'],
  [/(?<=[\w)\]] )<(?= [\w($!-])/g, '<='],
  [/(?<=[\w)\]] )>(?= [\w($!-])/g, '>='],
  [/(?<=\s)&&(?=\s|$)/g, '||'],
  [/(?<=\s)(?<![=(,]\s*)(?<!\bmove )\|\|(?=\s|$)/g, '&&'], // a closure without parameters looks the same
  [/(?<=[\w)\]] )\+(?= [\w($])/g, '-'],
  [/(?<=[\w)\]] )-(?= [\w($])/g, '+'],
  [/(?<=[\w)\]] )\*(?= [\w($])/g, '/'],
  [/(?<=[\w)\]] )\/(?= [\w($])/g, '*'],
  [/(?<=[\w)\]] )%(?= [\w($])/g, '*'],
  [/(?<=[\w)\]] )\+=(?= [\w($])/g, '-='],
  [/(?<=[\w)\]] )-=(?= )/g, '+='],
  [/(?<![\w)\]!=])!(?=[\w(])/g, ''],
]
const steps: Swap[] = [
  [/(?<=\w)\+\+|\+\+(?=\w)/g, '--'],
  [/(?<=\w)--|--(?=\w)/g, '++'],
]
const inWords: Swap[] = [
  [/(?<=\s)and(?=\s)/g, 'or'],
  [/(?<=\s)or(?=\s)/g, 'and'],
  [/(?<=\s)not in(?=\s)/g, 'in'],
  [/(?<=\s)is not(?=\s)/g, 'is'],
  [/(?<=[\s(])(?<!\bis )not (?!in\b)(?=\S)/g, ''],
]

const operators = ({ code }: MutableLine, { hasWords, hasSteps }: Dialect): LineChange[] =>
  [...swaps, ...(hasSteps ? steps : []), ...(hasWords ? inWords : [])].flatMap(([what, instead]) =>
    [...code.matchAll(what)].map(({ 0: found, index }) => ({ from: index, to: index + found.length, instead })),
  )

const opposites: Record<string, string> = { true: 'false', false: 'true', True: 'False', False: 'True' }

function constants({ code }: MutableLine): LineChange[] {
  const numbers = [...code.matchAll(/(?<![\w.$#])\d{1,9}(?=(?:\.\d+)?(?![\w.]))/g)]
  const truths = [...code.matchAll(/(?<![\w.$:])(?:true|false|True|False)(?!\w)/g)]
  return [...numbers, ...truths].map(({ 0: found, index }) => ({
    from: index,
    to: index + found.length,
    instead: opposites[found] ?? String(Number(found) + 1),
  }))
}

function condition({ code, text }: MutableLine, dialect: Dialect): LineChange[] {
  const found = /(?:^|\s|\})(?:if|elif|elsif|else if)\s*/.exec(code)
  if (found === null) return []
  const from = found.index + found[0].length
  if (dialect.condition === 'brackets') {
    const to = closing(code, from)
    return to === null ? [] : [{ from: from + 1, to, instead: `!(${text.slice(from + 1, to)})` }]
  }
  const { until, not } = dialect.condition
  const end = until.exec(code.slice(from))
  const inside = end === null ? '' : code.slice(from, from + end.index).trimEnd()
  // A condition that also declares something, or is half of an expression, cannot be put into brackets.
  if (inside === '' || !isClosed(inside) || /\b(?:let|var|case|else)\b|:=|=>|;/.test(inside)) return []
  const to = from + inside.length
  return [{ from, to, instead: `${not}(${text.slice(from, to)})` }]
}

function returned({ code, after }: MutableLine, { nothing }: Dialect): LineChange[] {
  const found = /(?:^|\s|\)|\{)return\s+(?=\S)/.exec(code)
  if (found === null || nothing === undefined) return []
  const from = found.index + found[0].length
  let value = code
    .slice(from)
    .replace(/\s(?:if|unless)\s.*$/, '')
    .replace(/[;\s]+$/, '')
  while (!isClosed(value) && /[;}\s]$/.test(value)) value = value.slice(0, -1).trimEnd()
  const isWhole = isClosed(value) && !/[([{,.&|?:+\-*/=<>]$/.test(value) && !continues(after)
  return value === '' || value === nothing || !isWhole ? [] : [{ from, to: from + value.length, instead: nothing }]
}

function removed({ code, before, after }: MutableLine, { empty }: Dialect): LineChange[] {
  const isCall = /^\s*(?:await\s+)?[\w$][\w$.:>-]*\s*\(.*\)\s*;?\s*$/.test(code) && isClosed(code)
  if (!isCall || keywords.test(code) || logs.test(code) || continues(after) || unfinished(empty).test(before)) return []
  return [{ from: code.length - code.trimStart().length, to: code.trimEnd().length, instead: empty }]
}

/** A line before it after which it is part of an expression, or the only statement of a block; in Python a colon begins a block. */
const unfinished = (empty: string): RegExp =>
  empty === 'pass'
    ? /[([,=+\-*/&|?.]\s*$/
    : /(?:[([,=+\-*/&|?:.]|=>|\b(?:else|do))\s*$|^[\s}]*(?:else\s+)?(?:if|for|while)\b.*\)\s*$/

/** Also a string that goes over several lines: it is quotes from the first column on. */
const continues = (after: string): boolean => /^(?:"|\s*[.?:+\-*/&|=<>)\]])/.test(after)

/** Every bracket that it opens is closed in it. */
function isClosed(code: string): boolean {
  let depth = 0
  for (const char of code) {
    depth += '([{'.includes(char) ? 1 : ')]}'.includes(char) ? -1 : 0
    if (depth < 0) return false
  }
  return depth === 0
}

/** Where the bracket at this place is closed; null: not in this line, or none is there. */
function closing(code: string, at: number): number | null {
  if (code[at] !== '(') return null
  let depth = 0
  for (let index = at; index < code.length; index++) {
    depth += code[index] === '(' ? 1 : code[index] === ')' ? -1 : 0
    if (depth === 0) return index === at + 1 ? null : index
  }
  return null
}
