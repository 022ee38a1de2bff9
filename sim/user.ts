/** What the user requests of a live run through the inbox, by chance. */

import { dismissable } from '../src/core/evolve/dismissed.ts'
import type { State } from '../src/core/state.ts'
import { fingerprint } from '../src/core/text/hash.ts'
import type { Report, StoryId } from '../src/core/types.ts'
import type { Random } from './random.ts'
import type { Repository } from './repository.ts'

type Known = { busy: StoryId[]; stories: State['stories'] }

/** `busy`: the stories in flight, which users care about most. */
export function requestOf(random: Random, id: string, repository: Repository, { busy, stories }: Known): Report {
  const all = repository.plan?.stories.map((story) => story.id) ?? ['none']
  const story = random.pick(busy.length > 0 && random.chance(0.5) ? busy : all)
  return random.pick<Report>([
    { kind: 'said', id, text: `note ${id}` },
    { kind: 'finding.dismissed', id, story, finding: 'none', ...findingIn(stories, id) },
    { kind: 'pause.requested', id },
    { kind: 'resume.requested', id },
    { kind: 'stop.requested', id, by: 'user', now: random.chance(0.5) },
    { kind: 'stop.requested', by: random.pick(['SIGINT', 'SIGTERM', 'SIGHUP'] as const), now: true },
    { kind: 'story.retried', id, story },
    { kind: 'story.skipped', id, story },
    { kind: 'story.skipped', id, story },
    { kind: 'breaker.reset', id },
    { kind: 'question.answered', id, text: 'B' },
    { kind: 'question.answered', id, text: 'yes' },
    { kind: 'question.answered', id, text: 'C', story },
    { kind: 'question.answered', id, text: 'accept', by: 'me' },
    { kind: 'unblocked', id, note: 'go on' },
  ])
}

/** One that a reviewer left open, if there is any. */
function findingIn(stories: State['stories'], id: string): { story?: StoryId; finding?: string } {
  const all = Object.entries(stories).flatMap(([story, known]) =>
    dismissable(known).map((finding) => ({ story, finding: finding.id })),
  )
  return all[fingerprint(id) % all.length] ?? {}
}
