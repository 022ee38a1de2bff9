/** A markdown checklist as the stories of a plan that can say more: ids, order and what waits for what stay as they were. */
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
  /** The heading that it stands under; empty: none. */
  section: string
}

/** `prose`: what of the text belongs to no item. */
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
  notes: item.section === '' ? '' : `It stood under "${item.section}".`,
  dependsOn: item.dependsOn,
  skip: item.isOptional && !item.isDone,
  more: {},
})
