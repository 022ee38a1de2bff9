/** The parts of a run's world: a function takes the part that it needs. */
import type { Git } from '../adapters/git/git.ts'
import type { Masker } from '../adapters/mask/mask.ts'
import type { PlanKeeper } from '../adapters/plan/keeper.ts'
import type { Leash } from '../adapters/project/leash.ts'
import type { Sandbox } from '../adapters/sandbox/wrapped.ts'
import type { Settings } from '../config/table.ts'
import type { State } from '../core/state.ts'
import type { Instant, Repo, Reporter, Scope } from '../core/types.ts'
import { scopeNumber } from '../core/words.ts'
import type { Agents } from './agents.ts'
import type { Screen } from './outputs/screen.ts'
import type { KeyQuestion } from './people/ask-on-terminal.ts'
import type { Project } from './project.ts'

/** What a run is set up with before it has its id: its feature, settings and agents, and who sees it. */
export type Setup = Project & {
  settings: Settings
  /** The files that the settings are from, as they were read. */
  configRead: { path: string; text: string }[]
  env: Record<string, string>
  mask: Masker
  agents: Agents
  screen: Screen
  ask: KeyQuestion
  /** Held by a worker of a fleet: calls are asked for there. null: this run is nobody's but the user's. */
  leash: Leash | null
  now(): Instant
}

/** A run under way: in the project itself, or in the worktree of a story. */
export type Work = Setup & {
  run: string
  /** The logs of the run, wherever its iterations work. */
  logs: string
  /** What the run works on; null: a detached HEAD. */
  branch: string | null
  /** As the log has it now. */
  state(): State
  git: Git | null
  plan: PlanKeeper
  /** The project's and the user's configuration as they were when the run began; null: there was none. */
  configFiles: { path: string; text: string | null }[]
  /** Where agents and gates are shut in; null: nowhere. */
  sandbox: Sandbox | null
  /** One for other folders: a worktree's. */
  sandboxFor: SandboxFor
  /** Files that gates left uncommitted, as they left them. */
  leftByGates: Map<string, string>
  /** Where this is seen from a worktree. */
  place?: StoryWorktree
}

export type SandboxFor = (root: string, dir: string) => Sandbox | null

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

/** What a decision is carried out by: the state that it was made from, where its results go, and when to give up. */
export type Deed = { state: State; report: Reporter; stop: AbortSignal }

export const runTag = ({ run }: Pick<Work, 'run'>, iteration: Scope): string => `${run}:${scopeNumber(iteration)}`
