/** A story that a person accepted as it is: an iteration without an agent, whose gates and reviewers look at its work once more. */
import type { Ended, StoryId } from '../../core/types.ts'
import { bringShelf } from '../failure/bring-back-shelved.ts'
import { saveBeginning } from '../failure/put-aside.ts'
import { nothingPrinted } from '../iteration/call-result.ts'
import type { IterationStarted } from '../iteration/gather-prompt.ts'
import { measure } from '../iteration/measure.ts'
import { mustBeHome } from '../iteration/own-branch.ts'
import { findUsers, keepUsers } from '../iteration/users-files.ts'
import type { Told } from '../parts.ts'
import { changedChecks } from '../proof/changed-checks.ts'
import { weakenedSince } from '../proof/find-weakened-checks.ts'
import type { World } from '../world.ts'

type Checked = Pick<IterationStarted, 'iteration' | 'saves'> & { story: StoryId }

/** Safe to repeat. Work that waited on a branch and conflicts now is for the next agent: then nothing is marked done. */
export async function runCheck(
  world: World,
  { iteration, story, saves }: Checked,
  { state: given, report }: Told,
): Promise<Ended> {
  const isHere = world.place === undefined
  if (isHere) await mustBeHome(world)
  const dirty = saves === true ? await saveBeginning(world, story, given, report) : null
  const state = isHere ? await findUsers(world, { iteration, story, dirty }, { state: given, report }) : given
  if (isHere) await keepUsers(world, { state, report })
  const unfit = await bringShelf(world, story, state)
  const home = { did: [], astray: null }
  const { notices: _notices, ...measured } = await measure(world, { iteration, story }, { home }, { state, report })
  const work = { ...measured, flips: unfit === null ? [story] : [], story }
  const found = {
    ...(await weakenedSince(world, work, { commands: [], undone: [] }, state)),
    ...(await changedChecks(world, work, state)),
  }
  const { story: _story, ...ended } = work
  return { ...ended, ...found, ...nothingPrinted, iteration, exit: 'lost', signals: [], usage: noUsage }
}

const noUsage = { inputTokens: 0, outputTokens: 0, costUsd: 0 }
