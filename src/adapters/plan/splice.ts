/** Changes one value in a plan's text and nothing else: the new text follows the style of its neighbours. */
import { sure } from '../../core/failure.ts'
import { type ArrayTree, type Member, memberOf, type ObjectTree, type PlanTree } from './located-values.ts'

/** The text with this member set; `value` must be representable in JSON. */
export function withMember(text: string, tree: ObjectTree, key: string, value: unknown): string {
  const member = memberOf(tree, key)
  if (member) return withValue(text, member, asQuoted(text[member.value.start], value) ?? json(value, colonAfter(text, member)))
  const isBlock = tree.isBlock
  const neighbour = isBlock ? tree.members.findLast((other) => isOneLine(text, other)) : tree.members.at(-1)
  if (!neighbour) {
    const { keyStart } = sure(tree.members[0], 'member beside the new one')
    return spliced(text, keyStart, keyStart, `${key}: ${json(value, ': ')}${lineEnd(text)}${indentOf(text, keyStart)}`)
  }
  const colon = colonAfter(text, neighbour)
  if (isBlock) {
    const end = endOfLine(text, neighbour.value.end)
    return spliced(text, end, end, `${lineEnd(text)}${indentOf(text, neighbour.keyStart)}${key}: ${json(value, ': ')}`)
  }
  const name = text[neighbour.keyStart] === '"' ? `"${key}"` : key
  const end = Math.max(neighbour.value.end, neighbour.keyEnd)
  return spliced(text, end, end, `,${spaceBefore(text, neighbour.keyStart)}${name}${colon}${json(value, colon)}`)
}

/** The text without this member, which is not the only one. */
export function withoutMember(text: string, tree: ObjectTree, key: string): string {
  const index = tree.members.findIndex((member) => member.key === key)
  const [before, member, next] = [tree.members[index - 1], tree.members[index], tree.members[index + 1]]
  if (member === undefined) return text
  const { keyStart, value } = member
  if (before === undefined) return spliced(text, keyStart, sure(next, 'other member').keyStart, '')
  if (!tree.isBlock) return spliced(text, before.value.end, value.end, '')
  const end = endOfLine(text, trimmedEnd(text, keyStart, value.end))
  const newline = text.lastIndexOf('\n', keyStart)
  return spliced(text, text[newline - 1] === '\r' ? newline - 1 : newline, end, commentsIn(text, value))
}

/** The text with one more item at the end of a non-empty list; `lines` are the item's own, without a bullet. */
export function withItem(text: string, tree: ArrayTree, lines: string[]): string {
  const last = sure(tree.items.at(-1), 'item to follow')
  if (!tree.isBlock) return spliced(text, last.end, last.end, `,${spaceBefore(text, last.start)}${lines.join(lineEnd(text))}`)
  const end = endOfLine(text, trimmedEnd(text, last.start, last.end))
  const indent = indentOf(text, tree.start)
  const item = lines.map((line, index) => (line === '' ? '' : `${indent}${index === 0 ? '- ' : '  '}${line}`))
  return spliced(text, end, end, lineEnd(text) + item.join(lineEnd(text)))
}

export const spliced = (text: string, start: number, end: number, by: string): string =>
  text.slice(0, start) + by + text.slice(end)

export const lineEnd = (text: string): string => (text.includes('\r\n') ? '\r\n' : '\n')

function withValue(text: string, { keyEnd, value }: Member, by: string): string {
  const end = trimmedEnd(text, value.start, value.end)
  if (end > value.start) return spliced(text, value.start, end, by + commentsIn(text, value))
  // YAML allows a missing value: `passes:`, and in braces even without the colon.
  const colon = /^\s*:/.exec(text.slice(keyEnd))?.[0].length
  return spliced(text, keyEnd + (colon ?? 0), keyEnd + (colon ?? 0), colon === undefined ? `: ${by}` : ` ${by}`)
}

/** Lines of a YAML value that are only comments, each after a line end: they are the user's, and stay. */
function commentsIn(text: string, tree: PlanTree): string {
  if (tree.kind === 'scalar' || !tree.isBlock) return ''
  const parts = tree.kind === 'array' ? tree.items : tree.members.map(({ value }) => value)
  const before = parts.map(
    (part, index) => ownLines(text, parts[index - 1]?.end ?? tree.start, part.start) + commentsIn(text, part),
  )
  return before.join('') + ownLines(text, parts.at(-1)?.end ?? tree.start, trimmedEnd(text, tree.start, tree.end))
}

const ownLines = (text: string, from: number, to: number): string =>
  [...text.slice(from, to).matchAll(/^[ \t]*#.*$/gm)]
    .filter(({ index }) => index > 0 || text[from - 1] === '\n')
    .map(([line]) => lineEnd(text) + line)
    .join('')

/** A plain word keeps the quotes of the word it replaces; undefined: not a plain word. */
function asQuoted(first: string | undefined, value: unknown): string | undefined {
  if (typeof value !== 'string' || !/^[a-z]+$/.test(value) || first === undefined) return undefined
  if (first === "'") return `'${value}'`
  return /[a-z]/i.test(first) ? value : undefined
}

/** One line, with the file's style of colons. JSON is YAML too. */
function json(value: unknown, colon: string): string {
  if (typeof value !== 'object' || value === null || !/\s/.test(colon)) return JSON.stringify(value)
  return `{ ${Object.entries(value)
    .map(([key, field]) => `"${key}": ${JSON.stringify(field)}`)
    .join(', ')} }`
}

function colonAfter(text: string, { keyEnd, value }: Member): string {
  const between = text.slice(keyEnd, value.start)
  return /^\s*:\s*$/.test(between) && (between !== ':' || text[keyEnd - 1] === '"') ? between : ': '
}

/** A block member that ends on the line it begins on. */
const isOneLine = (text: string, { keyStart, value }: Member): boolean =>
  value.kind === 'scalar' && value.end > value.start && !text.slice(keyStart, value.end).includes('\n')

const spaceBefore = (text: string, offset: number): string => text.slice(text.slice(0, offset).trimEnd().length, offset)

/** Spaces up to the column of an offset. */
const indentOf = (text: string, offset: number): string => ' '.repeat(offset - (text.lastIndexOf('\n', offset - 1) + 1))

/** Before the line's end, which stays. */
function endOfLine(text: string, offset: number): number {
  const newline = text.indexOf('\n', offset)
  if (newline < 0) return text.length
  return text[newline - 1] === '\r' && newline > offset ? newline - 1 : newline
}

const trimmedEnd = (text: string, start: number, end: number): number => start + text.slice(start, end).trimEnd().length
