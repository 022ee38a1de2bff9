/** Extracts the text under a markdown heading such as "Acceptance criteria", and the text without it. */

export type Criteria = { criteria: string[]; rest: string }

export function criteriaIn(text: string): Criteria {
  const rest: string[] = []
  const found: string[] = []
  let fence = ''
  /** The level of the current section's heading; 0: none. */
  let level = 0
  for (const line of text.split('\n')) {
    const mark = /^\s*(`{3,}|~{3,})/.exec(line)?.[1] ?? ''
    const heading = fence === '' ? headingOf(line) : undefined
    if (fence === '' && mark !== '') fence = mark
    else if (fence !== '' && mark.startsWith(fence)) fence = ''
    if (heading !== undefined) {
      if (isAboutCriteria(heading.text)) {
        level = heading.level
        continue
      }
      if (level > 0 && heading.level <= level) level = 0
    }
    if (level > 0) found.push(heading === undefined ? line : '')
    else rest.push(line)
  }
  return { criteria: criteriaOf(found), rest: rest.join('\n').trim() }
}

/** The last heading before an offset; empty: none. */
export function headingBefore(text: string, offset: number): string {
  let fence = ''
  let last = ''
  for (const line of text.slice(0, offset).split('\n')) {
    const mark = /^\s*(`{3,}|~{3,})/.exec(line)?.[1] ?? ''
    if (fence === '' && mark !== '') fence = mark
    else if (fence !== '' && mark.startsWith(fence)) fence = ''
    const heading = fence === '' && mark === '' ? /^ {0,3}#{1,6}\s+(.*)$/.exec(line.trimEnd())?.[1] : undefined
    if (heading !== undefined) last = heading.replace(/\s+#+$/, '').trim()
  }
  return last
}

/** In many issues, a bold line or a line of only words and a colon is a heading: below all other levels. */
function headingOf(line: string): { level: number; text: string } | undefined {
  const [, marks, text = ''] = /^ {0,3}(#{1,6})\s+(.*)$/.exec(line.trimEnd()) ?? []
  if (marks !== undefined) return { level: marks.length, text }
  const bold = /^(?:\*\*|__)(.+?)(?:\*\*|__):?\s*$/.exec(line.trimEnd())?.[1] ?? /^([\p{L} ]+):\s*$/u.exec(line)?.[1]
  return bold === undefined ? undefined : { level: 7, text: bold }
}

const isAboutCriteria = (heading: string): boolean =>
  /^(acceptance criteria|acceptance|definition of done|done when)$/i.test(heading.replace(/[^\p{L}]+/gu, ' ').trim())

/** One per bullet, with its continuation lines; without bullets, one per paragraph. */
function criteriaOf(lines: string[]): string[] {
  const bullet = /^\s*(?:[-*+]|\d+[.)])\s+(?:\[[ xX]\]\s+)?(.*)$/
  const hasBullets = lines.some((line) => bullet.test(line))
  const criteria: string[] = []
  let isNew = true
  for (const line of lines) {
    const words = bullet.exec(line)?.[1]
    if (line.trim() === '') isNew = true
    else if (words !== undefined) criteria.push(words.trim())
    else if (hasBullets ? criteria.length === 0 : isNew) criteria.push(line.trim())
    else criteria[criteria.length - 1] += ` ${line.trim()}`
    if (line.trim() !== '') isNew = false
  }
  return criteria.filter((criterion) => criterion !== '')
}
