/** With tracker.sync: says on the issues of a feature how far their work is, with a label and one comment. What fails is told; the run goes on. */
import type { GivenEnv } from '../../adapters/forges/api.ts'
import { masker } from '../../adapters/mask/mask.ts'
import { labelOf, openTracker, type ProgressMark } from '../../adapters/trackers/tracker.ts'
import { type IssueSource, sourceIn } from '../../core/import/issue-address.ts'
import type { State } from '../../core/state.ts'
import { inert } from '../../core/text/inert.ts'
import type { Outcome, Story } from '../../core/types.ts'

export type SyncPlace = { root: string; feature: string; env: GivenEnv; warn(text: string): void }

/** When a run begins. */
export const syncAtStart = (stories: Story[], place: SyncPlace): Promise<void> =>
  sync(stories, place, (own) => ({
    mark: 'in-progress',
    text: `Ralph works on this: ${countOf(own)} (feature ${place.feature}).`,
  }))

/** When it has ended. `pull`: the address of its pull request. */
export function syncAtEnd({ plan, outcome, pull }: State, place: SyncPlace): Promise<void> {
  const hidden = masker(place.env)
  return sync(plan?.stories ?? [], place, (own) => {
    const mark = own.every(({ passes, skip }) => passes || skip) ? 'review' : markOf(outcome?.outcome)
    const words = {
      'in-progress': 'Ralph stopped for now',
      blocked: 'Ralph needs a person',
      review: 'Ralph is done, please review',
    }[mark]
    const because = mark === 'review' ? '' : ` ${inert(hidden.text(outcome?.because ?? ''), 300)}.`
    return {
      mark,
      text: [`${words}: ${countOf(own)} (feature ${place.feature}).${because}`, pull?.url ?? ''].filter(Boolean).join('\n\n'),
    }
  })
}

const countOf = (own: Story[]): string =>
  `${own.filter(({ passes }) => passes).length} of ${own.length} ${own.length === 1 ? 'story' : 'stories'} done`

/** What ends by itself continues later. */
const markOf = (outcome: Outcome | undefined): ProgressMark =>
  outcome === 'incomplete' || outcome === 'interrupted' || outcome === 'limited' || outcome === 'budget'
    ? 'in-progress'
    : 'blocked'

async function sync(
  stories: Story[],
  { root, env, warn }: SyncPlace,
  say: (own: Story[]) => { mark: ProgressMark; text: string },
): Promise<void> {
  for (const [text, source] of sourcesOf(stories)) {
    const { mark, text: words } = say(stories.filter((story) => story.source === text))
    try {
      const tracker = await openTracker(source.tracker, { host: source.host, place: source.repository, env, cwd: root })
      await tracker.mark(source.id, mark)
      await tracker.comment(source.id, words)
    } catch (error) {
      warn(`Could not set "${labelOf(mark)}" on ${text}: ${(error as Error).message}`)
    }
  }
}

function sourcesOf(stories: Story[]): Map<string, IssueSource> {
  const sources = stories.flatMap(({ source }) => {
    const found = sourceIn(source)
    return source === undefined || found === null ? [] : [[source, found] as const]
  })
  return new Map(sources)
}
