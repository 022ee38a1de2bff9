/** Handles what an agent did to the plan in one iteration: accepts allowed changes, restores the rest from the snapshot, and reports it. */
import { Failure } from '../../core/failure.ts'
import type { StoryId } from '../../core/types.ts'
import { withAddedStory } from './added-story.ts'
import { withFailed, withNotes, withoutClaims, withPasses } from './change-story.ts'
import { type Allowed, compared, type ForbiddenEdit } from './compare.ts'
import { type PlanFile, parsePlan, scanPlan } from './parse-plan.ts'
import type { Scan } from './scan.ts'

type TakenEdits = {
  plan: PlanFile
  flips: StoryId[]
  /** What was corrected, in sentences. */
  repairs: string[]
  /** The agent's text was discarded: the caller keeps a copy. */
  isRejected: boolean
}

/** `afterText` is null if the file is gone. Never throws because of what the agent wrote. */
export async function takeEdits(before: PlanFile, afterText: string | null, allowed: Allowed): Promise<TakenEdits> {
  const refused = (repairs: string[]): TakenEdits => ({ plan: before, flips: [], repairs, isRejected: true })
  if (afterText === before.text) return { plan: before, flips: [], repairs: [], isRejected: false }
  if (afterText === null) return refused([`${before.file} was deleted; restored`])
  const after = await orFailure(scanPlan(before.file, afterText))
  if (after instanceof Failure) return refused([`${before.file} can no longer be read; restored (${after.message})`])

  const snapshot = await scanPlan(before.file, before.text)
  const found = compared(snapshot, after, allowed)
  const repairs = found.findings.map(({ sentence }) => sentence)
  if (found.findings.every(({ remedy }) => remedy !== 'rebuild')) {
    const plan = await withRemedies(before.file, afterText, found.findings)
    if (plan && (await isClean(snapshot, plan, allowed)))
      return { plan, flips: flipsOf(before, plan), repairs, isRejected: false }
    repairs.push(`${before.file} could not be corrected in place; restored with the changes that are allowed`)
  }

  let plan = before
  const take = async (what: string, step: (plan: PlanFile) => Promise<PlanFile>): Promise<void> => {
    const next = await orFailure(step(plan))
    const isGood = !(next instanceof Failure) && (await isClean(snapshot, next, allowed))
    if (isGood) plan = next
    else repairs.push(`${what} could not be applied`)
  }
  for (const id of found.flips) await take(`story ${id}: its pass`, (from) => withPasses(from, id, true))
  for (const [id, notes] of found.notes) await take(`story ${id}: its notes`, (from) => withNotes(from, id, notes))
  for (const entry of found.added)
    await take(`story ${entry.story.id}: as a new one it`, (from) => withAddedStory(from, afterText, after, entry))
  return { plan, flips: flipsOf(before, plan), repairs, isRejected: true }
}

/** The agent's text with single values corrected; undefined: that is not possible. */
async function withRemedies(file: string, text: string, findings: ForbiddenEdit[]): Promise<PlanFile | undefined> {
  const put = async (): Promise<PlanFile> => {
    let plan = await parsePlan(file, text)
    for (const { remedy, story } of findings) {
      if (remedy === 'clear failed') plan = await withFailed(plan, story, undefined)
      else if (remedy === 'clear claims') plan = await withoutClaims(plan, story)
      else plan = await withPasses(plan, story, remedy === 'close')
    }
    return plan
  }
  const plan = await orFailure(put())
  return plan instanceof Failure ? undefined : plan
}

const isClean = async (snapshot: Scan, plan: PlanFile, allowed: Allowed): Promise<boolean> =>
  compared(snapshot, await scanPlan(plan.file, plan.text), allowed).findings.length === 0

function flipsOf(before: PlanFile, after: PlanFile): StoryId[] {
  const open = new Set(before.plan.stories.filter((story) => !story.passes).map((story) => story.id))
  return after.plan.stories.filter((story) => story.passes && open.has(story.id)).map((story) => story.id)
}

const orFailure = <T>(promise: Promise<T>): Promise<T | Failure> =>
  promise.catch((error: unknown) => {
    if (error instanceof Failure) return error
    throw error
  })
