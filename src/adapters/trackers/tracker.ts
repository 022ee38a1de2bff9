/** The door to a tracker of issues: those with a label come in, and how far their work is goes back. */
import type { Issue } from '../../core/import/issue.ts'
import type { GivenEnv } from '../forges/api.ts'

export const trackerNames = ['github', 'gitlab', 'linear', 'jira', 'beads'] as const
export type TrackerName = (typeof trackerNames)[number]

/** What work on an issue has come to. Each has a label, and an issue has one of them at most. */
export const progressMarks = ['in-progress', 'blocked', 'review'] as const
export type ProgressMark = (typeof progressMarks)[number]
export const labelOf = (mark: ProgressMark): string => `agent:${mark}`

export type Tracker = {
  /** Open ones, oldest first. `cut`: there are more than anybody can want. */
  issues(label: string): Promise<{ issues: Issue[]; isCut: boolean }>
  /** The label of this mark, and of no other. */
  mark(id: string, mark: ProgressMark): Promise<void>
  /** The one comment of Ralph: changed if it is there, else made. */
  comment(id: string, text: string): Promise<void>
}

/** `place`: a repository, team or project; empty: the usual one, or all. */
export type TrackerPlace = { host: string; place: string; env: GivenEnv; cwd: string }

/** In the comment, so that the next one finds it. */
export const COMMENT_MARK = '<!-- ralph:status -->'

export async function openTracker(name: TrackerName, place: TrackerPlace): Promise<Tracker> {
  switch (name) {
    case 'github':
      return (await import('./github.ts')).githubIssues(place)
    case 'gitlab':
      return (await import('./gitlab.ts')).gitlabIssues(place)
    case 'linear':
      return (await import('./linear.ts')).linear(place)
    case 'jira':
      return (await import('./jira.ts')).jira(place)
    case 'beads':
      return (await import('./beads.ts')).beads(place)
  }
}
