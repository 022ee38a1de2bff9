/** Where Python branches: suites, conditional expressions, what stands in for a missing value. */
import { around, type Code, type CodeLine, ifOf, isClosed, operandsIn, type ProbePlace } from './places.ts'

const opensSuite = /^\s*(?:(?:async\s+)?(?:if|elif|else|for|while|try|except|finally|with|def|case)\b.*|[)\]}].*):\s*$/
const oneLine = /^\s*(?:if|elif|else|for|while|except|case)\b[^:"']*:\s+(?=\S)/

export const placesInPython = (code: Code, lines: CodeLine[]): ProbePlace[] =>
  lines.flatMap((line) => [
    ...suiteAt(code, line),
    ...statementAt(code, line),
    ...elseOf(code, line),
    ...chosenAt(code, line),
    ...insteadAt(code, line),
  ])

const lineText = ({ text }: Code, { from, code }: CodeLine): string => text.slice(from, from + code.length).trim()

/** A docstring stays the first. */
const isText = /^\s*[rbuRBU]{0,2}"+\s*$/

function suiteAt(code: Code, line: CodeLine): ProbePlace[] {
  if (!opensSuite.test(line.code)) return []
  const inside = code.lines.slice(line.index + 1).find((next) => next.indent !== -1 && !isText.test(next.code))
  if (inside === undefined || inside.indent <= line.indent) return []
  const indent = inside.code.slice(0, inside.indent)
  return [
    {
      line: inside.index + 1,
      shown: lineText(code, inside),
      ...conditionOf(/^\s*else\b/.test(line.code) ? ifOf(code.lines, line) : line),
      puts: (probe) => [{ at: inside.from, text: `${indent}${probe}\n`, rank: 1 }],
    },
  ]
}

function conditionOf(line: CodeLine | undefined): { given?: string } {
  const [, given] = /^\s*(?:el)?if\s+(.*?):/.exec(line?.code ?? '') ?? []
  return given === undefined ? {} : { given }
}

function statementAt(code: Code, line: CodeLine): ProbePlace[] {
  const found = oneLine.exec(line.code)?.[0]
  if (found === undefined || !isClosed(found)) return []
  const at = line.from + found.length
  const own = { line: line.index + 1, shown: code.text.slice(at, line.from + line.code.length).trim() }
  return [{ ...own, ...conditionOf(line), puts: (probe) => [{ at, text: `${probe}; `, rank: 1 }] }]
}

/** Of an `if` without one. */
function elseOf(code: Code, line: CodeLine): ProbePlace[] {
  const [, head, condition] = /^(\s*(?:el)?if\s+)([^:"]+|[^:]*"[^:]*):/.exec(line.code) ?? []
  if (head === undefined || condition === undefined || !isClosed(condition) || /\blambda\b/.test(condition)) return []
  const [from, to] = [line.from + head.length, line.from + head.length + condition.trimEnd().length]
  const operands = operandsOf(code, line, [from, to])
  const next = code.lines.slice(line.index + 1).find(({ indent }) => indent !== -1 && indent <= line.indent)
  if (next !== undefined && next.indent === line.indent && /^\s*(?:elif|else)\b/.test(next.code)) return operands
  return [
    ...operands,
    {
      line: line.index + 1,
      shown: code.text.slice(from, to),
      given: condition,
      isElse: true,
      puts: (probe) => [
        { at: from, text: `(lambda it: it if it else (${probe}, it)[1])(`, rank: 2 },
        { at: to, text: ')', rank: 0 },
      ],
    },
  ]
}

/** Each on its own: whether it is ever true, and ever false. */
function operandsOf(code: Code, line: CodeLine, [from, to]: [number, number]): ProbePlace[] {
  return operandsIn(code.code.slice(from, to), from, /\s(?:and|or)\s/y).flatMap((part) => {
    const given = code.code.slice(part.from, part.to)
    if (!isClosed(given)) return []
    const place = { line: line.index + 1, shown: code.text.slice(part.from, part.to), given, isOperand: true as const }
    const puts =
      (before: string): ProbePlace['puts'] =>
      (probe) =>
        around(part.from, part.to, [`(lambda it: ${before.replace('PROBE', () => probe)})(`, ')'])
    return [
      { ...place, puts: puts('(PROBE, it)[1] if it else it') },
      { ...place, isElse: true as const, puts: puts('it if it else (PROBE, it)[1]') },
    ]
  })
}

const gives = /^\s*(?:return|[\w.[\]]+\s*=(?!=))\s+/

/** Both sides of `a if b else c`, on one line. */
function chosenAt(code: Code, line: CodeLine): ProbePlace[] {
  const head = gives.exec(line.code)?.[0]
  if (head === undefined || /\blambda\b/.test(line.code)) return []
  const found = /^(.+?)\sif\s(.+)\selse\s(.+?)\s*$/.exec(line.code.slice(head.length))
  const [, one = '', condition = '', other = ''] = found ?? []
  if (found === null || ![one, condition, other].every((part) => isClosed(part) && !hasComma(part))) return []
  const start = line.from + head.length
  const last = start + found[0].trimEnd().length
  const given = condition
  const at = start + found[0].indexOf(` if ${condition} else `) + 4
  const operands = operandsOf(code, line, [at, at + condition.length])
  const sides = [one.length, found[0].trimEnd().length].flatMap((to, index) => {
    const from = index === 0 ? start : last - other.length
    return wrapped(code, { line, given }, from, start + to)
  })
  return [...operands, ...sides]
}

function insteadAt(code: Code, line: CodeLine): ProbePlace[] {
  const head = gives.exec(line.code)?.[0]
  if (head === undefined || /\b(?:lambda|if|for)\b/.test(line.code)) return []
  const rest = line.code.slice(head.length).trimEnd()
  const at = rest.lastIndexOf(' or ')
  if (at === -1 || !isClosed(rest.slice(0, at)) || !isClosed(rest.slice(at)) || hasComma(rest)) return []
  const start = line.from + head.length
  return wrapped(code, { line, given: rest.slice(0, at) }, start + at + 4, start + rest.length)
}

type Chosen = { line: CodeLine; given: string }

function wrapped({ text }: Code, { line: { index }, given }: Chosen, from: number, to: number): ProbePlace[] {
  const part = text.slice(from, to)
  const start = from + part.length - part.trimStart().length
  const end = from + part.trimEnd().length
  return [{ line: index + 1, shown: text.slice(start, end), given, puts: (probe) => around(start, end, [`(${probe}, `, ')[1]']) }]
}

function hasComma(code: string): boolean {
  let depth = 0
  for (const char of code) {
    depth += '([{'.includes(char) ? 1 : ')]}'.includes(char) ? -1 : 0
    if (depth === 0 && char === ',') return true
  }
  return false
}
