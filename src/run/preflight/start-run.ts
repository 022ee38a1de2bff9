/** The first report of a run: its initial conditions. */

import { leftAmong, maxListed } from '../../core/evolve/users-files.ts'
import type { Estimate } from '../../core/figures/estimate.ts'
import { ignoredAtStart, maxIgnored } from '../../core/proof/hidden-files.ts'
import type { State } from '../../core/state.ts'
import type { Policy, Report } from '../../core/types.ts'
import { bootNow } from '../history/after-power-cut.ts'
import { unlearnedIn } from '../learning/lessons-since.ts'
import { repoNow, repoOf } from '../repo-now.ts'
import type { World } from '../world.ts'
import { settingsOfRun } from './edits-before-kill.ts'
import { keptHashes } from './users-settings.ts'

type StartedWorld = Pick<World, 'root' | 'feature' | 'git' | 'plan' | 'branch' | 'own' | 'configFiles'>

/** `before`: the state in the log; `aliases`: other names of the branch among the user's links. */
export async function runStarted(
  world: StartedWorld,
  policy: Policy,
  before: State,
  { aliases, estimate }: { aliases: string[]; estimate: Estimate | null },
): Promise<Report> {
  const plan = world.plan.current()?.plan ?? null
  const learned = policy.learn === undefined ? {} : { unlearned: unlearnedIn(world.root) }
  const links = [...world.own.links.users, ...aliases]
  const also = {
    settings: settingsOfRun(world),
    kept: keptHashes(world),
    programs: world.own.programs,
    ...learned,
    ...(estimate === null ? {} : { estimate }),
    ...(links.length === 0 ? {} : { links }),
  }
  const common = {
    kind: 'run.started',
    log: 1,
    feature: world.feature,
    plan,
    policy,
    pid: process.pid,
    ...bootNow(),
    ...also,
  } as const
  if (world.git === null) return { ...common, repo: await repoNow(world), dirty: [] }
  const snapshot = await world.git.latestSnapshot()
  const ignored = ignoredAtStart(snapshot.ignored, before)
  const unwatched = [...world.own.unwatched]
  const { head } = before.repo
  const committed = head === null || head === snapshot.head ? [] : await world.git.diffFiles(head, 'HEAD')
  const left = leftAmong(before, snapshot.uncommitted, committed)
  return {
    ...common,
    repo: repoOf(snapshot),
    dirty: snapshot.uncommitted,
    ...(ignored.length <= maxIgnored ? { ignored } : {}),
    ...(unwatched.length <= maxListed ? { unwatched } : {}),
    branch: world.branch,
    ...(left.length === 0 ? {} : { left }),
  }
}
