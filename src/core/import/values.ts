/** Reads values from foreign JSON: takes what has the right type, and ignores the rest. */
import type { Json } from '../text/json.ts'

/** In hand-written JSON, numbers are used as ids and words too. */
export function textOf(value: unknown): string {
  if (typeof value === 'string') return value.trim()
  return typeof value === 'number' && Number.isFinite(value) ? String(value) : ''
}

export const isFilled = (value: unknown): value is string => typeof value === 'string' && value.trim() !== ''

export const oneLine = (text: string): string => text.replace(/[\s\p{Cc}]+/gu, ' ').trim()

export const firstLine = (text: string): string => oneLine(text.split('\n', 1).join(''))

/** A list of strings; a text with bullets counts as one. */
export function textsOf(value: unknown): string[] {
  if (Array.isArray(value)) return value.map(textOf).filter((text) => text !== '')
  const text = textOf(value)
  if (text === '') return []
  const lines = text.split('\n')
  const bullets = lines.flatMap((line) => /^\s*(?:[-*+]|\d+[.)])\s+(?:\[[ xX]\]\s+)?(.*)$/.exec(line)?.[1] ?? [])
  return bullets.length < lines.length ? [text] : bullets.map((bullet) => bullet.trim()).filter((bullet) => bullet !== '')
}

/** A number, or a common word for one; null: neither. 1 is first. */
export function priorityOf(value: unknown): number | null {
  if (typeof value === 'number' && Number.isFinite(value)) return value
  const place = priorityWords.indexOf(textOf(value).toLowerCase())
  return place < 0 ? null : place + 1
}

export const priorityWords = ['critical', 'high', 'medium', 'low']

export const isDoneWord = (status: string): boolean => /^(done|completed?|passed|closed)$/i.test(status.trim())

/** Joins paragraphs, without empty ones. */
export const joined = (...paragraphs: string[]): string => paragraphs.filter((text) => text !== '').join('\n\n')

/** The fields except those with these names. */
export const withoutFields = (fields: Json, names: readonly string[]): Json =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)))

/** `of`: where they were found, such as "a story". No names: no remark. */
export function keptRemark(names: Iterable<string>, of: string): string[] {
  const all = [...new Set(names)]
  return all.length === 0 ? [] : [`Kept in ${of}, but not used by Ralph: ${all.join(', ')}.`]
}
