/** Worktrees made while agents work, so that the next story does not wait for its own: as git makes them, and nothing more. */
import { existsSync } from 'node:fs'
import { comingApart } from '../../core/decide/next-story.ts'
import type { State } from '../../core/state.ts'
import type { StoryId } from '../../core/types.ts'
import type { World } from '../world.ts'
import { makePlace, placeOf } from './worktree.ts'

/** What stands in the way is told to the story that comes to it. */
export async function makeSpares(world: World, state: State): Promise<void> {
  for (const story of comingApart(state)) {
    if (world.spares.has(story) || existsSync(placeOf(world, story).path)) continue
    const made = makePlace(world, story).then(
      (place) => ('tip' in place ? place.tip : null),
      () => null,
    )
    world.spares.set(story, made)
  }
  await Promise.all(world.spares.values())
}

/** The commit that the story's worktree begins at, and it is the story's now; null: there is none. */
export async function takeSpare({ spares }: World, story: StoryId): Promise<string | null> {
  const tip = (await spares.get(story)) ?? null
  spares.delete(story)
  return tip
}
