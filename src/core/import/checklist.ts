/** Turns a markdown checklist into stories with more detail: ids, order and dependencies stay. */
import { type NewPlan, type NewStory, soundPlan } from './story.ts'

export type ChecklistItem = {
  id: string
  title: string
  isDone: boolean
  /** Under a heading such as "Optional". */
  isOptional: boolean
  /** The lines below it that belong to it. */
  description: string
  /** The items nested in it. */
  dependsOn: string[]
  /** The heading above it; empty: none. */
  section: string
}

/** `prose`: text that belongs to no item. */
export function fromChecklist(items: ChecklistItem[], prose: string): NewPlan {
  return soundPlan({
    description: prose,
    branchName: '',
    createdAt: '',
    more: {},
    stories: items.map(checklistStory),
    remarks: prose === '' ? [] : ['What belongs to no item is the description of the plan.'],
  })
}

export const checklistStory = (item: ChecklistItem): NewStory => ({
  id: item.id,
  title: item.title,
  description: item.description,
  acceptanceCriteria: [],
  priority: null,
  passes: item.isDone,
  notes: item.section === '' ? '' : `From the section "${item.section}".`,
  dependsOn: item.dependsOn,
  skip: item.isOptional && !item.isDone,
  more: {},
})
