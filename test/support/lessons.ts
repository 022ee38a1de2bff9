/** Lessons for tests. */
import type { Lesson } from '../../src/core/learning/learning.ts'

let lessons = 0

/** Each from its own story and day, by default. */
export function lesson(
  text: string,
  more: Partial<Omit<Lesson, 'source'>> & { source?: Partial<Lesson['source']> } = {},
): Lesson {
  const number = ++lessons
  const { source, ...rest } = more
  const at = new Date(Date.UTC(2026, 0, 9, 0, 0, number)).toISOString()
  const story = `S-${number}`
  return {
    ...{ id: `${rest.category ?? 'testing'} ${text}`, kind: 'success', category: 'testing', text },
    ...rest,
    source: { feature: 'shop', story, at, file: `.ralph/shop/learnings/learning-${story}.yaml`, ...source },
  }
}
