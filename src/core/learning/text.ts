/** Texts and categories of learnings in the form in which they are stored. */

/** Without control, invisible and direction characters: text that people cannot see must not reach an agent. */
export const oneLine = (text: string): string =>
  text
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]/gu, ' ')
    .replace(/[\p{Cf}\p{Co}\p{Cs}\p{Variation_Selector}]/gu, '')
    .replace(/\s+/g, ' ')
    .trim()

export const isWithinLength = (line: string): boolean => line.length <= longest

export const shortened = (line: string): string =>
  isWithinLength(line)
    ? line
    : `${line
        .slice(0, longest - 1)
        .replace(/[\ud800-\udbff]$/, '')
        .trimEnd()}…`

/** Small letters, digits and single hyphens: it becomes a folder name. */
export function slugOf(category: string): string {
  const words =
    category
      .normalize('NFKD')
      .replace(/\p{M}/gu, '')
      .toLowerCase()
      .match(/[a-z0-9]+/g) ?? []
  const slug = words.join('-').slice(0, 30).replace(/-$/, '')
  return slug === '' ? 'general' : slug
}

const longest = 300
