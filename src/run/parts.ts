/** The parts of a run's world: each function takes the part that it needs. */
import type { Git } from '../adapters/git/git.ts'
import type { KeptGit } from '../adapters/git/rescue/hooks-and-config.ts'
import type { Masker } from '../adapters/mask/mask.ts'
import type { PlanKeeper } from '../adapters/plan/live-plan.ts'
import type { Leash } from '../adapters/project/leash.ts'
import type { Sandbox } from '../adapters/sandbox/wrapped.ts'
import type { Settings } from '../config/table.ts'
import type { State } from '../core/state.ts'
import { scopeNumber } from '../core/types/words.ts'
import type { Instant, Repo, Reporter, Scope } from '../core/types.ts'
import type { Agents } from './agents.ts'
import type { Screen } from './outputs/screen.ts'
import type { KeyQuestion } from './people/ask-on-terminal.ts'
import type { Project } from './project.ts'

/** What a run has before it gets its id: its feature, settings and agents, and its screen. */
export type Setup = Project & {
  settings: Settings
  /** The settings files, as they were read. */
  configRead: { path: string; text: string }[]
  env: Record<string, string>
  mask: Masker
  agents: Agents
  screen: Screen
  ask: KeyQuestion
  /** Somebody is there to be asked about gates that are red before the first iteration, and the settings leave it open. */
  asksBaseline?: true
  /** A check that no agent sees. Absent: none. */
  heldOut?: HeldOut
  /** The leash of a fleet worker, which grants calls. null: not a fleet run. */
  leash: Leash | null
  now(): Instant
}

/** A live run: in the project itself, or in the worktree of a story. */
export type Work = Setup & {
  run: string
  /** The logs of the run, wherever its iterations work. */
  logs: string
  /** The run's branch; null: a detached HEAD. */
  branch: string | null
  /** The current state, from the log. */
  state(): State
  git: Git | null
  plan: PlanKeeper
  /** The project's and the user's configuration when the run began; null: none. */
  configFiles: { path: string; text: string | null }[]
  /** The sandbox for agents and gates; null: none. */
  sandbox: Sandbox | null
  /** One for other folders: a worktree's. */
  sandboxFor: SandboxFor
  /** Files that gates left uncommitted, as they left them. */
  leftByGates: Map<string, string>
  /** If seen from a worktree. */
  place?: StoryWorktree
}

/** Tests that are laid over a checkout, for the gates to run; or a command, and the files outside the project that it names. */
export type HeldOut = { folder: string } | { command: string; files: string[] }

export type SandboxFor = (root: string, dir: string) => Sandbox | null

export type StoryWorktree = {
  path: string
  /** Its own branch, and the branch that its work is for; null: none was checked out. */
  branch: string
  onto: string | null
  /** Where it left the run's branch. */
  fork: string | null
  /** What git ignores in it since it was prepared; undefined: not prepared yet. */
  ignored: string[] | undefined
  /** When it was prepared, in milliseconds; undefined: by an earlier process. */
  since?: number
  /** The top of the work tree that it was made from. */
  main: string
  /** What leads from it to its repository; absent: no agent was there yet. */
  kept?: KeptGit
  /** Its state before the iteration; after a kill: where it left the run's branch. */
  before: Repo
}

/** What carrying out a decision needs: the state behind it, where its results go, and when to give up. */
export type Deed = { state: State; report: Reporter; stop: AbortSignal }

/** Of a deed that nobody stops. */
export type Told = Pick<Deed, 'state' | 'report'>

export const runTag = ({ run }: Pick<Work, 'run'>, iteration: Scope): string => `${run}:${scopeNumber(iteration)}`
