/** The items of a markdown checklist for an import, and the prose around them, read by the rules for plans. */
import type { ChecklistItem } from '../../core/import/checklist.ts'
import { headingBefore } from '../../core/import/sections.ts'
import { itemsOf, scanChecklist } from '../plan/checklist.ts'
import { BadPlan } from '../plan/located-values.ts'

/** Children before parents. */
export function checklistItems(text: string): ChecklistItem[] {
  try {
    return scanChecklist(text).entries.map(({ story, text: words, fields, offset }) => ({
      id: story.id,
      title: story.title,
      isDone: story.passes,
      isOptional: fields['isOptional'] === true,
      description: words.description,
      dependsOn: story.dependsOn,
      section: headingBefore(text, offset),
    }))
  } catch (error) {
    if (error instanceof BadPlan) return []
    throw error
  }
}

/** Text that belongs to no item. A heading with only items below it is left out: the items have it. */
export function proseAround(text: string): string {
  const spans = itemsOf(text)
  let left = ''
  let from = 0
  for (const { offset, end } of spans.toSorted((one, other) => one.offset - other.offset)) {
    if (offset > from) left += text.slice(from, offset)
    from = Math.max(from, end)
  }
  left += text.slice(from)
  const lines = left
    .replace(/<!--[\s\S]*?-->/g, '')
    .split(/\r?\n/)
    .map((line) => line.trimEnd())
  const isHeading = (line: string | undefined): boolean => line !== undefined && /^ {0,3}#{1,6}\s/.test(line)
  const said = lines.filter((line) => line.trim() !== '')
  const kept = said.filter((line, place) => !isHeading(line) || !(said[place + 1] === undefined || isHeading(said[place + 1])))
  return kept.join('\n').trim()
}
