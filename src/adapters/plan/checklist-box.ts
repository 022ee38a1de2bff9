/** Reads the checkbox of a list item, however it is written: an item that a person may have meant as open must never be ignored silently. */

export type Box = {
  /** The indentation of the item, and the offset of its first character. */
  indent: number
  at: number
  isDone: boolean
  /** What a mark replaces: its offset in the line and its length. */
  mark: { at: number; length: number }
  title: string
  /** Why it should be written differently, although it counts. */
  odd?: string
}

/** No-break and other wide spaces already count as white space; these are invisible. */
const gap = '[\\s\\u200b-\\u200d\\u2060\\u00ad]'
const bullets = `(?:(?:[-*+•‣◦–—]|\\d{1,9}[.)])${gap}*)`
const atStart = new RegExp(
  `^(${gap}*)((?:[>#](?:[>#]|${gap})*)?)(${bullets}*)(\\\\?[[［])([^[\\]［］]{0,9}?)(\\\\?[\\]］])([^]*)$`,
  'u',
)
const done = /^[xXｘＸ✓✔✅☑][\ufe0e\ufe0f]?$/u

export function boxIn(line: string): Box | undefined {
  if (!/[[［]/.test(line)) return undefined
  const [, space = '', lead = '', bullet = '', open = '', inside = '', close = '', rest = ''] = atStart.exec(line) ?? []
  if (close === '' || rest.startsWith('(')) return undefined // a link
  const sign = inside.replace(new RegExp(gap, 'gu'), '')
  const isDone = done.test(sign)
  const isOpen = sign === '' || /^[^\p{L}\p{N}\\^]{1,2}$/u.test(sign)
  const isBare = bullet === '' && lead === ''
  if ((!isDone && !isOpen) || (isBare && ((!isDone && sign !== '') || inside === '' || rest.startsWith(':')))) return undefined
  const from = space.length + lead.length + bullet.length + open.length
  const at = from + (sign === '' ? 0 : inside.indexOf(sign.charAt(0)))
  const title = rest.replace(new RegExp(`^${gap}+|${gap}+$`, 'gu'), '')
  const isKnown = isDone || (sign === '' && inside !== '')
  const odd = isKnown
    ? strayBox(title) && 'second checkbox on a line is ignored; give it its own line'
    : `"[${inside}]" counts as open; write "[ ]", or "[x]" if it is done`
  return {
    indent: columnsOf(space + lead),
    at: space.length,
    isDone,
    mark: { at, length: sign === '' ? Math.min(1, inside.length) : sign.length },
    title,
    ...(odd === undefined ? {} : { odd }),
  }
}

/** Why a line that is not an item may have been meant as one. */
export function strayBox(line: string): string | undefined {
  const text = line.replace(/`[^`]*`/g, (code) => ' '.repeat(code.length))
  if (/^\s*\|/.test(text) && /\|\s*\\?[[［][^\p{L}\p{N}\]］]{0,3}[\]］]\s*(?:\||$)/u.test(text))
    return 'checkbox in a table is ignored; write it as a line such as "- [ ] Log in"'
  if (inLine.test(text)) return 'checkbox inside a line is ignored; start the line with it, such as "- [ ] Log in"'
  const letter = new RegExp(`^${gap}*${bullets}\\[(\\p{L})\\]\\s`, 'u').exec(text)?.[1]
  if (letter !== undefined) return `"[${letter}]" is not a checkbox; write "[ ]" or "[x]"`
  const drawn = new RegExp(`^(?:${gap}|[>#])*${bullets}*([☐□◻◽⬜🔲❏❑▢])`, 'u').exec(text)?.[1]
  if (drawn !== undefined) return `"${drawn}" is not a checkbox; write "- [ ]"`
  return /<input\b(?=[^>]*checkbox)(?![^>]*\bchecked)/i.test(text) ? 'HTML checkbox is ignored; write "- [ ]"' : undefined
}

const inLine = new RegExp(`(?<![\\p{L}\\p{N}_\\])[])\\\\?[[［]${gap}{1,3}\\\\?[\\]］](?!\\])`, 'u')

export function columnsOf(space: string): number {
  let columns = 0
  for (const char of space) columns += char === '\t' ? 4 - (columns % 4) : 1
  return columns
}
