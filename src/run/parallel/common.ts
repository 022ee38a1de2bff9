/** What all workers of a run have in common. */
import type { KeptLinks } from '../../adapters/files/kept-links.ts'
import type { KnownFiles } from '../../adapters/files/tree-hash.ts'
import type { ProjectHooks } from '../../adapters/git/project-hooks.ts'
import type { KeptGit } from '../../adapters/git/rescue/hooks-and-config.ts'
import { turns } from '../../adapters/process/turns.ts'
import type { State } from '../../core/state.ts'
import type { StoryId, Usage } from '../../core/types.ts'
import type { SessionLines } from '../learning/session-lines.ts'
import type { DecideFile } from '../people/decide-file.ts'

export type Common = {
  /** What the run works on; null: a detached HEAD, or it is not known yet. */
  branch: string | null
  /** As it is now, once there is one. */
  state: (() => State) | null
  /** What each call under way has used. */
  calls: Map<number, Usage>
  /** The user's uncommitted files: as they were last kept, and those of which it was told that they are not as they were. */
  users: {
    kept: string
    files: string[]
    known: KnownFiles
    told: Set<string>
    /** What gates have written more than once. */
    artifacts: Set<string>
    /** Each as the last agent left it. */
    after: Map<string, string>
    inTurn: ReturnType<typeof turns>
  }
  /** Stories whose work has landed, and whose worktrees are still there. */
  landed: StoryId[]
  /** By iteration: what of its work was uncommitted when its gates began. */
  seen: Map<number, string>
  /** By iteration, the last few: the end of what its agent said and did. */
  said: Map<number, SessionLines>
  /** Folders where judges look, those that are free, and the mark of the last checkout in each: no reviewer waits for another's. */
  judges: { folder: string; free: { folder: string; mark: string }[]; made: number }
  /** What others may not change, as it is known; null: before the run began. */
  own: { git: KeptGit | null; hooks: ProjectHooks | null; unwatched: Set<string>; decide: DecideFile; links: KeptLinks } | null
}

export const commonOf = (judgesFolder: string): Common => ({
  branch: null,
  state: null,
  calls: new Map(),
  users: { kept: '', files: [], known: new Map(), told: new Set(), artifacts: new Set(), after: new Map(), inTurn: turns() },
  landed: [],
  seen: new Map(),
  said: new Map(),
  judges: { folder: judgesFolder, free: [], made: 0 },
  own: null,
})
