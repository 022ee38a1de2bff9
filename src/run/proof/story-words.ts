/** What the plan says of the story of a flight. */
import { storyNamed } from '../../core/plan/stories.ts'
import type { EndedFlight } from '../../core/state.ts'
import type { Deed } from '../parts.ts'
import type { GateFolders } from './gates-on-commit.ts'

export function wordsOf(world: Pick<GateFolders, 'plan'>, { story, ended }: EndedFlight, { state }: Deed): string {
  const id = story ?? ended.flips[0] ?? null
  const text = id === null ? undefined : world.plan.current()?.texts[id]
  return [storyNamed(state.plan, id)?.title ?? '', text?.description ?? '', ...(text?.acceptanceCriteria ?? [])].join('\n')
}
