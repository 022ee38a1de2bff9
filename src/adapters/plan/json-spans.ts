/** Reads JSON and keeps the position of every value, so that one value can be changed without touching the rest. */
import { jsonIn, knownJson } from '../../core/text/json.ts'
import { BadPlan, type Member, type PlanTree, type Scalar } from './located-values.ts'

/** What to do about a mistake after which reading can continue. */
export type OnMistake = (mistake: BadPlan) => void

const refuse: OnMistake = (mistake) => {
  throw mistake
}

/** Throws BadPlan with the position, what was found and what was expected; of small mistakes only if nobody else takes them. */
export function parseJson(text: string, onMistake: OnMistake = refuse): PlanTree {
  if (skipSpace(text, 0) === text.length) throw new BadPlan(0, 'the file is empty')
  const source = { text, onMistake }
  const [tree, after] = readValue(source, skipSpace(text, 0), 0)
  const end = skipSpace(text, after)
  if (end < text.length) onMistake(unexpected(text, end, 'the end of the file'))
  return tree
}

/** The value that begins there, wherever it ends. Throws BadPlan at each mistake in it. */
export const jsonAt = (text: string, start: number): PlanTree => readValue({ text, onMistake: refuse }, start, 2)[0]

type JsonText = { text: string; onMistake: OnMistake }

/** Deeper than any plan, and far from a stack overflow. */
const maxDepth = 200

/** A value and the offset after it. */
type Read = [PlanTree, number]

function readValue(source: JsonText, start: number, depth: number): Read {
  const { text } = source
  if (depth > maxDepth) throw new BadPlan(start, `nested more than ${maxDepth} levels deep`)
  const first = text[start]
  if (first === '{') return readObject(source, start, depth)
  if (first === '[') return readArray(source, start, depth)
  if (first === '"') {
    const end = stringEnd(source, start)
    return [{ kind: 'scalar', start, end, value: stringIn(text.slice(start, end)) }, end]
  }
  const word = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
  word.lastIndex = start
  const found = word.exec(text)?.[0]
  if (found === undefined || /[\w.]/.test(text[start + found.length] ?? '')) throw unexpected(text, start, 'a value')
  return [{ kind: 'scalar', start, end: start + found.length, value: knownJson<Scalar>(found) }, start + found.length]
}

function readObject(source: JsonText, start: number, depth: number): Read {
  const { text } = source
  const members: Member[] = []
  const at = readItems(source, start, '}', (from) => {
    if (text[from] !== '"') throw unexpected(text, from, 'a name in double quotes')
    const keyEnd = stringEnd(source, from)
    const colon = skipSpace(text, keyEnd)
    if (text[colon] !== ':') throw unexpected(text, colon, 'a colon')
    const [value, after] = readValue(source, skipSpace(text, colon + 1), depth + 1)
    members.push({ key: stringIn(text.slice(from, keyEnd)), keyStart: from, keyEnd, value })
    return after
  })
  return [{ kind: 'object', start, end: at, isBlock: false, members }, at]
}

function readArray(source: JsonText, start: number, depth: number): Read {
  const items: PlanTree[] = []
  const at = readItems(source, start, ']', (from) => {
    const [value, after] = readValue(source, from, depth + 1)
    items.push(value)
    return after
  })
  return [{ kind: 'array', start, end: at, isBlock: false, items }, at]
}

/** Reads items up to the closing bracket; `item` returns the offset after it. A missing or trailing comma is a small mistake. */
function readItems({ text, onMistake }: JsonText, start: number, close: string, item: (from: number) => number): number {
  let at = skipSpace(text, start + 1)
  while (text[at] !== close) {
    at = skipSpace(text, item(at))
    if (text[at] === close) break
    if (text[at] !== ',') {
      const mistake = unexpected(text, at, `a comma or ${close}`)
      if (!/["{[]/.test(text[at] ?? '')) throw mistake
      onMistake(mistake)
      continue
    }
    at = skipSpace(text, at + 1)
    if (text[at] === close) onMistake(unexpected(text, at, 'a value'))
  }
  return at + 1
}

/** With a mistake that was taken note of, the text between the quotes. */
const stringIn = (quoted: string): string => {
  const value = jsonIn(quoted)
  return typeof value === 'string' ? value : quoted.slice(1, -1)
}

function stringEnd({ text, onMistake }: JsonText, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const char = text.charAt(at)
    if (char === '"') return at + 1
    if (char < ' ') {
      const mistake = new BadPlan(at, `found ${sayChar(char)} inside a string; escape it or close the string`)
      if (char === '\n') throw mistake // it was probably never closed: nobody knows what follows
      onMistake(mistake)
    }
    if (char !== '\\') continue
    if (!/^\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/.test(text.slice(at, at + 6)))
      onMistake(
        new BadPlan(
          at,
          `found ${JSON.stringify(text.slice(at, at + 2))} inside a string, expected an escape such as \\n or \\\\`,
        ),
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
