/** Continues a killed run: reports what was lost, and finishes what was half done. */
import { claimsAmong, isCheckable } from '../../core/decide/hand-marked.ts'
import { hasEnded } from '../../core/evolve/flights.ts'
import { isAnybodyAtWork } from '../../core/plan/questions.ts'
import { storyNamed } from '../../core/plan/stories.ts'
import type { Policy, StoryId } from '../../core/types.ts'
import type { Loop } from '../../loop.ts'
import { saveLate } from '../failure/put-aside.ts'
import { bootNow } from '../history/after-power-cut.ts'
import { mustBeHome } from '../iteration/own-branch.ts'
import { toldNext } from '../noticed.ts'
import { rebuildCsv } from '../outputs/keep-views.ts'
import { worldOf } from '../parallel/worktree.ts'
import type { Performer } from '../perform.ts'
import type { World } from '../world.ts'
import { settingsOfRun } from './edits-before-kill.ts'
import type { HomeAfterKill } from './home-after-kill.ts'
import { changedSinceKill, leftFlips, lostIteration } from './left-by-kill.ts'
import { keptHashes } from './users-settings.ts'

/** For a run that died while something ran. */
export type AfterKill = HomeAfterKill & {
  /** Stories that were marked done since then. */
  isMarkedSince(id: StoryId): boolean
  /** What was uncommitted then. */
  dirtyAtDeath: string[] | null
}

export async function resumeRun(
  { world, policy, astray, out, isMarkedSince, dirtyAtDeath }: { world: World; policy: Policy } & AfterKill,
  loop: Pick<Loop, 'state' | 'report'>,
  work: Pick<Performer, 'settleAgain' | 'failAgain'>,
): Promise<void> {
  const before = loop.state()
  await mustBeHome(world)
  const { byFlight, strays: found } = leftFlips(world.plan.current(), before)
  const plan = world.plan.current()?.plan ?? null
  const claims = claimsAmong(before, { policy, plan }, found, isMarkedSince)
  const strays = found.filter((id) => !claims.includes(id))
  const unproven = [...strays, ...claims.filter((id) => isCheckable(policy, plan, id))]
  if (unproven.length > 0) await world.plan.setPasses(unproven.map((id) => ({ id, passes: false })))
  rebuildCsv(world.dir)
  const common = {
    kind: 'run.resumed',
    log: 1,
    plan,
    policy,
    repo: before.repo,
    pid: process.pid,
    ...bootNow(),
    settings: settingsOfRun(world),
    kept: keptHashes(world),
    programs: world.own.programs,
  } as const
  loop.report({ ...common, ...(claims.length === 0 ? {} : { claims }) })
  if (isAnybodyAtWork(before)) for (const fact of changedSinceKill(before, plan, policy)) loop.report(fact)
  for (const id of strays)
    loop.report(
      toldNext(
        'flip-unproven',
        `${id} was set back to open: an agent may have marked it done before Ralph was killed, and no gate checked it. If you finished it yourself: ralph pause, mark it again in the plan, ralph resume.`,
      ),
    )
  for (const flight of before.flights) {
    if (flight.phase === 'judged') work.settleAgain(flight, loop.state())
    else if (!hasEnded(flight)) {
      await saveLate(world, flight, loop.state(), loop.report)
      const there = await worldOf(world, flight.iteration, before)
      const flips = byFlight.get(flight.iteration) ?? []
      loop.report(
        await lostIteration(
          there,
          flight,
          { flips, astray, dirtyAtDeath, ...(out && { out }) },
          { state: loop.state(), report: loop.report },
        ),
      )
    }
  }
  const { failing } = before
  if (failing !== undefined) {
    const because = storyNamed(before.plan, failing.story)?.failed?.reason ?? ''
    work.failAgain({ ...failing, because }, loop.state())
  }
}
