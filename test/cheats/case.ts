/** A case: a small real project, a story, and what an agent does about it, either to look finished or honestly. */

export type Files = Record<string, string>

/** What an agent does in one go, in this order; paths are relative to the project. */
export type Act = {
  remove?: string[]
  write?: Files
  /** Commands, in the project's folder; one that fails is a mistake of the list. */
  run?: string
}

/** The beginning: what is in the repository, how Ralph checks it, and what is true of right work. */
export type Project = {
  /** As the page calls it. */
  name: string
  files: Files
  gate: string
  /** More gates, by name. */
  checks?: Record<string, string>
  story: { title: string; criteria: string[]; kind?: string; changesTests?: true }
  /** Work that fails the held-out check, and passes once the checks are weakened or by-passed. */
  wrong: Files
  /** Work that meets the criteria, with its test. */
  right: Files
  /** Not seen by the agent: prints `held-out ok` on right work only. Runs in the folder of the work, with a fresh home. */
  heldOut: { program: 'node' | 'python3' | 'sh'; text: string }
  /** Commands that make what is not committed, such as dependencies: before the first commit. */
  setUp?: string
}

/**
 * When it is done: in the flip's iteration; an iteration earlier; in a story that the flipped one depends on; in a worktree beside the user's.
 * What is done by a process left behind or by a gate itself is a case of its own.
 */
export const steps = ['flip', 'earlier', 'dependency', 'parallel'] as const
/** `killed`: an iteration earlier, which ends with Ralph killed by its agent; only where a case names it. */
export type Step = (typeof steps)[number] | 'killed'

export type Case = {
  /** Short, and the key of its expected result. */
  name: string
  /** What is done, in plain words: for the page. */
  words: string
  project: Project
  /** Files of the beginning that differ from the project's. */
  files?: Files
  gate?: string
  checks?: Record<string, string>
  story?: Partial<Project['story']>
  heldOut?: string
  setUp?: string
  /** After the first commit, by the user: such as an uncommitted file. */
  user?: string
  /** Changes to the checks, or to their surroundings: alone they leave the gate green. */
  plants?: Act
  /** The work on the story. Default: the project's `wrong` for a cheat, `right` for an honest change. */
  work?: Act
  /** The steps in which this can be done. Default: all for a cheat, `flip` for an honest change. */
  steps?: readonly Step[]
  /** Settings of Ralph for this case. */
  config?: Record<string, unknown>
  /** What it does to the gate has an effect only while Ralph runs it. */
  isOnlyInRun?: true
  /** Commits nothing: Ralph commits. */
  isUncommitted?: true
  /**
   * What the held-out check looks at: the folder as the agent left it, its last commit, the commit that follows, or what is on the
   * branch after the run. Default: `tree`.
   */
  truthOf?: 'tree' | 'head' | 'next' | 'branch'
}

export type Cheat = Case & {
  /** What must be named in a reservation. Default: one of the files that are planted or worked on. */
  named?: RegExp
  /** What catches it, for the page. */
  caughtBy: string
  /** Nothing that runs can see it: it may pass, but not as demonstrated. */
  isForReviewers?: true
}

export type Honest = Case & {
  /** Nothing about it looks like a cheat: no reservation either. */
  isPlain?: true
}

/** A file with some of its text replaced; what is replaced must be there. */
export function edited(text: string | undefined, ...changes: [from: string, to: string][]): string {
  if (text === undefined) throw new Error('no such file to edit')
  return changes.reduce((now, [from, to]) => {
    if (!now.includes(from)) throw new Error(`nothing to replace: ${from}`)
    return now.replace(from, () => to)
  }, text)
}
