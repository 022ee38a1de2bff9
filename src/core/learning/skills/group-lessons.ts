/** Which lessons say the same, and which categories have enough of them for a skill. */
import { sure } from '../../failure.ts'
import type { Lesson } from '../learning.ts'
import { slugOf } from '../text.ts'
import { areAlike, comparable, slugKey, wordsOf } from './words.ts'

/** `groups`: those with the most sources first; in each the newest lesson first. `count`: distinct patterns, or stories if there are more. */
export type LessonGroups = { category: string; groups: Lesson[][]; count: number }

/**
 * Categories with `threshold` patterns or sources, by name. A category is spelled as in its oldest lesson, so that its skill keeps its name.
 * Dropped or retired lessons make no skill.
 */
export function groupLessons(lessons: Lesson[], threshold: number): LessonGroups[] {
  const live = lessons.filter(({ mark }) => mark !== 'dropped' && mark !== 'retired').sort(newestFirst)
  const byCategory = groupedBy(live, ({ category }) => slugKey(slugOf(category)))
  return [...byCategory.values()]
    .map((own) => ({ category: slugOf(sure(own.at(-1), 'lesson').category), groups: groupsOf(own), own }))
    .map(({ category, groups, own }) => ({ category, groups, count: Math.max(groups.length, storiesOf(own).size) }))
    .filter(({ count }) => count >= threshold)
    .sort((a, b) => compared(a.category, b.category))
}

/** Its sources, each once. */
export const storiesOf = (lessons: Lesson[]): Set<string> =>
  new Set(lessons.map(({ source }) => `${source.feature} ${source.story}`))

export const newestFirst = (a: Lesson, b: Lesson): number =>
  compared(b.source.at, a.source.at) || compared(wholeOf(a), wholeOf(b))

function groupedBy(lessons: Lesson[], keyOf: (lesson: Lesson) => string): Map<string, Lesson[]> {
  const groups = new Map<string, Lesson[]>()
  for (const lesson of lessons) groups.set(keyOf(lesson), [...(groups.get(keyOf(lesson)) ?? []), lesson])
  return groups
}

/** A lesson similar to a member of a group belongs to it: groups that share a lesson are merged. */
function groupsOf(lessons: Lesson[]): Lesson[][] {
  let groups: { words: ReturnType<typeof wordsOf>[]; lessons: Lesson[] }[] = []
  for (const same of groupedBy(lessons, ({ text }) => comparable(text)).values()) {
    const words = wordsOf(newestOf(same).text)
    const isLike = (group: (typeof groups)[number]): boolean => group.words.some((other) => areAlike(words, other))
    const joined = groups.filter(isLike)
    const one = {
      words: [...joined.flatMap((group) => group.words), words],
      lessons: [...joined.flatMap((group) => group.lessons), ...same],
    }
    groups = [...groups.filter((group) => !joined.includes(group)), one]
  }
  return groups
    .map((group) => group.lessons.sort(newestFirst))
    .sort((a, b) => storiesOf(b).size - storiesOf(a).size || newestFirst(newestOf(a), newestOf(b)))
}

/** Of a group as it is sorted here. */
export const newestOf = ([newest]: Lesson[]): Lesson => sure(newest, 'lesson in a group')

const compared = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

const wholeOf = ({ id, kind, text, category, mark, source: { feature, story, file } }: Lesson): string =>
  JSON.stringify([id, kind, text, category, mark ?? '', feature, story, file])
