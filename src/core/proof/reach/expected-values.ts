/** Where a test says which value it expects, and another value that could stand there. */
import { codeInPlace, syntaxOf } from '../../tamper/code/source-lines.ts'

/** In the text of a file. */
export type ExpectedValue = { from: number; to: number; other: string }

export function expectedIn(path: string, text: string): ExpectedValue[] {
  if (/\.(?:sh|bash|bats)$/.test(path)) return expectedInShell(withoutLongLines(text))
  const code = withoutLongLines(codeInPlace(text, syntaxOf(path)))
  if (code.length !== text.length) return []
  const found = new Map<number, ExpectedValue>()
  for (const one of [...inCalls(text, code), ...inComparisons(text, code)]) if (!found.has(one.from)) found.set(one.from, one)
  const isRust = path.endsWith('.rs')
  return [...found.values()].map((one) =>
    isRust && text.slice(one.from, one.to) === 'None' ? { ...one, other: 'Some(Default::default())' } : one,
  )
}

/** In place: nobody writes such a line, and a pattern may take hours on it. */
const withoutLongLines = (text: string): string =>
  text
    .split('\n')
    .map((line) => (line.length > longest ? ' '.repeat(line.length) : line))
    .join('\n')

/** Functions that compare two values, and matchers that compare with one. */
const equal = /(?<![\w$])(?:[\w$]+!?(?:\.|::|->))*(\w*?(?:[eE]quals?(?:To)?|E[Qq]|eql?|eq|[sS]ame|Be|be|is|Is|deeply))!?\s*\(/g
const denies = /not|(?:^|_)n?e$|unequal|almost|close|type|instance/i
/** A function of the project that compares, by its name: it takes what it looks at first, and that is called. */
const own =
  /^[ \t]*(?:await\s+)?((?:\w*(?:[aA]ssert|[cC]heck|[eE]xpect|[vV]erify|[tT]est|[wW]ant|[mM]ust|ensure)\w*)|CHECK\w*|ASSERT\w*|EXPECT\w*|REQUIRE\w*)!?\(/gm

function inCalls(text: string, code: string): ExpectedValue[] {
  const known = [...code.matchAll(equal)].flatMap(({ 0: whole, 1: name = '', index }): ExpectedValue[] => {
    const before = code.slice(Math.max(0, index - 12), index)
    if (denies.test(name) || isDenied.test(before + whole)) return []
    const args = argumentsAt(code, index + whole.length)
    if (args.length === 1 ? !isMatcher(code, index, whole) : args.every((arg) => isWritten(code, arg))) return []
    const found = args.length === 1 ? literalAt(text, code, args[0]) : besideActual(text, code, args)
    return found === undefined ? [] : [found]
  })
  const others = [...code.matchAll(own)].flatMap((match): ExpectedValue[] => {
    const args = argumentsAt(code, match.index + match[0].length)
    const found = args.length === 2 && /\w\(/.test(textOf(code, args[0])) ? literalAt(text, code, args[1]) : undefined
    // A text may be a message.
    return found === undefined || /["'`]/.test(text[found.from] ?? '') ? [] : [found]
  })
  return [...known, ...others]
}

/** What stands before or behind the first argument that is worked out; a text beside another value is its message. */
function besideActual(text: string, code: string, args: Part[]): ExpectedValue | undefined {
  const own = args.filter((arg) => !/^\s*[tT]b?\s*$/.test(textOf(code, arg)))
  const actual = own.findIndex((arg) => !isWritten(code, arg))
  const [before, behind] = [own[actual - 1], own[actual + 1]].map((arg) => literalAt(text, code, arg))
  if (before === undefined || behind === undefined) return behind ?? before
  const isText = ({ from }: ExpectedValue): boolean => /["'`]/.test(text[from] ?? '')
  if (isText(before) && isText(behind)) return undefined
  return isText(behind) ? before : behind
}

/** With one value nothing is compared, unless it follows what is looked at: `expect(a).toBe(1)`. */
const isMatcher = (code: string, at: number, whole: string): boolean =>
  (/^eql?\s*\(/.test(whole) || /[.>:]\s*$/.test(code.slice(Math.max(0, at - 12), at)) || /[.>:]\w+!?\s*\($/.test(whole)) &&
  /\b(?:expect|assert|should|must|verify|that)\w*\b/i.test(
    code
      .slice(Math.max(0, at - 400), at)
      .split(/;|\n\s*\n/)
      .at(-1) ?? '',
  )

/** No name is in it, only values. */
const isWritten = (code: string, range: Part | undefined): boolean =>
  !/[A-Za-z_$]/.test(
    textOf(code, range)
      .replace(/"+/g, ' ')
      .replace(/[A-Za-z_$][\w$]*\s*:/g, ' ')
      .replace(/\b(?:true|false|null|undefined|None|True|False|nil|NaN)\b/g, ' '),
  )

const isDenied = /\b(?:not|never|isNot|to_not|not_to)\b[.\s]*\w*!?\s*\($|[nN]ot\w*\s*\($/

type Part = { from: number; to: number }
const textOf = (code: string, range: Part | undefined): string => (range === undefined ? '' : code.slice(range.from, range.to))

/** Behind its opening bracket; empty: it does not close. */
function argumentsAt(code: string, from: number): Part[] {
  const found: Part[] = []
  let [depth, start] = [0, from]
  for (let at = from; at < Math.min(code.length, from + longest); at++) {
    const char = code[at] ?? ''
    if ('([{'.includes(char)) depth += 1
    if (')]}'.includes(char)) depth -= 1
    if (depth < 0 || (depth === 0 && char === ',')) {
      if (code.slice(start, at).trim() !== '') found.push({ from: start, to: at })
      start = at + 1
    }
    if (depth < 0) return found
  }
  return []
}
const longest = 4000

const value = /(?<![\w.$])-?\d[\d_]*(?:\.\d+)?(?![\w.])|"+|\b(?:true|false|True|False|null|undefined|None)\b/g
/** A value as such, or the beginning of a list or an object. */
const begins =
  /^\s*(?:-?\d|"|(?:true|false|True|False|null|undefined|None)\b|[[{(]|(?:Some|Ok|vec!|new\s|List\.of|Arrays\.asList|\[\]\w+|map\[))/

/** The first value that is written out there. */
function literalAt(text: string, code: string, range: Part | undefined): ExpectedValue | undefined {
  if (range === undefined || !begins.test(textOf(code, range)) || /=>|\bfunction\b|\blambda\b/.test(textOf(code, range)))
    return undefined
  for (const { 0: found, index } of textOf(code, range).matchAll(value)) {
    const from = range.from + index
    const place = otherAt(text.slice(from, from + found.length), from)
    if (place !== undefined) return place
  }
  return undefined
}

const swaps: Record<string, string> = {
  ...{ true: 'false', false: 'true', True: 'False', False: 'True' },
  ...{ null: '17', undefined: '17', None: '17' },
}

/** Of the same kind, so that the text stays one that can be read. */
function otherAt(was: string, from: number): ExpectedValue | undefined {
  const to = from + was.length
  if (/^-?\d/.test(was)) {
    const at = was.search(/\d/)
    const last = was.includes('.') ? at : was.length - 1
    const digit = (Number(was[last]) + (last === at && was.length > 1 && was[last] === '9' ? 8 : 1)) % 10
    return { from, to, other: `${was.slice(0, last)}${digit}${was.slice(last + 1)}` }
  }
  const swapped = swaps[was]
  if (swapped !== undefined) return { from, to, other: swapped }
  const open = /^(?:"""|'''|["'`])/.exec(was)?.[0]
  return open === undefined || was.length < 2 * open.length
    ? undefined
    : { from, to, other: `${open}~zq${was.slice(open.length)}` }
}

const asserts = /\b(?:assert\w*|CHECK\w*|REQUIRE\w*|EXPECT\w*|expect\w*|ok|check\w*|XCTAssert\w*|must)\b/
const compared = /(?:[=!]==?|\bis\b(?=\s+(?:True|False)))\s*(?=-?\d|"|(?:true|false|True|False)\b|[[{(])/g

/** `assert f(1) == 2`, `assert.ok(f(1) === 2)`, and in Go `if f(1) != 2 {`. */
function inComparisons(text: string, code: string): ExpectedValue[] {
  let from = 0
  return code.split('\n').flatMap((line): ExpectedValue[] => {
    const start = from
    from += line.length + 1
    const isOfFailure = /^\s*(?:\}\s*)?(?:else\s+)?if\b.*\{\s*$/.test(line)
    if (!asserts.test(line) && !isOfFailure) return []
    return [...line.matchAll(compared)].flatMap(({ 0: sign, index }): ExpectedValue[] => {
      if (sign.startsWith('!') !== isOfFailure) return []
      const at = start + index + sign.length
      const range = { from: at, to: endOfValue(code, at) }
      const found = literalAt(text, code, range)
      return found === undefined ? [] : [found]
    })
  })
}

function endOfValue(code: string, from: number): number {
  const first = code[from] ?? ''
  if (!'([{'.includes(first)) return from + (/^(?:-?[\d_.]+|"+|\w+)/.exec(code.slice(from, from + longest))?.[0].length ?? 0)
  let depth = 0
  for (let at = from; at < Math.min(code.length, from + longest); at++) {
    depth += '([{'.includes(code[at] ?? '') ? 1 : ')]}'.includes(code[at] ?? '') ? -1 : 0
    if (depth === 0) return at + 1
  }
  return from
}

/** `[ "$sum" = 12 ]`, `[ "$sum" -eq 12 ]`; where an `if` stands before it, whoever is equal may be wrong. */
const inShell =
  /(^.*?)(?:\[\[?|\btest)\s[^\n]*?\s(?:==?|-eq)\s+(?:"([\w/.+-][^"$`]*)"|'([\w/.+-][^']*)'|([\w/.+-]+))(?=\s*(?:\]|;|&|\||$))/gm

const expectedInShell = (text: string): ExpectedValue[] =>
  [...text.matchAll(inShell)].flatMap((match): ExpectedValue[] => {
    const [whole, before = '', double, single, plain] = match
    const was = double ?? single ?? plain ?? ''
    if (/^\s*(?:if|elif|while|until|#|case)\b|!\s*$|#/.test(before) || was === '') return []
    const end = match.index + whole.length - (plain === undefined ? 1 : 0)
    const from = end - was.length
    return [/^\d+$/.test(was) ? (otherAt(was, from) ?? { from, to: end, other: '' }) : { from, to: end, other: `zq${was}` }]
  })
