/** The section that Ralph may write in someone else's text file: between two markers, with everything outside unchanged byte for byte. */

export type Sectioned = { ok: true; text: string } | { ok: false; problem: string }

/** How the file's language writes a comment on its own line. */
export type Comment = (words: string) => string
export const htmlComment: Comment = (words) => `<!-- ${words} -->`
export const yamlComment: Comment = (words) => `# ${words}`

/** Replaces the old section, or appends one. `problem` continues a sentence that starts with the file's name. */
export function withSection(text: string | null, name: string, body: string, comment = htmlComment): Sectioned {
  const old = text ?? ''
  const place = placeOf(old, name, comment)
  if (place !== null && 'problem' in place) return { ok: false, problem: place.problem }
  const feed = place?.feed ?? lineEndOf(old)
  const lines = [comment(`ralph:${name}:begin`), ...bodyLines(body, name), comment(`ralph:${name}:end`)]
  const section = lines.join(feed)
  if (place !== null) return { ok: true, text: old.slice(0, place.start) + section + old.slice(place.end) }
  if (old === '' || old === byteOrderMark) return { ok: true, text: old + section + feed }
  // Text without a final line end stays without one, so that removing the section restores it exactly.
  return { ok: true, text: old.endsWith('\n') ? old + feed + section + feed : old + feed + feed + section }
}

/** At the end of the text, also removes what withSection put around the section. */
export function withoutSection(text: string, name: string, comment = htmlComment): Sectioned {
  const place = placeOf(text, name, comment)
  if (place === null) return { ok: true, text }
  if ('problem' in place) return { ok: false, problem: place.problem }
  const { feed } = place
  const before = text.slice(0, place.start)
  const after = text.slice(place.end)
  if (after === '') return { ok: true, text: withoutEnd(withoutEnd(before, feed), feed) }
  const rest = after.replace(/^[ \t]*\r?\n/, '')
  const isLast = rest === '' && withoutEnd(before, feed).endsWith('\n')
  return { ok: true, text: isLast ? withoutEnd(before, feed) : before + rest }
}

export const hasSection = (text: string, name: string, comment = htmlComment): boolean => placeOf(text, name, comment) !== null

const byteOrderMark = '\uFEFF'

type SectionPlace = { start: number; end: number; feed: string } | { problem: string } | null

function placeOf(text: string, name: string, comment: Comment): SectionPlace {
  const begin = comment(`ralph:${name}:begin`)
  const end = comment(`ralph:${name}:end`)
  const begins = linesAlone(text, begin)
  const ends = linesAlone(text, end)
  const line = (at: number): number => text.slice(0, at).split('\n').length
  const [start, stop] = [begins[0], ends[0]]
  if (start === undefined) {
    if (stop === undefined) return null
    return { problem: `has "${end}" in line ${line(stop)} without "${begin}" before it. ${putBack(begin)}` }
  }
  if (stop === undefined) return { problem: `has "${begin}" in line ${line(start)} without "${end}" after it. ${putBack(end)}` }
  const second = begins[1] ?? ends[1]
  if (second !== undefined) {
    return {
      problem: `has the markers of section "${name}" more than once, again in line ${line(second)}. Delete all but one pair. Nothing was written.`,
    }
  }
  if (stop < start) return { problem: `has "${end}" in line ${line(stop)} before "${begin}". ${putBack(end)}` }
  const feed = /^[ \t]*(\r?\n)/.exec(text.slice(start + begin.length))?.[1] ?? '\n'
  return { start, end: stop + end.length, feed }
}

const putBack = (mark: string): string =>
  `Put ${mark} back where Ralph's section ${mark.includes(':end') ? 'ends' : 'begins'}, or delete the other marker too. Nothing was written.`

/** A marker counts only if it is alone on its line; a mention of it does not. */
function linesAlone(text: string, mark: string): number[] {
  const alone = new RegExp(`(?<=(?:^|\\n)\\uFEFF?[ \\t]*)${mark}(?=[ \\t]*(?:\\r?\\n|$))`, 'g')
  return [...text.matchAll(alone)].map(({ index }) => index)
}

const withoutEnd = (text: string, end: string): string => (text.endsWith(end) ? text.slice(0, -end.length) : text)

const lineEndOf = (text: string): string => (/^[^\n]*\r\n/.test(text) ? '\r\n' : '\n')

/** A body that contains the markers would end its own section. */
const bodyLines = (body: string, name: string): string[] =>
  body.replaceAll(`ralph:${name}:`, `ralph: ${name}:`).replace(/\n+$/, '').split(/\r?\n/)
