/** Task Master's `tasks.json`: tasks and subtasks become stories; a task depends on its subtasks. */
import { EXIT, Failure } from '../failure.ts'
import { isRecord, type Json, recordsIn } from '../text/json.ts'
import { type NewPlan, type NewStory, soundPlan } from './story.ts'
import { firstLine, isDoneWord, joined, keptRemark, oneLine, priorityOf, textOf, textsOf, withoutFields } from './values.ts'

/** `tag`: which of several task lists in one file. */
export function fromTaskMaster(value: unknown, tag?: string): NewPlan {
  const list = listIn(value, tag)
  const wrong = list.tasks.findIndex((task) => !isRecord(task))
  if (wrong >= 0) throw new Failure(EXIT.data, `tasks[${wrong}]: expected a task with "id" and "title"`)
  const tasks = list.tasks as Json[]
  const ids = new Set(tasks.flatMap((task, place) => idsIn(task, place)))
  const stories = tasks.flatMap((task, place) => storiesOf(task, idOf(task, place), ids))
  return soundPlan({
    description: textOf(list.metadata['description']) || textOf(list.metadata['projectName']),
    branchName: '',
    createdAt: textOf(list.metadata['created']) || textOf(list.metadata['createdAt']),
    more: Object.keys(list.metadata).length > 0 ? { metadata: list.metadata } : {},
    stories,
    remarks: [
      ...list.remarks,
      ...keptRemark(
        stories.flatMap((story) => Object.keys(story.more)),
        'the stories',
      ),
    ],
  })
}

export const isTaskMaster = (value: unknown): boolean => Object.keys(listsIn(value)).length > 0

const defaultTag = 'master'

function listIn(value: unknown, tag: string | undefined): { tasks: unknown[]; metadata: Json; remarks: string[] } {
  const lists = listsIn(value)
  const tags = Object.keys(lists)
  const [first] = tags
  if (first === undefined) throw new Failure(EXIT.data, 'missing "tasks", the list of tasks')
  const chosen = tag ?? (tags.includes(defaultTag) ? defaultTag : first)
  const list = Object.hasOwn(lists, chosen) ? lists[chosen] : undefined
  if (list === undefined) throw new Failure(EXIT.usage, `no tag "${chosen}"; it has: ${tags.join(', ')}`)
  if (tag === undefined && tags.length > 1 && !tags.includes(defaultTag))
    throw new Failure(EXIT.usage, `several task lists; choose one with --tag: ${tags.join(', ')}`)
  const others = tags.filter((other) => other !== chosen)
  const remarks = others.length === 0 ? [] : [`Imported the tag ${chosen}, not ${others.join(', ')} (choose one with --tag).`]
  return { ...list, remarks }
}

/** By tag; a file without tags has one list. */
function listsIn(value: unknown): Record<string, { tasks: unknown[]; metadata: Json }> {
  if (!isRecord(value)) return {}
  const listOf = (from: unknown) => {
    if (!isRecord(from) || !Array.isArray(from['tasks'])) return undefined
    const metadata = from['metadata'] ?? from['meta']
    return { tasks: from['tasks'], metadata: isRecord(metadata) ? metadata : {} }
  }
  const whole = listOf(value)
  if (whole) return { [defaultTag]: whole }
  return Object.fromEntries(
    Object.entries(value).flatMap(([tag, inner]) => {
      const list = listOf(inner)
      return list ? [[tag, list]] : []
    }),
  )
}

const idOf = (task: Json, place: number): string => oneLine(textOf(task['id'])) || String(place + 1)

const subtasksOf = (task: Json): Json[] => recordsIn(task['subtasks'])

const subIdOf = (parent: string, sub: Json, place: number): string => {
  const id = idOf(sub, place)
  return id.startsWith(`${parent}.`) ? id : `${parent}.${id}`
}

const idsIn = (task: Json, place: number): string[] => {
  const id = idOf(task, place)
  return [id, ...subtasksOf(task).map((sub, subPlace) => subIdOf(id, sub, subPlace))]
}

/** Subtasks first: the task is done when they are. */
function storiesOf(task: Json, id: string, ids: Set<string>): NewStory[] {
  const subtasks = subtasksOf(task)
  const own = dependenciesOf(task)
  const parent = storyOf(task, id, own)
  const children = subtasks.map((sub, place) => {
    // A bare number means a sibling; a subtask also depends on what its task depends on.
    const meant = dependenciesOf(sub)
      .map((name) => (ids.has(`${id}.${name}`) ? `${id}.${name}` : name))
      .filter((name) => name !== id)
    const child = storyOf(sub, subIdOf(id, sub, place), [...meant, ...own])
    return { ...child, priority: child.priority ?? parent.priority, skip: child.skip || (parent.skip && !child.passes) }
  })
  return [...children, { ...parent, dependsOn: [...parent.dependsOn, ...children.map((child) => child.id)] }]
}

const dependenciesOf = (task: Json): string[] => textsOf(task['dependencies'] ?? task['dependsOn']).map(oneLine)

const readNames = [
  ...['id', 'title', 'description', 'details', 'testStrategy', 'status', 'priority', 'dependencies', 'subtasks'],
  ...['acceptanceCriteria', 'notes', 'passes', 'dependsOn', 'parentId', 'parentTaskId'],
]

function storyOf(fields: Json, id: string, dependsOn: string[]): NewStory {
  const status = textOf(fields['status']).toLowerCase()
  const isKnown = status === '' || status === 'pending' || isDoneWord(status)
  const description = textOf(fields['description'])
  return {
    id,
    title: oneLine(textOf(fields['title'])) || firstLine(description) || `Task ${id}`,
    description: joined(description, textOf(fields['details'])),
    acceptanceCriteria: [...textsOf(fields['acceptanceCriteria']), ...testsOf(fields)],
    priority: priorityOf(fields['priority']),
    passes: isDoneWord(status) || fields['passes'] === true,
    notes: joined(textOf(fields['notes']), isKnown ? '' : `Its status in Task Master was "${status}".`),
    dependsOn,
    skip: ['cancelled', 'canceled', 'deferred'].includes(status),
    more: withoutFields(fields, readNames),
  }
}

/** How to test it: one criterion, however long. */
function testsOf(fields: Json): string[] {
  const text = textOf(fields['testStrategy'])
  return text === '' ? [] : [text]
}
