/** An imported plan, whatever its source: its stories, other fields, and remarks for people. */
import type { StoryId } from '../types.ts'

export type NewStory = {
  id: StoryId
  title: string
  description: string
  acceptanceCriteria: string[]
  /** null: none, so it comes after those that have one. */
  priority: number | null
  passes: boolean
  notes: string
  dependsOn: StoryId[]
  skip: boolean
  /** Fields without a name in our plans: kept as they are. */
  more: Record<string, unknown>
}

export type NewPlan = {
  description: string
  /** Empty: not said. */
  branchName: string
  createdAt: string
  more: Record<string, unknown>
  stories: NewStory[]
  /** What was changed on import, in sentences. */
  remarks: string[]
}

/** As a plan file has it. */
export function storyFields(story: NewStory): Record<string, unknown> {
  const { id, title, description, acceptanceCriteria, priority, passes, notes, dependsOn, skip, more } = story
  const own = { id, title, description, acceptanceCriteria, ...(priority !== null && { priority }), passes, notes }
  const others = Object.entries(more).filter(
    ([name]) => !(name in own) && !['priority', 'dependsOn', 'skip', 'status', 'failed'].includes(name),
  )
  return { ...own, ...(dependsOn.length > 0 && { dependsOn }), ...(skip && { skip }), ...Object.fromEntries(others) }
}

/** Makes ids unique, removes dependencies on missing stories, and gives every story a priority. `known`: ids already in the plan. */
export function soundPlan(plan: NewPlan, known: StoryId[] = []): NewPlan {
  const taken = new Set<StoryId>()
  const remarks = [...plan.remarks]
  const unique = plan.stories.map((story) => {
    const id = freeId(story.id, taken)
    taken.add(id)
    if (id !== story.id) remarks.push(`Duplicate id ${story.id}: one of the stories is now ${id}.`)
    return { ...story, id }
  })
  const there = new Set([...taken, ...known])
  const stories = unique.map((story) => {
    const lost = story.dependsOn.filter((id) => !there.has(id) || id === story.id)
    if (lost.length > 0) remarks.push(`${story.id} cannot depend on ${lost.join(', ')}: dependency removed.`)
    return { ...story, dependsOn: [...new Set(story.dependsOn.filter((id) => !lost.includes(id)))] }
  })
  return { ...plan, stories: withPriorities(stories), remarks }
}

/** The stories appended to others: with new ids, and later than all of them. */
export function storiesAfter(stories: NewStory[], others: { id: StoryId; priority: number }[]): NewStory[] {
  const ids = freshIds(
    stories.map(({ id }) => id),
    others.map(({ id }) => id),
  )
  const last = others.reduce((highest, { priority }) => Math.max(highest, Math.floor(priority)), 0)
  const lowest = stories.reduce((least, { priority }) => Math.min(least, priority ?? 1), 1)
  return stories.map((story) => ({
    ...story,
    id: ids.get(story.id) ?? story.id,
    priority: story.priority === null ? null : story.priority - lowest + 1 + last,
    dependsOn: story.dependsOn.map((id) => ids.get(id) ?? id),
  }))
}

/** Old id to new. If one of a series (US-001, US-002) is taken, the whole series continues after the last existing one. */
function freshIds(ids: StoryId[], others: StoryId[]): Map<StoryId, StoryId> {
  const taken = new Set(others)
  const lasts = new Map<string, number>()
  for (const { prefix, number } of others.flatMap((id) => numbered(id) ?? []))
    lasts.set(prefix, Math.max(lasts.get(prefix) ?? 0, number))
  const moving = new Set(ids.filter((id) => taken.has(id)).flatMap((id) => numbered(id)?.prefix ?? []))
  const fresh = new Map<StoryId, StoryId>()
  for (const id of ids) {
    const parts = numbered(id)
    const isMoving = parts !== undefined && moving.has(parts.prefix)
    const wanted = isMoving
      ? `${parts.prefix}${String(parts.number + (lasts.get(parts.prefix) ?? 0)).padStart(parts.width, '0')}${parts.rest}`
      : id
    const free = freeId(wanted, taken)
    taken.add(free)
    fresh.set(id, free)
  }
  return fresh
}

function numbered(id: StoryId): { prefix: string; number: number; width: number; rest: string } | undefined {
  const [, prefix = '', digits = '', rest = ''] = /^(\D*)(\d{1,9})((?:\.\d+)*)$/.exec(id) ?? []
  return digits === '' ? undefined : { prefix, number: Number(digits), width: digits.length, rest }
}

function freeId(wanted: StoryId, taken: Set<StoryId>): StoryId {
  let id = wanted
  for (let count = 2; taken.has(id); count++) id = `${wanted}-${count}`
  return id
}

function withPriorities(stories: NewStory[]): NewStory[] {
  let next = Math.floor(stories.reduce((highest, { priority }) => Math.max(highest, priority ?? 0), 0)) + 1
  return stories.map((story) => (story.priority === null ? { ...story, priority: next++ } : story))
}
