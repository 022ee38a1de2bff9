/** `ralph notice`: sends one notice, given as JSON, for a run that has no time left to do so itself. */
import { text } from 'node:stream/consumers'
import { EXIT, Failure } from '../core/failure.ts'
import type { Notice } from '../core/notice/notice.ts'
import { hasTexts, jsonIn } from '../core/text/json.ts'
import type { Io } from '../io.ts'
import { sendNotice } from '../run/outputs/notices.ts'
import { projectRoot, settingsOf } from '../run/project.ts'

export async function runNotice(_args: object, io: Io): Promise<number> {
  const notice = jsonIn(await text(process.stdin))
  if (!isNotice(notice))
    throw new Failure(EXIT.usage, 'Give a notice as JSON on standard input: this is for runs that broke off.')
  const { root, home } = projectRoot(io)
  const { settings } = await settingsOf(io, { root, home })
  await sendNotice(notice, root, settings, io.env)
  return 0
}

const isNotice = (value: unknown): value is Notice => hasTexts(value, 'what', 'title', 'text', 'feature', 'run', 'at')
