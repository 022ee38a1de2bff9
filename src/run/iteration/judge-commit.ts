/** A pass needs passing gates on the branch: if the commit is not exactly what they saw, they run again on the commit alone. */
import { identityOf } from '../../adapters/files/tree-hash.ts'
import type { Git } from '../../adapters/git/git.ts'
import { gatesFor, isHeldOut } from '../../core/decide/gates.ts'
import { listed, storyNamed } from '../../core/plan/stories.ts'
import type { EndedFlight } from '../../core/state.ts'
import type { Ended, GateResult, Reporter, StoryId } from '../../core/types.ts'
import { noticed } from '../noticed.ts'
import type { Deed, Told, Work } from '../parts.ts'
import { onCommit, uncommittedNow } from '../proof/gates-on-commit.ts'
import { withHeldOut } from '../proof/held-out.ts'
import { runGates } from './gates.ts'
import type { JudgeFolders } from './guard-judge.ts'
import type { OwnFiles } from './restore-ralph-files.ts'

/** What gates have seen: by iteration, its uncommitted work when they started. `toldHooks`: what was reported about changed hooks. */
export const nothingSeen = () => ({ work: new Map<number, string>(), toldHooks: new Set<string>() })
export type SeenByGates = ReturnType<typeof nothingSeen>

type InGit = { git: Git }
type JudgedWorld = Work & { seen: SeenByGates; judges: JudgeFolders; own: OwnFiles }

/** Before the gates: which work is uncommitted, as they see it. After a kill nobody knows, and they run again. */
export function noteSeen(world: JudgedWorld, { iteration, ended }: EndedFlight): void {
  world.seen.work.set(iteration, workOf(world, ended))
}

const workOf = ({ git }: Pick<Work, 'git'>, { uncommitted }: Ended): string =>
  git === null ? '' : identityOf(git.top, uncommitted, new Map()).identity

export type Committed = { work: Awaited<ReturnType<Git['commitPaths']>>; unseen: string | null }

/** Commits the work. `unseen`: why the commit is not what the gates saw; null: it is, or no gate ran. */
export async function commitSeen(world: JudgedWorld, flight: EndedFlight, passed: StoryId[], deed: Told): Promise<Committed> {
  const { ended, gates = [] } = flight
  const { git, seen } = world
  const hasGates = gates.some(({ soft }) => soft !== true)
  const head = (await git?.head()) ?? null
  const isMoved = git !== null && head !== null && head !== ended.repo.head && (await git.contentOf(head)) !== ended.repo.tree
  const isChanged = ended.uncommitted.length > 0 && seen.work.get(flight.iteration) !== workOf(world, ended)
  const work = await commitWork(world, passed, ended.uncommitted, deed)
  seen.work.delete(flight.iteration)
  if (git === null || !hasGates || (work !== null && 'error' in work)) return { work, unseen: null }
  if (work?.isOther) return { work, unseen: 'a commit hook changed what was committed' }
  if (isMoved) return { work, unseen: 'the branch changed after the gates had run' }
  return { work, unseen: work !== null && isChanged ? 'files changed after the gates had run' : null }
}

/** What the agent left uncommitted for a story that passes; never the user's files, nor a gate's. */
async function commitWork(
  world: JudgedWorld,
  passed: StoryId[],
  left: string[],
  { state, report }: Told,
): ReturnType<Git['commitPaths']> {
  if (world.git === null || !world.settings['git.auto_commit'] || left.length === 0) return null
  const titles = passed.map((id) => `${id} - ${storyNamed(state.plan, id)?.title ?? ''}`)
  const message = `feat: ${passed.length === 0 ? world.feature : titles.join(', ')}`
  const made = await world.git.commitPaths(message, left, { hooks: hooksFor(world, world.git, report) })
  const leftOut = made !== null && 'commit' in made ? (made.leftOut ?? []) : []
  if (leftOut.length > 0) {
    const detail = `a commit hook added ${listed(leftOut.slice(0, 10))} to Ralph's commit. It is not part of the work, so Ralph removed it from the commit. It is uncommitted, as before.`
    report(noticed('users-left-out', detail))
  }
  return made
}

/** The project's hooks run as they were when the run began: a story's changes to them are work, and not part of checking it. */
function hooksFor({ own, seen }: JudgedWorld, git: Git, report: Reporter): true | { from: string } {
  const begun = own.hooks?.asBegun(git) ?? null
  if (begun === null) return true
  const detail = `${listed(begun.changed)} changed since the run began. Ralph's commits still use the original hooks; changed hooks are used from the next run on.`
  if (!seen.toldHooks.has(detail)) report(noticed('hooks-changed', detail))
  seen.toldHooks.add(detail)
  return { from: begun.from }
}

/** Runs the gates on the commit. */
export async function checkCommitted(world: JudgedWorld & InGit, flight: EndedFlight, deed: Deed): Promise<GateResult[]> {
  const { state } = deed
  const gates = gatesFor(state, flight.ended).filter(({ soft }) => soft !== true)
  const asked = { iteration: flight.iteration, gates }
  const isInTree = state.judgedIn === undefined || state.judgedIn === 'tree'
  const results = isInTree
    ? await runGates(world, asked.iteration, gates, deed)
    : await onCommit(world, asked, await uncommittedNow(world, state), deed)
  return flight.gates?.some(isHeldOut) ? withHeldOut(world, { iteration: flight.iteration, results }, deed) : results
}
