/** A person's request to a feature: dropped into the inbox of a live run, or, if there is none, written to the log by the command itself. */
import { join } from 'node:path'
import { dropRequest, type Request } from '../adapters/inbox.ts'
import { takeLock } from '../adapters/lock.ts'
import { masker } from '../adapters/mask.ts'
import { keepPlan, type PlanKeeper } from '../adapters/plan/keeper.ts'
import { readPlan } from '../adapters/plan/read.ts'
import { lockPath } from '../adapters/project.ts'
import { openLog } from '../adapters/store.ts'
import { EXIT, Failure } from '../core/failure.ts'
import type { State } from '../core/state.ts'
import { instantOf } from '../core/time.ts'
import type { Event } from '../core/types.ts'
import { statusFile } from '../views/account.ts'
import { bookOf, entered, writeStatus } from './book.ts'
import { finishedBeside } from './finished.ts'
import { liveRun } from './live-run.ts'
import { masked } from './masked.ts'
import type { Project } from './project.ts'
import { keptStatus } from './status-now.ts'

type WithoutId<R> = R extends Request ? Omit<R, 'id'> : never
export type PersonsRequest = WithoutId<Request>

export async function send(
  project: Project,
  asked: PersonsRequest,
  env: NodeJS.ProcessEnv,
  changePlan?: (plan: PlanKeeper) => Promise<void>,
): Promise<'live' | 'written'> {
  const request = masked(asked, masker(env))
  const live = liveRun(project)
  if (live !== null) {
    if (request.kind !== 'said' && env['RALPH_RUN']?.startsWith(`${live.run}:`)) throw new Failure(EXIT.usage, onlyPeople)
    dropRequest(project.dir, request)
    return 'live'
  }
  const lock = takeLock(lockPath(project.root), { feature: project.feature, run: '', purpose: 'command' })
  try {
    const book = bookOf(project)
    const { state } = book
    const event = { at: instantOf(Date.now()), run: state.run, ...request, id: `${process.pid}-${Date.now()}` } as Event
    const log = openLog(join(project.dir, 'events.jsonl'))
    log.append([event])
    log.close()
    const { plan } = changePlan ? await readPlan(project.dir, project.label) : { plan: null }
    if (changePlan && plan !== null) await changePlan(keepPlan(project.dir, plan))
    const next = entered(book, event)
    if (state.run !== '') {
      const { callLimit = null } = keptStatus(project.dir) ?? {}
      const others = await finishedBeside(project)
      writeStatus(project.dir, statusFile(next.state, event.kind, next.account, others, callLimit))
    }
    return 'written'
  } finally {
    lock.release()
  }
}

/** An agent that takes stories out of the count, or closes the breaker, would be its own judge. */
const onlyPeople =
  'This is for people: an agent of the live run cannot ask for it. Say what you need with BLOCKED or DECIDE, as the prompt describes.'

export const stateOf = (project: { dir: string }): State => bookOf(project).state
