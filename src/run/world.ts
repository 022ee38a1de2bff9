/** The world of one run, opened once it has its id and its log: the parts, and what it remembers while it is live. */
import type { Git } from '../adapters/git/git.ts'
import { turns } from '../adapters/process/one-at-a-time.ts'
import { logsFolder } from '../adapters/project/layout.ts'
import type { StoryId } from '../core/types.ts'
import { type JudgeFolders, judgeFolders } from './iteration/guard-judge.ts'
import { nothingSeen, type SeenByGates } from './iteration/judge-commit.ts'
import type { OwnFiles } from './iteration/restore-ralph-files.ts'
import { noUsersFiles, type UsersFiles } from './iteration/users-files.ts'
import type { CallsUnderWay, ContextWindows } from './iteration/watch-call.ts'
import type { KnownLessons } from './learning/notes-for-story.ts'
import type { Sessions } from './learning/session-lines.ts'
import type { Setup, StoryWorktree, Work } from './parts.ts'

/** Memory such as copies and caches belongs to the module of its type; what decisions depend on is in the log's state. */
export type World = Work & {
  own: OwnFiles
  users: UsersFiles
  judges: JudgeFolders
  seen: SeenByGates
  sessions: Sessions
  calls: CallsUnderWay
  windows: ContextWindows
  lessons: KnownLessons
  worktrees: StoryWorktrees
}

type StoryWorktrees = {
  /** The world as seen from each open worktree. */
  open: Map<StoryId, Apart>
  /** Stories whose work has landed and whose worktrees still exist. */
  landed: StoryId[]
  /** In which the work in them is looked at. */
  looks: ReturnType<typeof turns>
}

/** The world from a worktree: the same run, other files. */
export type Apart = World & { git: Git; place: StoryWorktree }

/** What exists once a run has its id. */
export type Identified = Pick<Work, 'run' | 'git' | 'plan' | 'configFiles' | 'sandboxFor'>

export function openWorld(setup: Setup, begun: Identified & Pick<World, 'branch' | 'own' | 'state'>): World {
  const { root, dir } = setup
  return {
    ...setup,
    ...begun,
    logs: logsFolder(dir),
    sandbox: begun.sandboxFor(root, dir),
    leftByGates: new Map(),
    users: noUsersFiles(),
    judges: judgeFolders(setup),
    seen: nothingSeen(),
    sessions: new Map(),
    calls: new Map(),
    windows: new Map(),
    lessons: { known: null },
    worktrees: { open: new Map(), landed: [], looks: turns() },
  }
}
