/** Undoes JSON's escapes of plain characters (`\u0041`, `\/`), and maps positions between the two texts. */

export type Unescaped = {
  text: string /** The position in the original for a position in `text`. */
  original(at: number): number /** The other way round. */
  at(original: number): number
}

export function withoutEscapes(text: string): Unescaped {
  if (!mayEscape.test(text)) return { text, original: same, at: same }
  const breaks: { from: number; to: number }[] = []
  let plain = ''
  let last = 0
  for (const match of text.matchAll(plainEscape)) {
    plain += text.slice(last, match.index) + (match[1] === undefined ? '/' : String.fromCharCode(Number.parseInt(match[1], 16)))
    last = match.index + match[0].length
    breaks.push({ from: last, to: plain.length })
  }
  if (breaks.length === 0) return { text, original: same, at: same }
  return {
    text: plain + text.slice(last),
    original(at) {
      const before = breaks.findLast(({ to }) => to <= at)
      return before === undefined ? at : at - before.to + before.from
    },
    at(original) {
      const before = breaks.findLast(({ from }) => from <= original)
      return before === undefined ? original : original - before.from + before.to
    },
  }
}

/** Where an incomplete escape begins; the text's length: nowhere. */
export function openEscapeAt(text: string): number {
  const from = Math.max(0, text.length - 12)
  const open = /\\+(?:u[0-9a-f]{0,3})?$/i.exec(text.slice(from))
  return open === null ? text.length : from + open.index
}

const same = (at: number): number => at

/** Most texts have none, so this quick check comes first. */
const mayEscape = /\\(?:u00[2-7]|\/)/i
/** Letters, digits and other characters of keys; `\u003c` and the like are not part of any key. */
const plainEscape = /\\{1,4}(?:u00(2[bdef]|3[0-9ad]|4[0-9a-f]|5[0-9af]|6[1-9a-f]|7[0-9ae])|\/)/gi
