/** What the plan says of a story: its title, description and criteria. */
import { storyNamed } from '../../core/plan/stories.ts'
import type { EndedFlight, State } from '../../core/state.ts'
import type { StoryId } from '../../core/types.ts'
import type { Deed, Work } from '../parts.ts'

/** null: the plan has no such story. */
export function wordsOfStory({ plan }: Pick<Work, 'plan'>, id: StoryId | null, state: State): string | null {
  const story = storyNamed(state.plan, id)
  const text = id === null ? undefined : plan.current()?.texts[id]
  return !story || text === undefined ? null : [story.title, text.description, ...text.acceptanceCriteria].join('\n')
}

export const wordsOfFlight = (world: Pick<Work, 'plan'>, { story, ended }: EndedFlight, { state }: Deed): string =>
  wordsOfStory(world, story ?? ended.flips[0] ?? null, state) ?? ''
