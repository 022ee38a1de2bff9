/** Learning on the screen: lessons and skills that were extracted, collected, written and retired; at most a warning. */
import type { EventOf } from '../../core/types.ts'
import { costWords, plural } from '../status/status.ts'
import type { ScreenLine } from './line.ts'

type LearningEvent = EventOf<
  'learning.started' | 'learning.ended' | 'gathering.ended' | 'skill.ended' | 'lesson.retired' | 'skill.retired'
>

export function learningLinesFor(event: LearningEvent): ScreenLine[] {
  switch (event.kind) {
    case 'learning.started':
      return [
        {
          tone: 'dim',
          text: `  extracting lessons from ${event.story}${event.again === undefined ? '' : ' (retry)'}`,
        },
      ]
    case 'learning.ended':
      return learned(event)
    case 'gathering.ended':
      return [
        ...(event.lessons === 0 && event.due.length === 0
          ? []
          : [
              {
                tone: 'dim' as const,
                text: `  ${plural(event.lessons, 'lesson')} gathered${event.due.length === 0 ? '' : `; skills due: ${event.due.join(', ')}`}`,
              },
            ]),
        ...event.problems.map((problem): ScreenLine => ({ tone: 'warn', text: `  ! ${problem}` })),
      ]
    case 'skill.ended':
      if (event.isRetired) return []
      return event.problem === undefined
        ? [
            {
              tone: 'plain',
              text: `  skill ${event.isNew ? 'written' : 'updated'}: ${event.path}${event.agent === '' ? ' (from the lessons only)' : ''}`,
            },
          ]
        : [{ tone: 'warn', text: `  ! could not write skill ${event.category}: ${event.problem}` }]
    case 'lesson.retired':
      return [{ tone: 'plain', text: `  retired lesson ${event.lesson}: ${event.because}` }]
    case 'skill.retired':
      return [{ tone: 'plain', text: `  retired skill ${event.skill}: ${event.because}` }]
  }
}

function learned({ story, file, lessons, flagged, problem, usage }: EventOf<'learning.ended'>): ScreenLine[] {
  if (file === undefined)
    return [{ tone: 'warn', text: `  ! nothing learned from ${story}: ${problem ?? 'the learner was stopped'}` }]
  const kept =
    flagged === 0
      ? []
      : [{ tone: 'warn' as const, text: `  ! left out ${plural(flagged, 'text')} that looked like instructions to an agent` }]
  return [
    {
      tone: 'dim',
      text:
        lessons === 0
          ? `  no lessons from ${story} (${costWords(usage.costUsd)})`
          : `  ${plural(lessons, 'lesson')} learned from ${story} (${costWords(usage.costUsd)}): ${file}`,
    },
    ...kept,
  ]
}
