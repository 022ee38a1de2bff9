/** Reads JSON and keeps the position of every value, so that one value can be changed without touching the rest. */
import { knownJson } from '../../core/text/json.ts'
import { BadPlan, type Member, type PlanTree, type Scalar } from './located-values.ts'

/** Throws BadPlan with the position, what was found and what was expected. */
export function parseJson(text: string): PlanTree {
  const [tree, after] = readValue(text, skipSpace(text, 0), 0)
  const end = skipSpace(text, after)
  if (end < text.length) throw unexpected(text, end, 'the end of the file')
  return tree
}

/** Deeper than any plan, and far from a stack overflow. */
const maxDepth = 200

/** A value and the offset after it. */
type Read = [PlanTree, number]

function readValue(text: string, start: number, depth: number): Read {
  if (depth > maxDepth) throw new BadPlan(start, `nested more than ${maxDepth} levels deep`)
  const first = text[start]
  if (first === '{') return readObject(text, start, depth)
  if (first === '[') return readArray(text, start, depth)
  if (first === '"') {
    const end = stringEnd(text, start)
    return [{ kind: 'scalar', start, end, value: knownJson<string>(text.slice(start, end)) }, end]
  }
  const word = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
  word.lastIndex = start
  const found = word.exec(text)?.[0]
  if (found === undefined || /[\w.]/.test(text[start + found.length] ?? '')) throw unexpected(text, start, 'a value')
  return [{ kind: 'scalar', start, end: start + found.length, value: knownJson<Scalar>(found) }, start + found.length]
}

function readObject(text: string, start: number, depth: number): Read {
  const members: Member[] = []
  let at = skipSpace(text, start + 1)
  if (text[at] === '}') return [{ kind: 'object', start, end: at + 1, isBlock: false, members }, at + 1]
  for (;;) {
    if (text[at] !== '"') throw unexpected(text, at, 'a name in double quotes')
    const keyStart = at
    const keyEnd = stringEnd(text, at)
    at = skipSpace(text, keyEnd)
    if (text[at] !== ':') throw unexpected(text, at, 'a colon')
    const [value, after] = readValue(text, skipSpace(text, at + 1), depth + 1)
    members.push({ key: knownJson(text.slice(keyStart, keyEnd)), keyStart, keyEnd, value })
    at = skipSpace(text, after)
    if (text[at] === '}') return [{ kind: 'object', start, end: at + 1, isBlock: false, members }, at + 1]
    if (text[at] !== ',') throw unexpected(text, at, 'a comma or }')
    at = skipSpace(text, at + 1)
  }
}

function readArray(text: string, start: number, depth: number): Read {
  const items: PlanTree[] = []
  let at = skipSpace(text, start + 1)
  if (text[at] === ']') return [{ kind: 'array', start, end: at + 1, isBlock: false, items }, at + 1]
  for (;;) {
    const [value, after] = readValue(text, at, depth + 1)
    items.push(value)
    at = skipSpace(text, after)
    if (text[at] === ']') return [{ kind: 'array', start, end: at + 1, isBlock: false, items }, at + 1]
    if (text[at] !== ',') throw unexpected(text, at, 'a comma or ]')
    at = skipSpace(text, at + 1)
  }
}

function stringEnd(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const char = text.charAt(at)
    if (char === '"') return at + 1
    if (char < ' ') throw new BadPlan(at, `found ${sayChar(char)} inside a string; escape it or close the string`)
    if (char !== '\\') continue
    if (!/^\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/.test(text.slice(at, at + 6)))
      throw new BadPlan(
        at,
        `found ${JSON.stringify(text.slice(at, at + 2))} inside a string, expected an escape such as \\n or \\\\`,
      )
    at++
  }
  throw new BadPlan(start, 'string without a closing quote')
}

function skipSpace(text: string, start: number): number {
  const space = /[ \t\r\n]*/y
  space.lastIndex = start
  space.test(text)
  return space.lastIndex
}

function unexpected(text: string, offset: number, expected: string): BadPlan {
  if (/[}\]]/.test(text[offset] ?? '') && text.slice(0, offset).trimEnd().endsWith(','))
    return new BadPlan(offset, `trailing comma before ${text[offset]}`)
  const word = /^[\w.+-]{1,40}/.exec(text.slice(offset, offset + 40))?.[0]
  const found = offset >= text.length ? 'the end of the file' : (word ?? sayChar(text.charAt(offset)))
  return new BadPlan(offset, `found ${found}, expected ${expected}`)
}

const sayChar = (char: string): string => {
  if (char === '\n' || char === '\r') return 'a line break'
  return char < ' ' ? `the control character U+${char.charCodeAt(0).toString(16).padStart(4, '0')}` : char
}
