/** The content of a plan's text with all its mistakes: both strict reading and the check of an agent's edits start here. */
import type { Story, StoryId } from '../../core/types.ts'
import type { ArrayTree } from './located-values.ts'

export type StoryText = { description: string; acceptanceCriteria: string[]; notes: string }

export type Problem = { offset: number; message: string }

/** One story as written, right or wrong. Without an id it is not a story, and `story.id` is empty. */
export type ScannedEntry = {
  story: Story
  text: StoryText
  /** Everything written about it except what an iteration may change: `passes`, `status`, `notes`. */
  fields: Record<string, unknown>
  problems: Problem[]
  /** The positions of its id, of each dependency and of each criterion. */
  offset: number
  dependencyOffsets: number[]
  criterionOffsets: number[]
  /** The position of a checklist item in the file, from 0. Elsewhere its position among the stories. */
  place: number
}

export type Scan = {
  feature: string
  /** Where the plan says so. */
  featureOffset?: number
  description: string
  branch: string
  /** The fields around the stories, as written. */
  head: Record<string, unknown>
  entries: ScannedEntry[]
  problems: Problem[]
  warnings: Problem[]
  /** Where the stories are in JSON and YAML; a checklist has lines instead. */
  list?: ArrayTree
}

/** Every object already has these names: a story with one of them would seem known. */
export const reservedIds: readonly string[] = Object.getOwnPropertyNames(Object.prototype)

/** Duplicate ids, missing and circular dependencies. */
export function relationProblems(entries: ScannedEntry[]): Problem[] {
  const problems: Problem[] = []
  const known = new Set<StoryId>()
  for (const { story, offset } of entries) {
    if (story.id !== '' && known.has(story.id))
      problems.push({ offset, message: `duplicate id ${story.id}; each story needs its own` })
    known.add(story.id)
  }
  for (const { story, offset, dependencyOffsets } of entries) {
    for (const [index, id] of story.dependsOn.entries()) {
      if (!known.has(id) || id === '')
        problems.push({
          offset: dependencyOffsets[index] ?? offset,
          message: `story ${story.id}: dependsOn: found ${JSON.stringify(id)}, expected the id of a story in this plan`,
        })
    }
  }
  const circle = circleOf(entries.map((entry) => entry.story))
  const first = entries.find((entry) => entry.story.id === circle[0])
  if (first)
    problems.push({
      offset: first.dependencyOffsets[first.story.dependsOn.indexOf(circle[1] ?? '')] ?? first.offset,
      message: `circular dependencies (${circle.join(' → ')}): remove one of them`,
    })
  return problems
}

/** The ids of a circular dependency, the first again at the end; empty: none. */
export function circleOf(stories: Story[]): StoryId[] {
  const open = new Map(stories.map((story) => [story.id, story.dependsOn]))
  const waiting = new Map(stories.map((story) => [story.id, new Set(story.dependsOn.filter((id) => open.has(id)))]))
  const dependents = new Map<StoryId, StoryId[]>(stories.map((story) => [story.id, []]))
  for (const [id, dependencies] of waiting) for (const dependency of dependencies) dependents.get(dependency)?.push(id)
  const ready = [...waiting].flatMap(([id, left]) => (left.size === 0 ? [id] : []))
  for (const id of ready) {
    waiting.delete(id)
    for (const dependent of dependents.get(id) ?? []) {
      const left = waiting.get(dependent)
      left?.delete(id)
      if (left?.size === 0) ready.push(dependent)
    }
  }
  const path: StoryId[] = []
  let at = waiting.keys().next().value
  while (at !== undefined && !path.includes(at)) {
    path.push(at)
    at = waiting.get(at)?.values().next().value
  }
  return at === undefined ? [] : [...path.slice(path.indexOf(at)), at]
}
