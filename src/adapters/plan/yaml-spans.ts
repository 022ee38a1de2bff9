/** Reads YAML and keeps the position of every value, so that one value can be changed while comments and layout stay. */
import type { Document, Node, Pair } from 'yaml'
import { BadPlan, type Member, type PlanTree, type Scalar } from './located-values.ts'

/** Throws BadPlan with the position and the problem; with `onMistake`, only if nothing can be read at all. */
export async function parseYaml(text: string, onMistake?: (mistake: BadPlan) => void): Promise<PlanTree> {
  const yaml = await import('yaml')
  try {
    const document = yaml.parseDocument(text, { prettyErrors: false, logLevel: 'error' })
    const mistakes = document.errors.map(({ pos, message }) => new BadPlan(pos[0], `not valid YAML: ${message}`))
    const [first] = mistakes
    if (first !== undefined && onMistake === undefined) throw first
    for (const mistake of mistakes) onMistake?.(mistake)
    return treeOf({ yaml, document, text }, document.contents, 0)
  } catch (error) {
    if (error instanceof RangeError) throw new BadPlan(0, 'nested too deeply') // the stack is full
    throw error
  }
}

type YamlSource = { yaml: typeof import('yaml'); document: Document; text: string }

function treeOf(source: YamlSource, node: Node | null, at: number): PlanTree {
  const { yaml, document, text } = source
  if (!node?.range) return { kind: 'scalar', start: at, end: at, value: null }
  const [start, end] = node.range
  const read = (child: unknown, from: number) => treeOf(source, child as Node | null, from)
  if (yaml.isMap(node)) {
    const members = node.items.map((pair) => memberAt(pair as Pair<Node, Node | null>, text, read))
    return { kind: 'object', start, end, isBlock: !node.flow, members }
  }
  if (yaml.isSeq(node)) {
    return { kind: 'array', start, end, isBlock: !node.flow, items: node.items.map((item) => read(item, start)) }
  }
  if (yaml.isAlias(node)) {
    const source = node.resolve(document)
    if (yaml.isScalar(source)) return { kind: 'scalar', start, end, value: scalarOf(source.value, source.source) }
    return { kind: 'scalar', start, end, value: `*${node.source}`, isAlias: true }
  }
  const scalar = yaml.isScalar(node) ? node : undefined
  const value = scalarOf(scalar?.value, scalar?.source)
  return { kind: 'scalar', start, end, value, ...(scalar?.anchor && { isAnchor: true }) }
}

function memberAt(pair: Pair<Node, Node | null>, text: string, read: (child: unknown, from: number) => PlanTree): Member {
  const [keyStart, keyEnd] = pair.key?.range ?? [0, 0]
  const key = (pair.key as { value?: unknown } | null)?.value
  return {
    key: key === undefined ? text.slice(keyStart, keyEnd) : String(key),
    keyStart,
    keyEnd,
    value: read(pair.value, keyEnd),
  }
}

/** Dates, bytes and other tagged values are read as their text. */
const scalarOf = (value: unknown, source: string | undefined): Scalar =>
  value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? value
    : (source ?? String(value))
