/** After a kill while something ran: what was written into plan and settings before Ralph died is not the user's word. */
import { createHash } from 'node:crypto'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { readIfThere, replaceFile } from '../../adapters/files/files.ts'
import { takeEdits } from '../../adapters/plan/agent-edits.ts'
import { snapshotPath } from '../../adapters/plan/live-plan.ts'
import { type PlanFile, parsePlan } from '../../adapters/plan/parse-plan.ts'
import { keptBefore, type Testimony, testimonyOf } from '../../adapters/process/witness.ts'
import { padded, projectConfig, userConfig } from '../../adapters/project/layout.ts'
import { hasEnded } from '../../core/evolve/flights.ts'
import { Failure } from '../../core/failure.ts'
import { isAnybodyAtWork } from '../../core/plan/questions.ts'
import type { State } from '../../core/state.ts'
import { scopeOf } from '../../core/types/words.ts'
import type { Plan, Story, StoryId } from '../../core/types.ts'
import { type Noticed, noticed } from '../noticed.ts'
import type { Work } from '../parts.ts'
import type { Project } from '../project.ts'
import { keepCopy, restoreSettingsAfterKill } from './users-settings.ts'

/** Killed while something ran that may have written to the files. */
export const isCut = (state: State): boolean => state.run !== '' && state.outcome === undefined && isAnybodyAtWork(state)

/** Plan and settings when Ralph died; null: nothing ran, or nobody recorded it. */
export const seenAtDeath = async ({ root, home }: Project, state: State): Promise<Testimony | null> =>
  isCut(state)
    ? testimonyOf({ root, home, run: state.run }, 1 + configPaths({ root, home }).length + (state.kept ?? []).length)
    : null

/** The project's and the user's. */
export const configPaths = ({ root, home }: Pick<Project, 'root' | 'home'>): string[] => [projectConfig(root), userConfig(home)]

/** What a run starts with, for its log: as hashes, because settings may be private. */
export const settingsOfRun = ({ configFiles }: Pick<Work, 'configFiles'>): string[] => configFiles.map(({ text }) => hashOf(text))

const hashOf = (text: string | null): string => (text === null ? '' : createHash('sha256').update(text).digest('hex'))

/** Settings that differ from those of the run, and did so, or may have, when Ralph died: restored. */
export function restoreAfterKill(project: Project & Pick<Work, 'env'>, state: State, seen: Testimony | null): Noticed[] {
  const { settings, kept: hashes } = state
  if (!isCut(state) || settings === undefined) return []
  const kept = keptBefore({ ...project, run: state.run }, settings.length + (hashes ?? []).length)
  const texts = { atDeath: seen?.texts.slice(1 + settings.length) ?? null, before: kept.slice(settings.length) }
  const others =
    hashes === undefined ? [] : restoreSettingsAfterKill(project, { kept: hashes, iteration: state.iteration }, texts)
  const configs = configPaths(project).flatMap((path, index) => {
    const [now, was] = [readIfThere(path), kept[index] ?? null]
    const isUsers = seen !== null && hashOf(seen.texts[index + 1] ?? null) === settings[index]
    if (hashOf(now) === settings[index] || isUsers || hashOf(was) !== settings[index]) return []
    const where =
      now === null ? '' : ` The changed version is in ${keptConfig(project, { path, isUsers: index > 0 }, state, now)}.`
    if (was === null) rmSync(path)
    else replaceFile(path, was)
    const detail = `${path} was changed ${whenOf(state, seen)}; restored.${where} If the change was yours: ralph stop, repeat it, ralph run`
    return [noticed('config-restored', detail)]
  })
  const told = others.map(({ isRestored, words }) => noticed(isRestored ? 'settings-restored' : unknownBefore, words))
  return [...configs, ...told]
}

/** Nothing was put back: the program need not read its settings again. */
export const unknownBefore = 'settings-unknown'

/** A copy of what was found, as people see its path: the user's own is not in the project. */
function keptConfig(project: Project, file: { path: string; isUsers: boolean }, { iteration }: State, text: string): string {
  if (file.isUsers) return keepCopy(project, file.path, scopeOf(iteration), text)
  const copy = `logs/config-${padded(iteration)}.rejected`
  replaceFile(join(project.dir, copy), text)
  return `${project.label}/${copy}`
}

const whenOf = ({ iteration }: State, seen: Testimony | null): string =>
  seen === null
    ? `while iteration ${iteration} was running, or after Ralph was killed`
    : `while iteration ${iteration} was running, before Ralph was killed`

/** Undoes what the agent must not do to a plan, as after any iteration; the user's later changes stay where possible. */
export async function undoLostEdits({ dir, label }: Project, state: State, seen: Testimony | null): Promise<Noticed[]> {
  if (!isCut(state) || state.plan === null) return []
  const { file } = state.plan
  const [before, now] = [await parsed(file, readIfThere(snapshotPath(dir, file))), readIfThere(join(dir, file))]
  // An agent may have changed the copy too: the log knows its content.
  if (before === null || now === before.text || changedStories(state.plan, before.plan).length > 0) return []
  const lost = state.flights.find((flight) => flight.worker === undefined && !hasEnded(flight))
  const allowed = lost === undefined ? nothing : { pick: state.policy.pick, story: lost.story }
  const atDeath = await takeEdits(before, seen === null ? now : (seen.texts[0] ?? null), allowed)
  if (atDeath.repairs.length === 0) return []
  const { plan, repairs } = await takeEdits(before, now, allowed)
  const copy = `logs/plan-${padded(state.iteration)}.rejected`
  if (now !== null) replaceFile(join(dir, copy), now)
  replaceFile(join(dir, file), plan.text)
  const detail = `the plan was changed ${whenOf(state, seen)}: ${repairs.join('; ')}. The changed plan is in ${label}/${copy}. If you made these changes: ralph pause, edit the plan, ralph resume`
  return [noticed('plan-restored', detail)]
}

const nothing = { pick: 'ralph', story: '' } as const

/** Stories that were marked done after Ralph had died, so not by its agents. */
export async function markedSince(state: State, seen: Testimony | null): Promise<(id: StoryId) => boolean> {
  const atDeath = seen === null || state.plan === null ? null : await parsed(state.plan.file, seen.texts[0] ?? null)
  const open = new Set(atDeath?.plan.stories.flatMap(({ id, passes }) => (passes ? [] : [id])))
  return (id) => open.has(id)
}

async function parsed(file: string, text: string | null): Promise<PlanFile | null> {
  if (text === null) return null
  try {
    return { ...(await parsePlan(file, text)), file }
  } catch (error) {
    if (error instanceof Failure) return null
    throw error
  }
}

/** Stories that differ between two plans, or exist in only one. */
export function changedStories(known: Plan | null, plan: Plan | null): StoryId[] {
  const isChanged = (story: Story): boolean => {
    const own = known?.stories.find(({ id }) => id === story.id)
    return plan !== null && (own === undefined || askedOf(own, plan) !== askedOf(story, plan))
  }
  const stories = (plan?.stories ?? []).filter(isChanged)
  const gone = (known?.stories ?? []).filter(({ id }) => plan?.stories.every((story) => story.id !== id))
  return [...stories, ...gone].map(({ id }) => id)
}

/** What a story asks for; its result is checked elsewhere. Some formats leave it to the log which stories are skipped. */
const askedOf = ({ passes: _passes, failed: _failed, skip, ...asked }: Story, { marks }: Plan): string =>
  JSON.stringify([asked, marks === 'file' && skip])
