/** The box of a checklist's item, however it is written: nothing that a person may have meant as open must be passed over in silence. */

export type Box = {
  /** How far in the item stands, and where its first sign is. */
  indent: number
  at: number
  isDone: boolean
  /** What a mark takes the place of: its offset in the line and its length. */
  mark: { at: number; length: number }
  title: string
  /** Why it should be written otherwise, though it counts. */
  odd?: string
}

/** No-break and other wide spaces are white space already; these cannot be seen at all. */
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
    ? strayBox(title) && 'a second box in a line is no story; give it a line of its own'
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

/** Why a line that is no item may have been meant as one. */
export function strayBox(line: string): string | undefined {
  const text = line.replace(/`[^`]*`/g, (code) => ' '.repeat(code.length))
  if (/^\s*\|/.test(text) && /\|\s*\\?[[［][^\p{L}\p{N}\]］]{0,3}[\]］]\s*(?:\||$)/u.test(text))
    return 'a box in a table is no story; write it as a line such as "- [ ] Log in"'
  if (inLine.test(text)) return 'a box inside a line is no story; begin the line with it, such as "- [ ] Log in"'
  const letter = new RegExp(`^${gap}*${bullets}\\[(\\p{L})\\]\\s`, 'u').exec(text)?.[1]
  if (letter !== undefined) return `"[${letter}]" is no box; write "[ ]" or "[x]"`
  const drawn = new RegExp(`^(?:${gap}|[>#])*${bullets}*([☐□◻◽⬜🔲❏❑▢])`, 'u').exec(text)?.[1]
  if (drawn !== undefined) return `"${drawn}" is no box; write "- [ ]"`
  return /<input\b(?=[^>]*checkbox)(?![^>]*\bchecked)/i.test(text) ? 'a checkbox in HTML is no story; write "- [ ]"' : undefined
}

const inLine = new RegExp(`(?<![\\p{L}\\p{N}_\\])[])\\\\?[[［]${gap}{1,3}\\\\?[\\]］](?!\\])`, 'u')

export function columnsOf(space: string): number {
  let columns = 0
  for (const char of space) columns += char === '\t' ? 4 - (columns % 4) : 1
  return columns
}
