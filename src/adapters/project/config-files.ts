/** Reads a config.yaml: its values, and the position of each. */
import type { Document, LineCounter, Node } from 'yaml'
import { EXIT, Failure } from '../../core/failure.ts'
import { errorCode, readIfThere } from '../files/files.ts'

export type ConfigFile = {
  path: string
  text: string
  /** The content as plain values; null: only comments. */
  value: unknown
  /** `path:line:column` of a value, or of its key. */
  placeOf(keys: (string | number)[], part: 'key' | 'value'): string
}

/** undefined: the file does not exist. */
export async function readConfigFile(path: string): Promise<ConfigFile | undefined> {
  const text = textOf(path)
  if (text === null) return undefined
  const { parseDocument, LineCounter } = await import('yaml')
  const lines = new LineCounter()
  const document = orRefused(path, () => parseDocument(text, { lineCounter: lines, prettyErrors: false, logLevel: 'error' }))
  const error = document.errors[0]
  if (error) throw new Failure(EXIT.config, `${placed(path, lines, error.pos[0])}: not valid YAML: ${error.message}`)
  const value: unknown = orRefused(path, () => document.toJS())
  return { path, text, value, placeOf: (keys, part) => placed(path, lines, offsetOf(document, keys, part)) }
}

/** An alias may lead nowhere, a few lines of them can expand to more than the memory, and nesting may exceed the stack. */
function orRefused<T>(path: string, step: () => T): T {
  try {
    return step()
  } catch (error) {
    throw new Failure(
      EXIT.config,
      `${path}:1:1: YAML that Ralph cannot read: ${(error as Error).message}. Write it out, without aliases.`,
    )
  }
}

function textOf(path: string): string | null {
  try {
    return readIfThere(path)
  } catch (error) {
    throw new Failure(EXIT.config, `${path}: cannot be read (${errorCode(error)}); make it a readable file or remove it`)
  }
}

function placed(path: string, lines: LineCounter, offset: number): string {
  const { line, col } = lines.linePos(offset)
  return `${path}:${Math.max(line, 1)}:${Math.max(col, 1)}`
}

/** Follows the keys as far as the file has nodes for them: behind an alias there are none, and the alias's position is good enough. */
function offsetOf(document: Document, keys: (string | number)[], part: 'key' | 'value'): number {
  let offset = 0
  let node = document.contents as Node | null
  for (const [depth, key] of keys.entries()) {
    const items = (node as { items?: unknown[] } | null)?.items
    const item = items?.find((candidate, index) => nameOf(candidate, index) === String(key)) as
      | { key?: Node; value?: Node | null; range?: Node['range'] }
      | undefined
    if (item === undefined) return offset
    const isPair = item.key !== undefined
    const isKeyWanted = part === 'key' && depth === keys.length - 1
    node = (isPair ? item.value : (item as Node)) ?? null
    offset = (isPair && (isKeyWanted || isBare(node)) ? item.key : node)?.range?.[0] ?? offset
  }
  return offset
}

const nameOf = (item: unknown, index: number): string => {
  const key = (item as { key?: { value?: unknown } | null } | null)?.key
  return key === undefined ? String(index) : String(key?.value)
}

/** A key without a value has an empty node behind the colon, where nobody would look. */
const isBare = (node: Node | null): boolean => node === null || node.range?.[0] === node.range?.[1]
