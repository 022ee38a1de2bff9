/** Inputs that once went wrong, or would in a parser of less care: a folder for each family, a file of JSON for each. */
import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'

/** `cause` is the file's name. */
export function corpusOf(family: string): { cause: string; input: unknown }[] {
  const folder = join(import.meta.dirname, 'corpus', family)
  return globSync('*.json', { cwd: folder })
    .sort()
    .map((file) => ({ cause: basename(file, '.json'), input: inputIn(readFileSync(join(folder, file), 'utf8')) }))
}

/** A text too long for a file is written in parts: {"parts": ["[", {"repeat": "[", "times": 9000}]}. */
export const inputIn = (text: string): unknown =>
  JSON.parse(text, (_, value) => {
    const parts = (value as { parts?: unknown } | null)?.parts
    return Array.isArray(parts)
      ? parts.map((part) => (typeof part === 'string' ? part : part.repeat.repeat(part.times))).join('')
      : value
  })
