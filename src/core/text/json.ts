/** Values from outside. JSON is parsed here and nowhere else: its content is unknown until it has been checked. */

/** An object out of JSON. */
export type Json = Record<string, unknown>

/** Undefined: the text is not JSON. */
export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** For text that is certainly valid: Ralph just wrote it, or has read it character by character. */
export const knownJson = <T>(text: string, revive?: (key: string, value: unknown) => unknown): T => JSON.parse(text, revive)

export const isRecord = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)
export const recordOf = (value: unknown): Json => (isRecord(value) ? value : {})
export const recordsIn = (value: unknown): Json[] => (Array.isArray(value) ? value.filter(isRecord) : [])
export const isText = (value: unknown): value is string => typeof value === 'string'
export const isListOf = <T>(value: unknown, isItem: (item: unknown) => item is T): value is T[] =>
  Array.isArray(value) && value.every(isItem)
export const hasTexts = <K extends string>(value: unknown, ...names: K[]): value is Json & Record<K, string> =>
  isRecord(value) && names.every((name) => isText(value[name]))
export const textOf = (value: unknown): string => (isText(value) ? value : '')
export const numberOf = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) ? value : undefined
