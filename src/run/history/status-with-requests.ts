/** The status with what a person has asked for while a run of another feature was live. Separate, because usually nothing waits. */
import { type StatusFile, statusFile } from '../../views/status/account.ts'
import { withWaiting } from '../people/waiting-requests.ts'
import type { Project } from '../project.ts'
import { bookOf } from './folded-log.ts'
import { finishedBeside } from './other-features.ts'

export async function statusWithRequests(project: Project, read: StatusFile): Promise<StatusFile> {
  const book = bookOf(project)
  const state = withWaiting(project, book.state)
  return { ...statusFile({ ...book, state }, null, await finishedBeside(project), read.callLimit), lastEvent: read.lastEvent }
}
