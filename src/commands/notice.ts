/** `ralph notice`: sends one notice that it is given as JSON, for a run that has no time left to do so itself. */
import { text } from 'node:stream/consumers'
import type { Notice } from '../core/notice/notice.ts'
import type { Io } from '../io.ts'
import { sendNotice } from '../run/outputs/notices.ts'
import { projectRoot, settingsOf } from '../run/project.ts'

export async function runNotice(_args: object, io: Io): Promise<number> {
  const notice = JSON.parse(await text(process.stdin)) as Notice
  const { root, home } = projectRoot(io)
  const { settings } = await settingsOf(io, { root, home })
  await sendNotice(notice, root, settings, io.env)
  return 0
}
