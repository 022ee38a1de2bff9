/** Chooses the lessons for a story's prompt: few, relevant, and proven ones first. */
import type { StoryId } from '../types.ts'
import type { Lesson } from './learning.ts'
import { distinctLessons } from './lessons.ts'

/** How often a lesson was used, and how many of those attempts passed. */
export type LessonUses = Record<Lesson['id'], { uses: number; passed: number }>

/** Those that a person kept come first, whatever their topic; others must share a word with the story. */
export function chooseLessons(
  lessons: Lesson[],
  story: { id: StoryId; title: string; description: string; acceptanceCriteria: string[] },
  uses: LessonUses,
  tokens: number,
): Lesson[] {
  const wanted = wordsOf([story.id, story.title, story.description, ...story.acceptanceCriteria].join(' '))
  const ranked = distinctLessons(lessons)
    .filter(({ mark }) => mark !== 'dropped' && mark !== 'retired')
    .map((lesson) => ({ lesson, isKept: lesson.mark === 'kept', worth: relevance(lesson, wanted) * helpfulness(lesson, uses) }))
    .filter(({ isKept, worth }) => isKept || worth > 0)
    .sort(
      (a, b) =>
        Number(b.isKept) - Number(a.isKept) ||
        b.worth - a.worth ||
        compare(b.lesson.source.at, a.lesson.source.at) ||
        compare(a.lesson.id, b.lesson.id),
    )
  return thatFit(
    ranked.map(({ lesson }) => lesson),
    tokens,
  )
}

const most = 12
const charactersOfToken = 4
/** A lesson is a list item on its own line. */
const around = '- \n'.length

function thatFit(ranked: Lesson[], tokens: number): Lesson[] {
  const chosen: Lesson[] = []
  let left = tokens * charactersOfToken
  for (const lesson of ranked) {
    const size = lesson.text.length + around
    if (chosen.length === most || size > left) continue
    chosen.push(lesson)
    left -= size
  }
  return chosen
}

const relevance = ({ text, category }: Lesson, wanted: Set<string>): number =>
  [...wordsOf(`${text} ${category}`)].filter((word) => wanted.has(word)).length

/** 1 for a lesson that was never used, or after which every attempt passed; towards 0 for one that never helped. */
function helpfulness({ id }: Lesson, uses: LessonUses): number {
  const known = Object.hasOwn(uses, id) ? uses[id] : undefined
  return known === undefined ? 1 : (known.passed + 1) / (known.uses + 1)
}

export const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/** parseDate, "Dates" and date-file have a word in common. */
function wordsOf(text: string): Set<string> {
  const spaced = text.normalize('NFKC').replace(/(?<=[\p{Ll}\p{N}])(?=\p{Lu})/gu, ' ')
  const words = spaced.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
  return new Set(words.filter((word) => word.length > 1 && !stopWords.has(word)).map(stemOf))
}

/** Removes only plural endings: a wrong match costs a line of the prompt. */
const stemOf = (word: string): string => (word.length > 3 ? word.replace(/(?<=[^s])s$/, '') : word)

const stopWords = new Set(
  `a about after again all also an and any are as at be because been before being both but by can cannot could did do does doing done
   down during each else every few for from further get given had has have having he her here his how i if in instead into is it its
   just last like may me more most must my need needs new no nor not now of off on once one only or other our out over own s same she
   should so some such t than that the their them then there these they this those through to too under until up us use used uses
   user users using very was we were what when where which while who whom why will with without would you your
   story stories feature file files code`.split(/\s+/),
)
