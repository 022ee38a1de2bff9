/** A plan's text as values that know where they stand in it: what JSON and YAML have in common, so that both are read and edited alike. */

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
  /** YAML: other places repeat this one, so an edit here would be an edit there. */
  isAnchor?: boolean
  /** YAML repeats a list or mapping from elsewhere here. */
  isAlias?: boolean
}
export type PlanTree = ObjectTree | ArrayTree | ScalarTree

/** Something is wrong at an offset of the text; the file's name and line:column come later. */
export class BadPlan extends Error {
  readonly offset: number
  constructor(offset: number, message: string) {
    super(message)
    this.offset = offset
  }
}

/** The member that counts: of a key given twice, the last, as JSON.parse has it. */
export const memberOf = (tree: ObjectTree, ...keys: string[]): Member | undefined =>
  tree.members.findLast((member) => keys.includes(member.key))

export function plainOf(tree: PlanTree): unknown {
  if (tree.kind === 'object') return Object.fromEntries(tree.members.map((member) => [member.key, plainOf(member.value)]))
  return tree.kind === 'array' ? tree.items.map(plainOf) : tree.value
}

/** line:column, both from 1. */
export function placeOf(text: string, offset: number): string {
  const before = text.slice(0, offset)
  const lineStart = before.lastIndexOf('\n') + 1
  return `${before.split('\n').length}:${offset - lineStart + 1}`
}

/** What was found, as a message names it. */
export function sayTree(tree: PlanTree): string {
  if (tree.kind === 'object') return 'an object'
  if (tree.kind === 'array') return 'a list'
  if (tree.isAlias) return `the alias ${tree.value}`
  if (typeof tree.value !== 'string') return String(tree.value)
  return `the text ${JSON.stringify(tree.value.length > 40 ? `${tree.value.slice(0, 40)}…` : tree.value)}`
}

/** Some editors put an invisible mark at the very beginning, and some a second one: they stay in the text, and nothing reads them. */
export const bodyOf = (text: string): string => text.replace(/^\uFEFF*/, '')
export const withBody = (text: string, body: string): string => text.slice(0, text.length - bodyOf(text).length) + body
