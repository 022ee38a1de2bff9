/** Where JavaScript and TypeScript branch: blocks, conditional expressions, what stands in for a missing value. */
import { around, type Code, type CodeLine, ifOf, isClosed, operandsIn, type ProbePlace } from './places.ts'

const opensBlock = /(?:\)|\belse|\btry|\bfinally|\bcatch|\bdo|=>)\s*\{\s*$|\)\s*:\s*[^=;(){}]+\{\s*$/
const noBlock = /\b(?:switch|class|interface|type|enum|namespace|import|export\s*\{)\b/
const arm = /^\s*(?:case\b[^:]*|default\s*):/
const ifLine = /^\s*(?:\}\s*)?(?:else\s+)?(?:if|for|while)\s*(?=\()/
const elseLine = /^\s*(?:\}\s*)?else\s+(?!if\b|\{)(?=\S)/

export function placesInJavaScript(code: Code, lines: CodeLine[]): ProbePlace[] {
  const hasSwitch = lines.some((line) => /\bswitch\s*\(/.test(line.code))
  const own = lines.filter(({ indent }) => indent !== -1) // the rest is blank, or begins in a template
  return own.flatMap((line) => [
    ...blockAt(code, line),
    ...(hasSwitch ? armAt(code, line) : []),
    ...statementAt(code, line),
    ...elseOf(code, line),
    ...chosenAt(code, line),
    ...insteadAt(code, line),
    ...arrowAt(code, line),
  ])
}

const shownAt = ({ text }: Code, from: number, to: number): string => text.slice(from, to).trim()
const lineText = ({ text }: Code, { from, code }: CodeLine): string => text.slice(from, from + code.length).trim()

function blockAt(code: Code, line: CodeLine): ProbePlace[] {
  if (!opensBlock.test(line.code) || noBlock.test(line.code)) return []
  const at = line.from + line.code.trimEnd().length
  const inside = code.lines.slice(line.index + 1).find((next) => next.indent !== -1)
  if (inside === undefined || inside.indent <= line.indent) return []
  const given = conditionOf(/\belse\s*\{\s*$/.test(line.code) ? ifOf(code.lines, line) : line)
  return [
    { line: inside.index + 1, shown: lineText(code, inside), ...given, puts: (probe) => [{ at, text: ` ${probe};`, rank: 1 }] },
  ]
}

/** What stands in the brackets of an `if`. */
function conditionOf(line: CodeLine | undefined): { given?: string } {
  const head = /^\s*(?:\}\s*)?(?:else\s+)?if\s*(?=\()/.exec(line?.code ?? '')?.[0]
  const end = head === undefined || line === undefined ? undefined : afterBrackets(line.code, head.length)
  return head === undefined || end === undefined ? {} : { given: line?.code.slice(head.length + 1, end - 1) ?? '' }
}

function armAt(code: Code, line: CodeLine): ProbePlace[] {
  const found = arm.exec(line.code)?.[0]
  if (found === undefined || /,\s*$/.test(line.code)) return []
  const at = line.from + found.length
  return [{ line: line.index + 1, shown: lineText(code, line), puts: (probe) => [{ at, text: ` ${probe};`, rank: 1 }] }]
}

/** `if (a) return b` and `else c()`, on one line. */
function statementAt(code: Code, line: CodeLine): ProbePlace[] {
  const head = ifLine.exec(line.code)?.[0]
  const from = head === undefined ? elseLine.exec(line.code)?.[0].length : afterBrackets(line.code, head.length)
  if (from === undefined) return []
  const rest = line.code.slice(from)
  const body = rest.trim()
  if (body === '' || body === '{') return []
  const start = line.from + from + rest.search(/\S/)
  const end = line.from + line.code.trimEnd().length
  const place = {
    line: line.index + 1,
    shown: shownAt(code, start, end),
    ...conditionOf(head === undefined ? ifOf(code.lines, line) : line),
  }
  if (body.startsWith('{')) return [{ ...place, puts: (probe) => [{ at: start + 1, text: ` ${probe};`, rank: 1 }] }]
  if (!isClosed(body) || !isEnded(code, line)) return []
  return [
    {
      ...place,
      puts: (probe) => [
        { at: start, text: `{ ${probe}; `, rank: 1 },
        { at: end, text: ' }', rank: 1 },
      ],
    },
  ]
}

/** Of an `if` without one. */
function elseOf(code: Code, line: CodeLine): ProbePlace[] {
  const head = /^\s*(?:\}\s*else\s+)?if\s*(?=\()/.exec(line.code)?.[0]
  const end = head === undefined ? undefined : afterBrackets(line.code, head.length)
  if (head === undefined || end === undefined) return []
  const [from, to] = [line.from + head.length + 1, line.from + end - 1]
  const operands = operandsOf(code, line.index + 1, [from, to])
  const closed = code.lines.slice(line.index + 1).find(({ indent }) => indent !== -1 && indent <= line.indent)
  if (closed !== undefined && /^\s*(?:\}\s*)?else\b/.test(closed.code)) return operands
  return [
    ...operands,
    {
      line: line.index + 1,
      shown: shownAt(code, from, to),
      ...conditionOf(line),
      isElse: true,
      puts: (probe) => [
        { at: from, text: `((it) => (it ? 0 : ${probe}, it))(`, rank: 2 },
        { at: to, text: ')', rank: 0 },
      ],
    },
  ]
}

/** Each on its own: whether it is ever true, and ever false. */
function operandsOf(code: Code, line: number, [from, to]: [number, number]): ProbePlace[] {
  return operandsIn(code.code.slice(from, to), from, /&&|\|\|/y).flatMap((part) => {
    const given = code.code.slice(part.from, part.to)
    if (
      !isClosed(given) ||
      /^(?:\.\.\.|if\b|else\b|return\b)/.test(given) ||
      !hasWholeTypes(given) ||
      isInTemplate(code.text, part.from, part.to)
    )
      return []
    const place = { line, shown: shownAt(code, part.from, part.to), given, isOperand: true as const }
    const puts =
      (before: string): ProbePlace['puts'] =>
      (probe) =>
        around(part.from, part.to, [`((it) => (it ? ${before.replace('PROBE', () => probe)}, it))(`, ')'])
    return [
      { ...place, puts: puts('PROBE : 0') },
      { ...place, isElse: true as const, puts: puts('0 : PROBE') },
    ]
  })
}

function afterBrackets(text: string, from: number): number | undefined {
  let depth = 0
  for (let at = from; at < text.length; at++) {
    depth += text[at] === '(' ? 1 : text[at] === ')' ? -1 : 0
    if (depth === 0) return at + 1
  }
  return undefined
}

const continuing = /^\s*[.?:+\-*/&|=<>,)\]]/
const unfinished = /(?:[([{,=+\-*/&|?:.<]|=>|\b(?:return|await|in|of|new|typeof))\s*$/

/** The next line does not go on with it. */
function isEnded({ lines }: Code, { code, index }: CodeLine): boolean {
  const next = lines.slice(index + 1).find(({ indent }) => indent !== -1)
  return !unfinished.test(code) && (next === undefined || !continuing.test(next.code))
}

/** Where an expression ends that begins here. `stops`: more that ends it. */
export function endOf({ code }: Code, from: number, stops: RegExp = /(?!)/): number {
  let [depth, open] = [0, 0]
  for (let at = from; at < code.length; at++) {
    const char = code[at] ?? ''
    if ('([{'.includes(char)) depth += 1
    else if (')]}'.includes(char)) depth -= 1
    if (depth < 0) return at
    if (depth > 0) continue
    if (isQuestion(code, at)) open += 1
    if (char === ':' && open === 0) return at
    if (char === ':') open -= 1
    if (char === ',' || char === ';' || stops.test(code.slice(at, at + 4))) return at
    if (char === '\n' && !unfinished.test(code.slice(Math.max(from, at - 40), at)) && !continuing.test(nextLine(code, at)))
      return at
  }
  return code.length
}

/** Of a conditional expression. */
const isQuestion = (code: string, at: number): boolean =>
  code[at] === '?' && code[at - 1] !== '?' && !/^(?:[?.]|\s*[:,)=])/.test(code.slice(at + 1, at + 20))

const nextLine = (code: string, at: number): string => code.slice(at + 1, at + 400).replace(/^\s*\n/, '')

function wrapped(code: Code, from: number, to: number, given?: string): ProbePlace[] {
  const text = code.code.slice(from, to)
  const start = from + Math.max(0, text.search(/\S/))
  const end = from + text.trimEnd().length
  const inside = code.code.slice(start, end)
  if (end <= start || !isClosed(inside) || isInTemplate(code.text, start, end) || !hasWholeTypes(inside)) return []
  const line = code.lineAt(start)
  const condition = given === undefined ? {} : { given }
  return [{ line, shown: shownAt(code, start, end), ...condition, puts: (probe) => around(start, end, [`(${probe}, `, ')']) }]
}

/** Which brackets are those of a template, nobody knows here. */
function isInTemplate(text: string, start: number, end: number): boolean {
  const before = text.slice(text.lastIndexOf('\n', start - 1) + 1, start)
  const inside = text.slice(start, end)
  const count = (part: string): number => part.split('`').length - 1
  return count(before) % 2 === 1 || (inside.includes('`') && (inside.includes('\n') || count(inside) % 2 === 1))
}

/** `as Record<string, number>` is not cut at its comma. */
function hasWholeTypes(code: string): boolean {
  if (!/\bas\s|\bsatisfies\s|\w<\w/.test(code)) return true
  const count = (mark: RegExp): number => (code.match(mark) ?? []).length
  return count(/<(?![=\s])/g) === count(/(?<![=\s])>(?!=)/g)
}

/** Both sides of `a ? b : c`. */
function chosenAt(code: Code, { code: text, from }: CodeLine): ProbePlace[] {
  if (/<\/?[A-Za-z]/.test(text)) return []
  return [...text.matchAll(/\?/g)].flatMap(({ index }) => {
    const start = from + index + 1
    if (!isQuestion(code.code, start - 1)) return []
    const colon = colonOf(code.code, start)
    if (colon === null) return []
    const given = before(code.code, start - 1)
    const line = code.lineAt(start)
    return [
      ...operandsOf(code, line, [start - 1 - given.length, start - 1]),
      ...wrapped(code, start, colon, given),
      ...wrapped(code, colon + 1, endOf(code, colon + 1), given),
    ]
  })
}

/** The operand that ends here. */
function before(code: string, to: number): string {
  let depth = 0
  for (let at = to - 1; at >= 0; at--) {
    const char = code[at] ?? ''
    if (')]}'.includes(char)) depth += 1
    else if ('([{'.includes(char)) depth -= 1
    const isAssigned = char === '=' && !/[=!<>]/.test(code[at - 1] ?? '') && code[at + 1] !== '='
    const isEnd =
      depth < 0 ||
      (depth === 0 &&
        (/[,;:]/.test(char) ||
          isQuestion(code, at) ||
          isAssigned ||
          (char === '\n' && !unfinished.test(code.slice(Math.max(0, at - 40), at)))))
    if (isEnd) return code.slice(at + 1, to).replace(/^(?:[=>\s]|return\b)+/, '')
  }
  return code.slice(0, to)
}

function colonOf(code: string, from: number): number | null {
  let [depth, open] = [0, 0]
  for (let at = from; at < Math.min(code.length, from + 600); at++) {
    const char = code[at] ?? ''
    if ('([{'.includes(char)) depth += 1
    else if (')]}'.includes(char)) depth -= 1
    if (depth < 0 || (depth === 0 && char === ';')) return null
    if (depth > 0) continue
    if (isQuestion(code, at)) open += 1
    if (char === ':') {
      if (open === 0) return at
      open -= 1
    }
  }
  return null
}

/** What is given where nothing is there, in `a ?? b` and `a || b`. */
function insteadAt(code: Code, { code: text, from }: CodeLine): ProbePlace[] {
  if (/\b(?:if|while|for)\s*\(|<\/?[A-Za-z]/.test(text) || !/\breturn\b|=/.test(text)) return []
  return [...text.matchAll(/(?<=\s)(?:\?\?|\|\|)(?=\s)/g)].flatMap(({ index }) => {
    const start = from + index + 2
    return wrapped(code, start, endOf(code, start, /^\s(?:\?\?|\|\||\?)\s/), before(code.code, start - 2))
  })
}

const isType = /^\s*(?:export\s+)?(?:type|interface|declare)\b|:\s*\(.*\)\s*=>|<[^()]*\(.*\)\s*=>[^(){};]*>|\bas\s*\(/

/** A function that is one expression. */
function arrowAt(code: Code, { code: text, from }: CodeLine): ProbePlace[] {
  if (isType.test(text)) return []
  return [...text.matchAll(/=>\s+(?=[^\s{])/g)].flatMap(({ 0: found, index }) => {
    const start = from + index + found.length
    return wrapped(code, start, endOf(code, start))
  })
}
