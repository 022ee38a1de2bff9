/** Writes status.json again, or for the first time. Separate, because usually it exists. */
import { existsSync } from 'node:fs'
import { readPlan } from '../../adapters/plan/find-plan.ts'
import { eventLogPath } from '../../adapters/project/layout.ts'
import { settingsPolicy } from '../../config/policy.ts'
import { initialState } from '../../core/evolve/initial.ts'
import { tried } from '../../core/failure.ts'
import type { Event } from '../../core/types.ts'
import { emptyAccount, type StatusFile, statusFile } from '../../views/status/account.ts'
import { writeStatus } from '../outputs/write-status.ts'
import type { Project } from '../project.ts'
import type { Book } from './folded-log.ts'
import { finishedBeside } from './other-features.ts'

export async function rebuiltStatus(project: Project, env: NodeJS.ProcessEnv | null): Promise<StatusFile> {
  const hasRun = existsSync(eventLogPath(project.dir))
  const last: { kind: Event['kind'] | null } = { kind: null }
  const book = hasRun ? await readBook(project, last) : { state: initialState, account: emptyAccount() }
  // A plan that cannot run yet (no stories, a typo) still has a status: the run reports what is wrong with it.
  const known = book.state.plan === null ? await readPlan(project.dir, project.label).catch(() => null) : null
  const policy = book.state.run === '' && env !== null ? await settingsPolicy(env, project) : undefined
  const state = { ...book.state, plan: book.state.plan ?? known?.plan?.plan ?? null, policy: policy ?? book.state.policy }
  const status = statusFile({ ...book, state }, last.kind, await finishedBeside(project), null)
  if (state.run !== '') tried(() => writeStatus(project.dir, status), undefined) // an unwritable folder can still be read
  return status
}

async function readBook({ dir }: Project, last: { kind: Event['kind'] | null }): Promise<Book> {
  const [{ foldLog }, { emptyBook, withEvent }] = await Promise.all([
    import('../../adapters/project/event-log.ts'),
    import('./folded-log.ts'),
  ])
  const fold = (book: Book, event: Event): Book => {
    last.kind = event.kind
    return withEvent(book, event)
  }
  return foldLog(eventLogPath(dir), emptyBook(), fold).value
}
