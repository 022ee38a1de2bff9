/** Lessons and skills as `ralph learn` shows them: text, source, number of uses and effect. */
import type { Lesson } from '../core/learning/learning.ts'
import type { UseCount } from '../core/learning/learning-state.ts'
import type { Instant } from '../core/types.ts'
import { sayLocal } from './local-time.ts'

export function lessonLines(lessons: Lesson[], uses: Record<string, UseCount>, whole?: { now: Instant }): string[] {
  if (lessons.length === 0) return ['No lessons yet. Runs extract lessons from each finished story (learn.enabled).']
  if (whole !== undefined) return lessons.flatMap((lesson) => wholeLines(lesson, uses[lesson.id], whole.now))
  const sorted = lessons.toSorted((a, b) => a.category.localeCompare(b.category) || a.id.localeCompare(b.id))
  return sorted.flatMap((lesson, index) => [
    ...(lesson.category === sorted[index - 1]?.category ? [] : [...(index === 0 ? [] : ['']), lesson.category]),
    `  ${lesson.id}  ${lesson.text}  (${usedWords(uses[lesson.id])}${lesson.mark === undefined ? '' : `, ${lesson.mark}`})`,
  ])
}

export const skillLines = (skills: string[], uses: Record<string, UseCount>): string[] =>
  skills.length === 0
    ? []
    : [
        '',
        'Skills',
        ...skills.toSorted().map((skill) => `  .claude/skills/${skill}-learned/SKILL.md  (${usedWords(uses[`skill ${skill}`])})`),
      ]

function wholeLines({ id, kind, text, category, mark, source }: Lesson, used: UseCount | undefined, now: Instant): string[] {
  return [
    `Lesson:    ${id}${mark === undefined ? '' : ` (${mark})`}`,
    `Category:  ${category}, from a ${kind}`,
    `Text:      ${text}`,
    `Source:    ${source.story} of ${source.feature}, ${sayLocal(source.at, now)}`,
    `File:      ${source.file}`,
    `Used:      ${usedWords(used)}`,
  ]
}

const usedWords = (used: UseCount | undefined): string =>
  used === undefined ? 'not used yet' : `used ${used.times === 1 ? 'once' : `${used.times} times`}, ${used.passed} passed a story`
