/** Values out of other people's JSON: what is of the right kind is taken, whatever else there is. */
import type { Json } from '../text/json.ts'

/** Numbers are ids and words too, in JSON that was written by hand. */
export function textOf(value: unknown): string {
  if (typeof value === 'string') return value.trim()
  return typeof value === 'number' && Number.isFinite(value) ? String(value) : ''
}

export const oneLine = (text: string): string => text.replace(/[\s\p{Cc}]+/gu, ' ').trim()

export const firstLine = (text: string): string => oneLine(text.split('\n', 1).join(''))

/** A list of texts; a text with bullets is one too. */
export function textsOf(value: unknown): string[] {
  if (Array.isArray(value)) return value.map(textOf).filter((text) => text !== '')
  const text = textOf(value)
  if (text === '') return []
  const lines = text.split('\n')
  const bullets = lines.flatMap((line) => /^\s*(?:[-*+]|\d+[.)])\s+(?:\[[ xX]\]\s+)?(.*)$/.exec(line)?.[1] ?? [])
  return bullets.length < lines.length ? [text] : bullets.map((bullet) => bullet.trim()).filter((bullet) => bullet !== '')
}

/** A number, or a word that many use instead; null: neither. 1 is first. */
export function priorityOf(value: unknown): number | null {
  if (typeof value === 'number' && Number.isFinite(value)) return value
  const place = priorityWords.indexOf(textOf(value).toLowerCase())
  return place < 0 ? null : place + 1
}

export const priorityWords = ['critical', 'high', 'medium', 'low']

export const isDoneWord = (status: string): boolean => /^(done|completed?|passed|closed)$/i.test(status.trim())

/** Paragraphs, the empty ones left out. */
export const joined = (...paragraphs: string[]): string => paragraphs.filter((text) => text !== '').join('\n\n')

/** Json by these names are someone's to read; the rest. */
export const without = (fields: Json, names: readonly string[]): Json =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)))

/** `of`: where they were met, such as "a story". Nothing to say: no remark. */
export function keptRemark(names: Iterable<string>, of: string): string[] {
  const all = [...new Set(names)]
  return all.length === 0 ? [] : [`Kept with ${of} as it was, but not read by Ralph: ${all.join(', ')}.`]
}
