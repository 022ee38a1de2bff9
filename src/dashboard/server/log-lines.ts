/** The log of one iteration, or its lines with certain words: a limited part, however long it is. */
import type { LogLines } from '../data/shapes.ts'

/** Calls back with each line; false: no such log. */
export type ReadLines = (onLine: (text: string) => void) => Promise<boolean>

/** The last lines without a search, else the first matches. null: no log. */
export async function logLines(read: ReadLines, search: string): Promise<LogLines | null> {
  const wanted = search.toLowerCase()
  let lines: LogLines['lines'] = []
  let total = 0
  let number = 0
  const isThere = await read((text) => {
    number += 1
    if (wanted !== '' && !text.toLowerCase().includes(wanted)) return
    total += 1
    if (wanted !== '' && total > mostLines) return
    lines.push({ number, text: text.slice(0, mostCharacters) })
    if (lines.length >= 2 * mostLines) lines = lines.slice(-mostLines)
  })
  if (!isThere) return null
  lines = lines.slice(-mostLines)
  return { lines, total, isCut: total > lines.length }
}

const mostLines = 2000
const mostCharacters = 2000
