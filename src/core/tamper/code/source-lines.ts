/** The lines of a source text without comments and the content of strings. */
import { inPattern } from '../../text/escape.ts'

/** `bare`: without comments. `code`: strings emptied too. `comment`: the text of its comments. A very long line is several, with the same number. */
export type SourceLine = { at: number; text: string; bare: string; code: string; comment: string }

export type Syntax = {
  /** What begins a comment until the end of the line. */
  line: string[]
  block?: [open: string, close: string]
  /** Strings that may go over several lines, before plain quotes: the longer first. */
  long?: string[]
  quotes: string
  /** `${…}` in backticks is code. */
  hasTemplates?: true
  /** A slash where a value is expected begins a pattern. */
  hasPatterns?: true
}

const clike: Syntax = { line: ['//'], block: ['/*', '*/'], quotes: `"'` }
const hash: Syntax = { line: ['#'], quotes: `"'` }

const syntaxes: [RegExp, Syntax][] = [
  [/\.[cm]?[jt]sx?$|\.(?:vue|svelte)$/, { ...clike, quotes: `"'\``, hasTemplates: true, hasPatterns: true }],
  [/\.(?:pyi?|pyx)$/, { ...hash, long: ['"""', "'''"] }],
  [/\.go$/, { ...clike, long: ['`'] }],
  [/\.(?:java|kts?|scala|groovy|gradle|cs|fs|swift|dart)$/, { ...clike, long: ['"""'] }],
  [/\.(?:rs|c|cc|cpp|cxx|h|hpp|vb)$/, clike],
  [/\.php$/, { ...clike, line: ['//', '#'] }],
  [/\.(?:rb|rake|gemspec)$|(^|\/)(?:Rakefile|Gemfile)$/, { ...hash, block: ['\n=begin', '\n=end'], hasPatterns: true }],
  [
    /\.(?:xml|html?|csproj|fsproj|vbproj|props|targets|runsettings|config|dist)$/,
    { line: [], block: ['<!--', '-->'], quotes: '' },
  ],
  [
    /\.jsonc?$|(^|\/)\.(?:eslintrc|babelrc|swcrc|mocharc\.jsonc?|c8rc|nycrc)$/,
    { line: ['//'], block: ['/*', '*/'], quotes: '"' },
  ],
  [/\.(?:md|txt|rst|adoc)$/, { line: [], quotes: '' }],
  [/\.(?:t|p[lm])$/, { ...hash, hasPatterns: true }],
  [/\.exs?$/, { ...hash, long: ['"""'] }],
]

/** Settings, scripts and make files keep their strings: these are what counts in them. */
const settings: Syntax = { line: ['#'], quotes: '' }

export const syntaxOf = (path: string): Syntax => syntaxes.find(([files]) => files.test(path))?.[1] ?? settings

/** Longer lines are read in pieces that overlap: no pattern must take long, and nothing hides at the end of a line. */
const longest = 2000
const overlap = 200

export function sourceLines(text: string, syntax: Syntax): SourceLine[] {
  const { code, bare, comments } = split(text.replaceAll('\r', ''), syntax)
  const texts = text.replaceAll('\r', '').split('\n')
  const codes = code.split('\n')
  const bares = bare.split('\n')
  const notes = comments.split('\n')
  if (texts.at(-1) === '') texts.pop()
  return texts.flatMap((line, index): SourceLine[] => {
    const whole = {
      at: index + 1,
      text: line,
      bare: (bares[index] ?? '').trimEnd(),
      code: (codes[index] ?? '').trimEnd(),
      comment: (notes[index] ?? '').trim(),
    }
    return line.length <= longest ? [whole] : piecesOf(whole)
  })
}

function piecesOf({ at, text, bare, code, comment }: SourceLine): SourceLine[] {
  const count = Math.ceil(Math.max(text.length, code.length, comment.length) / (longest - overlap))
  return Array.from({ length: count }, (_, index) => {
    const part = (whole: string) => whole.slice(index * (longest - overlap), index * (longest - overlap) + longest)
    return { at, text: part(text), bare: part(bare), code: part(code), comment: part(comment) }
  })
}

/** The same text with blanks instead of comments, and quotes all over its strings: what else is in it is code, where it was. */
export const codeInPlace = (text: string, syntax: Syntax): string => split(text, syntax).inPlace

/** Where a value may begin, a slash begins a pattern: after an operator, an opening bracket or a word such as return. */
const beforePattern = /(?:^|[(,=:[!&|?{};+\-*%~^<>]|=>|\b(?:return|typeof|case|in|of|and|or|not|if|unless|when|puts))\s*$/
const pattern = /\/(?![*/])(?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\//y

/** Each with all line ends of the text. */
function split(text: string, syntax: Syntax): { code: string; bare: string; comments: string; inPlace: string } {
  const { line, block, long = [], quotes, hasTemplates, hasPatterns } = syntax
  const special = new RegExp(
    [...long, ...(block === undefined ? [] : [block[0]]), ...line, ...quotes, ...(hasTemplates ? ['{', '}'] : []), '/', '\n']
      .map(inPattern)
      .join('|'),
    'g',
  )
  let [code, bare, comments, inPlace] = ['', '', '', '']
  /** How many braces are open in each template that we are in the code of. */
  const templates: number[] = []
  let at = 0
  const keep = (to: number): void => {
    code += text.slice(at, to)
    bare += text.slice(at, to)
    inPlace += text.slice(at, to)
    at = to
  }
  const skip = (to: number, isComment: boolean): void => {
    const inside = text.slice(at, to)
    const ends = inside.replace(/[^\n]+/g, '')
    code += ends
    bare += isComment ? ends : inside
    comments += isComment ? inside : ends
    inPlace += inside.replace(/[^\n]/g, isComment ? ' ' : '"')
    at = to
  }
  const skipTemplate = (from: number): void => {
    const end = endOfTemplate(text, from)
    skip(end.at, false)
    code += end.isCode ? '${' : '`'
    if (end.isCode) templates.push(0)
  }
  for (special.lastIndex = 0; ; special.lastIndex = at) {
    const found = special.exec(text)
    if (found === null) break
    const mark = found[0]
    const from = found.index
    keep(from)
    if (mark === '\n') {
      code += '\n'
      bare += '\n'
      comments += '\n'
      inPlace += '\n'
      at = from + 1
    } else if (block !== undefined && mark === block[0]) {
      const end = text.indexOf(block[1], from + mark.length)
      skip(end === -1 ? text.length : end + block[1].length, true)
    } else if (line.includes(mark) && isCommentAt(text, from, mark)) {
      const end = text.indexOf('\n', from)
      skip(end === -1 ? text.length : end, true)
    } else if (long.includes(mark)) {
      const end = text.indexOf(mark, from + mark.length)
      code += mark
      skip(end === -1 ? text.length : end + mark.length, false)
      code += mark
    } else if (mark === '`' && hasTemplates) {
      code += '`'
      skipTemplate(from + 1)
    } else if (hasTemplates && mark === '}' && templates.at(-1) === 0) {
      templates.pop()
      code += '}'
      skipTemplate(from + 1)
    } else if (hasTemplates && (mark === '{' || mark === '}')) {
      const last = templates.length - 1
      if (last >= 0) templates[last] = (templates[last] ?? 0) + (mark === '{' ? 1 : -1)
      keep(from + 1)
    } else if (quotes.includes(mark)) {
      const end = endOfString(text, from)
      if (end === null)
        keep(from + 1) // a lifetime, or prose
      else {
        code += mark
        skip(end, false)
        code += mark
      }
    } else if (mark === '/' && hasPatterns && beforePattern.test(code.slice(-40))) {
      pattern.lastIndex = from
      const end = pattern.exec(text)
      if (end === null) keep(from + 1)
      else {
        code += '/ /'
        skip(from + end[0].length, false)
      }
    } else keep(from + mark.length)
  }
  keep(text.length)
  return { code, bare, comments, inPlace }
}

/** `#` in a word, as in `$#` or `a#b`, begins none; `#[` is an attribute. A build constraint is a comment that counts. */
const isCommentAt = (text: string, at: number, mark: string): boolean =>
  mark === '#'
    ? !/[$\w'"#{[&\\]/.test(text[at - 1] ?? '') && text[at + 1] !== '['
    : !(text.startsWith('//go:build', at) || text[at - 1] === ':')

/** After the closing quote; null: it does not close on its line. */
function endOfString(text: string, from: number): number | null {
  const quote = text[from]
  for (let at = from + 1; at < text.length && text[at] !== '\n'; at++) {
    if (text[at] === '\\') at += 1
    else if (text[at] === quote) return at + 1
  }
  return null
}

function endOfTemplate(text: string, from: number): { at: number; isCode: boolean } {
  for (let at = from; at < text.length; at++) {
    if (text[at] === '\\') at += 1
    else if (text[at] === '`') return { at: at + 1, isCode: false }
    else if (text[at] === '$' && text[at + 1] === '{') return { at: at + 2, isCode: true }
  }
  return { at: text.length, isCode: false }
}
