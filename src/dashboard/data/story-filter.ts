/** Which stories of a feature the list shows. */
import type { PageStory } from './shapes.ts'

export const storyFilters = ['all', 'working', 'asks', 'failed', 'open', 'skipped', 'passes'] as const
export type StoryFilter = (typeof storyFilters)[number]

export function storiesShown<S extends Pick<PageStory, 'id' | 'title' | 'state'>>(
  stories: S[],
  text: string,
  only: StoryFilter,
): S[] {
  const words = text.toLowerCase().split(/\s+/)
  return stories.filter(
    ({ id, title, state }) =>
      (only === 'all' || state === only) && words.every((word) => `${id} ${title}`.toLowerCase().includes(word)),
  )
}

/** The states that stories are in, with how many; and the chosen one, also where it has none any more. */
export function storyCounts(stories: Pick<PageStory, 'state'>[], only: StoryFilter): { only: StoryFilter; count: number }[] {
  const counts = storyFilters.map((filter) => ({
    only: filter,
    count: stories.filter(({ state }) => filter === 'all' || state === filter).length,
  }))
  return counts.filter((each) => each.count > 0 || each.only === only || each.only === 'all')
}
