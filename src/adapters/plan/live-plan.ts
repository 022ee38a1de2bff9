/** Guards the plan file of a run: its last known content, who may change what, and a copy that survives the agent. */
import { cpSync, lstatSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { Failure } from '../../core/failure.ts'
import type { Plan, Proposal, Scope, StoryFailure, StoryId } from '../../core/types.ts'
import { readIfThere, replaceFile } from '../files/files.ts'
import { behindLink } from '../files/kept-links.ts'
import { isCopyable } from '../files/open.ts'
import { turns } from '../process/one-at-a-time.ts'
import { logsFolder, padded } from '../project/layout.ts'
import { takeEdits } from './agent-edits.ts'
import { withCriterion } from './amend-criterion.ts'
import { withFailed, withPasses, withSkip } from './change-story.ts'
import { type PlanFile, parsePlan, planFileNames } from './parse-plan.ts'

export type PlanKeeper = {
  current(): PlanFile | null
  /** Keeps a copy of the plan that the run starts with. */
  remember(): void
  /** Writes the known plan back if the file is missing. */
  putBack(): void
  /** Edits made while no iteration ran are the user's; null: none. */
  userEdits(): Promise<{ plan: Plan } | { problem: string } | null>
  /** The current content; null: it does not exist. */
  written(): string | null
  /**
   * What the agent did to the plan in one iteration, with the file corrected if needed. `written`: its content when the agent ended; later
   * changes are not the agent's.
   */
  agentEdits(
    iteration: number,
    allowed: { pick: 'ralph' | 'agent'; story: StoryId | null },
    written?: string | null,
  ): Promise<AgentEdits>
  /** Undoes what a gate did to the plan. Returns the name of the copy; null: nothing. */
  gateEdits(iteration: Scope): Promise<string | null>
  /** Moves plan files that the user did not create to the logs. Returns what happened, in sentences. */
  removeStrays(iteration: Scope): string[]
  /** The plan has moved to the archive: nothing is restored any more. */
  letGo(): void
  setPasses(changes: { id: StoryId; passes: boolean }[]): Promise<void>
  setFailed(id: StoryId, failure: StoryFailure | undefined): Promise<void>
  setSkip(id: StoryId, skip: boolean): Promise<void>
  /** Returns the problem if the criterion cannot be changed, or null. */
  amend(story: StoryId | null, change: Proposal): Promise<string | null>
}
export type AgentEdits = { plan: Plan | undefined; flips: StoryId[]; repairs: string[] }

/** The last plan that a run knew, kept for corrections and for the archive. */
export const snapshotPath = (dir: string, file: string): string => join(logsFolder(dir), `last-${file.replace('@', '')}`)

/** `follows`: if the user made the plan a link, it stays one, and its target is the plan. */
export function keepPlan(dir: string, first: PlanFile | null, follows = true): PlanKeeper {
  let known = first
  const own = first === null ? '' : join(dir, first.file)
  const path = follows ? behindLink(own) : own
  let users = new Set(planFilesIn(dir))
  let isLetGo = false

  const keep = (plan: PlanFile): void => {
    const isNew = plan.text !== known?.text
    known = plan
    if (isNew) replaceFile(snapshotPath(dir, plan.file), plan.text)
  }
  const write = (plan: PlanFile): void => {
    if (readIfThere(path) !== plan.text) replaceFile(path, plan.text)
    keep(plan)
  }
  const reject = (iteration: Scope, text: string, by = ''): string => {
    const copy = `logs/plan-${padded(iteration)}${by}.rejected`
    replaceFile(join(dir, copy), text)
    return copy
  }
  /** Two changes at once would both start from the same text, and the second would undo the first. */
  const inTurn = turns()
  /** If someone else is editing the file, the same edit is applied to their text, and theirs stays to be checked. */
  const change = (edit: (plan: PlanFile) => Promise<PlanFile>): Promise<void> =>
    inTurn(async () => {
      if (known === null) return
      const next = await edit(known)
      const theirs = readIfThere(path)
      if (theirs === null || theirs === known.text) return write(next)
      const { file } = known
      const edited = await parsePlan(file, theirs)
        .then((parsed) => edit({ ...parsed, file }))
        .catch((error: unknown) => {
          if (error instanceof Failure) return null
          throw error
        })
      if (edited !== null) replaceFile(path, edited.text)
      keep(next)
    })
  const has = (plan: PlanFile, id: StoryId): boolean => plan.plan.stories.some((story) => story.id === id)

  return {
    current: () => known,
    remember() {
      if (known === null) return
      const copy = snapshotPath(dir, known.file)
      if (readIfThere(copy) !== known.text) replaceFile(copy, known.text)
    },
    putBack() {
      if (known !== null && lstatSync(path, { throwIfNoEntry: false }) === undefined) replaceFile(path, known.text)
    },
    userEdits: () =>
      inTurn(async () => {
        users = new Set(planFilesIn(dir))
        if (known === null) return null
        const text = readIfThere(path)
        if (text === known.text) return null
        if (text === null) {
          write(known)
          return { problem: `${known.file} was missing; restored from its snapshot` }
        }
        try {
          const plan = await parsePlan(known.file, text)
          keep({ ...plan, file: known.file })
          return { plan: plan.plan }
        } catch (error) {
          if (!(error instanceof Failure)) throw error
          return { problem: `the edited plan cannot be read; using the last good one: ${error.message}` }
        }
      }),
    written: () => (known === null ? null : readIfThere(path)),
    agentEdits: (iteration, allowed, written) =>
      inTurn(async () => {
        if (known === null) return { plan: undefined, flips: [], repairs: [] }
        const now = readIfThere(path)
        const text = written === undefined ? now : written
        const late = text === now ? [] : [`${known.file} was changed after its agent had ended; restored`]
        if (text === known.text) {
          write(known)
          return { plan: undefined, flips: [], repairs: late }
        }
        const edits = await takeEdits(known, text, allowed)
        if (edits.isRejected && text !== null) reject(iteration, text)
        write({ ...edits.plan, file: known.file })
        return { plan: edits.plan.plan, flips: edits.flips, repairs: [...edits.repairs, ...late] }
      }),
    gateEdits: (iteration) =>
      inTurn(async () => {
        const text = known === null ? null : readIfThere(path)
        if (known === null || text === known.text) return null
        const copy = text === null ? '' : reject(iteration, text, '-gates')
        write(known)
        return copy
      }),
    removeStrays(iteration) {
      const strays = isLetGo ? [] : planFilesIn(dir).filter((name) => name !== known?.file && !users.has(name))
      const why = known === null ? 'this run has no plan' : `the plan of this run is ${known.file}`
      return strays.map((name) => `${name} was created, but ${why}; moved to ${putAway(dir, name, iteration)}`)
    },
    letGo() {
      known = null
      isLetGo = true
    },
    setPasses: (changes) =>
      change(async (plan) => {
        let next = plan
        for (const { id, passes } of changes) if (has(next, id)) next = await withPasses(next, id, passes)
        return next
      }),
    setFailed: (id, failure) => change(async (plan) => (has(plan, id) ? withFailed(plan, id, failure) : plan)),
    setSkip: (id, skip) => change(async (plan) => (has(plan, id) ? withSkip(plan, id, skip) : plan)),
    amend: (story, proposal) =>
      change((plan) => withCriterion(plan, story, proposal)).then(
        () => null,
        (error: unknown) => {
          if (error instanceof Failure) return error.message
          throw error
        },
      ),
  }
}

/** Including one that is not a file, or a dangling link. */
function planFilesIn(dir: string): string[] {
  try {
    const names = new Set(readdirSync(dir))
    return planFileNames.filter((name) => names.has(name))
  } catch {
    return [] // no folder, no files
  }
}

/** Returns its new path, relative to the feature's folder. */
export function putAway(dir: string, name: string, iteration: Scope): string {
  const copy = `logs/${name.replace('@', '')}-${padded(iteration)}.rejected`
  rmSync(join(dir, copy), { recursive: true, force: true })
  try {
    cpSync(join(dir, name), join(dir, copy), { recursive: true, verbatimSymlinks: true, filter: isCopyable })
  } catch {} // a pipe or a socket has no content to keep
  rmSync(join(dir, name), { recursive: true, force: true })
  return copy
}
