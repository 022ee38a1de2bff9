/** Everything that carrying out a decision needs: the doors of one run, opened once. */
import type { Git } from '../adapters/git/git.ts'
import type { Masker } from '../adapters/mask/mask.ts'
import type { PlanKeeper } from '../adapters/plan/keeper.ts'
import type { Leash } from '../adapters/project/leash.ts'
import type { Sandbox } from '../adapters/sandbox/wrapped.ts'
import type { Settings } from '../config/table.ts'
import type { Lesson } from '../core/learning/learning.ts'
import type { State } from '../core/state.ts'
import type { Instant, Repo, Reporter, StoryId } from '../core/types.ts'
import type { Agent } from '../ports.ts'
import type { Screen } from './outputs/screen.ts'
import type { Common } from './parallel/common.ts'
import type { KeyQuestion } from './people/ask-on-terminal.ts'

export type World = {
  root: string
  home: string
  feature: string
  /** The feature's folder, and its name as people see it. */
  dir: string
  label: string
  /** The logs of the run, wherever its iterations work. */
  logs: string
  run: string
  settings: Settings
  /** The project's configuration file as it was when the run began; null: there was none. */
  configFiles: { path: string; text: string | null }[]
  /** The instructions: prompt.md, the file given, or the template. */
  instructions(): string
  agentFor(state: State, story: string | null): Agent
  /** The story's own, or, once it was told to find another way, a stronger one. `shifts`: how often it was. */
  modelFor(state: State, story: string | null, shifts?: number): string
  /** The agent of another role, and its model. */
  reviewer(name: string): { agent: Agent; model: string }
  learner(name: string): { agent: Agent; model: string }
  git: Git | null
  plan: PlanKeeper
  /** Where this is the world as seen from a worktree; and the worktrees that are open. */
  place?: StoryWorktree
  places: Map<StoryId, Apart>
  /** What all workers have in common. */
  common: Common
  mask: Masker
  /** Where agents and gates are shut in; null: nowhere. */
  sandbox: Sandbox | null
  /** One for other folders: a worktree's. */
  sandboxFor(root: string, dir: string): Sandbox | null
  /** Files that gates left uncommitted, as they left them. */
  leftByGates: Map<string, string>
  /** The lessons of this project, read when first asked for; forgotten when there are new ones. */
  lessons: { known: Promise<Lesson[]> | null }
  /** What agents that take MCP servers are given to report with. */
  statusTool: { command: string; args: string[] }
  env: Record<string, string>
  screen: Screen
  ask: KeyQuestion
  /** Held by a worker of a fleet: calls are asked for there. null: this run is nobody's but the user's. */
  leash: Leash | null
  now(): Instant
}

/** What a decision is carried out by: the state that it was made from, where its results go, and when to give up. */
export type Deed = { state: State; report: Reporter; stop: AbortSignal }

export type StoryWorktree = {
  path: string
  /** Its own branch, and the one that its work is for; null: none was checked out. */
  branch: string
  onto: string | null
  /** Where it left the working branch. */
  fork: string | null
  /** What git ignores in it since it was made ready for work; undefined: it is not yet. */
  ignored: string[] | undefined
  /** As it stood before the iteration; after a kill: where it left the working branch. */
  before: Repo
}
/** The world from a worktree: the same run, other files. */
export type Apart = World & { git: NonNullable<World['git']>; place: StoryWorktree }

export const runTag = (world: World, iteration: number): string => `${world.run}:${iteration}`
