/** The notice of a run that did not start, or crashed. A separate process sends it, so that the exit does not wait. */
import { spawn } from 'node:child_process'
import { exitOfError } from '../../adapters/process/shortage.ts'
import { shippedPath } from '../../adapters/project/templates.ts'
import type { Settings } from '../../config/table.ts'
import { noticeOfNoEnd } from '../../core/notice/notice.ts'
import { instantOf } from '../../core/text/time.ts'
import type { Io } from '../../io.ts'
import { sendAtOnce } from '../outputs/notices.ts'
import type { Project } from '../project.ts'

export type LastNotice = {
  /** As far as it got. */
  run: string
  hasBegun: boolean
  refused(exit: number, lines: string[]): void
  failed(error: unknown): void
}

export function openLastNotice({ root, feature }: Project, settings: Settings, io: Io): LastNotice {
  const send = (exit: number, text: string, next: string): void => {
    const about = { feature, run: last.run, at: instantOf(Date.now()), hasBegun: last.hasBegun }
    const notice = noticeOfNoEnd({ exit, text, next }, about, settings['notify.on'])
    if (notice !== null) sendAtOnce(notice, { root, settings }, io, (safe) => sendApart(JSON.stringify(safe), root, io.env))
  }
  const last: LastNotice = {
    run: '',
    hasBegun: false,
    refused: (exit, [text = '', ...next]) => send(exit, text, next.join(' ')),
    failed(error) {
      const next = last.hasBegun ? 'see the message on its terminal, then continue with: ralph run' : ''
      send(exitOfError(error), (error as Error).message, next)
    },
  }
  return last
}

function sendApart(notice: string, cwd: string, env: Io['env']): void {
  const sender = spawn(process.execPath, [shippedPath('bin/ralph.js'), 'notice'], {
    cwd,
    env,
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  // If it cannot be sent, nobody is left to tell.
  sender.on('error', () => {})
  sender.stdin?.on('error', () => {})
  sender.stdin?.end(notice)
  sender.unref()
}
