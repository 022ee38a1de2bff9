/** A person's request to a feature: it goes into the inbox of a live run (of another feature: for the next run), or else the command writes it to the log. */
import { readIfThere } from '../../adapters/files/files.ts'
import { LONGEST_TEXT } from '../../adapters/files/open.ts'
import { masker } from '../../adapters/mask/mask.ts'
import { readPlan } from '../../adapters/plan/find-plan.ts'
import { keepPlan } from '../../adapters/plan/live-plan.ts'
import { isOfRun } from '../../adapters/process/process-mark.ts'
import { markIn, tagsAround } from '../../adapters/process/survivors.ts'
import { openLog } from '../../adapters/project/event-log.ts'
import { lockPath } from '../../adapters/project/find.ts'
import { eventLogPath, worktreesFolder } from '../../adapters/project/layout.ts'
import { takeLock } from '../../adapters/project/lock.ts'
import { copyPathOf, matchLog } from '../../adapters/project/log/second-copy.ts'
import { dropRequest, type Request } from '../../adapters/project/signed-inbox.ts'
import { EXIT, Failure } from '../../core/failure.ts'
import { dueAmendments } from '../../core/plan/questions.ts'
import type { State } from '../../core/state.ts'
import { instantOf } from '../../core/text/time.ts'
import type { Event, Report, Reporter, StoryId } from '../../core/types.ts'
import { statusFile } from '../../views/status/account.ts'
import { type Book, bookOf, withEvent } from '../history/folded-log.ts'
import { liveIn, liveRun } from '../history/live-run.ts'
import { finishedBeside } from '../history/other-features.ts'
import { keptStatus } from '../history/status-now.ts'
import { masked } from '../outputs/masked.ts'
import { writeStatus } from '../outputs/write-status.ts'
import { isUnfinished } from '../preflight/left-by-kill.ts'
import type { Project } from '../project.ts'
import { otherBranch } from './find-branch.ts'
import { withWaiting } from './waiting-requests.ts'
import { writeAmendments } from './write-amendments.ts'
import { writeRequest } from './write-requests.ts'

type WithoutId<R> = R extends Request ? Omit<R, 'id'> : never
export type PersonsRequest = WithoutId<Request>

/** By the live run, by the log itself, or by the feature's next run, because one of another feature is live. */
type Taken = 'live' | 'written' | 'waiting'

export async function sendRequest(project: Project, asked: PersonsRequest, env: NodeJS.ProcessEnv): Promise<Taken> {
  const request = masked(asked, masker(env))
  if (isAskedFromInside(project, env)) throw new Failure(EXIT.usage, onlyPeople)
  const live = liveIn(project.root)
  if (live !== null) {
    dropRequest(project.dir, project.home, request)
    return live.feature === project.feature ? 'live' : 'waiting'
  }
  const lock = takeLock(lockPath(project.root), { feature: project.feature, run: '', purpose: 'command' })
  try {
    matchLog(project)
    const book = bookOf(project)
    const write = writerTo(project, book)
    // The plan file of another branch is another one: the next run writes what is due.
    const isThere = otherBranch(project, book.state) === null
    const planned = inPlan(request)
    const later = planned === null || isThere ? {} : { unwritten: true }
    write({ ...request, ...later, id: `${process.pid}-${Date.now()}` } as Report)
    // After a kill the plan is examined first: the same.
    const due = isUnfinished(book.state) || !isThere ? [] : dueAmendments(book.state)
    const { plan } = isThere && (planned !== null || due.length > 0) ? await readPlan(project.dir, project.label) : { plan: null }
    const keeper = plan === null ? null : keepPlan(project.dir, plan)
    if (keeper !== null && planned !== null) await writeRequest(keeper, planned.story, planned.what)
    if (keeper !== null) (await writeAmendments(keeper, due)).forEach(write)
    if (book.state.run !== '') {
      const { callLimit = null } = keptStatus(project.dir) ?? {}
      const others = await finishedBeside(project)
      writeStatus(project.dir, statusFile(book, request.kind, others, callLimit))
    }
    return 'written'
  } finally {
    lock.release()
  }
}

/** What of it the plan file shows. */
function inPlan(request: PersonsRequest): { story: StoryId; what: 'retried' | 'skipped' } | null {
  if (request.kind === 'story.retried') return { story: request.story, what: 'retried' }
  return request.kind === 'story.skipped' ? { story: request.story, what: 'skipped' } : null
}

const writerTo =
  (project: Project, book: Book): Reporter =>
  (fact) => {
    const event: Event = { at: instantOf(Date.now()), run: book.state.run, ...fact }
    const log = openLog(eventLogPath(project.dir), () => copyPathOf(project))
    log.append([event])
    log.close()
    withEvent(book, event)
  }

/** From an agent, a gate or a hook of a run of this project, live or not, even one that has cleared its environment and left its session. */
export function isAskedFromInside({ root, home, dir }: Project, env: NodeJS.ProcessEnv): boolean {
  const runs = runsAround(env)
  const mark = markIn('self')
  if (runs.length === 0 && mark === null) return false
  const isAround = (run: string): boolean => runs.includes(run) || (mark !== null && isOfRun(mark, run))
  if (isAround(liveIn(root)?.run ?? '') || (runs.length > 0 && root.startsWith(worktreesFolder(home)))) return true
  const log = readIfThere(eventLogPath(dir), LONGEST_TEXT) ?? ''
  return [...new Set([...log.matchAll(/"run":"([^"]*)"/g)].map(([, run = '']) => run))].some(isAround)
}

/** The runs that this process belongs to. */
export const runsAround = (env: NodeJS.ProcessEnv): string[] =>
  [env['RALPH_RUN'] ?? '', ...tagsAround(process.pid)].map((tag) => tag.replace(/:.*/s, '')).filter((run) => run !== '')

/** An agent that skips stories, answers its own question or closes the breaker would judge itself. */
export const onlyPeople =
  'Only people may use this command, not the agents, gates or hooks of a run. To ask for something, use BLOCKED or DECIDE as the prompt describes.'

/** With what waits for the next run. */
export function stateOf(project: Project): State {
  const { state } = bookOf(project)
  return liveRun(project) === null ? withWaiting(project, state) : state
}
