/** Finds the JSON objects in a text: alone, in a fence, or after many words. */
import { isRecord, type Json, jsonIn } from '../text/json.ts'

export type JsonObject = { value: Json; end: number }

/** Complete ones in order, without nested ones, and where the last broken or cut-off one begins (-1: none). */
export type JsonObjects = { objects: JsonObject[]; brokenAt: number }

/** null: too many broken ones to be an answer. Never throws. */
export function jsonObjectsIn(text: string): JsonObjects | null {
  const objects: JsonObject[] = []
  let [from, failures, brokenAt] = [0, 0, -1]
  for (const { index } of text.matchAll(/\{(?=\s*["'])/g)) {
    if (index < from) continue
    const object = objectAt(text, index)
    if (object === undefined) {
      brokenAt = index
      if ((failures += 1) > mostFailures) return null // each one may cost a scan of the whole text
    } else {
      objects.push(object)
      from = object.end
    }
  }
  return { objects, brokenAt }
}

const mostFailures = 200

function objectAt(text: string, start: number): JsonObject | undefined {
  const end = endOfObject(text, start)
  if (end === undefined) return undefined
  const value = jsonIn(text.slice(start, end))
  return isRecord(value) ? { value, end } : undefined
}

/** Braces balance; those in strings do not count. */
function endOfObject(text: string, start: number): number | undefined {
  let depth = 0
  let isInString = false
  for (let at = start; at < text.length; at++) {
    const char = text[at]
    if (isInString) {
      if (char === '\\') at += 1
      else if (char === '"') isInString = false
    } else if (char === '"') isInString = true
    else if (char === '{') depth += 1
    else if (char === '}' && (depth -= 1) === 0) return at + 1
  }
  return undefined
}
