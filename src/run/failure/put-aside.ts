/** Saves the state before a story, so that, if it fails, its work can move to a branch and the repository back to where it was. */
import { existsSync } from 'node:fs'
import { relative } from 'node:path'
import { readIfThere } from '../../adapters/files/files.ts'
import { stateMdPath } from '../../adapters/project/layout.ts'
import { placeOfFlight } from '../../core/evolve/flights.ts'
import { storyNamed } from '../../core/plan/stories.ts'
import type { Flight, State } from '../../core/state.ts'
import type { PutAside } from '../../core/types/results.ts'
import type { Decision, Reporter, StoryId } from '../../core/types.ts'
import { isStateOf, stateMarkdown } from '../../views/files/state-md.ts'
import { failureMessage } from '../../views/report/failure.ts'
import { logPath } from '../iteration/call-result.ts'
import { commitOwnFiles, gitFailed } from '../iteration/settle.ts'
import { findUsers, keepPerhapsUsers } from '../iteration/users-files.ts'
import { noticed } from '../noticed.ts'
import { gitOf } from '../parallel/make-worktree.ts'
import { openPlace } from '../parallel/worktree.ts'
import { placeOf } from '../parallel/worktree-paths.ts'
import { repoNow } from '../repo-now.ts'
import type { World } from '../world.ts'
import { beginningOf, olderBeginningOf } from './checkpoint.ts'

/**
 * If it cannot be saved, the story's work will stay in the tree: that is reported now, and an older state is not mistaken for it. Returns what is
 * uncommitted; null: unknown.
 */
export async function saveBeginning(
  world: Pick<World, 'feature' | 'git'>,
  story: StoryId | null,
  { left, stories }: State,
  report: Reporter,
): Promise<string[] | null> {
  const { git } = world
  if (git === null) return null
  const key = beginningOf(world, story)
  try {
    // For a story that is yet to be picked, nobody knows what belongs to it.
    const dirty = await git.save(key, story === null ? [] : left)
    const older = story === null ? [] : (stories[story]?.begunWith?.users ?? [])
    if (story !== null && older.length > 0) await git.saveOlder(key, olderBeginningOf(world, story), older)
    return dirty
  } catch (error) {
    await git.forget(key)
    const detail = `could not save the state before ${story ?? 'the next story'}: ${(error as Error).message}. If the story fails, its work stays in the tree.`
    report(noticed('beginning-unsaved', detail))
    return null
  }
}

/** A kill came before the state was saved: the agent has no log, so it had not started. Saved now, it is the same. */
export async function saveLate(
  world: Pick<World, 'feature' | 'git' | 'logs'>,
  flight: Flight,
  state: State,
  report: Reporter,
): Promise<void> {
  const { story, iteration, worker } = flight
  if (story === null || worker !== undefined || state.stories[story]?.isSaved !== true || existsSync(logPath(world, iteration)))
    return
  if (!(await world.git?.isSaved(beginningOf(world, story)))) await saveBeginning(world, story, state, report)
}

type Moved = { how: PutAside['how'] } | { problem: string }
type Failed = Pick<Extract<Decision, { kind: 'story.failed' }>, 'story' | 'branch' | 'because'>

/** Safe to repeat: the decision names the branch. */
export async function putAside(world: World, failed: Failed, given: State, report: Reporter): Promise<PutAside> {
  const { story, branch, because } = failed
  // What the user wrote while the last gates and reviewers ran stays in place; once the branch exists, the move has started.
  const isBefore = given.stories[story]?.isApart !== true && branch !== '' && !(await world.git?.branchExists(branch))
  const state = isBefore ? await findUsers(world, { iteration: given.iteration, story }, { state: given, report }) : given
  if (isBefore) await keepPerhapsUsers(world, story, { state, report })
  const isShelved = state.failing?.isShelved === true
  if (isShelved && state.stories[story]?.isSaved !== true && !(await world.git?.branchExists(branch)))
    await saveBeginning(world, story, state, report) // somebody has changed the repository since it began
  const moved = await moveAway(world, failed, state)
  const isMoved = 'how' in moved && moved.how !== 'kept'
  // A person may have requested a retry meanwhile: then it has no mark.
  if (storyNamed(world.state().plan, story)?.failed !== undefined)
    await world.plan.setFailed(story, { branch: isMoved ? branch : '', reason: because, at: state.at })
  await commitOwnFiles(world, `chore(ralph): ${story} ${isShelved ? 'waits' : 'failed'}`, report)
  if (isMoved) {
    if (world.settings['git.push'] !== 'never' && !isShelved) await push(world, branch, report)
    await world.git?.forget(beginningOf(world, story), olderBeginningOf(world, story))
  }
  const repo = await repoNow(world)
  if ('problem' in moved) return { story, branch: '', how: 'kept', problem: moved.problem, repo }
  return { story, branch: isMoved ? branch : '', how: moved.how, repo }
}

async function moveAway(world: World, { story, branch }: Failed, state: State): Promise<Moved> {
  const { git } = world
  const known = state.stories[story]
  if (git === null || branch === '') return { how: 'kept' }
  if (known?.isApart === true) return renamed(world, { story, branch }, state)
  const key = beginningOf(world, story)
  // A state saved for an attempt that is over (it passed, or somebody changed the repository since) must not be restored.
  const isShelved = state.failing?.isShelved === true
  const isBegun = (known?.isSaved === true || isShelved) && (await git.isSaved(key))
  if (!isBegun && (await git.branchExists(branch))) return { how: 'reset' }
  if (!isBegun && known?.isSaved) return { problem: `the state before ${story} was not saved. Its work stays in the tree.` }
  if (!isBegun) return { how: 'kept' }
  const path = stateMdPath(world.dir)
  const text = isShelved ? null : stateText(world, path, story, state)
  const aside = await git.putAside({
    key,
    branch,
    message: isShelved ? `wip: ${story}, unfinished\n` : failureMessage(story, state, relative(world.root, path)),
    ownCommits: known?.commits ?? [],
    isForked: Object.values(state.stories).some(({ isApart }) => isApart),
    notes: text === null ? [] : [{ path: relative(git.top, path), text }],
  })
  if ('isLocked' in aside) throw gitFailed(aside.problem)
  return aside
}

/** Parallel work is already on its own branch: that becomes the failure's branch, with everything uncommitted. The worktree stays. */
async function renamed(world: World, { story, branch }: Pick<Failed, 'story' | 'branch'>, state: State): Promise<Moved> {
  const git = gitOf(world)
  if (await git.branchExists(branch)) return { how: 'reset' } // before a kill
  const open = state.stories[story]?.candidates?.findIndex(({ isOut }) => !isOut) ?? -1
  const place = placeOfFlight({ story, candidate: open < 0 ? undefined : open + 1 })
  const here = await openPlace(world, place)
  const own = placeOf(world, place).branch
  if (here !== null) {
    const path = stateMdPath(here.dir)
    const text = stateText(world, stateMdPath(world.dir), story, state)
    const notes = text === null ? [] : [{ path: relative(here.git.top, path), text }]
    await here.git.commitAll(failureMessage(story, state, relative(here.root, path)), notes)
    world.worktrees.open.delete(place)
  }
  if (!(await git.branchExists(own))) return { how: state.failing?.isShelved === true ? 'reset' : 'kept' }
  const refused = await git.moveBranch(own, branch)
  return refused === null ? { how: 'reset' } : { problem: refused.error }
}

/** The agent's last version; if it is lost, or about another story, it is written again. */
function stateText(world: Pick<World, 'mask'>, path: string, story: StoryId, state: State): string | null {
  const kept = readIfThere(path)
  if (kept !== null && isStateOf(kept, story)) return kept
  const text = stateMarkdown(state, story)
  return text === null ? null : world.mask.text(text)
}

async function push(world: Pick<World, 'git'>, branch: string, report: Reporter): Promise<void> {
  const refused = await world.git?.push(branch)
  if (refused) report(noticed('push-failed', `${branch} could not be pushed: ${refused.error}`))
}
