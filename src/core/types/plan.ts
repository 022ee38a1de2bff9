/** A plan and its stories, as every format gives them. */
import type { Grade } from './checks.ts'
import type { Instant, StoryId } from './words.ts'

export type Story = {
  id: StoryId
  title: string
  /** 1 is first; ties go by position in the file. */
  priority: number
  passes: boolean
  dependsOn: StoryId[]
  /** Skipped: by a person, or under a heading such as "Optional". */
  skip: boolean
  /** Completion words in an iteration on this story count as an explicit exit signal. */
  exitSignal: boolean
  /** Hard gates for this story only: name to command. */
  gates: Record<string, string>
  /** Files and folders that it will change, if the plan says so: two such stories do not run in parallel. */
  touches?: string[]
  /** It says itself that it changes tests: suspicions about them are for its reviewer alone. */
  changesTests?: true
  /** The least proof that it needs, instead of the run's. */
  proof?: Grade
  /** What it is, in a word of the plan: `feature`, `fix`, `docs`, `refactor`, `chore`. */
  kind?: string
  /** The issue that it comes from: its URL, or a tracker and an id, such as `beads:bd-7`. */
  source?: string
  /** How many attempts are made at once, each in its own worktree: the best one lands. */
  bestOf?: number
  failed?: StoryFailure
  agent?: string
  model?: string
}
export type StoryFailure = { branch: string; reason: string; at: Instant }

export type Plan = {
  /** The plan file's name, such as prd.json. */
  file: string
  branch: string
  stories: Story[]
  /** Whether the format can store `failed` and `skip`, or the log must. */
  marks: 'file' | 'log'
}

/** A criterion as the plan has it, and as an agent proposes it. */
export type Proposal = { before: string; after: string }
