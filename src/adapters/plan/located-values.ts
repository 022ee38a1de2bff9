/** A plan's text as values with positions: what JSON and YAML have in common, so that both are read and edited the same way. */

export type Scalar = string | number | boolean | null
export type Member = { key: string; keyStart: number; keyEnd: number; value: PlanTree }
export type ObjectTree = {
  kind: 'object'
  start: number
  end: number /** YAML without braces */
  isBlock: boolean
  members: Member[]
}
export type ArrayTree = { kind: 'array'; start: number; end: number; isBlock: boolean; items: PlanTree[] }
type ScalarTree = {
  kind: 'scalar'
  start: number
  end: number
  value: Scalar
  /** YAML: other places repeat this value, so an edit here would change them too. */
  isAnchor?: boolean
  /** A YAML alias: repeats a list or mapping from elsewhere. */
  isAlias?: boolean
}
export type PlanTree = ObjectTree | ArrayTree | ScalarTree

/** A problem at an offset of the text; file name and line:column are added later. */
export class BadPlan extends Error {
  readonly offset: number
  constructor(offset: number, message: string) {
    super(message)
    this.offset = offset
  }
}

/** The member that counts: of duplicate keys, the last, as in JSON.parse. */
export const memberOf = (tree: ObjectTree, ...keys: string[]): Member | undefined =>
  tree.members.findLast((member) => keys.includes(member.key))

export function plainOf(tree: PlanTree): unknown {
  if (tree.kind === 'object') return Object.fromEntries(tree.members.map((member) => [member.key, plainOf(member.value)]))
  return tree.kind === 'array' ? tree.items.map(plainOf) : tree.value
}

/** line:column, both from 1. */
export function placeOf(text: string, offset: number): string {
  const { line, column } = placesIn(text)(offset)
  return `${line}:${column}`
}

/** Line and column of any offset; the text is read once. */
export function placesIn(text: string): (offset: number) => { line: number; column: number } {
  const starts = [0]
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1)
  return (offset) => {
    let [low, high] = [0, starts.length - 1]
    while (low < high) {
      const middle = Math.ceil((low + high) / 2)
      if ((starts[middle] ?? 0) <= offset) low = middle
      else high = middle - 1
    }
    return { line: low + 1, column: offset - (starts[low] ?? 0) + 1 }
  }
}

/** What was found, for a message. */
export function sayTree(tree: PlanTree): string {
  if (tree.kind === 'object') return 'an object'
  if (tree.kind === 'array') return 'a list'
  if (tree.isAlias) return `the alias ${tree.value}`
  if (typeof tree.value !== 'string') return String(tree.value)
  return `the text ${JSON.stringify(tree.value.length > 40 ? `${tree.value.slice(0, 40)}…` : tree.value)}`
}

/** Some editors put an invisible byte order mark at the start, and some a second one: they stay in the text, but are not read. */
export const bodyOf = (text: string): string => text.replace(/^\uFEFF*/, '')
export const withBody = (text: string, body: string): string => text.slice(0, text.length - bodyOf(text).length) + body
