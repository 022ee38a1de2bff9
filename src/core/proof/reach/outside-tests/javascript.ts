/** Calls in tests of JavaScript and TypeScript. */
import { endOfList, endOfLiteral, skip } from './literal.ts'
import type { Imported, TestedCall } from './tested-call.ts'

const own = `['"](\\.[^'"\\n]*)['"]`
const named = new RegExp(`\\bimport\\s*(?:[\\w$]+\\s*,\\s*)?\\{([^}]*)\\}\\s*from\\s*${own}`, 'g')
const whole = new RegExp(`\\bimport\\s+(?:\\*\\s*as\\s+)([\\w$]+)\\s+from\\s*${own}`, 'g')
const standard = new RegExp(`\\bimport\\s+([\\w$]+)\\s*(?:,\\s*\\{[^}]*\\}\\s*)?from\\s*${own}`, 'g')
const required = new RegExp(`\\b(?:const|let|var)\\s+(?:([\\w$]+)|\\{([^}]*)\\})\\s*=\\s*require\\(\\s*${own}\\s*\\)`, 'g')

/** Of files of the project: what a package gives is nobody's work here. */
export function importsInJavaScript(text: string): Record<string, Imported> {
  const found: Record<string, Imported> = {}
  const addMembers = (list: string, module: string): void => {
    for (const entry of list.split(',')) {
      const [member = '', name = member] = entry.trim().split(/\s+as\s+|\s*:\s*/)
      if (/^[\w$]+$/.test(name)) found[name] = { module, member }
    }
  }
  for (const [, list = '', module = ''] of text.matchAll(named)) addMembers(list, module)
  for (const [, name = '', module = ''] of text.matchAll(whole)) found[name] = { module }
  for (const [, name = '', module = ''] of text.matchAll(standard)) found[name] = { module, member: 'default' }
  for (const [, name, list, module = ''] of text.matchAll(required)) {
    if (name !== undefined) found[name] = { module }
    else addMembers(list ?? '', module)
  }
  return found
}

const header = /^[^{]*?(?:=>|\bfunction\s*\w*\s*\([^)]*\))\s*\{?/
const isOver = /^[\s;})]*$/
const separator = /[\s;]*/y
const equal =
  /(?:await\s+)?(?:(?:\w+\.)?(?:strict\.)?(?:equal|strictEqual|deepEqual|deepStrictEqual|is|same|deepEquals)\(|expect\()\s*(?:await\s+)?/y
const callee = /([A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)?)\(/y
const matcher = /\s*\)\s*\.\s*(?:toBe|toEqual|toStrictEqual|to\.(?:deep\.)?equal|to\.be|to\.eql)\(/y
const comma = /\s*,/y
const close = /\s*,?\s*\)/y

/** null: something else is in the test than comparisons of such calls. */
export function callsInJavaScript(block: string): TestedCall[] | null {
  const body = block.replace(header, '')
  const calls: TestedCall[] = []
  for (let at = skip(separator, body, 0); !isOver.test(body.slice(at)); at = skip(separator, body, at)) {
    const found = callAt(body, at)
    if (found === null) return null
    calls.push(found.call)
    at = found.end
  }
  return calls
}

function callAt(text: string, from: number): { call: TestedCall; end: number } | null {
  const inside = skip(equal, text, from, -1)
  const argsAt = skip(callee, text, inside, -1)
  if (argsAt === -1) return null
  const name = text.slice(inside, argsAt - 1)
  const argsEnd = endOfList(text, argsAt, ')')
  const isExpect = /^(?:await\s+)?expect\(/.test(text.slice(from, inside))
  const expectedAt = skip(isExpect ? matcher : comma, text, argsEnd, -1)
  const expectedEnd = expectedAt === -1 ? -1 : endOfLiteral(text, expectedAt)
  if (expectedEnd === -1) return null
  const messageAt = isExpect ? -1 : skip(comma, text, expectedEnd, -1)
  const messageEnd = messageAt === -1 ? -1 : endOfLiteral(text, messageAt)
  const end = skip(close, text, messageEnd === -1 ? expectedEnd : messageEnd, -1)
  if (end === -1) return null
  const call = { name, args: text.slice(argsAt, argsEnd - 1).trim(), expected: text.slice(expectedAt, expectedEnd).trim() }
  return call.args === '' ? null : { call, end }
}
