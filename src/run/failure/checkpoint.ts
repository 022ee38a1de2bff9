/** The state that a story began with is kept in the repository under a name of its own. */
import { workedStory } from '../../core/evolve/judged.ts'
import type { JudgedFlight, State } from '../../core/state.ts'
import type { StoryId } from '../../core/types.ts'
import type { Work } from '../parts.ts'

/** null: of the story that the agent is about to pick. */
export const beginningOf = ({ feature }: { feature: string }, story: StoryId | null): string => `${feature}/${story ?? '.picked'}`

/** Where it began before somebody changed the repository: its commits may have taken files of the user's that come back from there. */
export const olderBeginningOf = ({ feature }: { feature: string }, story: StoryId): string => `${feature}/${story}.older`

/** What is kept of stories that have no beginning to go back to any more: a kill must not let it be mistaken for a new one. */
export async function forgetStale(world: Pick<Work, 'feature' | 'git'>, { plan, stories }: State): Promise<void> {
  const unknown = (plan?.stories ?? []).filter(({ id }) => stories[id]?.isSaved !== true)
  for (const { id } of unknown) {
    const { commits = [], begunWith } = stories[id] ?? {}
    if (commits.length > 0 && (begunWith?.users.length ?? 0) > 0)
      await world.git?.keepAs(beginningOf(world, id), olderBeginningOf(world, id))
  }
  await world.git?.forget(...unknown.map(({ id }) => beginningOf(world, id)))
}

/** Where the agent picked the story, what was kept before the iteration is its beginning, unless it has one. Safe to do twice. */
export async function keepPicked(world: Pick<Work, 'feature' | 'git'>, flight: JudgedFlight, state: State): Promise<void> {
  const id = flight.story === null && flight.mode !== 'check' ? workedStory(flight) : null
  if (id !== null && state.stories[id]?.isSaved !== true)
    await world.git?.keepAs(beginningOf(world, null), beginningOf(world, id))
}
