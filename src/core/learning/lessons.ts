/** The lessons in learnings: each with an id, and each only once. */
import { hexFingerprint } from '../text/hash.ts'
import type { Lesson, Mark, StoryLearnings } from './learning.ts'

/** What worked once and will not again is not a lesson. */
export function lessonsOf(learning: StoryLearnings, from: { feature: string; file: string }): Lesson[] {
  const source = { feature: from.feature, story: learning.task_id, at: learning.timestamp, file: from.file }
  const lesson = (kind: Lesson['kind'], text: string, { category, mark }: { category: string; mark?: Mark }): Lesson => ({
    id: idOf(text, category),
    kind,
    text,
    category,
    ...(mark !== undefined && { mark }),
    source,
  })
  return [
    ...learning.failures.map((entry) => lesson('failure', failureText(entry.pattern, entry.lesson), entry)),
    ...learning.discoveries.map((entry) => lesson('discovery', entry.description, entry)),
    ...learning.successes.filter(({ reusable }) => reusable).map((entry) => lesson('success', entry.pattern, entry)),
  ]
}

/** Without a pattern, the lesson says it all. */
export const failureText = (pattern: string, lesson: string): string =>
  pattern === '' ? lesson : `Instead of ${pattern.replace(/[.!;,:\s]+$/, '')}: ${lesson}`

/**
 * The same thing learned again is the same lesson: the newest one counts, with the strongest mark. What a person dropped stays dropped,
 * however often it is learned; what a person kept is not retired.
 */
export function distinctLessons(lessons: Lesson[]): Lesson[] {
  const found = new Map<string, Lesson>()
  for (const lesson of lessons) {
    const other = found.get(lesson.id)
    const { mark: _, ...newest } = other !== undefined && other.source.at >= lesson.source.at ? other : lesson
    const mark = strength.find((each) => each === lesson.mark || each === other?.mark)
    found.set(lesson.id, { ...newest, ...(mark !== undefined && { mark }) })
  }
  return [...found.values()]
}

const strength: Mark[] = ['dropped', 'kept', 'retired']

/** Case, quotes, emphasis and the last full stop make no difference. */
function idOf(text: string, category: string): string {
  const normalised = text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/["'`*’‘“”]/g, '')
    .replace(/\s+/g, ' ')
    .replace(/[\s.!…]+$/, '')
  return hexFingerprint(`${category}\n${normalised}`)
}
