/** Lines in the width of a terminal: broken between words, with a hanging indent below the first word. */

/** Columns that a text takes; East Asian letters and emoji take two, combining marks none. */
export function widthOf(text: string): number {
  if (/^[\u0020-\u007e]*$/.test(text)) return text.length
  let width = 0
  for (const char of text) width += none.test(char) ? 0 : wide.test(char) ? 2 : 1
  return width
}

const none = /^(?:\p{Mn}|\p{Me}|\u200b|\u200c|\u200d)$/u
const wide =
  /^[\u1100-\u115f\u2e80-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]$/u

/** As much as fits, and a sign that there is more. */
export function cutTo(text: string, width: number): string {
  if (widthOf(text) <= width) return text
  let kept = ''
  let used = 1
  for (const char of text) {
    used += widthOf(char)
    if (used > width) break
    kept += char
  }
  return `${kept}…`
}

/** A word that is longer than a line stays whole: a path or a command must be copied in one piece. */
export function wrapped(text: string, width: number, hang = hangOf(text)): string[] {
  if (widthOf(text) <= width) return [text]
  const indent = hang > width * 0.6 ? Math.min(/^ */.exec(text)?.[0].length ?? 0, Math.floor(width / 2)) : hang
  const lines: string[] = []
  let line = text.slice(0, hang)
  let isEmpty = true
  for (const piece of text.slice(hang).split(/(?<=\S)(?= )/)) {
    const isFitting = widthOf(line) + widthOf(piece.trimEnd()) <= width
    if (isFitting || isEmpty) line += isEmpty && lines.length > 0 ? piece.trimStart() : piece
    else {
      lines.push(line.trimEnd())
      line = ' '.repeat(indent) + piece.trimStart()
    }
    isEmpty = false
  }
  return [...lines, line.trimEnd()]
}

/** Where the second line of a text begins: below the words, after a mark, a number or a label; or in the second of two columns. */
export const hangOf = (text: string): number => (columns.exec(text) ?? start.exec(text))?.[0].length ?? 0
const columns = /^ {0,6}(?:[✓✗!?] [^ :│][^:│]{0,23}?|[^ :│✓✗!?[][^:│]{2,45}?) {2,}(?=\S)/
const start = /^\s*(?:(?:[✓✗!?·…▸→│+>x#|~-]|\d+\.) +|[A-Z][\w/ -]{0,15}:(?: {2,}| (?=\S)))?(?:│ )?/
