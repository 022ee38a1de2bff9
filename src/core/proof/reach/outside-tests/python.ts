/** Calls in tests of Python. */
import { endOfList, endOfLiteral, skip } from './literal.ts'
import type { Imported, TestedCall } from './tested-call.ts'

const from = /^from\s+([\w.]+)\s+import\s+(?:\(([^)]*)\)|([^\n#(]+))/gm
const whole = /^import\s+([\w.]+)(?:\s+as\s+(\w+))?/gm

export function importsInPython(text: string): Record<string, Imported> {
  const found: Record<string, Imported> = {}
  for (const [, module = '', inBrackets, onLine] of text.matchAll(from))
    for (const entry of (inBrackets ?? onLine ?? '').split(',')) {
      const [member = '', name = member] = entry.trim().split(/\s+as\s+/)
      if (/^\w+$/.test(name)) found[name] = { module, member }
    }
  for (const [, module = '', name = module] of text.matchAll(whole)) if (!name.includes('.')) found[name] = { module }
  return found
}

const header = /^[\s\S]*?\bdef\s+\w+\(\s*(?:self\s*)?\)\s*(?:->\s*\w+\s*)?:/
const blanks = /[\s;]*(?:(?:"""[\s\S]*?"""|'''[\s\S]*?''')[\s;]*)?/y
const asserted = /assert\s+|self\.assert(?:Equal|Equals|Is)\(\s*/y
const callee = /([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)?)\(/y
const compared = /\s*(?:==|is)\s*/y
const comma = /\s*,/y
const close = /\s*\)/y
const message = /\s*,[^\n]*/y

/** null: something else is in the test than comparisons of such calls. */
export function callsInPython(block: string): TestedCall[] | null {
  const body = block.replace(header, '').trim()
  if (body.length === block.trim().length) return null
  const calls: TestedCall[] = []
  for (let at = skip(blanks, body, 0); at < body.length; at = skip(blanks, body, at)) {
    const found = callAt(body, at)
    if (found === null) return null
    calls.push(found.call)
    at = found.end
  }
  return calls
}

function callAt(text: string, start: number): { call: TestedCall; end: number } | null {
  const inside = skip(asserted, text, start, -1)
  const argsAt = skip(callee, text, inside, -1)
  if (argsAt === -1) return null
  const name = text.slice(inside, argsAt - 1)
  const argsEnd = endOfList(text, argsAt, ')')
  const isMethod = text.startsWith('self.', start)
  const expectedAt = skip(isMethod ? comma : compared, text, argsEnd, -1)
  const expectedEnd = expectedAt === -1 ? -1 : endOfLiteral(text, expectedAt)
  const end = isMethod ? skip(close, text, expectedEnd, -1) : skip(message, text, expectedEnd)
  if (expectedEnd === -1 || end === -1 || /^[ \t]*[^\s;]/.test(text.slice(end))) return null
  const call = { name, args: text.slice(argsAt, argsEnd - 1).trim(), expected: text.slice(expectedAt, expectedEnd).trim() }
  return call.args === '' ? null : { call, end }
}
