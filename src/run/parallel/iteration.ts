/** One iteration in its own worktree: the same as any other, in another place. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { appendLines } from '../../adapters/files/files.ts'
import { readSince } from '../../adapters/files/tail.ts'
import { progressPath } from '../../adapters/project/layout.ts'
import { placeOfFlight } from '../../core/evolve/flights.ts'
import { dueFor } from '../../core/plan/questions.ts'
import { errorHash } from '../../core/reading/reading.ts'
import type { State } from '../../core/state.ts'
import { changesOf } from '../../core/tamper/code/change.ts'
import type { Ended, Repo, StoryId } from '../../core/types.ts'
import { nothingLeft, nothingPrinted } from '../iteration/call-result.ts'
import type { IterationStarted } from '../iteration/gather-prompt.ts'
import { sizeOf } from '../iteration/iteration.ts'
import { bringBackUsers, keepUsers } from '../iteration/users-files.ts'
import type { Deed } from '../parts.ts'
import { writeAmendments } from '../people/write-amendments.ts'
import type { Apart, World } from '../world.ts'
import { enterPlace } from './worktree.ts'

/** `work`: what is done in the worktree, usually by an agent. */
export async function runApart(
  world: World,
  started: IterationStarted & { story: StoryId },
  deed: Deed,
  work: (place: World, stop: AbortSignal) => Promise<Ended>,
): Promise<Ended> {
  const { state, stop } = deed
  for (const fact of await writeAmendments(world.plan, dueFor(state, started.story))) deed.report(fact)
  await keepUsers(world, deed)
  const here = await enterPlace(world, started, deed)
  if ('problem' in here) return ended(started, state.repo, stop.aborted ? 'stopped' : here.problem)
  const { before } = here.place
  const gone = watchFolder(here)
  const notes = progressPath(here.dir)
  const size = sizeOf(notes)
  try {
    const { plan, ...own } = await work(here, AbortSignal.any([stop, gone.signal]))
    await bringBackUsers(world, started.iteration, deed, { isLooking: true })
    if (own.wroteProgress) appendLines(progressPath(world.dir), readSince(notes, size))
    const taken = { ...(await withOwnFlips(here, own)), ...(started.candidate === undefined ? {} : await sizeOfWork(here, own)) }
    return { ...taken, repairs: [...taken.repairs, ...strays(plan, state)], before }
  } catch (error) {
    if (existsSync(join(here.place.path, '.git'))) throw error
    return ended(started, before, `its worktree ${here.place.path} was removed`)
  } finally {
    gone.close()
    if (gone.signal.aborted) world.worktrees.open.delete(placeOfFlight(started))
  }
}

/** Lines added and removed since its branch left the run's branch: of several candidates, the smaller change is the better one. */
export async function sizeOfWork(
  { git, place }: Apart,
  { uncommitted }: Pick<Ended, 'uncommitted'>,
): Promise<Pick<Ended, 'lines'>> {
  // A worktree that is used again does not know it.
  const fork = place.fork ?? (place.onto === null ? null : await git.forkOf('HEAD', `refs/heads/${place.onto}`))
  if (fork === null) return {}
  const changes = changesOf(await git.changesSince({ from: fork, uncommitted }))
  if (changes.some(({ isUnread }) => isUnread)) return {}
  return { lines: changes.reduce((sum, { added, removed }) => sum + added.length + removed.length, 0) }
}

/**
 * A flip in a worktree may come from another agent, or a hook. It counts if something was done for the story, or its own agent says that it
 * is done; gates and reviewers decide whether it is.
 */
export async function withOwnFlips<E extends Pick<Ended, 'flips' | 'repairs' | 'repo' | 'signals'>>(
  here: Apart,
  ended: E,
): Promise<E> {
  const { flips, repairs, repo, signals } = ended
  const { fork } = here.place
  if (flips.length === 0 || fork === null || signals.some(({ kind }) => kind === 'claimed-done')) return ended
  if (repo.dirt !== '' || repo.tree !== (await here.git.contentOf(fork))) return ended
  await here.plan.setPasses(flips.map((id) => ({ id, passes: false })))
  const undone = flips.map(
    (id) => `story ${id} was marked done, but nothing changed and its agent did not report it as done; set back to open`,
  )
  return { ...ended, flips: [], repairs: [...repairs, ...undone] }
}

/** Only the run writes the plan: from an agent's copy only its mark on its own story is taken. */
function strays(plan: Ended['plan'], { plan: known }: State): string[] {
  const added = (plan?.stories ?? []).filter(({ id }) => known?.stories.every((story) => story.id !== id))
  return added.map(({ id }) => `story ${id}: rejected; stories cannot be added while several run in parallel`)
}

const lookMs = 1000

/** If somebody removes a worktree, its agent is ended. */
function watchFolder({ place }: Apart): { signal: AbortSignal; close(): void } {
  const controller = new AbortController()
  const timer = setInterval(() => existsSync(join(place.path, '.git')) || controller.abort(), lookMs)
  return { signal: controller.signal, close: () => clearInterval(timer) }
}

/** It could not start, or did not end normally. */
function ended({ iteration }: IterationStarted, repo: Repo, why: 'stopped' | string): Ended {
  const error = { kind: 'error' as const, hash: errorHash(why), message: why }
  const isStopped = why === 'stopped'
  return {
    ...nothingPrinted,
    iteration,
    exit: isStopped ? 'stopped' : 'failed',
    signals: isStopped ? [] : [error],
    ...nothingLeft(repo),
  }
}
