/** Names under which the state before a story is saved in the repository. */
import { workedStory } from '../../core/evolve/judged.ts'
import type { JudgedFlight, State } from '../../core/state.ts'
import type { StoryId } from '../../core/types.ts'
import type { Work } from '../parts.ts'

/** null: for the story that the agent is about to pick. */
export const beginningOf = ({ feature }: { feature: string }, story: StoryId | null): string => `${feature}/${story ?? '.picked'}`

/** Its start before somebody changed the repository: its commits may contain files of the user that are restored from there. */
export const olderBeginningOf = ({ feature }: { feature: string }, story: StoryId): string => `${feature}/${story}.older`

/** Removes saved states of stories that no longer have a start to return to: after a kill they must not be mistaken for new ones. */
export async function forgetStale(world: Pick<Work, 'feature' | 'git'>, { plan, stories }: State): Promise<void> {
  const unknown = (plan?.stories ?? []).filter(({ id }) => stories[id]?.isSaved !== true)
  for (const { id } of unknown) {
    const { commits = [], begunWith } = stories[id] ?? {}
    if (commits.length > 0 && (begunWith?.users.length ?? 0) > 0)
      await world.git?.keepAs(beginningOf(world, id), olderBeginningOf(world, id))
  }
  await world.git?.forget(...unknown.map(({ id }) => beginningOf(world, id)))
}

/** If the agent picked the story, the state saved before the iteration becomes its start, unless it has one. Safe to repeat. */
export async function keepPicked(world: Pick<Work, 'feature' | 'git'>, flight: JudgedFlight, state: State): Promise<void> {
  const id = flight.story === null && flight.mode !== 'check' ? workedStory(flight) : null
  if (id !== null && state.stories[id]?.isSaved !== true)
    await world.git?.keepAs(beginningOf(world, null), beginningOf(world, id))
}
