/** Answers of planning agents: one JSON object in a given form. */
import { jsonObjectsIn } from '../review/json-objects.ts'
import type { Json } from '../text/json.ts'
import { oneLine } from './values.ts'

export type FormReading<T> = { ok: true; value: T } | { ok: false; problem: string }

export const broken = (problem: string): { ok: false; problem: string } => ({ ok: false, problem })

/** The last object with this list counts; it has nothing else. */
export function listIn(text: string, name: string): FormReading<unknown[]> {
  if (text.trim() === '') return broken('The answer was empty.')
  const found = jsonObjectsIn(text)
  if (found === null) return broken('The answer has too many braces to read.')
  const last = found.objects.findLast(({ value }) => Array.isArray(value[name]))
  if (last === undefined) return broken(`The answer has no valid JSON object with a list "${name}".`)
  if (found.brokenAt >= last.end)
    return broken(`After the ${name}, the answer has an object that is not valid JSON or is cut off.`)
  const foreign = foreignField(last.value, [name])
  if (foreign !== undefined) return broken(`The answer has an unknown field "${foreign}".`)
  return { ok: true, value: last.value[name] as unknown[] }
}

export function foreignField(value: Json, known: string[]): string | undefined {
  const foreign = Object.keys(value).find((key) => !known.includes(key))
  return foreign === undefined ? undefined : oneLine(foreign)
}
