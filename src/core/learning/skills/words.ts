/** Texts in a comparable form: plurals, endings, order and filler words make no difference, but a "not" does. */

export type WordSet = { stems: Set<string>; isNegative: boolean }

export function wordsOf(text: string): WordSet {
  const all = plainWords(text)
  const stems = new Set(all.filter((word) => !filler.has(word) && !negation.has(word)).map(stem))
  // Only filler: such a text is similar only to itself.
  if (stems.size === 0) stems.add(text.trim())
  return { stems, isNegative: all.some((word) => negation.has(word)) }
}

/** "Use X" and "never use X" share their words, but are not similar. */
export function areAlike(a: WordSet, b: WordSet): boolean {
  if (a.isNegative !== b.isNegative) return false
  const shared = [...a.stems].filter((stem) => b.stems.has(stem)).length
  return 3 * shared >= 2 * (a.stems.size + b.stems.size - shared)
}

/** Equal for texts with the same words in any order and with any endings. */
export const comparable = (text: string): string => {
  const { stems, isNegative } = wordsOf(text)
  return [isNegative ? 'not' : '', ...[...stems].sort()].join(' ')
}

/** Equal for texts that differ only in punctuation, case and spaces. */
export const sameWords = (text: string): string => plainWords(text).join(' ') || text.trim()

/** Words that name the topic of a text, by their stems. */
export const topics = (text: string): Map<string, string> =>
  new Map(
    plainWords(text)
      .filter((word) => word.length > 3 && word.length <= 30 && /\p{L}/u.test(word) && !filler.has(word) && !negation.has(word))
      .map((word) => [stem(word), word]),
  )

/** Equal for slugs that differ only in plurals and hyphens: `unit-tests` and `unittest`. */
export const slugKey = (name: string): string => name.split('-').map(singular).join('')

const plainWords = (text: string): string[] =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[’']/g, '')
    .match(/[\p{L}\p{N}]+/gu) ?? []

const filler = new Set(
  `a all also an and any are as at be because been but by can could did do does each for from had has have here how i if in instead into is it its
  just may might more must of on or our should so some such that the their them then there these they this those to very was we were what
  when where which while who will with would you your always`.split(/\s+/),
)
const negation = new Set(
  'not no never dont doesnt didnt isnt arent wont cant cannot shouldnt mustnt avoid without none neither nor'.split(' '),
)

/** Not a dictionary word: only equal for all forms of a word. */
function stem(word: string): string {
  const ending = /^(.*[aeiouy].*)(?:ing|ed)$/.exec(word)
  const rest = ending?.[1] ?? ''
  return rest.length > 1 ? finished(rest.replace(/([^aeiouls])\1$/, '$1')) : singular(word)
}

const singular = (word: string): string => finished(word.length > 3 ? word.replace(/([^s])s$/, '$1') : word)

const finished = (word: string): string => word.replace(/(?<=..)e$/, '').replace(/y$/, 'i')
