/** Sets one value in the text of a config.yaml, and leaves comments, order and layout alone. */
import { isDeepStrictEqual } from 'node:util'
import { memberOf, type ObjectTree, type PlanTree, plainOf } from '../adapters/plan/located-values.ts'
import { lineEnd, spliced, withMember } from '../adapters/plan/splice.ts'
import { parseYaml } from '../adapters/plan/yaml-spans.ts'
import { EXIT, Failure } from '../core/failure.ts'
import { isRecord } from '../core/text/json.ts'
import { yamlValue } from './text.ts'

/** Throws a Failure if the text is written so that this cannot be done without touching something else. */
export async function withSetting(text: string, key: string, value: unknown): Promise<string> {
  const words = key.split('.')
  const tree = await parseYaml(text)
  const after = placed(text, tree, words, value)
  const isAsMeant =
    after !== undefined && isDeepStrictEqual(plainOf(await parseYaml(after)), withValueAt(plainOf(tree), words, value))
  if (!isAsMeant)
    throw new Failure(
      EXIT.data,
      `${key} cannot be set in place: the file writes that part in a form of its own. Edit it by hand.`,
    )
  return after
}

function placed(text: string, root: PlanTree, words: string[], value: unknown): string | undefined {
  if (root.kind === 'scalar' && root.value === null) return appended(text, { words, value }, 0, text.length)
  if (root.kind !== 'object') return undefined
  let tree: ObjectTree = root
  for (const [depth, word] of words.entries()) {
    const member = memberOf(tree, word)
    if (member === undefined) return inserted(text, tree, { words: words.slice(depth), value })
    if (depth === words.length - 1) return replaced(text, member, value)
    if (member.value.kind === 'object') tree = member.value
    else if (member.value.kind === 'scalar' && member.value.value === null) {
      const column = indentAt(text, member.keyStart)
      return appended(text, { words: words.slice(depth + 1), value }, column + 2, endOfBlock(text, member.keyEnd, column + 2))
    } else return undefined
  }
  return undefined
}

/** The names from here down to the value. */
type SettingToPlace = { words: string[]; value: unknown }
type PlacedValue = { keyEnd: number; value: PlanTree }

function replaced(text: string, { keyEnd, value: old }: PlacedValue, value: unknown): string {
  const [start, end] =
    old.end > old.start ? [old.start, old.start + text.slice(old.start, old.end).trimEnd().length] : [keyEnd, keyEnd]
  if (start !== keyEnd) return spliced(text, start, end, yamlValue(value))
  const colon = text.indexOf(':', keyEnd) + 1
  return spliced(text, colon, colon, ` ${yamlValue(value)}`)
}

/** After the line that shows its default, if there is one, else at the end of the section. */
function inserted(text: string, tree: ObjectTree, wanted: SettingToPlace): string | undefined {
  const [first] = tree.members
  if (first === undefined) return undefined
  if (!tree.isBlock) return wanted.words.length === 1 ? withMember(text, tree, wanted.words[0] ?? '', wanted.value) : undefined
  const column = indentAt(text, first.keyStart)
  return appended(text, wanted, column, endOfBlock(text, first.keyStart, column))
}

/** Behind the last line that belongs to a block with this indentation: of keys and of comments, not of blank lines. */
function endOfBlock(text: string, from: number, column: number): number {
  let end = lineEndAt(text, from)
  for (let at = end; at < text.length; ) {
    const next = lineEndAt(text, at + 1)
    const line = text.slice(at, next).replace(/^\r?\n/, '')
    if (line.trim() !== '' && indentAt(text, next - line.length + line.search(/\S/)) < column) break
    if (line.trim() !== '') end = next
    at = next
  }
  return end
}

function appended(text: string, { words, value }: SettingToPlace, column: number, end: number): string {
  const [word = ''] = words
  const line = words.length > 1 ? undefined : commentedLine(text, word, column, end)
  const newline = lineEnd(text)
  const lines = words.map((name, depth) => {
    const isLast = depth === words.length - 1
    return `${' '.repeat(column + 2 * depth)}${name}:${isLast ? ` ${yamlValue(value)}` : ''}`
  })
  const at = line ?? end
  const isAtEnd = at >= text.length
  const before = at === 0 || (isAtEnd && text.endsWith('\n')) ? '' : newline
  return spliced(text, at, at, `${before}${lines.join(newline)}${isAtEnd ? newline : ''}`)
}

/** The end of a line such as `  # max_iterations: 20` before `end`, with this indentation. */
function commentedLine(text: string, word: string, column: number, end: number): number | undefined {
  const found = [...text.slice(0, end).matchAll(new RegExp(`^ {${column}}# ${word.replaceAll(/\W/g, '\\$&')}:.*$`, 'gm'))].at(-1)
  return found === undefined ? undefined : lineEndAt(text, found.index)
}

function lineEndAt(text: string, from: number): number {
  const newline = text.indexOf('\n', from)
  if (newline < 0) return text.length
  return text[newline - 1] === '\r' && newline - 1 >= from ? newline - 1 : newline
}

const indentAt = (text: string, offset: number): number => offset - (text.lastIndexOf('\n', offset - 1) + 1)

function withValueAt(plain: unknown, [word = '', ...rest]: string[], value: unknown): unknown {
  const fields = isRecord(plain) ? plain : {}
  return { ...fields, [word]: rest.length === 0 ? value : withValueAt(fields[word], rest, value) }
}
